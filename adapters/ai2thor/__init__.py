"""AI2-THOR: its scenes, ALFRED's task files, and the adapter of its Controller."""

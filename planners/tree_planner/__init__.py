"""The planner `tree_planner` (Tree-Planner, Hu et al., 2024)."""

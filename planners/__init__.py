"""The planners, one folder or file each, and what they share under `kits`."""

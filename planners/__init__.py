"""Task planners, one module each."""

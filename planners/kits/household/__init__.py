"""What household planners share: the observed world, where to search next, and shortest plans."""

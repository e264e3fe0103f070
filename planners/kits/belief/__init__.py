"""What planners that search in belief share: particles from percepts, and decisions by search."""

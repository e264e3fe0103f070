"""What planners that search in belief share: from percepts to particles, and from a search back."""

"""What planners that search for things share: what was observed, and where to look next."""

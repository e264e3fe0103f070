"""What household planners share: what was observed, where to look next, and shortest plans."""

"""The planner `sayplan`."""

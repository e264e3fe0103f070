"""The planner `expert`, the upper bound, which is granted the true state."""

"""The planner `random`, the lower bound."""

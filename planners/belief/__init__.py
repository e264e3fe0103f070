"""The planner `belief`: knows the acceptable goals, and searches a belief over places."""

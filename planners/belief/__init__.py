"""The planner `belief`: knows what may be wanted, and searches in belief for where things are."""

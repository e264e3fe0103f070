"""The planner `reactree`: a tree of agents, joined by control flow."""

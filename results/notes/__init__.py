"""The notes of planners that are drawn: trees of agents, beliefs and searches."""

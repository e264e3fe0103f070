"""Trees of agents that divide goals, in words, joined by control flow (ReAcTree)."""

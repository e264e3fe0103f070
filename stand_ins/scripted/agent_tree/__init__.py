"""How the goals of a tree of agents are divided, and what an agent decides for its own."""

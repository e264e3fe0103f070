"""The planner `inner_monologue`: a language model that acts and reads what came of it, by turns."""

"""The planner `inner_monologue`: a language model that acts and reads the outcome, in turn."""

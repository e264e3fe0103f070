"""The planner `llm_plus_p`: a model writes the problem, Fast Downward makes the plan."""

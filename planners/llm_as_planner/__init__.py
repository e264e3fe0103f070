"""The planner `llm_as_planner`."""

"""The planner `llm_pop` (LLM-POP, Sun et al., 2023)."""

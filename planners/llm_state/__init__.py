"""The planner `llm_state`: a language model that keeps an open state of objects and attributes."""

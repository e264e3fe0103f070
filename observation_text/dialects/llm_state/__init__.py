"""The dialect `llm_state`: households as lists of names, and actions as calls."""

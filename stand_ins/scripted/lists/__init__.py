"""Acting on lists of names and a log of actions, as planners in the dialect `llm_state` tell them."""

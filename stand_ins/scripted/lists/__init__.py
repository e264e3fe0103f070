"""Acting on lists of names and a log of actions, as the dialect `llm_state` tells them."""

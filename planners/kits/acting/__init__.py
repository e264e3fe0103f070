"""Turns of thought and action: prompts and replies of ReAct and of planners based on it."""

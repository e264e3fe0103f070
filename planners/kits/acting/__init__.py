"""Turns of thought and action: the prompts and replies of ReAct and of what is built on it."""

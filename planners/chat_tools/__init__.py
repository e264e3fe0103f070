"""The planner `chat_tools`: the plain loop of a language model with tool calls."""

"""The planner `progprompt`: programs with assertions, and new ones where they fail."""

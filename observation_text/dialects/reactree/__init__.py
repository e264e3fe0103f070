"""The dialects named `reactree…`: homes in ReAcTree's words, and its actions in plain ones."""

"""The dialects `reactree`, `reactree_plain` and `reactree_thor`: homes in ReAcTree's words."""

"""The dialects `reactree` and `reactree_thor`: households in ReAcTree's words."""

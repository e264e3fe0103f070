"""The planner `llm_mcts`: tree search on one hypothesis of a language model."""

"""The planner `react` (ReAct, Yao et al., 2023)."""

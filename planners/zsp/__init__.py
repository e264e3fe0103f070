"""The planner `zsp` (language models as zero-shot planners, Huang et al., 2022)."""

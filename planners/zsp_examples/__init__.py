"""The planner `zsp_examples`: whole plans made by rule, as examples for planners of whole plans."""

PLANNER_NAME = "zsp_examples"

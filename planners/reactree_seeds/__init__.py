"""The planner `reactree_seeds`: trees made by rule, the first examples for `reactree`."""

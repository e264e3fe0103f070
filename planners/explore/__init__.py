"""The planner `explore`, which is granted the goal and has to find things."""

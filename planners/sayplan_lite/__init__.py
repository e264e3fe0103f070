"""The planner `sayplan_lite`."""

"""The planner `reflexion`: thoughts and actions in trials, with reflections on failed ones."""

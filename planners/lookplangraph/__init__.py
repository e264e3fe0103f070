"""The planner `lookplangraph`: actions one by one on a memory graph that grows by looking."""

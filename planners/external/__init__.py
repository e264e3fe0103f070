"""An agent outside Peephole: what it calls becomes the decisions of a planner."""

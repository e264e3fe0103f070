"""Skills of a robot arm, behind one small interface that every physics engine can fulfil."""

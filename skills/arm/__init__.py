"""Skills of a robot arm, behind an interface for any physics engine."""

"""Memories of planners: within an episode (`working`), and of earlier episodes (`episodic`)."""

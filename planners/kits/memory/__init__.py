"""What planners remember: in an episode (`working`), and of earlier ones (`episodic`)."""

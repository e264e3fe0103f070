"""Pictures of what an agent perceives, drawn for worlds that have no camera."""

"""Pictures of what an agent perceives, drawn for worlds without a camera."""

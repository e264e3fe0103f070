"""What the agent may see, and how views, actions and feedback are worded."""

"""What planners on scene graphs share: names, the known graph, and its text in prompts."""

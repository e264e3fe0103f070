"""What planners on scene graphs share: names, the graph that is known, and how prompts tell it."""

"""Acting on a scene graph that each prompt tells anew, as `lookplangraph` does."""

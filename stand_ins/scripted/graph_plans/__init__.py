"""Whole plans on a scene graph that a prompt tells as JSON."""

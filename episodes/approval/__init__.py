"""Approval of actions before they reach the world: by a person, or by rules of a file."""

"""Tasks in a real room, from its file."""

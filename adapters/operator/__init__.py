"""A person in a real room as a simulator."""

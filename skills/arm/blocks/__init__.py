"""The skills of an arm at a table with blocks."""

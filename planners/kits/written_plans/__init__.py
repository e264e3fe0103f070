"""Whole plans that a model writes line by line, and the skills that the lines mean."""

"""Whole plans that a model writes line by line in words, and the skills that they mean."""

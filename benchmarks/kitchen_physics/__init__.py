"""Measures of the kitchens in contact physics."""

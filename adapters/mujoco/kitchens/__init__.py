"""Kitchens in contact physics, with a mobile arm."""

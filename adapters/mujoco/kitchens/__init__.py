"""Furnished kitchens and a mobile arm in MuJoCo."""

"""Household tasks in furnished kitchens, for contact physics and for play by rules."""

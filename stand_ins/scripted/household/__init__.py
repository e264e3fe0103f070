"""Household tasks: what the observations of an episode tell, and what is done next."""

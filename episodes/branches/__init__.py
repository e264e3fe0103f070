"""Branches: a recorded episode is played to a step, one thing is changed, and it is played on."""

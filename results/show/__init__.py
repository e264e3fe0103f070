"""Runs and trajectories for reading in a terminal."""

"""Runs and episodes on a terminal."""

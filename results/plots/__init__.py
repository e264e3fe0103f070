"""Figures of runs as pictures for papers."""

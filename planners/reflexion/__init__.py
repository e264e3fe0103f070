"""Reflexion: thoughts and actions in trials, with what was learnt from those that failed."""

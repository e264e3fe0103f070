"""Verdicts of further persons on recorded episodes, and how far judges agree."""

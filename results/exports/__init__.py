"""Recordings written in the forms of other tools."""

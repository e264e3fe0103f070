"""Connections to simulators, one module or folder each."""

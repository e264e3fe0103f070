"""Doors onto an episode for agents of other houses: Gymnasium, MCP and others."""

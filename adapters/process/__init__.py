"""Simulators in their own processes: supervisor, messages, and the server side."""

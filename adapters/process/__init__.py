"""Simulators in processes of their own: supervisor, messages, and the server side."""

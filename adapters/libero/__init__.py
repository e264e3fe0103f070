"""LIBERO: language tasks in contact physics, judged by the engine's own predicates."""

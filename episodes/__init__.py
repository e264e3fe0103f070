"""Suites of tasks, the runner, recordings and metrics."""

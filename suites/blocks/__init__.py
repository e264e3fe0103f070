"""Suites of an arm before blocks, after LLM-POP."""

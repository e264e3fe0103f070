"""Peephole connects LLM task planners to household and manipulation simulators."""

__version__ = "0.1.0"

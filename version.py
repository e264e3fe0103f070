"""The version of Peephole."""

__version__ = "0.1.0"

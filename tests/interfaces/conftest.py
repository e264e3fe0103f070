"""The command line for tests of doors."""

from ..cli.conftest import peephole

__all__ = ["peephole"]

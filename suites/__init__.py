"""Suites of tasks. `peephole.suites()` lists them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .registry import SuiteStatus


class _Suites(ModuleType):
    """This package, which can also be called: `peephole.suites` is its name already."""

    def __call__(self) -> list[SuiteStatus]:
        """The suites by name, each with its number of tasks, a summary and its adapter.

        `pandas.DataFrame(peephole.suites())` is a table of them.
        """
        from .registry import suite_status

        return suite_status()


sys.modules[__name__].__class__ = _Suites

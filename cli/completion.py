"""Completion of names in a shell, from the entry points; only variants need a plugin's import."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from .. import plugins
from ..errors import PeepholeError


def registered(kind: str) -> Callable[[str], list[str]]:
    """A completion with the registered names of a kind, such as "adapter"."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in plugins.names(kind) if name.startswith(incomplete)]

    return complete


def suites(incomplete: str) -> list[str]:
    """A completion with the names of suites; with variants where a family's name is complete."""
    family = incomplete.partition(":")[0]
    names = set(plugins.names("suite"))
    if family in names:
        from ..suites.registry import variant_names

        with suppress(PeepholeError):
            names.update(variant_names(family))
    return sorted(name for name in names if name.startswith(incomplete))

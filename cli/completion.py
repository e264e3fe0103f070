"""Completion of names in a shell, from the entry points alone: no plugin is imported for it."""

from __future__ import annotations

from collections.abc import Callable

from .. import plugins


def registered(kind: str) -> Callable[[str], list[str]]:
    """A completion with the registered names of a kind, such as "suite"."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in plugins.names(kind) if name.startswith(incomplete)]

    return complete

"""Finds adapters, planners, dialects, scene loaders and suites by their entry points.

Peephole's own are registered in the same way as those of any other package, so that adding one
needs no change here. Groups: `peephole.adapters`, `peephole.planners`, `peephole.dialects`,
`peephole.models`, `peephole.scenes`, `peephole.suites`.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .errors import Missing, PeepholeError, unknown_name


@cache
def _entries(kind: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=f"peephole.{kind}s")}


def names(kind: str) -> list[str]:
    """The registered names of a kind, which is a group without `peephole.` and its plural s."""
    return sorted(_entries(kind))


def load(kind: str, name: str) -> Any:
    """The object that an entry point names.

    Raises BadInput for an unknown name and Missing for a plugin that cannot be imported.
    """
    entries = _entries(kind)
    if name not in entries:
        raise unknown_name(kind, name, entries)
    try:
        return entries[name].load()
    except PeepholeError:
        raise
    except Exception as error:  # a stranger's module may fail in any way while importing
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Missing(
            f"The {kind} '{name}' ({entries[name].value}) cannot be loaded ({reason}); "
            f"reinstall or remove the package that provides it."
        ) from error

"""Completion of names in a shell. Only the variants of a suite need an import of its plugin."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .. import plugins
from ..data_files import found_file
from ..errors import PeepholeError

#: Peephole's own grids.
GRIDS = Path(__file__).parents[1] / "grids"


def registered(kind: str) -> Callable[[str], list[str]]:
    """A function that completes registered names of a kind, such as "adapter"."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in plugins.names(kind) if name.startswith(incomplete)]

    return complete


def suites(incomplete: str) -> list[str]:
    """Complete names of suites, with variants after the complete name of a family."""
    family = incomplete.partition(":")[0]
    names = set(plugins.names("suite"))
    if family in names:
        from ..suites.registry import variant_names

        with suppress(PeepholeError):
            names.update(variant_names(family))
    return sorted(name for name in names if name.startswith(incomplete))


def found_grid(given: Path | None) -> Path | None:
    """The file of a grid, by its path or the name of a grid of Peephole. Raises BadInput."""
    return None if given is None else found_file(given, GRIDS, "grid")


def grid_names(incomplete: str) -> list[str]:
    """Complete names of Peephole's own grids."""
    return sorted(each.stem for each in GRIDS.glob(f"{incomplete}*.yaml"))

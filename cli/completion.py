"""Names in a shell, from the entry points and folders alone: no plugin is imported for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .. import plugins
from ..data_files import found_file

#: Peephole's own grids.
GRIDS = Path(__file__).parents[1] / "grids"


def registered(kind: str) -> Callable[[str], list[str]]:
    """A completion with the registered names of a kind, such as "suite"."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in plugins.names(kind) if name.startswith(incomplete)]

    return complete


def found_grid(given: Path | None) -> Path | None:
    """The file of a grid by its path, or of one of Peephole's own by its name. Raises BadInput."""
    return None if given is None else found_file(given, GRIDS, "grid")


def grid_names(incomplete: str) -> list[str]:
    """A completion with the names of Peephole's own grids."""
    return sorted(each.stem for each in GRIDS.glob(f"{incomplete}*.yaml"))

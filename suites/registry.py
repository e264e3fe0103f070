"""Which suites there are, and what is wrong with those that cannot be played."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import plugins
from ..adapters.registry import lack_of
from ..errors import Missing, PeepholeError
from .contract import Suite


@dataclass(frozen=True)
class SuiteStatus:
    """One entry of `peephole suites`.

    missing: what it needs and how to get it, or why the plugin does not load; None when it can be
    played. The fields after it are empty for one that cannot. skipped, notes: see `Suite`.
    """

    name: str
    missing: str | None = None
    summary: str = ""
    tasks: int = 0
    adapter: str = ""
    skipped: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return asdict(self)


def load_suite(name: str, data: Path | None = None) -> Suite:
    """The suite of a name, from the user's data where it takes any.

    Raises BadInput for an unknown name or data that it cannot read, and Missing for what is not
    installed and for a plugin that is broken.
    """
    load = plugins.load("suite", name)
    with plugins.guarded("suite", name):
        suite = load(data)
    if not isinstance(suite, Suite):
        raise Missing(
            f"The suite '{name}' is no suite (its entry point gives {suite!r}, expected a "
            f"peephole.suites.contract.Suite); correct or remove its package."
        )
    return suite


def suite_status() -> list[SuiteStatus]:
    """The status of every registered suite, by name; a broken plugin is one of them."""
    return [_status(name) for name in plugins.names("suite")]


def _status(name: str) -> SuiteStatus:
    try:
        suite = load_suite(name)
        with plugins.guarded("suite", name):
            return SuiteStatus(
                name=name,
                missing=lack_of(suite.adapter),
                summary=suite.summary,
                tasks=len(suite.tasks),
                adapter=suite.adapter,
                skipped=dict(suite.skipped),
                notes=suite.notes,
            )
    except PeepholeError as error:
        return SuiteStatus(name=name, missing=str(error))

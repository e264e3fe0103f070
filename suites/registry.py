"""The registered suites, and why some of them cannot be played."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import plugins
from ..adapters.registry import lack_of
from ..errors import Missing, PeepholeError, unknown_name
from .contract import VARIANT, Family, Suite, path_name, suite_name


@dataclass(frozen=True)
class SuiteStatus:
    """An entry of `peephole suites`.

    A suite that does not load has only a name, `missing` and a summary.
    """

    name: str
    """The name after `--suite`."""
    missing: str | None = None
    """What is missing and how to install it, or why the plugin does not load; None if ready."""
    summary: str = ""
    """A line on what the tasks are."""
    tasks: int = 0
    """Number of tasks."""
    adapter: str = ""
    """Name of the default adapter."""
    skipped: dict[str, int] = field(default_factory=dict)
    """See `Suite`."""
    notes: tuple[str, ...] = ()
    """See `Suite`."""

    def to_data(self) -> dict[str, Any]:
        """The status as JSON data."""
        return asdict(self)


def suite_names() -> list[str]:
    """The names of all registered suites and their variants."""
    return [name for family in plugins.names("suite") for name in _variants(family)]


def variant_names(family: str) -> list[str]:
    """The names of a family's suites. Raises BadInput and Missing as `load_suite` does."""
    return [suite_name(family, variant) for variant in sorted(_family(family).variants)]


def load_suite(name: str, data: Path | None = None) -> Suite:
    """Load a suite by name, from the user's data where there is some.

    Raises BadInput for an unknown name or unreadable data. Raises Missing for a missing package or
    a broken plugin.
    """
    family, variant = _family_and_variant(name)
    with plugins.guarded("suite", name):
        suite = family.load(variant, data)
    if not isinstance(suite, Suite):
        raise Missing(
            f"The suite '{name}' is not a suite (its entry point gives {suite!r}, expected a "
            f"peephole.suites.contract.Suite); correct or remove its package."
        )
    return suite


def present_name(name: str) -> str:
    """The present name of a recording's suite.

    Before suites had variants, `kitchens:hard` was called `kitchens_hard`. An unknown name stays as
    it is.
    """
    if VARIANT in name or name in plugins.names("suite"):
        return name
    return next((new for new in _renamed(name)), name)


def _renamed(name: str) -> Iterator[str]:
    """Variants whose names differ from a name only in the sign before the variant."""
    for family in plugins.names("suite"):
        if name.startswith(f"{family}_"):
            with suppress(PeepholeError):
                yield from (new for new in variant_names(family) if path_name(new) == name)


def suite_status() -> list[SuiteStatus]:
    """The status of every registered suite, by name, broken plugins too."""
    return [_status(name) for name in suite_names()]


def status_of(name: str) -> SuiteStatus:
    """The status of one suite. Raises BadInput for an unknown name, Missing for a broken plugin."""
    _family_and_variant(name)
    return _status(name)


def own_data(name: str) -> str:
    """Whether a suite takes data of the user's, in words. Raises BadInput and Missing."""
    family, _ = _family_and_variant(name)
    if family.of_data is None:
        return f"takes no --data, because {family.no_data}"
    return "takes data of yours: --data PATH"


def _variants(family: str) -> list[str]:
    """The names of a family's suites; only the family's name where its plugin is broken."""
    try:
        return variant_names(family)
    except PeepholeError:
        return [family]


def _family(name: str) -> Family:
    """The family of a name without a variant. A function counts as a family of one suite."""
    found = plugins.load("suite", name)
    if isinstance(found, Family):
        return found
    return Family(name, {"": ""}, lambda _: found(None), of_data=lambda _, data: found(data))


def _family_and_variant(name: str) -> tuple[Family, str]:
    """The family and the variant of a name. Raises BadInput and Missing."""
    family, _, variant = name.partition(VARIANT)
    if family not in plugins.names("suite"):
        near = list(_renamed(name))
        raise unknown_name("suite", name, near) if near else plugins.unknown("suite", family)
    found = _family(family)
    if variant not in found.variants or name.endswith(VARIANT):
        raise unknown_name("suite", name, variant_names(family))
    return found, variant


def _status(name: str) -> SuiteStatus:
    try:
        family, variant = _family_and_variant(name)
        summary = family.variants[variant]
    except PeepholeError as error:
        return SuiteStatus(name=name, missing=str(error))
    try:
        suite = load_suite(name)
        with plugins.guarded("suite", name):
            return SuiteStatus(
                name=name,
                summary=suite.summary,
                tasks=len(suite.tasks),
                adapter=suite.adapter,
                skipped=dict(suite.skipped),
                notes=suite.notes,
                missing=lack_of(suite.adapter),
            )
    except PeepholeError as error:
        return SuiteStatus(name=name, missing=str(error), summary=summary)

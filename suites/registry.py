"""Which suites there are, and what is wrong with those that cannot be played."""

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
    """One entry of `peephole suites`.

    Of one that cannot be played, nothing but the name, `missing` and the summary is known.
    """

    name: str
    missing: str | None = None
    """What it needs and how to get it, or why the plugin does not load."""
    summary: str = ""
    tasks: int = 0
    adapter: str = ""
    skipped: dict[str, int] = field(default_factory=dict)
    """See `Suite`."""
    notes: tuple[str, ...] = ()
    """See `Suite`."""

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return asdict(self)


def suite_names() -> list[str]:
    """The names of all registered suites, with those of their variants."""
    return [name for family in plugins.names("suite") for name in _variants(family)]


def variant_names(family: str) -> list[str]:
    """The names of a family's suites. Raises BadInput and Missing as `load_suite` does."""
    return [suite_name(family, variant) for variant in sorted(_family(family).variants)]


def load_suite(name: str, data: Path | None = None) -> Suite:
    """The suite of a name, from the user's data where it takes any.

    Raises BadInput for an unknown name or data that it cannot read, and Missing for what is not
    installed and for a plugin that is broken.
    """
    family, variant = _family_and_variant(name)
    with plugins.guarded("suite", name):
        suite = family.load(variant, data)
    if not isinstance(suite, Suite):
        raise Missing(
            f"The suite '{name}' is no suite (its entry point gives {suite!r}, expected a "
            f"peephole.suites.contract.Suite); correct or remove its package."
        )
    return suite


def present_name(name: str) -> str:
    """The name that a recording's suite has now.

    Before suites had variants, `kitchens:hard` was called `kitchens_hard`. A name that stands for
    nothing stays as it is.
    """
    if VARIANT in name or name in plugins.names("suite"):
        return name
    return next((new for new in _renamed(name)), name)


def _renamed(name: str) -> Iterator[str]:
    """Variants whose names differ from a name in nothing but the sign before the variant."""
    for family in plugins.names("suite"):
        if name.startswith(f"{family}_"):
            with suppress(PeepholeError):
                yield from (new for new in variant_names(family) if path_name(new) == name)


def suite_status() -> list[SuiteStatus]:
    """The status of every registered suite, by name; a broken plugin is one of them."""
    return [_status(name) for name in suite_names()]


def _variants(family: str) -> list[str]:
    """The names of a family's suites; only its own where its plugin is broken."""
    try:
        return variant_names(family)
    except PeepholeError:
        return [family]


def _family(name: str) -> Family:
    """The family of a name without a variant; a plain function is one of a single suite."""
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

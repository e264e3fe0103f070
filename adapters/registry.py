"""The registered adapters: which are ready, and what the others need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .. import plugins
from ..errors import BadInput, Missing, PeepholeError
from .contract import Adapter, AdapterSpec, Capability
from .process.isolated import IsolatedAdapter


@dataclass(frozen=True)
class AdapterStatus:
    """One line of `peephole adapters`. Most fields are empty for a plugin that does not load."""

    name: str
    """Of the entry point."""
    ready: bool
    """Whether it can be used now."""
    summary: str = ""
    """One line on what it is."""
    missing: str | None = None
    """What is not installed and how to get it, or why the plugin does not load."""
    tested_on: str = ""
    """The real engine it was run against, or the substitute."""
    visibility: str = ""
    """How far the agent perceives."""
    capabilities: tuple[str, ...] = ()
    """What it can do beyond views and attempts."""
    dialects: tuple[str, ...] = ()
    """The dialects that suit it, the best first."""
    actions: tuple[str, ...] = ()
    """The verbs that it can do."""

    def to_data(self) -> dict[str, Any]:
        """The status as JSON data."""
        lists = ("capabilities", "dialects", "actions")
        return {**asdict(self), **{name: [*getattr(self, name)] for name in lists}}


def adapter_status() -> list[AdapterStatus]:
    """The status of every registered adapter, by name, including broken plugins."""
    return [_status(name) for name in plugins.names("adapter")]


def adapter_specs() -> dict[str, AdapterSpec]:
    """The spec of every registered adapter by name, ready or not, without broken plugins."""
    specs = {}
    for name in plugins.names("adapter"):
        try:
            adapter = _adapter_class(name)
            with plugins.guarded("adapter", name):
                specs[name] = adapter.configured_spec()
        except PeepholeError:
            continue
    return specs


def lack_of(name: str) -> str | None:
    """What an adapter needs and how to get it, or why it does not load; None where it is ready."""
    return _status(name).missing


def connect(name: str, *, isolated: bool = False) -> Adapter:
    """A new adapter, ready to be reset; isolated: whether its simulator runs in its own process.

    Raises BadInput for an unknown name. Raises Missing for an adapter that is not ready, with the
    command that installs it, and for a broken one.
    """
    adapter = _adapter_class(name)
    with plugins.guarded("adapter", name):
        missing = adapter.missing()
        if missing is not None:
            raise Missing(missing)
        return IsolatedAdapter(name, adapter.configured_spec()) if isolated else adapter()


def require(spec: AdapterSpec, needed: Mapping[Capability, str]) -> None:
    """Check an adapter's capabilities against the needs of a run.

    needed: what needs each capability, such as "--film" or "the planner react sees images". Raises
    BadInput, naming adapters that have all of them.
    """
    lacking = [capability for capability in needed if capability not in spec.capabilities]
    if not lacking:
        return
    suitable = [line.name for line in adapter_status() if set(needed) <= set(line.capabilities)]
    advice = f"choose one that does: {', '.join(suitable)}" if suitable else "none here does"
    raise BadInput(
        f"The adapter {spec.name} does not offer {' and '.join(lacking)} "
        f"({'; '.join(needed[capability] for capability in lacking)}); {advice}."
    )


def _adapter_class(name: str) -> type[Adapter]:
    adapter = plugins.load("adapter", name)
    if not (isinstance(adapter, type) and issubclass(adapter, Adapter)):
        raise Missing(
            f"The adapter '{name}' is no adapter (its entry point names {adapter!r}, expected a "
            f"subclass of peephole.adapters.contract.Adapter); correct or remove its package."
        )
    return adapter


def _status(name: str) -> AdapterStatus:
    try:
        adapter = _adapter_class(name)
        with plugins.guarded("adapter", name):
            spec, missing = adapter.configured_spec(), adapter.missing()
            return AdapterStatus(
                name=name,
                ready=missing is None,
                summary=spec.summary,
                missing=missing,
                tested_on=spec.tested_on,
                visibility=str(spec.visibility),
                capabilities=tuple(sorted(spec.capabilities)),
                dialects=spec.dialects,
                actions=tuple(sorted(spec.actions)),
            )
    except PeepholeError as error:
        return AdapterStatus(name=name, ready=False, missing=str(error))

"""Which adapters there are, which are ready, and what the others need."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .. import plugins
from ..errors import Missing, PeepholeError
from .contract import Adapter
from .process.isolated import IsolatedAdapter


@dataclass(frozen=True)
class AdapterStatus:
    """One line of `peephole adapters`.

    missing: what is not installed and how to get it, or why the plugin does not load. The fields
    after it are empty for a plugin that does not load.
    """

    name: str
    ready: bool
    summary: str = ""
    missing: str | None = None
    tested_on: str = ""
    visibility: str = ""
    capabilities: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return {**asdict(self), "capabilities": [*self.capabilities], "actions": [*self.actions]}


def adapter_status() -> list[AdapterStatus]:
    """The status of every registered adapter, by name; a broken plugin is one of them."""
    return [_status(name) for name in plugins.names("adapter")]


def connect(name: str, *, isolated: bool = False) -> Adapter:
    """A new adapter, ready to be reset; isolated: its simulator is to run in its own process.

    Raises BadInput for an unknown name and Missing, with the command that installs it, for one
    that is not ready.
    """
    adapter = _adapter_class(name)
    missing = adapter.missing()
    if missing is not None:
        raise Missing(missing)
    return IsolatedAdapter(name, adapter.spec) if isolated else adapter()


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
        spec, missing = adapter.spec, adapter.missing()
        return AdapterStatus(
            name=name,
            ready=missing is None,
            summary=spec.summary,
            missing=missing,
            tested_on=spec.tested_on,
            visibility=str(spec.visibility),
            capabilities=tuple(sorted(spec.capabilities)),
            actions=tuple(sorted(spec.actions)),
        )
    except PeepholeError as error:
        return AdapterStatus(name=name, ready=False, missing=str(error))
    except Exception as error:  # a stranger's class may fail in any way
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return AdapterStatus(
            name=name,
            ready=False,
            missing=f"The adapter '{name}' is broken ({reason}); correct or remove its package.",
        )

"""The registered planners with their status, and planners in files of the user.

A reference names a planner: its registered name, or `FILE.py:NAME`, where NAME is a variable of
that file, by default PLANNER.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import plugins
from ..errors import BadInput, Missing, PeepholeError, unknown_name
from .contract import Planner
from .options import OptionDescription, describe_options

_DEFAULT_NAME = "PLANNER"
#: The planner in recordings of agents outside Peephole. Only a door can play it.
EXTERNAL = "external"


def load_planner(reference: str) -> Planner:
    """The planner that a reference names.

    Raises BadInput where there is no such planner or its file cannot be imported, and Missing for
    a plugin that cannot be loaded.
    """
    file = _split(reference)
    return _registered(reference) if file is None else _from_file(*file)


def with_argument(reference: str, options: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """A reference and options, where NAME:TEXT is the planner NAME and TEXT one of its options.

    Raises as `load_planner` does.
    """
    name, colon, text = reference.partition(":")
    if not colon or name not in plugins.names("planner"):
        return reference, options
    option = _registered(name).argument
    if not option:
        raise BadInput(f"The planner {name} takes nothing behind a colon; give --planner {name}.")
    return name, {option: text, **options}


def absolute_reference(reference: str) -> str:
    """The reference to store, valid in any working directory."""
    file = _split(reference)
    return reference if file is None else f"{file[0].expanduser().resolve()}:{file[1]}"


def planner_file(reference: str) -> Path | None:
    """The absolute path of the file that a reference names; None for a registered name."""
    file = _split(reference)
    return None if file is None else file[0].expanduser().resolve()


def short_reference(reference: str) -> str:
    """The reference as a label of results: a file without its folder."""
    file = _split(reference)
    if file is None:
        return reference
    path, name = file
    return path.name if name == _DEFAULT_NAME else f"{path.name}:{name}"


@dataclass(frozen=True)
class PlannerStatus:
    """One entry of `peephole planners`; without grants and so on for a broken plugin."""

    name: str
    """The registered name."""
    ready: bool
    """Whether it can be used now."""
    summary: str = ""
    """One line on the planner."""
    missing: str | None = None
    """What is not installed and how to install it, or why the plugin does not load."""
    grants: tuple[str, ...] = ()
    """What it gets beyond views."""
    dialects: tuple[str, ...] = ()
    """The dialects it supports, the default first."""
    models: tuple[str, ...] = ()
    """The roles of the models it asks."""
    options: tuple[OptionDescription, ...] = ()
    """The options for `--set`."""

    def to_data(self) -> dict[str, Any]:
        """The same as JSON data."""
        lists = ("grants", "dialects", "models")
        return {
            **asdict(self),
            **{name: [*getattr(self, name)] for name in lists},
            "options": [option._asdict() for option in self.options],
        }


def planner_status() -> list[PlannerStatus]:
    """The status of every registered planner, by name; a broken plugin is one of them."""
    return [_status(name) for name in plugins.names("planner")]


def status_of(reference: str) -> PlannerStatus:
    """The status of one planner. Raises BadInput if there is none."""
    if _split(reference) is not None:
        load_planner(reference)
    elif reference not in plugins.names("planner"):
        raise unknown_name("planner", reference, plugins.names("planner"))
    return _status(reference)


def _status(name: str) -> PlannerStatus:
    try:
        planner = load_planner(name)
        with plugins.guarded("planner", name):
            missing = planner.missing()
            return PlannerStatus(
                name=name,
                ready=missing is None,
                summary=planner.summary,
                missing=missing,
                grants=tuple(sorted(planner.grants)),
                dialects=tuple(planner.dialects),
                models=tuple(planner.models),
                options=tuple(describe_options(planner)),
            )
    except PeepholeError as error:
        return PlannerStatus(name=name, ready=False, missing=str(error))


def _registered(name: str) -> Planner:
    if name == EXTERNAL:
        raise BadInput(
            "The planner external is an agent outside Peephole, which plays by `peephole mcp` or "
            "`peephole play`; these continue its runs, too: add --resume --out DIR."
        )
    planner = plugins.load("planner", name)
    if not isinstance(planner, Planner):
        raise Missing(
            f"The planner '{name}' is no planner (its entry point names {planner!r}, expected a "
            f"peephole.planners.contract.Planner); correct or remove its package."
        )
    return planner


# --- files ---------------------------------------------------------------------------------------


def _split(reference: str) -> tuple[Path, str] | None:
    """File and name of a reference; None for a registered name."""
    if reference.endswith(".py"):
        return Path(reference), _DEFAULT_NAME
    file, _, name = reference.rpartition(":")
    return (Path(file), name or _DEFAULT_NAME) if file.endswith(".py") else None


def _from_file(path: Path, name: str) -> Planner:
    module = _import(path.expanduser().resolve())
    planner = getattr(module, name, None)
    if isinstance(planner, Planner):
        return planner
    there = [each for each, value in vars(module).items() if isinstance(value, Planner)]
    others = f"; it has: {', '.join(there)}" if there else ", and no planner of another name"
    if planner is None:
        raise BadInput(f"{path} has no {name}{others}.")
    raise BadInput(
        f"{path} has {name}, which is no peephole.planners.contract.Planner but of the type "
        f"{type(planner).__name__}{others}."
    )


def _import(path: Path) -> ModuleType:
    """The module of a file, imported once a process under a private name.

    Its folder is on the path meanwhile, so that it can import files beside it as a script can.
    """
    private = f"_peephole_planner_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    if private in sys.modules:
        return sys.modules[private]
    if not path.is_file():
        raise BadInput(f"There is no file {path} to take a planner from; correct --planner.")
    spec = importlib.util.spec_from_file_location(private, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[private] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[private]
        if not isinstance(error, Exception | SystemExit):
            raise
        why = plugins.reason(error, path.parent)
        raise BadInput(f"{path} cannot be imported ({why}); correct it.") from error
    finally:
        sys.path.remove(str(path.parent))
    return module

"""Finds plugins by their entry points: adapters with their checks, planners, dialects and others.

Peephole's own plugins are registered like those of any other package, so a new one needs no change
here. Groups: `peephole.adapters`, `peephole.planners`, `peephole.dialects`, `peephole.models`,
`peephole.scenes`, `peephole.suites`, `peephole.checks`, `peephole.loggers`.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from .errors import Missing, PeepholeError, unknown_name
from .installed import pip


@cache
def _entries(kind: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=f"peephole.{kind}s")}


def names(kind: str) -> list[str]:
    """The registered names of a kind: a group without `peephole.` and its plural s."""
    return sorted(_entries(kind))


def load(kind: str, name: str) -> Any:
    """The object that an entry point names.

    Raises BadInput for an unknown name and Missing for a plugin that cannot be imported.
    """
    entries = _entries(kind)
    if name not in entries:
        raise unknown(kind, name)
    try:
        return entries[name].load()
    except PeepholeError:
        raise
    except (Exception, SystemExit) as error:  # a foreign module may do anything on import
        raise Missing(
            f"The {kind} '{name}' ({entries[name].value}) cannot be loaded ({reason(error)}); "
            f"reinstall or remove the package that provides it."
        ) from error


def package_of(kind: str, name: str) -> str:
    """The package that registers a plugin, with its version; "" for ours and unregistered names."""
    entry = _entries(kind).get(name.partition(":")[0])
    if entry is None or entry.dist is None or entry.dist.name == "peephole":
        return ""
    return f"{entry.dist.name} {entry.dist.version}"


def unknown(kind: str, name: str) -> PeepholeError:
    """An error for a name that is not registered.

    In a checkout it may have been added to `pyproject.toml` after Peephole was installed.
    """
    checkout = Path(__file__).parent
    file = checkout / "pyproject.toml"
    if file.is_file():
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        if name in project["entry-points"].get(f"peephole.{kind}s", {}):
            return Missing(
                f"The {kind} '{name}' was added after Peephole was installed; install it again "
                f"with: {pip()} install -e {shlex.quote(str(checkout))}"
            )
    return unknown_name(kind, name, _entries(kind))


@contextmanager
def guarded(kind: str, name: str) -> Iterator[None]:
    """Raise Missing, naming the plugin, for any error of its code that is no PeepholeError."""
    try:
        yield
    except PeepholeError:
        raise
    except (Exception, SystemExit) as error:
        raise Missing(
            f"The {kind} '{name}' is broken ({reason(error)}); correct or remove its package."
        ) from error


def reason(error: BaseException, folder: Path | None = None) -> str:
    """An error of a plugin's code in one line: its type, its text, and the file and line.

    folder: the plugin's files, if known.
    """
    text = first_line(error)
    summary = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError):  # its text has file and line
        return summary
    place = _place(error, folder)
    return summary if place is None else f"{summary}, in {place}"


def first_line(error: BaseException) -> str:
    """The first line of an error's text; "" where it has none."""
    try:
        return (str(error).splitlines() or [""])[0]
    except Exception:  # its text raises an error
        return ""


#: Files of the import machinery, which are skipped when the place of an error is searched.
_LOADING = ("<frozen ", __file__, str(Path(entry_points.__code__.co_filename).parent))


def _place(error: BaseException, folder: Path | None) -> str | None:
    """File and line of the plugin's innermost call."""
    place = None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        inside = folder is None or Path(file).is_relative_to(folder)
        if inside and not file.startswith(_LOADING):
            place = f"{file}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place

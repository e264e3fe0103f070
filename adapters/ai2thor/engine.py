"""The engine that the Controller drives, chosen by settings.

PEEPHOLE_AI2THOR_EXECUTABLE is the path of a Unity build (the Controller's `local_executable_path`).
Or it is `stand_in` for the stand-in engine, with its own options: "stand_in --boxes". By default,
the release of the installed package in ~/.ai2thor/releases is used. Nothing is downloaded.
"""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...errors import BadInput, Missing
from ...installed import Lack

EXECUTABLE_VARIABLE = "PEEPHOLE_AI2THOR_EXECUTABLE"
STAND_IN = "stand_in"

_PACKAGE = "ai2thor"
#: Runs a command as the leader of its own process group, which ends with ours.
_RUNNER = Path(__file__).with_name("process_group.py")
_STAND_IN_MODULE = f"{__package__}.{STAND_IN}"


@dataclass(frozen=True)
class EngineExecutable:
    """An engine to drive.

    name: for people. command: what the Controller runs; None: the package's own release. stand_in:
    whether it is not AI2-THOR's.
    """

    name: str
    command: tuple[str, ...] | None
    stand_in: bool = False

    @property
    def local_executable_path(self) -> str | None:
        """The Controller's argument, which it splits into words like a shell."""
        if self.command is None:
            return None
        return shlex.join([sys.executable, str(_RUNNER), *self.command])


def chosen() -> EngineExecutable:
    """The engine of the settings. Raises Missing, and BadInput for a malformed setting."""
    problem = missing()
    if problem is not None:
        raise Missing(problem)
    words = _words()
    if words[:1] == [STAND_IN]:
        return EngineExecutable(
            "the stand-in engine", (sys.executable, "-m", _STAND_IN_MODULE, *words[1:]), True
        )
    if words:
        return EngineExecutable(Path(words[0]).name, tuple(words))
    return EngineExecutable("the package's own release", None)


def missing() -> str | None:
    """One sentence on what is missing and how to get it; None if an engine is ready."""
    if find_spec(_PACKAGE) is None:
        scenes = ("procthor", "alfworld") if _words()[:1] == [STAND_IN] else ()
        return Lack("The adapter needs the package ai2thor", "ai2thor", *scenes)
    words = _words()
    if words[:1] == [STAND_IN]:
        from . import objects

        return objects.missing()
    if words:
        if shutil.which(words[0]) is not None:
            return None
        return (
            f"{EXECUTABLE_VARIABLE} is {words[0]}, which is no program; set it to the path of a "
            f"Unity build, or to '{STAND_IN}'."
        )
    if _released() is not None:
        return None
    return (
        f"There is no Unity build of AI2-THOR on this machine; set {EXECUTABLE_VARIABLE} to one "
        f"(the Controller's local_executable_path), put the package's release into {_releases()}, "
        f"or use the stand-in engine: {EXECUTABLE_VARIABLE}={STAND_IN}."
    )


def version() -> str:
    """The version of the installed package."""
    return importlib.metadata.version(_PACKAGE)


def _words() -> list[str]:
    setting = os.environ.get(EXECUTABLE_VARIABLE, "").strip()
    if Path(setting).is_file():  # a path may contain spaces
        return [setting]
    try:
        return shlex.split(setting)
    except ValueError as error:
        raise BadInput(
            f"{EXECUTABLE_VARIABLE} is no command line ({error}); set it to a path."
        ) from None


def _releases() -> Path:
    return Path.home() / ".ai2thor" / "releases"


def _released() -> Path | None:
    """The folder of the installed package's own build, if it was downloaded."""
    from ai2thor import build  # constants only; nothing is started

    return next(iter(sorted(_releases().glob(f"thor-*-{build.COMMIT_ID}"))), None)

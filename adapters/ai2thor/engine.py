"""The engine that the Controller is to drive, as the settings name it.

PEEPHOLE_AI2THOR_EXECUTABLE is the path of a Unity build, which becomes the Controller's
`local_executable_path`, or `stand_in` for the stand-in of its engine, with options where one wants
them: "stand_in --boxes". Without it the release that belongs to the installed package is taken from
~/.ai2thor/releases, where the package keeps it. Nothing is downloaded.
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
#: Runs a command as the leader of a process group of its own, which ends with us.
_RUNNER = Path(__file__).with_name("process_group.py")
_STAND_IN_MODULE = f"{__package__}.{STAND_IN}"


@dataclass(frozen=True)
class EngineExecutable:
    """An engine to drive.

    name: for people. command: what the Controller runs; None: the package's own release. stand_in:
    it is not AI2-THOR's.
    """

    name: str
    command: tuple[str, ...] | None
    stand_in: bool = False

    @property
    def local_executable_path(self) -> str | None:
        """The Controller's argument, which it splits into words as a shell does."""
        if self.command is None:
            return None
        return shlex.join([sys.executable, str(_RUNNER), *self.command])


def chosen() -> EngineExecutable:
    """The engine that the settings name. Raises Missing, and BadInput for a malformed setting."""
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
    """One sentence on what is not there and how to get it; None where an engine can be driven."""
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
            f"{EXECUTABLE_VARIABLE} names {words[0]}, which is no program; give the path of a "
            f"Unity build, or '{STAND_IN}'."
        )
    if _released() is not None:
        return None
    return (
        f"AI2-THOR has no Unity build on this machine: name one in {EXECUTABLE_VARIABLE} (it "
        f"becomes the Controller's local_executable_path), or put the package's release into "
        f"{_releases()}, or drive the stand-in engine with {EXECUTABLE_VARIABLE}={STAND_IN}."
    )


def version() -> str:
    """The version of the installed package."""
    return importlib.metadata.version(_PACKAGE)


def _words() -> list[str]:
    setting = os.environ.get(EXECUTABLE_VARIABLE, "").strip()
    if Path(setting).is_file():  # a path may have spaces in it
        return [setting]
    try:
        return shlex.split(setting)
    except ValueError as error:
        raise BadInput(f"{EXECUTABLE_VARIABLE} is no command line ({error}).") from None


def _releases() -> Path:
    return Path.home() / ".ai2thor" / "releases"


def _released() -> Path | None:
    """The folder of the installed package's own build, where it was downloaded before."""
    from ai2thor import build  # the package's constants, and nothing that is started

    return next(iter(sorted(_releases().glob(f"thor-*-{build.COMMIT_ID}"))), None)

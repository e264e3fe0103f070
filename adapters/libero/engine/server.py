"""The server of LIBERO's engine, run by the interpreter that has it.

Run as a file; it needs numpy, mujoco and libero, the modules beside it, and the file `serving` of
Peephole, whose protocol it speaks.
"""

from __future__ import annotations

import ctypes.util
import importlib
import importlib.util
import os
import sys
from typing import Any

#: The name under which this folder is a package here.
_PACKAGE = "peephole_libero_engine"


def _load_package(folder: str) -> None:
    """Make this folder importable without adding a folder to the path, where its modules' names
    could hide those of others.
    """
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = package
    spec.loader.exec_module(package)


def _serving(folder: str) -> Any:
    spec = importlib.util.spec_from_file_location("serving", os.path.join(folder, "serving.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _choose_graphics() -> None:
    """Set MuJoCo's way to render without a display, which its import reads."""
    if "MUJOCO_GL" not in os.environ:
        found = [name for name in ("EGL", "OSMesa") if ctypes.util.find_library(name)]
        os.environ["MUJOCO_GL"] = found[0].lower() if found else "disable"


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    adapters = os.path.dirname(os.path.dirname(here))
    serving = _serving(os.path.join(adapters, "process"))
    channel = serving.Channel()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads only slow these small products
    _choose_graphics()
    _load_package(here)
    try:
        calls = importlib.import_module(_PACKAGE + ".calls")
        engine = calls.Engine()
    except ImportError as error:
        serving.serve_missing(channel, f"{sys.executable} lacks a part of LIBERO: {error}")
        return
    kinds = dict.fromkeys((calls.NoGraphics, calls.Incomplete), serving.MISSING)
    kinds[calls.BadInput] = serving.BAD_INPUT
    serving.serve(channel, engine.calls(), calls.versions, kinds)


if __name__ == "__main__":
    main()

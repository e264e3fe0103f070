"""OpenGL without a screen: by EGL, or else by OSMesa."""

from __future__ import annotations

import importlib
import os
from typing import Any

from ...errors import Missing

_LIBRARIES = "libegl1 libegl-mesa0 libgl1-mesa-dri"


def context(width: int, height: int) -> Any:
    """A current OpenGL context that needs no screen. Raises Missing."""
    before = os.environ.get("PYOPENGL_PLATFORM")
    for name in ("egl", "osmesa"):
        try:
            found = importlib.import_module(f"mujoco.{name}").GLContext(width, height)
            found.make_current()
        except Exception:  # the errors without a library differ
            if before is None:
                os.environ.pop("PYOPENGL_PLATFORM", None)
            continue
        return found
    raise Missing(
        f"Frames need EGL or OSMesa, and neither is installed; get one with: "
        f"apt-get install {_LIBRARIES}"
    )

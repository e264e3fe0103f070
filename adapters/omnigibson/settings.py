"""The user's OmniGibson: one environment variable.

PEEPHOLE_OMNIGIBSON is unset for the symbolic backend, "here" for the omnigibson of this
interpreter, or the path of an interpreter that has it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil

VARIABLE = "PEEPHOLE_OMNIGIBSON"
HERE = "here"


def chosen() -> str:
    """ "" for the symbolic backend, HERE, or an interpreter."""
    return os.environ.get(VARIABLE, "")


def missing() -> str | None:
    """One sentence on what the setting requires and is missing, or None."""
    where = chosen()
    if where == HERE and importlib.util.find_spec("omnigibson") is None:
        return (
            f"{VARIABLE} is '{HERE}', but this Python has no omnigibson; install it, set "
            f"{VARIABLE} to a Python that has it, or unset it for the symbolic backend."
        )
    if where not in ("", HERE) and shutil.which(where) is None:
        return (
            f"{VARIABLE} is {where}, which is no program; set it to a Python that has omnigibson, "
            f"or unset it for the symbolic backend."
        )
    return None

"""The user's robot: two environment variables.

PEEPHOLE_ROSBRIDGE is the path of the mapping file of `mapping`. PEEPHOLE_ROSBRIDGE_DRY is "yes" for
a dry run, which prints every message and sends nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import BadInput
from .mapping import Mapping, read_mapping

VARIABLE = "PEEPHOLE_ROSBRIDGE"
DRY_VARIABLE = "PEEPHOLE_ROSBRIDGE_DRY"
_SWITCH = {"": False, "no": False, "yes": True}


def chosen() -> Path | None:
    """The mapping file, or None where none is set."""
    given = os.environ.get(VARIABLE, "").strip()
    return Path(given) if given else None


def missing() -> str | None:
    """One sentence on what to set, or None."""
    if chosen() is None:
        return (
            f"{VARIABLE} is not set; set it to the file that maps skills to your robot "
            f"(docs/howto/your_robot.md)."
        )
    return None


def mapping() -> Mapping:
    """The chosen mapping. Raises BadInput for a file that is none."""
    path = chosen()
    if path is None:
        raise BadInput(str(missing()))
    return read_mapping(path)


def is_dry() -> bool:
    """Whether nothing is to be sent. Raises BadInput."""
    given = os.environ.get(DRY_VARIABLE, "").strip()
    if given not in _SWITCH:
        raise BadInput(f"{DRY_VARIABLE} is '{given}'; give yes or no.")
    return _SWITCH[given]

"""What the robot perceives: one environment variable.

PEEPHOLE_LIBERO_VIEW is `camera` for what LIBERO's camera shows, with memory, or `room` for all that
is not shut away.
"""

from __future__ import annotations

import os

from ...errors import BadInput
from ...observation_text.view import Visibility

VARIABLE = "PEEPHOLE_LIBERO_VIEW"
_CHOICES = {"": Visibility.CAMERA, "camera": Visibility.CAMERA, "room": Visibility.ROOM}


def chosen() -> Visibility:
    """The profile of the setting. Raises BadInput for an unknown one."""
    value = os.environ.get(VARIABLE, "").strip()
    if value not in _CHOICES:
        raise BadInput(f"{VARIABLE} is '{value}'; set it to camera or room, or unset it.")
    return _CHOICES[value]

"""What the adapter `omnigibson` assumes of OmniGibson.

One episode of primitives is played without what the adapter asks before them (`episode`); most
checks read it. Others read the start of the scene, or play it again.

Sources: "symbolic primitives" are omnigibson/action_primitives/
symbolic_semantic_action_primitives.py of omnigibson 1.1.1; other names are files of ours that rely
on the claim. The symbolic backend has neither poses nor time nor cameras, so what is claimed of
those cannot be told there.
"""

from __future__ import annotations

from ..assumption import Checks
from . import hands, places, scene, space, switches
from .episode import SCENE

CHECKS = Checks(
    "omnigibson",
    SCENE,
    [each for part in (scene, hands, places, switches, space) for each in part.CHECKS.assumptions],
)

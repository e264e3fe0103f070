"""The scenes of AI2-THOR, and how an episode starts in each.

"alfred:FILE#TASK_ID" is the start recorded in a task file of ALFRED. "ithor:FloorPlan7#SEED" is the
floor plan with its lamps off and the agent at a random pose.
"""

from __future__ import annotations

from ...errors import BadInput
from ..scenes import split_scene
from .alfred_files import initial_state_in
from .initial_state import InitialState, floor_plan_number

#: Scene loaders of this adapter.
ALFRED, ITHOR = "alfred", "ithor"
LOADERS = (ALFRED, ITHOR)

#: Turned off at the start of a generated task, as in ALFRED; in the floor plans most lamps are on.
_LAMPS = ({"objectType": "DeskLamp", "isOn": False}, {"objectType": "FloorLamp", "isOn": False})


def initial_state_of(scene: str) -> InitialState:
    """The start of a scene. Raises BadInput naming the scene, or the file, task and field."""
    loader, reference = split_scene(scene)
    if loader == ALFRED:
        return initial_state_in(reference)
    if loader == ITHOR:
        return _as_it_comes(reference)
    raise BadInput(
        f"AI2-THOR has no scene '{scene}'; give alfred:FILE#TASK_ID or ithor:FloorPlan7#SEED."
    )


def _as_it_comes(reference: str) -> InitialState:
    name, hash_sign, seed = reference.partition("#")
    number = floor_plan_number(name)
    if number is None:
        raise BadInput(
            f"iTHOR has no scene 'ithor:{reference}'; give a floor plan from FloorPlan1 "
            f"to 30, 201 to 230, 301 to 330 or 401 to 430: ithor:FloorPlan7#1."
        )
    if hash_sign and not (seed.isascii() and seed.isdigit()):
        raise BadInput(
            f"The seed of the scene 'ithor:{reference}' is no whole number; give ithor:{name}#1."
        )
    return InitialState(name, object_toggles=_LAMPS if number > 100 else (), seed=int(seed or 0))

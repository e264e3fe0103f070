"""The scenes of AI2-THOR, and how an episode begins in each.

They are "alfred:FILE#TASK_ID", the start that a task file of ALFRED records, and
"ithor:FloorPlan7#SEED", the floor plan as it comes, its lamps off and the agent somewhere in it.
"""

from __future__ import annotations

from ...errors import BadInput
from ..scenes import split_scene
from .alfred_files import initial_state_in
from .initial_state import InitialState, floor_plan_number

#: Scene loaders of this adapter.
ALFRED, ITHOR = "alfred", "ithor"
LOADERS = (ALFRED, ITHOR)

#: What is off at the start of a generated task, as at that of ALFRED's: most lamps are on.
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
            f"The scene 'ithor:{reference}' is none of iTHOR's; give a floor plan from FloorPlan1 "
            f"to 30, 201 to 230, 301 to 330 or 401 to 430: ithor:FloorPlan7#1."
        )
    if hash_sign and not (seed.isascii() and seed.isdigit()):
        raise BadInput(
            f"The seed of the scene 'ithor:{reference}' is no whole number; give ithor:{name}#1."
        )
    return InitialState(name, object_toggles=_LAMPS if number > 100 else (), seed=int(seed or 0))

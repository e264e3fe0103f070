"""A kitchen as arrays for the compiled searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.model import CompiledModel
from ..streams import branch
from . import kitchen_kernels as kernels

if TYPE_CHECKING:
    from .kitchen import Arrangement, Kitchen


def compiled(kitchen: Kitchen) -> CompiledModel[Arrangement]:
    """A kitchen for the compiled searches.

    States have 8 bits per entry where all numbers fit, else 16.
    """
    most = max(kitchen.areas, kitchen.objects + 1, len(kitchen.travel), len(kitchen.goals))
    bits = 8 if most < 2**8 else 16
    words = -(-kitchen.areas // bits)
    wanted = max((len(goal) for goal in kitchen.goals), default=0)
    targets = np.full((len(kitchen.goals), kitchen.objects), -1, np.int16)
    things = np.full((len(kitchen.goals), max(1, wanted)), -1, np.int16)
    for number, goal in enumerate(kitchen.goals):
        things[number, : len(goal)] = list(goal)
        for thing, area in goal.items():
            targets[number, thing] = area
    data = kernels.KitchenArrays(
        areas=kitchen.areas,
        objects=kitchen.objects,
        shift=3 if bits == 8 else 4,
        relevant=kitchen.offered == "relevant",
        feedback=kitchen.feedback,
        standing=np.array(kitchen.standing),
        travel=kitchen.travel,
        targets=targets,
        things=things,
        hashes=np.array([branch(1, thing) for thing in range(kitchen.objects)], np.uint64),
        powers=np.array(kitchen.powers),
        manipulation=float(kitchen.rewards.manipulation),
        infeasible=float(kitchen.rewards.infeasible),
        subgoal=float(kitchen.rewards.subgoal),
        task=float(kitchen.rewards.task),
        undo=float(kitchen.rewards.undo),
    )
    return CompiledModel(
        kernels=kernels if kitchen.policy is None else kitchen.policy.kernels(kernels),
        data=data,
        encode=lambda states: _rows(kitchen, states, bits, words),
        state_size=kernels.PLACES + kitchen.objects + words,
        state_type=np.uint8 if bits == 8 else np.uint16,
        max_actions=2 * kitchen.areas + kitchen.objects + 1,
        discount=kitchen.discount,
    )


def _rows(
    kitchen: Kitchen,
    states: Sequence[Arrangement],
    bits: int,
    words: int,
) -> Any:
    """States as rows of numbers, see `kitchen_kernels`."""
    mask = (1 << bits) - 1
    rows = [
        [
            state.robot,
            state.goal,
            kitchen.held(state) + 1,
            len(kitchen.left(state)),
            *state.places,
            *(state.opened >> bits * word & mask for word in range(words)),
        ]
        for state in states
    ]
    return np.array(rows)

"""Kitchens and beliefs for tests and measures."""

from __future__ import annotations

import random
from typing import Any

import numba

from peephole.planners.kits.belief.search import kitchen_kernels
from peephole.planners.kits.belief.search.kitchen import Arrangement
from peephole.planners.kits.belief.search.particles import ParticleBelief

from .plain_kitchen import PlainKitchen


def random_kitchen(
    seed: int,
    *,
    areas: int = 40,
    closed: int = 29,
    objects: int = 20,
    goals: int = 3,
    wanted: int = 3,
    candidates: int = 3,
    **options: Any,
) -> tuple[PlainKitchen, ParticleBelief[Arrangement]]:
    """A kitchen, and a belief like that from hypotheses of a language model.

    It has some goals, and for every unseen wanted object some closed areas, in all combinations.
    """
    rng = random.Random(seed)
    stations = [rng.uniform(0, 27) for _ in range(max(2, areas // 4))]
    kitchen = PlainKitchen(
        standing=[rng.randrange(len(stations)) for _ in range(areas)],
        travel=[[round(abs(one - other)) for one in stations] for other in stations],
        objects=objects,
        goals=[
            {thing: rng.randrange(areas) for thing in rng.sample(range(objects), wanted)}
            for _ in range(goals)
        ],
        **options,
    )
    in_sight = [rng.randrange(closed, areas) for _ in range(objects)]
    opened = sum(1 << area for area in range(closed, areas))
    states = []
    for number, goal in enumerate(kitchen.goals):
        hidden = [thing for thing in goal if thing % 3]
        combinations: list[list[int]] = [in_sight]
        for thing in hidden:
            places = rng.sample(range(closed), min(candidates, closed))
            combinations = [
                [*each[:thing], place, *each[thing + 1 :]]
                for each in combinations
                for place in places
            ]
        states += [Arrangement(tuple(each), opened, 0, number) for each in combinations]
    states = [state for state in states if kitchen.left(state)]
    return kitchen, ParticleBelief(states, [rng.uniform(0.1, 1) for _ in states])


@numba.njit  # type: ignore[untyped-decorator]
def one_step(data: Any, states: Any, action: int, key: Any) -> Any:
    """A step of the first state, changed where it stands: observation, reward and end.

    It is not kept on disk: numba would not notice there that the kernels have changed.
    """
    return kitchen_kernels.step(data, states, 0, action, key)

"""Worlds of kitchen tasks for tests of the kit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import peephole
from peephole.episodes.environment import Environment
from peephole.planners.kits.belief.world import KitchenWorld


@contextmanager
def kitchen(task: str = "hard/one_wall-1") -> Iterator[tuple[Environment, KitchenWorld]]:
    """An episode at its start, and its world as a planner with the goal knows it."""
    with peephole.make("kitchens", task=task, grants=("goal",)) as environment:
        percept = environment.reset()
        yield environment, KitchenWorld(environment.brief(), percept)

"""What a kind of task of `household` is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...adapters.random_draws import RandomDraws
from ...scene_graph.goals import Domain, Exists, Goal
from .house import House, HouseChanges


class HouseTask(NamedTuple):
    """A task in a house: its words, its goal, and what is changed in the house before."""

    instruction: str
    goal: Goal
    changes: HouseChanges


class HouseholdKind(NamedTuple):
    """A kind of task. steps: its limit. make: the task in a house."""

    name: str
    steps: int
    make: Callable[[House, RandomDraws], HouseTask]


def some(category: str, variable: str, body: Goal) -> Exists:
    """That something of a category fulfils a goal."""
    return Exists(variable, Domain(frozenset({category})), body)

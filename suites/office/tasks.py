"""The tasks of `office` and `office:real`, as `tasks.yaml` and `real_tasks.yaml` list them.

SayPlan (Rana et al., 2023, https://arxiv.org/abs/2307.06135) asks its office for fifteen tasks of
simple planning (one thing is to be moved or one device switched) and fifteen of complex planning.
What is left open there ("somewhere where I can enjoy it") is said here, as GraSIF did; one of the
complex ones (a cabinet known by an even number) is left out. Those of `office:real` are about cups,
keys, clothing and office supplies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...data_files import read_yaml
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    Goal,
    HasState,
    Related,
)
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation, State
from .building import one


class OfficeTask(NamedTuple):
    """A task: its group in the file and its name, what is said, and what must hold then."""

    group: str
    name: str
    instruction: str
    goal: Goal


@dataclass(frozen=True)
class Condition:
    """A condition of a goal, as the files list it: things by category, room where several."""

    thing: str
    onto: str = ""
    into: str = ""
    room: str = ""
    state: str = ""
    count: int | None = None
    event: str = ""

    def goal(self, graph: SceneGraph) -> Goal:
        """What must hold in a building. Raises ValueError where a category says not which."""
        if self.state:
            return HasState(one(graph, self.thing, self.room), State(self.state))
        relation = Relation.INSIDE if self.into else Relation.ON
        place = one(graph, self.into or self.onto, self.room)
        some = Domain(frozenset({self.thing}))
        there = Related("thing", relation, place)
        if self.count is not None:
            return AtLeast(self.count, "thing", some, there)
        if self.event:
            happened = EventOccurred((self.event,), ("thing",))
            return Exists("thing", some, And((happened, there)))
        return Related(one(graph, self.thing), relation, place)


def read_tasks(name: str, graph: SceneGraph) -> Iterator[OfficeTask]:
    """The tasks of a file, in its order. graph: of the building."""
    path = Path(__file__).with_name(f"{name}.yaml")
    for group, tasks in read_yaml(path).items():
        for task in tasks:
            goals = tuple(Condition(**condition).goal(graph) for condition in task["goal"])
            goal = goals[0] if len(goals) == 1 else And(goals)
            yield OfficeTask(group, task["name"], task["instruction"], goal)

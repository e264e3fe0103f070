"""A model that says what a test lists, and houses in which a tree of agents works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.planners.contract import Act, Decision, Done, GiveUp, Note, counts
from peephole.planners.model import NoAnswer
from peephole.planners.reactree.options import Options
from peephole.planners.reactree.planner import PLANNER
from peephole.plugins import load
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task

#: {"think": …}, {"act": …}, {"recall": …}, {"expand": (control flow, subgoals)}, or no answer.
Said = Mapping[str, Any] | None


def think(text: str) -> Said:
    return {"think": text}


def act(action: str) -> Said:
    return {"act": action}


def expand(control_flow: str, *subgoals: str) -> Said:
    return {"expand": {"control_flow": control_flow, "subgoals": list(subgoals)}}


class ListedModel:
    """Says what is listed, in its order. asked: the messages of each question."""

    name = "listed"

    def __init__(self, replies: Sequence[Said]) -> None:
        self.left: Iterator[Said] = iter(replies)
        self.asked: list[list[Mapping[str, Any]]] = []
        self.shapes: list[Any] = []

    def enforces_schema(self) -> bool:
        return True

    def answer(self, messages: Sequence[Mapping[str, Any]], shape: Any, **_: Any) -> Any:
        self.asked.append(list(messages))
        self.shapes.append(shape)
        said = next(self.left)
        if said is None:
            raise NoAnswer("The reply is not JSON.")
        return shape.model_validate({"decision": said})


@dataclass
class Played:
    """What came of an episode. nodes: the newest data of each node, by id."""

    model: ListedModel
    decisions: list[Decision] = field(default_factory=list)
    nodes: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def counted(self) -> list[Decision]:
        return [decision for decision in self.decisions if counts(decision)]

    @property
    def agents(self) -> list[dict[str, Any]]:
        """The agent nodes that have ended, in the order in which they began."""
        return [node for node in self._below(None) if "text" in node]

    def _below(self, parent: int | None) -> Iterator[dict[str, Any]]:
        for number, node in sorted(self.nodes.items()):
            if node["parent"] == parent:
                yield node
                yield from self._below(number)


Play = Callable[..., Played]


@pytest.fixture
def play(tmp_path: Any) -> Play:
    """Lets `reactree` work in a house with a model that says what is listed."""

    def played(
        graph: SceneGraph,
        goal: str,
        *replies: Said,
        dialect: str = "reactree",
        **options: Any,
    ) -> Played:
        path = tmp_path / f"house{len(list(tmp_path.iterdir()))}.json"  # scenes are kept by path
        write_graph(graph, path)
        task = Task("house", goal, And(()), f"json:{path}")
        rules = Rules(ends=Ends.PLANNER_DONE)
        environment = Environment(SymbolicAdapter(), task, load("dialect", dialect), rules=rules)
        percept = environment.reset()
        model = ListedModel(replies)
        brief = replace(
            environment.brief(), models={"planner": model}, options=Options(**options)
        )
        found = Played(model)
        plan = PLANNER.plan(brief, percept)
        decision = next(plan)
        while True:
            found.decisions.append(decision)
            if isinstance(decision, Note) and decision.name == "tree":
                found.nodes.update({node["id"]: node for node in decision.data["nodes"]})
            if isinstance(decision, Done | GiveUp):
                return found
            if isinstance(decision, Act):
                percept = environment.step(decision.action)
                assert percept.refused is None, decision
            decision = plan.send(percept)

    return played

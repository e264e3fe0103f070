"""A model with listed replies, and houses in which a tree of agents works."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.models.contract import NoAnswer
from peephole.planners.contract import Act, Decision, Done, GiveUp, Note, counts
from peephole.planners.reactree.agents import Options
from peephole.planners.reactree.planner import PLANNER
from peephole.plugins import load
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.embodiment import Embodiment

SURFACE, GRASP = frozenset({Affordance.SURFACE}), frozenset({Affordance.GRASPABLE})
CLOSET = frozenset({Affordance.OPENABLE, Affordance.CONTAINER})
CLOSED = frozenset({State.CLOSED})
ME = Node(1, "character", Kind.AGENT, 1)
HOUSE = SceneGraph(
    [
        ME,
        Node(2, "hall", Kind.ROOM, 2),
        Node(3, "study", Kind.ROOM, 3),
        Node(4, "armchair", Kind.FIXTURE, 4, affordances=SURFACE),
        Node(5, "wardrobe", Kind.FIXTURE, 5, CLOSED, CLOSET),
        Node(6, "writing desk", Kind.FIXTURE, 6, affordances=SURFACE),
        Node(7, "newspaper", Kind.OBJECT, 7, affordances=GRASP),
        Node(8, "pen", Kind.OBJECT, 8, affordances=GRASP),
    ],
    [
        *(Edge(thing, Relation.INSIDE, 2) for thing in (1, 4, 5)),
        Edge(6, Relation.INSIDE, 3),
        *(Edge(thing, Relation.ON, 6) for thing in (7, 8)),
    ],
)
PANTRY = SceneGraph(
    [
        ME,
        Node(2, "pantry", Kind.ROOM, 2),
        Node(3, "shelf", Kind.FIXTURE, 3, affordances=SURFACE),
        Node(4, "counter top", Kind.FIXTURE, 4, affordances=SURFACE),
        Node(5, "cabinet", Kind.FIXTURE, 5, CLOSED, CLOSET),
        Node(6, "fridge", Kind.FIXTURE, 6, CLOSED, CLOSET),
        Node(7, "jar", Kind.OBJECT, 7, affordances=GRASP),
    ],
    [*(Edge(thing, Relation.INSIDE, 2) for thing in (1, 3, 4, 5, 6)), Edge(7, Relation.INSIDE, 5)],
)
HOUSES = {
    "reactree": HOUSE,
    "reactree_plain": HOUSE,
    "reactree_thor": PANTRY,
    "reactree_thor_plain": PANTRY,
}
#: A decision as in a reply; None for no answer.
Said = Mapping[str, Any] | None


class ListedModel:
    """Gives listed replies in order. asked: the messages of each question."""

    name = "listed"

    def __init__(self, replies: Sequence[Said]) -> None:
        self.left: Iterator[Said] = iter(replies)
        self.asked: list[list[Mapping[str, Any]]] = []
        self.shapes: list[Any] = []
        self.offered: list[Sequence[str]] = []

    def enforces_schema(self) -> bool:
        return True

    def answer(
        self, messages: Sequence[Mapping[str, Any]], shape: Any, choices: Any, **_: Any
    ) -> Any:
        self.offered.append(choices["decision.act"])
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
        """The agent nodes that have ended, in the order of their start."""
        return [node for node in self._below(None) if "text" in node]

    def _below(self, parent: int | None) -> Iterator[dict[str, Any]]:
        for number, node in sorted(self.nodes.items()):
            if node["parent"] == parent:
                yield node
                yield from self._below(number)


Play = Callable[..., Played]


@pytest.fixture
def play(tmp_path: Any) -> Play:
    """Play `reactree` in the dialect's house with a model of listed replies."""

    def played(
        goal: str,
        *replies: Said,
        dialect: str = "reactree",
        body: Embodiment = Embodiment(),  # noqa: B008
        **options: Any,
    ) -> Played:
        path = tmp_path / f"house{len(list(tmp_path.iterdir()))}.json"  # scenes are kept by path
        write_graph(HOUSES[dialect], path)
        task = Task("house", goal, And(()), f"json:{path}")
        rules = Rules(ends=Ends.PLANNER_DONE)
        adapter = SymbolicAdapter()
        adapter.spec = replace(adapter.spec, embodiment=body)
        environment = Environment(adapter, task, load("dialect", dialect), rules=rules)
        percept = environment.reset()
        model = ListedModel(replies)
        brief = replace(environment.brief(), models={"planner": model}, options=Options(**options))
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


@pytest.fixture
def example_house() -> SceneGraph:
    """The house of the dialect `reactree`."""
    return HOUSE

"""A small house whose map may be stale, replies of a model, and results of an episode."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from peephole.planners.contract import Act, Decision, Internal, Note
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment

ONE_HAND = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
KITCHEN, HALL, ME, TABLE, FRIDGE, SHELF, APPLE, PEAR, MILK = range(1, 10)


def house() -> SceneGraph:
    """An apple on the kitchen table, milk in the closed fridge; a pear on the shelf in the hall."""

    def node(node_id: int, category: str, kind: Kind, can: str = "", states: str = "") -> Node:
        return Node(
            node_id,
            category,
            kind,
            node_id,
            frozenset(map(State, states.split())),
            frozenset(map(Affordance, can.split())),
        )

    return SceneGraph(
        [
            node(KITCHEN, "kitchen", Kind.ROOM),
            node(HALL, "hall", Kind.ROOM),
            node(ME, "character", Kind.AGENT),
            node(TABLE, "kitchen table", Kind.FIXTURE, "surface"),
            node(FRIDGE, "fridge", Kind.FIXTURE, "container openable", "closed"),
            node(SHELF, "shelf", Kind.FIXTURE, "surface"),
            node(APPLE, "apple", Kind.OBJECT, "graspable"),
            node(PEAR, "pear", Kind.OBJECT, "graspable"),
            node(MILK, "milk", Kind.OBJECT, "graspable"),
        ],
        [
            *(Edge(thing, Relation.INSIDE, KITCHEN) for thing in (ME, TABLE, FRIDGE)),
            Edge(SHELF, Relation.INSIDE, HALL),
            Edge(APPLE, Relation.ON, TABLE),
            Edge(PEAR, Relation.ON, SHELF),
            Edge(MILK, Relation.INSIDE, FRIDGE),
        ],
    )


def call(name: str, node: str = "kitchen-1", relation: str = "", destination: str = "") -> str:
    """A reply of the model."""
    action = {"function_name": name, "node": node}
    if destination:
        action |= {"relation": relation, "destination": destination}
    return json.dumps({"reason": f"Because of {name}.", "action": action})


@dataclass
class Played:
    """The decisions of an episode, and the prompts that were sent."""

    decisions: list[Decision]
    requests: Sequence[Any]
    truth: SceneGraph

    @property
    def verbs(self) -> list[Verb]:
        return [d.action.verb for d in self.acts]

    @property
    def acts(self) -> list[Any]:
        return [d for d in self.decisions if isinstance(d, Act)]

    def notes(self, key: str) -> list[Any]:
        return [d.data[key] for d in self.decisions if isinstance(d, Note) and key in d.data]

    def refusals(self) -> list[str]:
        found = [d for d in self.decisions if isinstance(d, Internal) and d.name == "refused"]
        return [d.data["sentence"] for d in found]

    def prompt(self, number: int) -> str:
        """The user's message of a question by its number, from 1."""
        return str(self.requests[number - 1]["messages"][1]["content"])


class Eyes:
    """A vision model that names the listed things, one list for each look."""

    name = "eyes"

    def __init__(self, *looks: Sequence[tuple[str, str]]) -> None:
        """looks: of each the things, with what they are in or on ("kitchen-1", "fridge-1")."""
        self._looks = list(looks)
        self.asked = ""

    def complete(self, messages: Any, **sampling: Any) -> str:
        self.asked += str(messages)
        return "Things."

    def answer(self, messages: Any, shape: Any, choices: Any = None, **sampling: Any) -> Any:
        self.asked += str(messages)
        seen = self._looks.pop(0) if self._looks else ()
        rows = [
            {"name": thing, "relation": "inside_of", "related_to": place, "states": "", "box": ""}
            for thing, place in seen
        ]
        return shape.model_validate({"rows": rows})


Play = Callable[..., Played]

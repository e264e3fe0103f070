"""The contract of detectors, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ....observation_text.detected_rows import ImageBox
from ....observation_text.view import View, innermost_place
from ....scene_graph.node import Affordance, Box, Kind, Node, Relation, State
from ...contract import Note, Percept


@dataclass(frozen=True)
class DetectedThing:
    """A movable thing that a detector reports."""

    id: int
    """The id to act on; of a thing that a model invented, one unknown to the world."""
    name: str
    """Category and number, "wicker basket 1"."""
    category: str
    """In plain words."""
    relation: Relation | None
    """Where it is; None where unknown."""
    related_to: int | None
    """The id of what keeps it; None where unknown."""
    states: frozenset[State] = frozenset()
    """Known states."""
    affordances: frozenset[Affordance] = frozenset()
    """What things of its category can be used for."""
    box: ImageBox | None = None
    """Its edges in the image, see `ImageBox`; None where unknown."""
    extent: Box | None = None
    """Its box in the scene, in m; None where unknown."""

    @classmethod
    def of(
        cls, node: Node, name: str, relation: Relation | None, related_to: int | None
    ) -> DetectedThing:
        """A thing of the true view."""
        states, can = node.states, node.affordances
        category, box = node.category, node.box
        return cls(node.id, name, category, relation, related_to, states, can, extent=box)

    @property
    def node(self) -> Node:
        """The thing as a node of a scene graph."""
        states, can = self.states, self.affordances
        return Node(self.id, self.category, Kind.OBJECT, self.id, states, can, box=self.extent)


@dataclass(frozen=True)
class Detection:
    """The result of a look at one place."""

    place: int
    """The id of the place."""
    name: str
    """The name of the place."""
    things: tuple[DetectedThing, ...] = ()
    """The detected things."""
    covered: frozenset[int] = frozenset()
    """The places whose contents `things` lists completely: what else was there has gone."""
    source: Literal["view", "vision"] = "view"
    """What the detector looked at: the true view, or an image."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """How many rows of a model's answer were unusable, by reason."""
    problem: str = ""
    """Why there is no detection, in one sentence for the planner's model; "" if there is one."""
    described: str = ""
    """The model's description of the image."""

    @property
    def text(self) -> str:
        """The detected things, in one line."""
        if self.problem:
            return self.problem
        counts = Counter(thing.category for thing in self.things)
        words = ", ".join(f"{n} {category}" for category, n in sorted(counts.items()))
        return f"{self.name}: {words or 'nothing'}"

    def note(self) -> Note:
        """The detection for the record; `results` scores it."""
        augmented: dict[str, Any] = {
            "place": self.place,
            "source": self.source,
            "nodes": [
                {
                    "id": thing.id,
                    "name": thing.name,
                    "category": thing.category,
                    "states": sorted(thing.states),
                    "box": thing.box,
                }
                for thing in self.things
            ],
            "edges": [
                {"source": t.id, "relation": str(t.relation), "target": t.related_to}
                for t in self.things
                if t.relation is not None and t.related_to is not None
            ],
            "dropped": dict(self.dropped),
            "problem": self.problem,
        }
        return Note("memory", self.text, {"augmented": augmented})


class Detector(Protocol):
    """A detector of movable things at a place that the agent looks at; lives for one episode."""

    def detect(
        self,
        place: int,
        percept: Percept,
        names: Mapping[int, str],
        priors: Collection[int] = (),
        known: Collection[int] | None = None,
    ) -> Detection:
        """Look at a place from where the agent is.

        names: the names of the place and of movable things, by id; a thing without a name gets one.
        priors: the things that the planner remembers or has on a map at this place. known: the
        things that a model is offered as names; None: all in `names`. Problems of a model, such as
        a broken image or no usable answer, go into the detection's `problem`; they raise no error.
        """
        ...


def things_at(view: View, place: int) -> list[int]:
    """List the movable things that a view shows at a place, nested containers included.

    For a room these are the things that stand free in it; its furniture is a place of its own.
    """
    graph = view.graph
    if place not in graph:
        return []
    if graph[place].kind is Kind.ROOM:
        free = [thing for thing in graph.contents(place) if graph[thing].kind is Kind.OBJECT]
        nested = [below for thing in free for below in graph.below(thing)]
        kept = dict.fromkeys((*free, *nested))
    else:
        kept = dict.fromkeys(graph.below(place))
    return [thing for thing in kept if graph[thing].kind is Kind.OBJECT]


def placement(view: View, thing: int, at: int | None = None) -> tuple[Relation | None, int | None]:
    """The relation and keeper of a thing in a view. at: the place to prefer of several."""
    graph = view.graph
    innermost = innermost_place(graph, thing) or (None, None)
    there = [pair for pair in graph.places(thing) if at in (pair[1], *graph.above(pair[1]))]
    return innermost if innermost in there or not there else there[0]


def covered_at(view: View, place: int) -> frozenset[int]:
    """The place and the containers in it whose contents a view shows completely.

    The furniture of a room is a place of its own; that in or on other furniture belongs to it.
    """
    graph = view.graph
    inside = {place, *things_at(view, place)}
    if place in graph and graph[place].kind is not Kind.ROOM:
        inside.update(n for n in graph.below(place) if graph[n].kind is Kind.FIXTURE)
    return frozenset(each for each, whole in view.covered.items() if whole and each in inside)

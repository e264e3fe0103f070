"""The contract of detectors, and what they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ....observation_text.view import View, innermost_place
from ....scene_graph.node import Affordance, Kind, Node, Relation, State
from ...contract import Note, Percept

#: What a relation is called in the paper's graphs.
RELATION_WORDS = {
    Relation.ON: "ontop_of",
    Relation.INSIDE: "inside_of",
    Relation.UNDER: "under",
    Relation.ATTACHED: "attached_to",
}

#: Left, upper, right and lower edge, from 0 to 1.
ImageBox = tuple[float, float, float, float]


@dataclass(frozen=True)
class Found:
    """A movable thing that was found.

    id: under which the planner acts on it; one that was made up by a model has an id that no thing
    of the world has, so that acting on it fails. name: category and number ("wicker basket 1").
    relation, related_to: where it is, and the id of what keeps it; None where that is not known.
    affordances: what things of its category can be used for. box: where it is in the image, its
    left, upper, right and lower edge as shares of width and height; None where that is not known.
    """

    id: int
    name: str
    category: str
    relation: Relation | None
    related_to: int | None
    states: frozenset[State] = frozenset()
    affordances: frozenset[Affordance] = frozenset()
    box: ImageBox | None = None

    @property
    def node(self) -> Node:
        """The thing as a node of a scene graph."""
        return Node(self.id, self.category, Kind.OBJECT, self.id, self.states, self.affordances)


@dataclass(frozen=True)
class Detection:
    """What a look at one place gave.

    place: its id, name: its name. covered: the places whose contents `found` tells completely, so
    that what was remembered there and is not found has gone. dropped: how many rows of a model's
    answer could not be used, by reason. problem: why there is nothing, in one sentence for the
    planner's model; "" where the place was seen. described: the model's words on the image.
    """

    place: int
    name: str
    found: tuple[Found, ...] = ()
    covered: frozenset[int] = frozenset()
    source: Literal["view", "vision"] = "view"
    dropped: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""
    described: str = ""

    @property
    def text(self) -> str:
        """What was found, in one line."""
        if self.problem:
            return self.problem
        counts = Counter(thing.category for thing in self.found)
        told = ", ".join(f"{n} {category}" for category, n in sorted(counts.items()))
        return f"{self.name}: {told or 'nothing'}"

    def note(self) -> Note:
        """The detection for the record; `episodes.augmentation` scores it."""
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
                for thing in self.found
            ],
            "edges": [
                {"source": t.id, "relation": str(t.relation), "target": t.related_to}
                for t in self.found
                if t.relation is not None and t.related_to is not None
            ],
            "dropped": dict(self.dropped),
            "problem": self.problem,
        }
        return Note("memory", self.text, {"augmented": augmented})


class Detector(Protocol):
    """Finds the movable things at a place that the agent looks at. It lives for one episode."""

    def detect(
        self,
        place: int,
        percept: Percept,
        names: Mapping[int, str],
        priors: Collection[int] = (),
        known: Collection[int] | None = None,
    ) -> Detection:
        """Look at a place from where the agent is.

        names: how the place and movable things are called, by id; what has no name there and is
        found gets one. priors: the things that the planner remembers or has on a map at this place.
        known: those that it knows of at all, which a model is offered as names; None: all that
        have one. What befalls a model (an image that is none, no usable answer) is the detection's
        `problem`, never an error.
        """
        ...


def things_at(view: View, place: int) -> list[int]:
    """List the movable things that a view shows at a place, in nested containers too.

    Of a room they are those that stand free in it; its furniture is a place of its own.
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
    """What keeps a thing in a view; where it is at several places, at the one that is looked at."""
    graph = view.graph
    innermost = innermost_place(graph, thing) or (None, None)
    there = [pair for pair in graph.places(thing) if at in (pair[1], *graph.above(pair[1]))]
    return innermost if innermost in there or not there else there[0]


def covered_at(view: View, place: int) -> frozenset[int]:
    """The place and what is in it, as far as a view tells their contents completely.

    The furniture of a room is a place of its own; that in or on other furniture belongs to it.
    """
    graph = view.graph
    inside = {place, *things_at(view, place)}
    if place in graph and graph[place].kind is not Kind.ROOM:
        inside.update(n for n in graph.below(place) if graph[n].kind is Kind.FIXTURE)
    return frozenset(each for each, whole in view.covered.items() if whole and each in inside)

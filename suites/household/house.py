"""A generated house for the tasks of `household`, by category and room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...adapters.random_draws import RandomDraws
from ...adapters.scenes import load_scene
from ...adapters.virtualhome.arranged import Change, Placement, Setting
from ...scene_graph.goals import Domain, Exists, Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, State

#: Furniture and appliances that every house gets if it has none: the class, and the furniture or
#: room of its place.
_ADDED = (
    ("microwave", "on", "kitchen counter"),
    ("toaster", "on", "kitchen counter"),
    ("computer", "on", "desk"),
)
#: Categories with exactly one thing in a house, so that instructions are clear, with the room or ""
#: for any.
_ONE = (("table", "kitchen"), ("bathroom cabinet", ""), ("bedroom", ""), ("bathroom", ""))


def has_all_furniture(scene: str) -> bool:
    """Whether a house has all the furniture of the tasks that cannot be added."""
    graph = load_scene(scene)
    return bool(_in_graph(graph, "desk")) and all(
        len(_in_graph(graph, category, room)) == 1 for category, room in _ONE
    )


class House:
    """A house with all the furniture of the tasks.

    furnished: the changes that all its tasks share. New things have the numbers of `arranged`.
    """

    def __init__(self, scene: str) -> None:
        self.scene = scene
        self.furnished: list[Change] = []
        self._graph = load_scene(scene)
        self._free = 1 + max(node.id for node in self._graph.nodes())
        self._added: dict[str, int] = {}
        for class_name, preposition, keeper in _ADDED:
            if not self.all(class_name):
                place = self.one(keeper)
                self.furnished.append(Placement(class_name, preposition, place))
                self._added[class_name] = self._free
                self._free += 1

    def all(self, category: str, room: str = "") -> list[int]:
        """The things of a category, or those in one kind of room, without added ones."""
        return _in_graph(self._graph, category, room)

    def one(self, category: str, room: str = "") -> int:
        """The first of them, or the added one."""
        found = self.all(category, room)
        return found[0] if found else self._added[category]

    def changes(self) -> HouseChanges:
        """New changes for a task, which begin with the shared ones."""
        return HouseChanges(self.furnished, self._free)

    def kept_on(self, place: int) -> list[int]:
        """The things on a place that can be carried."""
        return [
            thing
            for thing in self._graph.contents(place)
            if Affordance.GRASPABLE in self._graph[thing].affordances
        ]

    def category(self, thing: int) -> str:
        return self._graph[thing].category

    def place_of(self, thing: int) -> int:
        """The innermost place that holds a thing."""
        return self._graph.places(thing)[0][1]

    def spots(self, categories: Sequence[str], room: str = "") -> list[tuple[str, int]]:
        """The places for things: "in" or "on", and the furniture, which is not switched on."""
        found = []
        for category in categories:
            preposition, _, name = category.partition(" ")
            found += [
                (preposition, place)
                for place in self.all(name, room)
                if State.ON not in self._graph[place].states
            ]
        return found


class HouseChanges:
    """The changes of a task in a house, in the form of the scene loader "arranged"."""

    def __init__(self, furnished: Sequence[Change], free: int) -> None:
        self._placements: list[Change] = list(furnished)
        self._settings: list[Change] = []
        self._free = free

    def add(self, class_name: str, preposition: str, place: int) -> int:
        """Add a thing. Returns its id."""
        self._placements.append(Placement(class_name, preposition, place))
        self._free += 1
        return self._free - 1

    def add_some(
        self, class_name: str, count: int, spots: Sequence[tuple[str, int]], chance: RandomDraws
    ) -> list[int]:
        """Add things at different places, as far as there are enough."""
        drawn: list[tuple[str, int]] = []
        while len(drawn) < count:
            drawn += chance.shuffled(spots)
        return [self.add(class_name, *spot) for spot in drawn[:count]]

    def move(self, thing: int, preposition: str, place: int) -> None:
        self._placements.append(Placement(thing, preposition, place))

    def set(self, thing: int, *states: str) -> None:
        self._settings += [Setting(thing, state) for state in states]

    def all(self) -> list[Change]:
        """All changes, states after places."""
        return [*self._placements, *self._settings]


def _in_graph(graph: SceneGraph, category: str, room: str = "") -> list[int]:
    """The things of a category, or those in one kind of room."""
    return [
        node.id
        for node in graph.nodes()
        if node.category == category and (not room or _room_of(graph, node) == room)
    ]


def _room_of(graph: SceneGraph, node: Node) -> str:
    """The kind of room of a node."""
    room = node.id if node.kind is Kind.ROOM else graph.room_of(node.id)
    return "" if room is None else graph[room].category


class HouseTask(NamedTuple):
    """A task in a house: instruction, goal, and changes of the house before the start."""

    instruction: str
    goal: Goal
    changes: HouseChanges


class HouseholdKind(NamedTuple):
    """A kind of task. steps: its limit. make: makes the task in a house."""

    name: str
    steps: int
    make: Callable[[House, RandomDraws], HouseTask]


def some(category: str, variable: str, body: Goal) -> Exists:
    """The goal that some thing of a category fulfils a goal."""
    return Exists(variable, Domain(frozenset({category})), body)

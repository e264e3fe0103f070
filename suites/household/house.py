"""A generated house as the tasks of `household` need it: by category and room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...adapters.random_draws import RandomDraws
from ...adapters.scenes import load_scene
from ...adapters.virtualhome.arranged import Change, Placement, Setting
from ...scene_graph.goals import Domain, Exists, Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, State

#: Furniture and appliances that every house gets where it has none: the class, and what it stands
#: on, or the room that it stands in.
_ADDED = (
    ("microwave", "on", "kitchen counter"),
    ("toaster", "on", "kitchen counter"),
    ("computer", "on", "desk"),
)
#: Of these a house has one, so that an instruction can mean no other: a category, and the room that
#: it is in, "" for any.
_ONE = (("table", "kitchen"), ("bathroom cabinet", ""), ("bedroom", ""), ("bathroom", ""))


def has_all_furniture(scene: str) -> bool:
    """Whether a house has what all kinds of tasks ask for and cannot be added to it."""
    graph = load_scene(scene)
    return bool(_in_graph(graph, "desk")) and all(
        len(_in_graph(graph, category, room)) == 1 for category, room in _ONE
    )


class House:
    """A house with all the furniture that the tasks ask for, and what is changed in it.

    furnished: the changes that all its tasks share. New things are numbered as `arranged` does.
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
        """The things of a category, also those of one kind of room only; not what was added."""
        return _in_graph(self._graph, category, room)

    def one(self, category: str, room: str = "") -> int:
        """The first of them, or the one that was added."""
        found = self.all(category, room)
        return found[0] if found else self._added[category]

    def changes(self) -> HouseChanges:
        """The changes of a task, which begins with those that all share."""
        return HouseChanges(self.furnished, self._free)

    def kept_on(self, place: int) -> list[int]:
        """What lies on a place and can be carried."""
        return [
            thing
            for thing in self._graph.contents(place)
            if Affordance.GRASPABLE in self._graph[thing].affordances
        ]

    def category(self, thing: int) -> str:
        return self._graph[thing].category

    def place_of(self, thing: int) -> int:
        """The innermost place that keeps a thing."""
        return self._graph.places(thing)[0][1]

    def spots(self, categories: Sequence[str], room: str = "") -> list[tuple[str, int]]:
        """Where things can be put, as "in" or "on" and the furniture; nothing that runs."""
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
    """What a task changes in a house, as the scene loader "arranged" is told it."""

    def __init__(self, furnished: Sequence[Change], free: int) -> None:
        self._placements: list[Change] = list(furnished)
        self._settings: list[Change] = []
        self._free = free

    def add(self, class_name: str, preposition: str, place: int) -> int:
        """Add a thing, and tell its id."""
        self._placements.append(Placement(class_name, preposition, place))
        self._free += 1
        return self._free - 1

    def add_some(
        self, class_name: str, count: int, spots: Sequence[tuple[str, int]], chance: RandomDraws
    ) -> list[int]:
        """Add things at different spots, as far as there are as many."""
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
    """The things of a category, also those of one kind of room only."""
    return [
        node.id
        for node in graph.nodes()
        if node.category == category and (not room or _room_of(graph, node) == room)
    ]


def _room_of(graph: SceneGraph, node: Node) -> str:
    """The kind of room that something is in."""
    room = node.id if node.kind is Kind.ROOM else graph.room_of(node.id)
    return "" if room is None else graph[room].category


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

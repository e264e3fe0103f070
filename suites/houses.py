"""The suites `houses`, a hundred household tasks in ten generated houses, and its variants.

docs/suites/robothow_wah_houses.md describes the six kinds of tasks. Goals are drawn with a seed for
each house. No goal holds at the start, and no goal moves a thing that holds others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple

from ..adapters.random_draws import RandomDraws
from ..adapters.virtualhome.houses.rules import LIVED_IN, RULES, HouseRules
from ..adapters.virtualhome.houses.scenes import load as load_house
from ..adapters.virtualhome.ontology import english
from ..scene_graph.goal_evaluation import satisfied
from ..scene_graph.goal_text import plural
from ..scene_graph.goals import And, AtLeast, Domain, ForAll, Goal, HasState, Related
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Kind, Node, Relation, State
from ..scene_graph.rules import Budgets
from ..scene_graph.task import Task
from .contract import Family, LazyTasks, NothingToAsk, Suite, in_turns, suite_name

HOUSES = 10
TASKS_EACH = 10
#: The first house of `houses:generated`; all other suites have houses with lower numbers.
FIRST_GENERATED_HOUSE = 1001
GENERATED, GENERATED_EACH = 2000, 6
#: Draws before a house is given up. At least one draw in twenty gives a task.
_DRAWS = 1000

_PREPOSITIONS = {"on": Relation.ON, "in": Relation.INSIDE}
#: A state, the word for ending it, and its opposite.
_LEFT = ((State.OPEN, "close", State.CLOSED), (State.ON, "switch off", State.OFF))
_COUNTS = {2: "two", 3: "three"}
_COUNTED = """
    apple, book, bowl, carrot, cd, cup, document, drawing, drinking glass, egg, fork, hanger, knife,
    mug, napkin, pen, pencil, pillow, plate, potato, shirt, sponge, spoon, textbook, toilet paper,
    towel, toy, wine glass
"""
#: The plurals of categories that tasks count.
_PLURALS = {name.strip(): plural(name.strip()) for name in _COUNTED.split(",")}
_PLURALS["toilet paper"] = "rolls of toilet paper"


class _WordedGoal(NamedTuple):
    """An instruction and its goal."""

    instruction: str
    goal: And


class _Place(NamedTuple):
    """A place on or in a node."""

    preposition: str
    node: Node

    def of(self, thing: int | str) -> Related:
        """That a thing is there."""
        return Related(thing, _PREPOSITIONS[self.preposition], self.node.id)

    def __str__(self) -> str:
        return f"{self.preposition} {_name(self.node)}"


class _Miss(Exception):
    """A draw that gave no task; another one may."""


class _Houses(NamedTuple):
    """Houses that are made by the same rules."""

    rules: HouseRules
    scene: str
    """Name of a scene, with {} for the number of the house."""


_OLD = _Houses(RULES, "{}")
_LIVED_IN = _Houses(LIVED_IN, "{}?lived_in")


@cache
def load(variant: str = "") -> Suite:
    """Make a suite of the family."""
    tasks: LazyTasks
    if variant == "generated":
        tasks = LazyTasks(GENERATED, _without_end())
    else:
        houses = _LIVED_IN if variant else _OLD
        tasks = in_turns([_tasks(n, houses) for n in range(1, HOUSES + 1)], TASKS_EACH)
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=tasks,
        adapter="symbolic",
        budgets=Budgets(steps=200),
        sources=frozenset({"house"}),
    )


FAMILY = Family(
    name="houses",
    variants={
        "": "household tasks in ten generated houses",
        "lived_in": "household tasks in ten generated houses, furnished and kept as people do it",
        "generated": "household tasks in generated houses by the thousand, to train models on",
    },
    make=load,
    no_data="its houses and tasks are generated",
)


def _without_end() -> Iterator[Task]:
    """Tasks in one house after the other, without houses that lack something for a kind of task."""
    for number in count(FIRST_GENERATED_HOUSE):
        try:
            tasks = list(_tasks(number, _OLD, GENERATED_EACH))
        except NothingToAsk:
            continue
        yield from tasks


def _tasks(number: int, houses: _Houses, each: int = TASKS_EACH) -> Iterator[Task]:
    """The tasks of a house, the kinds in turn. Each house begins with another kind."""
    reference = houses.scene.format(number)
    drawer = _Drawer(load_house(reference), RandomDraws(number), houses.rules)
    known: list[Goal] = []
    for turn in range(1, each + 1):
        kind, draw = _KINDS[(number + turn) % len(_KINDS)]
        asked = _new(drawer, draw, known)
        known.append(asked.goal)
        yield Task(
            id=f"{kind}/house-{number}-{turn}",
            instruction=asked.instruction,
            goal=asked.goal,
            scene=f"house:{reference}",
            labels={"category": kind},
        )


def _new(drawer: _Drawer, draw: Callable[[_Drawer], _WordedGoal], known: list[Goal]) -> _WordedGoal:
    """Draw a goal that is new and does not hold yet. Raises NothingToAsk."""
    for _ in range(_DRAWS):
        try:
            asked = draw(drawer)
        except _Miss:
            continue
        if asked.goal not in known and not drawer.holds(asked.goal):
            return asked
    raise NothingToAsk(f"the house has nothing for {draw.__name__}")  # never in `houses`


# --- drawing -------------------------------------------------------------------------------------


class _Drawer:
    """Draws things and places for the tasks of a house.

    things: the objects that can be carried and hold nothing.
    """

    def __init__(self, graph: SceneGraph, chance: RandomDraws, rules: HouseRules) -> None:
        self.graph = graph
        self.chance = chance
        self.kept_at = {
            category: [at for at, _ in places] for category, places in rules.kept_at().items()
        }
        self.asked_on = frozenset(map(english, rules.asked_on))
        self.things = [
            node
            for node in graph.nodes(Kind.OBJECT)
            if node.category in self.kept_at and not graph.contents(node.id)
        ]

    def one(self, nodes: Sequence[Node]) -> Node:
        """One of some nodes. Raises _Miss if there is none."""
        if not nodes:
            raise _Miss
        return self.chance.pick(nodes)

    def thing(self) -> Node:
        """A thing that can be brought elsewhere."""
        return self.one(self.things)

    def place(self, thing: Node) -> _Place:
        """Furniture where such things are kept and this one is not. Raises _Miss."""
        kept_at = self.chance.pick(self.kept_at[thing.category])
        node = self.one(kept_at.furniture(self.graph))
        place = _Place(kept_at.preposition, node)
        if self.holds(place.of(thing.id)):
            raise _Miss
        return place

    def fitting(self, place: _Place) -> list[Node]:
        """The things that belong at a place like this one but are not there."""
        return [
            thing
            for thing in self.things
            if not self.holds(place.of(thing.id))
            and any(
                kept_at.preposition == place.preposition
                and place.node in kept_at.furniture(self.graph)
                for kept_at in self.kept_at[thing.category]
            )
        ]

    def sort(self) -> tuple[str, list[Node], _Place]:
        """A category of things, all of them, and a place for them. Raises _Miss."""
        thing = self.thing()
        alike = [node for node in self.graph.nodes() if node.category == thing.category]
        if thing.category not in _PLURALS or any(self.graph.contents(n.id) for n in alike):
            raise _Miss
        return thing.category, alike, self.place(thing)

    def furniture(self, state: State) -> Node:
        """Furniture or an appliance in a state. Raises _Miss."""
        return self.one([node for node in self.graph.nodes(Kind.FIXTURE) if state in node.states])

    def holds(self, goal: Goal) -> bool:
        return satisfied(goal, self.graph)


def _name(node: Node) -> str:
    return f"{{{node.id}}}"


# --- the kinds of tasks --------------------------------------------------------------------------


def _bring(draw: _Drawer) -> _WordedGoal:
    thing = draw.thing()
    place = draw.place(thing)
    return _WordedGoal(f"Put {_name(thing)} {place}.", And((place.of(thing.id),)))


def _put_away(draw: _Drawer) -> _WordedGoal:
    one = draw.thing()
    place = draw.place(one)
    if place.preposition != "in" or Affordance.OPENABLE not in place.node.affordances:
        raise _Miss
    other = draw.one([t for t in draw.fitting(place) if t.category != one.category])
    goal = And((place.of(one.id), place.of(other.id), HasState(place.node.id, State.CLOSED)))
    return _WordedGoal(f"Put {_name(one)} and {_name(other)} {place} and leave it closed.", goal)


def _gather(draw: _Drawer) -> _WordedGoal:
    category, alike, place = draw.sort()
    count = draw.chance.between(2, 3)
    if len(alike) <= count or any(draw.holds(place.of(thing.id)) for thing in alike):
        raise _Miss
    domain = Domain(frozenset({category}))
    goal = And((AtLeast(count, "thing", domain, place.of("thing")),))
    return _WordedGoal(f"Put {_COUNTS[count]} {_PLURALS[category]} {place}.", goal)


def _collect(draw: _Drawer) -> _WordedGoal:
    category, alike, place = draw.sort()
    elsewhere = [thing for thing in alike if not draw.holds(place.of(thing.id))]
    if not 2 <= len(elsewhere) <= 4:
        raise _Miss
    goal = And((ForAll("thing", Domain(frozenset({category})), place.of("thing")),))
    return _WordedGoal(f"Put all the {_PLURALS[category]} {place}.", goal)


def _switch(draw: _Drawer) -> _WordedGoal:
    running, idle = draw.furniture(State.ON), draw.furniture(State.OFF)
    if idle.category not in draw.asked_on:
        raise _Miss
    goal = And((HasState(running.id, State.OFF), HasState(idle.id, State.ON)))
    return _WordedGoal(f"Switch {_name(running)} off and {_name(idle)} on.", goal)


def _leave(draw: _Drawer) -> _WordedGoal:
    thing = draw.thing()
    place = draw.place(thing)
    state, word, opposite = draw.chance.pick(_LEFT)
    left = draw.furniture(state)
    if left == place.node:
        raise _Miss
    goal = And((place.of(thing.id), HasState(left.id, opposite)))
    return _WordedGoal(f"Put {_name(thing)} {place} and {word} {_name(left)}.", goal)


_KINDS: tuple[tuple[str, Callable[[_Drawer], _WordedGoal]], ...] = (
    ("bring", _bring),
    ("put_away", _put_away),
    ("gather", _gather),
    ("collect", _collect),
    ("switch", _switch),
    ("leave", _leave),
)

"""The suites `vh_dynamic`: fifty tasks in VirtualHome, half of them with an outdated map.

After LookPlanGraph's experiment (section VI-B); docs/suites/office_vh_dynamic_grasif.md describes
the tasks. In every second one the thing and up to two others were moved after the map was recorded.
An episode ends when the planner says that it is done. It has succeeded if the goal holds and no
action was infeasible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..adapters.random_draws import RandomDraws
from ..adapters.virtualhome.arranged import Placement, Setting, scene_of
from ..adapters.virtualhome.houses.rules import LIVED_IN
from ..adapters.virtualhome.houses.scenes import load as load_house
from ..scene_graph.goals import And, HasState, Related
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Kind, Node, Relation, State
from ..scene_graph.rules import Budgets, Ends, Rules
from ..scene_graph.task import Task
from .contract import Family, LazyTasks, Suite, suite_name

TASKS = 50
_IN_IDS = str.maketrans("? ", "-_")
#: The first ten houses of four rooms with one fridge, one microwave and one dishwasher.
HOUSES = (2, 26, 68, 80, 86, 98, 122, 134, 170, 188)
#: The first ten from 201 of the same sort that people live in, with two things for each kind.
LIVED_IN_HOUSES = (245, 257, 317, 329, 333, 369, 373, 421, 429, 445)
#: Where people put food and dishes: on or in a category.
_PLACES = (
    "on kitchen counter",
    "on table",
    "on coffee table",
    "on desk",
    "on nightstand",
    "on tv stand",
    "in kitchen cabinet",
    "in cupboard",
)


class _Kind(NamedTuple):
    """A kind of task: some things, an appliance for them, and its state in the end."""

    name: str
    """Name of the kind."""
    appliance: str
    """Category of the appliance."""
    state: State
    """State of the appliance in the goal."""
    words: str
    """The instruction, with {thing}."""
    things: str
    """Categories of the things that it suits."""


_KINDS = (
    _Kind(
        "cool",
        "fridge",
        State.CLOSED,
        "Cool the {thing}: put the {thing} in the fridge and close the fridge.",
        "apple, banana, carrot, cheese, egg, jam, juice, lemon, milk, wine",
    ),
    _Kind(
        "heat",
        "microwave",
        State.ON,
        "Heat the {thing}: put the {thing} in the microwave and switch on the microwave.",
        "bread, carrot, cheese, chicken, cup, egg, milk, mug, onion, pizza, potato",
    ),
    _Kind(
        "wash",
        "dishwasher",
        State.ON,
        "Wash the {thing}: put the {thing} in the dishwasher and switch on the dishwasher.",
        "bowl, cup, cutting board, frying pan, kettle, knife, mug, plate, pot, tray, wine glass, "
        "wooden spoon",
    ),
)


_APPLIANCES = frozenset(kind.appliance for kind in _KINDS)
_KEPT = LIVED_IN.kept_at()


@cache
def load(variant: str = "") -> Suite:
    """Make a suite of the family."""
    numbers, scene = (LIVED_IN_HOUSES, "{}?lived_in") if variant else (HOUSES, "{}")
    houses = [scene.format(number) for number in numbers]
    return Suite(
        name=suite_name(FAMILY.name, variant),
        summary=FAMILY.variants[variant],
        tasks=LazyTasks(TASKS, _drawn(houses, _kept if variant else _put)),
        adapter="virtualhome",
        rules=Rules(ends=Ends.PLANNER_DONE, infeasible_fails=True),
        budgets=Budgets(steps=200),
        sources=frozenset({"house"}),
    )


FAMILY = Family(
    name="vh_dynamic",
    variants={
        "": "to cool, heat and wash in VirtualHome, things moved since the map in half of them",
        "lived_in": "the same kinds in houses furnished and kept as people do it",
    },
    make=load,
    no_data="its houses and tasks are generated",
)

#: A place: "in" or "on", and the furniture.
_Spot = tuple[str, int]
_Spots = Callable[[SceneGraph, str], Iterable[_Spot]]


def _put(graph: SceneGraph, category: str) -> Iterator[_Spot]:
    """Where people put food and dishes."""
    for how, _, place in (each.partition(" ") for each in _PLACES):
        yield from ((how, n.id) for n in graph.nodes(Kind.FIXTURE) if n.category == place)


def _kept(graph: SceneGraph, category: str) -> Iterator[_Spot]:
    """Where people keep things of a category, except in the appliances of the tasks."""
    for kept_at, _ in _KEPT.get(category, ()):
        if kept_at.category not in _APPLIANCES:
            yield from ((kept_at.preposition, node.id) for node in kept_at.furniture(graph))


def _drawn(houses: Sequence[str], spots: _Spots) -> Iterator[Task]:
    """A task of each house, then another of each, and so on; the kinds take turns."""
    asked: set[tuple[str, str, str]] = set()
    for number in range(TASKS):
        house = houses[number % len(houses)]
        kind = _KINDS[(number // len(houses) + number) % len(_KINDS)]
        draw = _Drawer(load_house(house), RandomDraws(number), spots)
        new = [t for t in draw.movable() if (house, kind.name, t.category) not in asked]
        suited = kind.things.split(", ")
        thing = draw.chance.pick([t for t in new if t.category in suited])
        asked.add((house, kind.name, thing.category))
        moved = (number // len(houses) + number) // len(_KINDS) % 2 == 1
        yield _task(draw, house, kind, thing, moved)


def _task(draw: _Drawer, house: str, kind: _Kind, thing: Node, moved: bool) -> Task:
    appliance = draw.appliance(kind.appliance)
    mapped = Placement(thing.id, *draw.place(thing.id))
    now = [mapped]
    if moved:
        others = draw.chance.shuffled([o for o in draw.movable() if o.id != thing.id])
        number = draw.chance.between(0, 2)
        now = [Placement(thing.id, *draw.place(thing.id, other_than=mapped.place))]
        now += [Placement(other.id, *draw.place(other.id)) for other in others[:number]]
    ready = draw.ready(appliance)
    label = "moved" if moved else "as_mapped"
    where = f"house-{house}-{thing.category}".translate(_IN_IDS)
    return Task(
        id=f"{kind.name}_{label}/{where}",
        instruction=kind.words.format(thing=thing.category),
        goal=And((Related(thing.id, Relation.INSIDE, appliance), HasState(appliance, kind.state))),
        scene=scene_of(f"house:{house}", [*now, *ready]),
        labels={"category": label, "kind": kind.name, "scene": f"house:{house}"},
        map=scene_of(f"house:{house}", [mapped, *ready]),
    )


class _Drawer:
    """Draws things of a house and places for them."""

    def __init__(self, graph: SceneGraph, chance: RandomDraws, spots: _Spots) -> None:
        """spots: the places in a house for things of a category."""
        self.chance = chance
        self._graph = graph
        self._number = Counter(node.category for node in graph.nodes())
        self._spots = spots

    def movable(self) -> list[Node]:
        """The things that can be carried, hold nothing, and are the only ones of their category.

        They have a place for the map and another to be moved to.
        """
        return [
            node
            for node in self._graph.nodes(Kind.OBJECT)
            if self._number[node.category] == 1
            and Affordance.GRASPABLE in node.affordances
            and not self._graph.contents(node.id)
            and len(self._free(node.id)) > 1
        ]

    def appliance(self, category: str) -> int:
        (found,) = (n.id for n in self._graph.nodes(Kind.FIXTURE) if n.category == category)
        return found

    def ready(self, appliance: int) -> list[Setting]:
        """The changes that plug an appliance in and switch it off."""
        states = self._graph[appliance].states
        changes = {State.PLUGGED_OUT: "plugged in", State.ON: "off"}
        return [Setting(appliance, word) for state, word in changes.items() if state in states]

    def place(self, thing: int, other_than: int | None = None) -> _Spot:
        """A new place for a thing, where no other of its category is."""
        return self.chance.pick([spot for spot in self._free(thing) if spot[1] != other_than])

    def _free(self, thing: int) -> list[_Spot]:
        """The places of a thing where it is not."""
        taken = {place for _, place in self._graph.places(thing)}
        spots = dict.fromkeys(self._spots(self._graph, self._graph[thing].category))
        return [spot for spot in spots if spot[1] not in taken]

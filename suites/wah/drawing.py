"""Draw a task: its goal, where its things lie at the start, and its words, by our own rules.

No rule counts a data set. So a prior of object places is never tested on the data that it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...adapters.random_draws import RandomDraws
from ...adapters.virtualhome.arranged import Placement
from ...adapters.virtualhome.houses.rules import LIVED_IN, KeptAt
from ...adapters.virtualhome.ontology import english
from ...data_files import read_yaml
from ...scene_graph.goal_text import joined, plural
from ...scene_graph.goals import And, AtLeast, Domain, Exists, Goal, HasState, Related
from ...scene_graph.node import Relation, State
from ..contract import NothingToAsk
from .inventory import Inventory

#: Numbers of subgoals of a task: its things, and the switch if there is one.
LEAST, MOST = 2, 6
#: Most things of a category in a task.
OF_A_SORT = 3
_DRAWS = 200
_NUMBERS = {1: "one", 2: "two", 3: "three"}

RELATIONS = {"on": Relation.ON, "inside": Relation.INSIDE}


class WahTaskKind(NamedTuple):
    """A kind of task: things of some classes on or inside furniture, which may have to run."""

    name: str
    """Name of the kind."""
    relation: str
    """Relation of the things to the target."""
    targets: Sequence[str]
    """Categories of furniture. The first one that the house has is the target."""
    classes: Sequence[str]
    """Categories of things."""
    left: dict[str, int]
    """Start places of the things, with weights. In houses as people live in them, things lie where
    the rules of these houses keep them.
    """
    phrasings: Sequence[str]
    """Wordings of the instruction, besides those of all kinds whose target is not turned on."""
    turned_on: bool = False
    """Whether the target has to be on."""
    never: Sequence[str] = ()
    """Where things do not lie in houses as people live in them: clean dishes and used ones lie at
    different places.
    """

    @property
    def places(self) -> dict[KeptAt, int]:
        """The start places, with weights."""
        split = ((place.partition(" "), weight) for place, weight in self.left.items())
        return {KeptAt(how, category): weight for (how, _, category), weight in split}


_DATA = read_yaml(Path(__file__).with_name("kinds.yaml"))
KINDS = tuple(WahTaskKind(**kind) for kind in _DATA["kinds"])


class DrawnTask(NamedTuple):
    """A task without its instruction."""

    items: tuple[tuple[str, int], ...]
    """Categories of things with their counts."""
    target: str
    """Category of the furniture."""
    places: int
    """Number of instances of the target in the house."""
    lone: frozenset[str]
    """Categories of which the house has no more things than the task asks for."""
    goal: Goal
    """The goal."""
    placements: tuple[Placement, ...]
    """The start places of things."""


#: Where things lie in houses as people live in them, by category.
_KEPT = {category: dict(places) for category, places in LIVED_IN.kept_at().items()}


def draw(kind: WahTaskKind, house: Inventory, chance: RandomDraws, known: list[Goal]) -> DrawnTask:
    """Draw a task of a kind in a house with a new goal. Raises NothingToAsk."""
    target = next(category for category in kind.targets if category in house.furniture)
    for _ in range(_DRAWS):
        asked = _items(kind, house, chance)
        goal = goal_of(kind, asked, target)
        placements = _left(kind, asked, house, target, chance)
        if placements is None or goal in known:
            continue
        new = [p.thing for p in placements if isinstance(p.thing, str)]
        there = {english(name): house.count(english(name)) + new.count(name) for name in asked}
        items = tuple((english(name), count) for name, count in asked.items())
        return DrawnTask(
            items,
            target,
            len(house.furniture[target]),
            frozenset(category for category, count in items if there[category] == count),
            goal,
            tuple(placements),
        )
    raise NothingToAsk(f"the house has nothing for {kind.name}")  # never of those of `wah`


def goal_of(kind: WahTaskKind, asked: dict[str, int], target: str) -> Goal:
    """The goal: all things at one instance of the target, which is on if the kind asks for it."""
    there = Related("thing", RELATIONS[kind.relation], "place")
    parts: list[Goal] = [counted(name, count, there) for name, count in asked.items()]
    if kind.turned_on:
        parts.append(HasState("place", State.ON))
    return Exists("place", Domain(frozenset({target})), And(tuple(parts)))


def counted(class_name: str, count: int, there: Related) -> AtLeast:
    """The subgoal that so many things of a class are there."""
    return AtLeast(count, "thing", Domain(frozenset({english(class_name)})), there)


def _items(kind: WahTaskKind, house: Inventory, chance: RandomDraws) -> dict[str, int]:
    """Draw categories and counts, of things that can all be moved."""
    free = [name for name in kind.classes if english(name) not in house.fixed]
    most = MOST - kind.turned_on
    count = chance.between(LEAST, most)
    sorts = chance.between(2 if count < most else 3, min(count, 4))
    asked = dict.fromkeys(chance.shuffled(free)[:sorts], 1)
    for _ in range(count - sorts):
        more = [name for name in asked if asked[name] < _most(name, house)]
        if more:
            asked[chance.pick(more)] += 1
    return asked


def _most(class_name: str, house: Inventory) -> int:
    """The most things of a class in a task."""
    fewer: dict[str, int] = _DATA["fewer"] if house.lived_in else {}
    return fewer.get(class_name, OF_A_SORT)


def _left(
    kind: WahTaskKind, asked: dict[str, int], house: Inventory, target: str, chance: RandomDraws
) -> list[Placement] | None:
    """Draw start places: none at a target, and in several rooms; None where that fails.

    The house's own things are moved, as many as the task needs, and new ones are added where there
    are too few. Other things stay, unless they are at a target.
    """
    targets = set(house.furniture[target])
    weights = {name: _weights(kind, name, house, target) for name in asked}
    if not all(weights.values()):
        return None
    placements, rooms = [], set()
    for name, count in asked.items():
        there = chance.shuffled(house.things.get(english(name), []))
        moved: list[int | str] = [*there[:count]]
        moved += [thing for thing in there[count:] if house.kept_by[thing] & targets]
        moved += [name] * (count - len(there))
        for thing in moved:
            spot = chance.pick(house.at(chance.weighted(weights[name])))
            placements.append(Placement(thing, spot.preposition, spot.place))
            rooms.add(spot.room)
    return placements if len(rooms) >= _rooms(asked, house, weights) else None


def _rooms(asked: dict[str, int], house: Inventory, weights: dict[str, dict[KeptAt, int]]) -> int:
    """The least number of rooms for the things, as far as there are so many with places.

    Where people live it is 2. In a small house they keep all food in the kitchen.
    """
    if not house.lived_in:
        several = 2 if sum(asked.values()) < 4 else 3
        return min(several, len({spot.room for spot in house.spots}))
    suited = {spot.room for places in weights.values() for at in places for spot in house.at(at)}
    return min(2, len(suited))


def _weights(
    kind: WahTaskKind, class_name: str, house: Inventory, target: str
) -> dict[KeptAt, int]:
    """The start places that a house has for things of a class, with weights."""
    places = kind.places
    if house.lived_in:
        places = {
            at: weight
            for at, weight in _KEPT[english(class_name)].items()
            if f"{at.preposition} {at.category}" not in kind.never
        }
    return {at: weight for at, weight in places.items() if at.category != target and house.at(at)}


# --- instructions, as people would say them ------------------------------------------------------


def instruction(kind: WahTaskKind, drawn: DrawnTask, chance: RandomDraws) -> str:
    """The instruction. Where there are several targets, it asks for one of them."""
    items = joined(_worded(drawn, chance))
    place = f"the {drawn.target}" if drawn.places == 1 else f"one {drawn.target}"
    phrasings = [*(() if kind.turned_on else _DATA["phrasings"]), *kind.phrasings]
    text: str = chance.pick(phrasings).format(
        items=items,
        Items=items[0].upper() + items[1:],
        place=place,
        **{"in": "in" if kind.relation == "inside" else "on"},
    )
    return text[0].upper() + text[1:]


def _worded(drawn: DrawnTask, chance: RandomDraws) -> list[str]:
    """ "two apples", "an egg", "the carton of milk"; "the" only for the only ones in the house."""
    definite, numbered = chance.one_in(2), chance.one_in(2)
    worded = []
    for category, count in chance.shuffled(drawn.items):
        one = _DATA["singular"].get(category, category)
        words = one if count == 1 else plural(one)
        if definite and category in drawn.lone and count == 1:
            worded.append(f"the {words}")
        elif count > 1 or numbered:
            worded.append(f"{_NUMBERS[count]} {words}")
        else:
            worded.append(f"{'an' if words[0] in 'aeiou' else 'a'} {words}")
    return worded

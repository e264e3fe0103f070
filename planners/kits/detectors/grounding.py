"""Grounding: which thing a planner acts on when it names a thing that a vision model reported.

A robot's skill acts on the thing at a place, whatever its name; a simulator acts on ids. So each
row is tied to a thing of its category at the place in the view. Looks cannot tell equal things
apart; their order decides.

A row without such a thing keeps an id all the same: that of the known thing of this name, or one
unknown to the world. A planner cannot tell these ids from others until it acts and fails, so they
give nothing away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ....observation_text.detected_rows import Said, plain, spoken
from ....scene_graph.node import Affordance, Kind, Relation
from ...contract import Percept
from .detection import DetectedThing, placement, things_at

#: Invented ids start here. Ids of planners count from 1 by first sight and stay far below.
FIRST_INVENTED = 1_000_000


class Grounding:
    """The ids and names of the things reported in an episode."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}  # names given by this class
        self._invented: dict[tuple[int, str, int], int] = {}

    def ground(
        self,
        rows: Sequence[Said],
        place: int,
        place_name: str,
        percept: Percept,
        names: Mapping[int, str],
        dropped: Counter[str],
    ) -> tuple[DetectedThing, ...]:
        """The things of rows about a place. dropped: counts rows without use."""
        known = {spoken(name): thing for thing, name in {**self._names, **names}.items()}
        here = things_at(percept.view, place)
        furniture = _furniture(percept, place, place_name, names)
        rows = _things(rows, known, furniture, percept, dropped)
        ids = self._ids(rows, place, here, percept, known)
        by_name: dict[tuple[str, int | None], int] = {}
        for row, thing in zip(rows, ids, strict=True):
            by_name.setdefault((row.category, row.number), thing)
            by_name.setdefault((row.category, None), thing)
        things = []
        for row, thing in zip(rows, ids, strict=True):
            related = _related(row, by_name, furniture, thing, dropped)
            node = percept.view.get(thing)
            things.append(
                DetectedThing(
                    thing,
                    self._name(thing, row.category, names),
                    row.category if node is None else node.category,
                    row.relation if related is not None else None,
                    related if row.relation is not None else None,
                    row.states,
                    frozenset({Affordance.GRASPABLE}) if node is None else node.affordances,
                    row.box,
                )
            )
        return tuple(things)

    def _ids(
        self,
        rows: Sequence[Said],
        place: int,
        here: Sequence[int],
        percept: Percept,
        known: Mapping[tuple[str, int | None], int],
    ) -> list[int]:
        """The id of each row; all differ."""
        graph = percept.view.graph
        ids: dict[int, int] = {}  # by the row's place
        free = dict.fromkeys(here)

        def tie(at: int, thing: int) -> None:
            ids[at] = thing
            free.pop(thing, None)

        for at, row in enumerate(rows):  # by name, first of all
            thing = known.get((row.category, row.number))
            if thing in free and thing is not None:
                tie(at, thing)
        for alike in (_kept_alike, _of_category):
            for at, row in enumerate(rows):
                if at not in ids:
                    match = next((each for each in free if alike(percept, each, row)), None)
                    if match is not None:
                        tie(at, match)
        taken = set(ids.values())
        for at, row in enumerate(rows):
            if at in ids:
                continue
            thing = known.get((row.category, row.number))
            if thing is None or thing in taken or (thing in graph and _is_held(percept, thing)):
                thing = self._invent(place, row.category, taken)
            ids[at] = thing
            taken.add(thing)
        return [ids[at] for at in range(len(rows))]

    def _invent(self, place: int, category: str, taken: set[int]) -> int:
        """An id for a thing that is not there; a second report of it gets the same id."""
        nth = 0
        while True:
            made = self._invented.setdefault(
                (place, category, nth), FIRST_INVENTED + len(self._invented)
            )
            if made not in taken:
                return made
            nth += 1

    def _name(self, thing: int, category: str, names: Mapping[int, str]) -> str:
        """The name of a thing: the planner's own, or the next number of its category."""
        if thing in names:
            return names[thing]
        if thing not in self._names:
            used = [spoken(name) for name in {**self._names, **names}.values()]
            numbers = [number or 0 for kind, number in used if kind == category]
            self._names[thing] = f"{category} {1 + max(numbers, default=0)}"
        return self._names[thing]


def _furniture(
    percept: Percept, place: int, place_name: str, names: Mapping[int, str]
) -> dict[tuple[str, int | None], int]:
    """The place and the furniture in it, by name, and by category alone."""
    graph = percept.view.graph
    inside = [
        each
        for each in (graph.below(place) if place in graph else [])
        if graph[each].kind is Kind.FIXTURE
    ]
    by_name: dict[tuple[str, int | None], int] = {}
    for each in (place, *inside):
        name = place_name if each == place else names.get(each) or percept.names[each]
        category, number = spoken(name)
        by_name.setdefault((category, number), each)
        by_name.setdefault((category, None), each)
    return by_name


def _things(
    rows: Iterable[Said],
    known: Mapping[tuple[str, int | None], int],
    furniture: Mapping[tuple[str, int | None], int],
    percept: Percept,
    dropped: Counter[str],
) -> list[Said]:
    """The rows about movable things, with known categories, each name once."""
    categories = {category for category, _ in known}
    categories |= {plain(node.category) for node in percept.view.graph.nodes(Kind.OBJECT)}
    kept: list[Said] = []
    said: set[tuple[str, int]] = set()
    for row in rows:
        category = _known_category(row.category, categories)
        row = replace(row, category=category)
        thing = known.get((category, row.number))
        node = None if thing is None else percept.view.get(thing)
        if (category, row.number) in furniture or (
            node is not None and node.kind is not Kind.OBJECT
        ):
            dropped["furniture"] += 1
        elif row.number is not None and (category, row.number) in said:
            dropped["repeated"] += 1
        else:
            kept.append(row)
            if row.number is not None:
                said.add((category, row.number))
    return kept


def _known_category(category: str, categories: set[str]) -> str:
    """The category as it is known, where the model put it into the plural."""
    if category in categories:
        return category
    for ending, singular in (("ies", "y"), ("es", ""), ("s", "")):
        if category.endswith(ending):
            stem = category.removesuffix(ending) + singular
            if stem in categories:
                return stem
    return category


def _related(
    row: Said,
    by_name: Mapping[tuple[str, int | None], int],
    furniture: Mapping[tuple[str, int | None], int],
    thing: int,
    dropped: Counter[str],
) -> int | None:
    """The known keeper of a thing, as its row says."""
    if row.related is None:
        return None
    category, _ = row.related
    for where in (furniture, by_name):
        for key in (row.related, (category, None)):
            known = where.get(key)
            if known is not None and known != thing:
                return known
    dropped["related_to"] += 1
    return None


def _kept_alike(percept: Percept, thing: int, row: Said) -> bool:
    """Whether a thing is of a row's category, and is kept as the row says."""
    if row.related is None or not _of_category(percept, thing, row):
        return False
    relation, place = placement(percept.view, thing)
    return (
        relation is row.relation
        and place is not None
        and plain(percept.view.graph[place].category) == row.related[0]
    )


def _of_category(percept: Percept, thing: int, row: Said) -> bool:
    return plain(percept.view.graph[thing].category) == row.category


def _is_held(percept: Percept, thing: int) -> bool:
    graph = percept.view.graph
    return any(graph.has_edge(me, Relation.HOLDS, thing) for me in graph.agent_ids)

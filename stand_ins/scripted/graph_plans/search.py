"""Semantic search on a collapsed graph: which room to expand or contract next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..household import commonsense
from ..household.requirements import ANYTHING, YOU, Requirement, Term, named_in
from ..transcript import Choice
from .told_graph import ToldGraph

EXPAND, CONTRACT, END = "expand_node", "contract_node", "verify_plan"
#: What treats things, of which the instruction says nothing.
_DEVICES = {
    "heated": ("microwave",),
    "cooled": ("fridge",),
    "cleaned": ("sink basin", "bathtub basin", "sink", "faucet"),
    "toasted": ("toaster",),
}


@dataclass(frozen=True)
class Searched:
    """How the search stands, as far as one is told; rooms are told names.

    tried: rooms that were expanded, be they still or not. contracts_early: what holds nothing of it
    is contracted at once, since one will remember that. ending: nothing is missing any more, and
    only what is not needed is contracted.
    """

    expanded: Collection[str]
    tried: Collection[str]
    contracts_early: bool
    ending: bool = False


def next_command(
    told: ToldGraph, requirements: Sequence[Requirement], instruction: str, searched: Searched
) -> Choice:
    """The next command: its name and a room, "expand_node kitchen-1", or the end."""
    wanted = _Wanted(requirements, instruction)
    rooms = {told.told(room): room for room in told.graph.room_ids}
    new = [name for name in rooms if name not in searched.tried]
    asked_for = [name for name in new if wanted.speaks_of(told, rooms[name])]
    if asked_for and not searched.ending:
        name = asked_for[0]
        return Choice(f"The instruction speaks of {name}.", f"{EXPAND} {name}")
    missing = [] if searched.ending else wanted.missing(told)
    found = searched.ending or not (missing or (wanted.everything and new))
    if found or searched.contracts_early:
        for name in searched.expanded:
            spoken_of = wanted.speaks_of(told, rooms[name])
            if not spoken_of and not wanted.any_in(told, rooms[name]):
                return Choice(f"Nothing in {name} is needed.", f"{CONTRACT} {name}")
    if found or not new:
        return Choice("This is all that is needed.", END)
    likely = max(new, key=lambda name: wanted.value(told, rooms[name], missing))
    return Choice(f"What is needed may be in {likely}.", f"{EXPAND} {likely}")


class _Wanted:
    """What an instruction needs, by kinds of things."""

    def __init__(self, requirements: Sequence[Requirement], instruction: str) -> None:
        self._instruction = instruction
        self._demand: Counter[tuple[str, ...]] = Counter()
        self._named: list[str] = []
        self.everything = any(r.count is None or r.relation == "away" for r in requirements)
        self.rooms: set[str] = set()
        for required in requirements:
            terms = [term for term in (required.thing, required.place) if term is not None]
            self.rooms |= {required.room, *(term.room for term in terms)} - {""}
            self._add(required.thing, required.count or 1)
            self._add(required.place, 0)
            for kind in _DEVICES.get(required.state, ()) if required.relation == "treated" else ():
                self._demand[(kind,)] = 0
        self._kinds = {kind for kinds in self._demand for kind in kinds}

    def _add(self, term: Term | None, count: int) -> None:
        """count: of things; 0 for a place, of which there are as many as are told apart."""
        if term is None or YOU in term.categories:
            return
        if ANYTHING in term.categories:
            self.everything = True
            return
        if term.named is not None:
            names = [n for kind in term.categories for n in named_in(self._instruction, kind)]
            self._named += names[term.named - 1 : term.named]
            return
        demand = self._demand[term.categories]
        self._demand[term.categories] = demand + count if count else max(demand, term.which, 1)

    def speaks_of(self, told: ToldGraph, room: int) -> bool:
        """Whether the instruction speaks of a room, by its category or name."""
        return not self.rooms.isdisjoint((told.graph[room].category, told.name(room)))

    def missing(self, told: ToldGraph) -> list[str]:
        """The kinds of which too few are shown."""
        shown = Counter(node.category for node in told.graph.nodes())
        names = {told.name(node.id) for node in told.graph.nodes() if node.id in told.names.numbers}
        found = [
            kind
            for kinds, demand in self._demand.items()
            if sum(shown[kind] for kind in kinds) < demand
            for kind in kinds
        ]
        found += [name.rpartition(" ")[0] for name in self._named if name not in names]
        return found

    def any_in(self, told: ToldGraph, room: int) -> bool:
        """Whether anything in a room is needed."""
        graph, names = told.graph, told.names.numbers
        return any(
            graph[thing].category in self._kinds
            or (thing in names and told.name(thing) in self._named)
            for thing in graph.below(room)
        )

    def value(self, told: ToldGraph, room: int, missing: Sequence[str]) -> float:
        """How likely a room holds what is missing."""
        category = told.graph[room].category
        return sum(_in_room(kind, category) for kind in set(missing) or self._kinds)


def _in_room(kind: str, room: str) -> float:
    """How likely a room has something of a kind."""
    furniture = 2.0 * (commonsense.usual_room(kind) in room.split())
    return float(kind == room) + furniture + commonsense.room_search_value(kind, room)

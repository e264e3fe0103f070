"""An account of an episode as JSON data: the planner's knowledge, which stand-ins read.

It has only what the brief and the percepts have: of a room the furniture and the free-standing
things, of a place the things that were within reach there. Names are as in `Percept.names`
("kitchen table 1"). Actions are worded as in the dialect `reactree` with these names ("put down
apple 1 in fridge 1"), for every dialect of the episode.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ...observation_text.dialects.compact.books import Books
from ...observation_text.dialects.reactree.grammar import worded
from ...scene_graph.json_codec import graph_to_data
from ...scene_graph.node import POSTURES, Kind, Node, State
from ...skills.actions import Action, Verb
from ..contract import Brief, Percept

_KEEPING = (Kind.FIXTURE, Kind.OBJECT)


@runtime_checkable
class Accounted(Protocol):
    """A model that passes an account of the episode to its stand-in."""

    account: Callable[[], Mapping[str, Any]]


def tell(models: Mapping[str, object], account: Account) -> None:
    """Give models the account of the episode."""
    for model in models.values():
        if isinstance(model, Accounted):
            model.account = account.data


class _Known(NamedTuple):
    """A thing as it was last seen: from which place, and how it is kept by which place."""

    node: Node
    """The thing."""
    room: int | None
    """The room it is in."""
    at: int | None
    """The place where the agent saw it; None if it was seen from anywhere in the room."""
    how: str | None
    """Its relation to the place that keeps it, such as "inside"."""
    place: int | None
    """The place that keeps it."""


class Account:
    """The account of one episode, or of one trial of it. Several threads may read its data.

    instruction, dialect, hands, hand_to_open, verbs, rooms   as the brief has them
    fixtures, inventory, map, map_names                       where granted
    things    by name: room, at (the place where the agent saw it; None: seen from anywhere in the
              room), in (the place that keeps it), how, states, can (affordances), fixed, mine (put
              there by the agent)
    room, here, reach, held, worn, posture                    of the agent
    visited, looked    rooms, and places whose contents were seen
    left      places of this room to look into, else rooms that have some
    log       actions, why each failed ("" for success), and the place of its thing before
    menu      the actions on offer, with their texts in the episode's dialect
    called    names in the dialect, where they differ
    """

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._brief = brief
        self._lock = threading.Lock()
        self._data: dict[str, Any] | None = None
        self.begin(percept)

    def begin(self, percept: Percept) -> None:
        """Begin again with the first percept of a trial."""
        self._things: dict[int, _Known] = {}
        self._looked: set[int] = set()
        self._visited: list[str] = []
        self._log: list[tuple[str, str, str | None]] = []
        self._mine: dict[int, int] = {}
        self._books = Books.of({})
        self._here: int | None = None
        self._see(percept)

    def add(self, percept: Percept) -> None:
        """Add a percept after any decision."""
        action, outcome = percept.action, percept.outcome
        if action is not None and outcome is not None:
            why = "" if outcome.failure is None else str(outcome.failure.reason)
            known = self._things.get(action.target or 0)
            kept = None if known is None else percept.names.get(known.place or 0)
            self._log.append((worded(action, percept.names), why, kept))
            if outcome.success:
                self._done(action)
        self._see(percept)

    def data(self) -> Mapping[str, Any]:
        """The account as it is now."""
        with self._lock:
            if self._data is None:
                self._data = self._made()
            return self._data

    # --- updates ---------------------------------------------------------------------------------

    def _done(self, action: Action) -> None:
        """Add the effect of a successful action."""
        thing = action.target
        if thing is None:
            return
        if action.verb in (Verb.GO_TO, Verb.OPEN, Verb.LOOK):
            self._here = thing  # never a room: nothing is within reach of one
        elif action.verb is Verb.PICK_UP:
            self._mine.pop(thing, None)
        elif action.verb is Verb.PUT and action.place is not None:
            self._mine[thing] = action.place
        self._books = self._books.done(action)

    def _see(self, percept: Percept) -> None:
        """Add a view, as far as observations describe it."""
        view, graph = percept.view, percept.view.graph
        self._percept, self._data = percept, None
        me = view.agent().id
        room = graph.room_of(me)
        self._room = room
        self._books = self._books.seen(view)
        # An agent that approaches by itself can handle all that it sees.
        all_seen = [n.id for n in graph.nodes() if n.kind in _KEEPING and n.id != me]
        approaches = self._brief.embodiment.approaches
        self._reach = self._by_name(all_seen if approaches else view.within_reach())
        if self._here not in self._reach:
            self._here = None
        if room is not None and percept.names[room] not in self._visited:
            self._visited.append(percept.names[room])
        covered = {place for place, whole in view.covered.items() if whole}
        self._looked |= covered
        own = {*view.held(), *view.worn()}
        afar = [] if room is None else view.visible_from_afar(room)
        places = () if room is None else self._books.places.get(room, ())
        others = self._by_name(thing for thing in afar if thing not in places)
        near = dict.fromkeys((*others, *places, *self._reach))
        self._forget(percept, covered, {*near, *own})
        for thing in near:
            node = graph[thing]
            if thing not in own and node.kind in _KEEPING:
                how, place = self._kept(percept, thing)
                seen_at = None if thing in afar else self._here
                self._things[thing] = _Known(node, room, seen_at, how, place)
        for thing in own:
            self._things.pop(thing, None)

    def _by_name(self, things: Iterable[int]) -> list[int]:
        """Things in the order of their names, as in texts."""
        names = self._percept.names

        def key(thing: int) -> tuple[str, int]:
            kind, _, number = names[thing].rpartition(" ")
            return kind, int(number)

        return sorted(things, key=key)

    def _forget(self, percept: Percept, covered: set[int], seen: set[int]) -> None:
        """Forget the place of things that a look there did not find."""
        for thing in set(self._things).difference(seen):
            known = self._things[thing]
            place = None if known.place is None else percept.view.get(known.place)
            hidden = place is not None and State.CLOSED in place.states
            there = known.place in covered or (self._here is not None and known.at == self._here)
            if known.node.kind is Kind.OBJECT and there and not hidden:
                del self._things[thing]

    def _kept(self, percept: Percept, thing: int) -> tuple[str | None, int | None]:
        """The relation and the place that keep a thing; None for the room itself."""
        graph = percept.view.graph
        for relation, place in graph.places(thing):
            if graph[place].kind in _KEEPING:
                return str(relation), place
        return None, None

    # --- as data ---------------------------------------------------------------------------------

    def _made(self) -> dict[str, Any]:
        brief, percept = self._brief, self._percept
        names, view = percept.names, percept.view
        left = [] if self._room is None else self._books.not_looked_at(self._room)
        held, worn = self._by_name(view.held()), self._by_name(view.worn())
        rooms = self._by_name(self._books.rooms_left(view))
        posture = sorted(view.agent().states & POSTURES)
        data = {
            "instruction": brief.instruction,
            "dialect": brief.dialect,
            "hands": brief.embodiment.hands,
            "hand_to_open": Verb.OPEN in brief.embodiment.needs_free_hand,
            "verbs": sorted(map(str, brief.actions)),
            "rooms": [names[i] for i in self._by_name(view.graph.room_ids)],
            "things": {names[i]: self._thing_data(i) for i in self._things if i in names},
            "room": None if self._room is None else names[self._room],
            "here": None if self._here is None else names[self._here],
            "reach": [names[thing] for thing in self._reach],
            "held": [names[thing] for thing in held],
            "worn": [names[thing] for thing in worn],
            "own": {names[i]: sorted(map(str, view.graph[i].states)) for i in (*held, *worn)},
            "posture": str(posture[0]) if posture else "",
            "visited": self._visited,
            "looked": [names[place] for place in sorted(self._looked) if place in names],
            "left": [names[place] for place in left or rooms],
            "log": self._log,
            "menu": {worded(action, names): text for text, action in reversed(percept.menu())},
        }
        return data | self._granted()

    def _thing_data(self, thing: int) -> dict[str, Any]:
        """The known data of a thing."""
        known, names = self._things[thing], self._percept.names
        return {
            "room": names.get(known.room or 0),
            "at": names.get(known.at or 0),
            "in": names.get(known.place or 0),
            "how": known.how,
            "states": sorted(map(str, known.node.states)),
            "can": sorted(map(str, known.node.affordances)),
            "fixed": known.node.kind is Kind.FIXTURE,
            "mine": known.place is not None and self._mine.get(thing) == known.place,
        }

    def _granted(self) -> dict[str, Any]:
        """The data of the planner's grants."""
        brief, names = self._brief, self._percept.names
        granted: dict[str, Any] = {}
        if brief.fixtures is not None:
            granted["fixtures"] = [
                [each.name, names.get(each.room or 0)] for each in brief.fixtures
            ]
        if brief.inventory is not None:
            granted["inventory"] = [thing.name for thing in brief.inventory]
        if brief.map is not None:
            granted["map"] = graph_to_data(brief.map)
            granted["map_names"] = {
                node.id: names[node.id] for node in brief.map.nodes() if node.id in names
            }
        return granted

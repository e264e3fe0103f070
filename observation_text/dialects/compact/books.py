"""The books that the dialect `compact` keeps: what was looked at, and what was put where.

They contain only what was perceived and done. As JSON data they are part of the dialect's state:

    {"looked": [place, ...], "places": {"room": [place, ...]}, "put": [[thing, relation, place]]}

looked: places that were looked into completely. places: the known places of each room, by the
room's id. put: things that were put somewhere and not taken again, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ....scene_graph.node import Affordance, Kind, Relation, State
from ....skills.actions import Action, Verb
from ...dialect import DialectState
from ...view import View

_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})


class Books(NamedTuple):
    """The books at one moment; never modified: `after` returns the next ones."""

    looked: frozenset[int]
    places: dict[int, tuple[int, ...]]
    put: tuple[tuple[int, str, int], ...]

    @classmethod
    def of(cls, state: DialectState) -> Books:
        """The books in a dialect's state."""
        return cls(
            frozenset(state.get("looked", ())),
            {int(room): tuple(places) for room, places in state.get("places", {}).items()},
            tuple((thing, relation, place) for thing, relation, place in state.get("put", ())),
        )

    def to_data(self) -> DialectState:
        """The books as a part of a dialect's state."""
        return {
            "looked": sorted(self.looked),
            "places": {str(room): list(places) for room, places in self.places.items()},
            "put": [list(each) for each in self.put],
        }

    def seen(self, view: View) -> Books:
        """The books with the content of a view."""
        room = view.graph.room_of(view.agent().id)
        places = dict(self.places)
        if room is not None:
            known = places.get(room, ())
            new = [place for place in _places_in(view, room) if place not in known]
            places[room] = (*known, *new)
        covered = {place for place, completely in view.covered.items() if completely}
        return self._replace(looked=self.looked | covered, places=places)

    def done(self, action: Action) -> Books:
        """The books after a successful action."""
        thing = action.target
        if action.verb not in (Verb.PICK_UP, Verb.PUT) or thing is None:
            return self
        kept = tuple(each for each in self.put if each[0] != thing)
        if action.verb is Verb.PUT and action.place is not None and action.relation is not None:
            kept = (*kept, (thing, str(action.relation), action.place))
        return self._replace(put=kept)

    def not_looked_at(self, room: int) -> list[int]:
        """The places of a room that were not looked into yet."""
        return [place for place in self.places.get(room, ()) if place not in self.looked]

    def rooms_left(self, view: View) -> list[int]:
        """The other rooms that were not visited or not looked through completely."""
        here = view.graph.room_of(view.agent().id)
        rooms = [node.id for node in view.graph.nodes(Kind.ROOM) if node.id != here]
        return [room for room in rooms if room not in self.places or self.not_looked_at(room)]

    def rooms_not_seen(self, view: View) -> list[int]:
        """The rooms that were not visited."""
        return [node.id for node in view.graph.nodes(Kind.ROOM) if node.id not in self.places]


def _places_in(view: View, room: int) -> Iterator[int]:
    """The places of a room that keep things; those visible without opening come first."""
    graph = view.graph
    fixtures = [graph[thing] for thing in view.visible_from_afar(room)]
    keeping = [
        n for n in fixtures if n.kind is Kind.FIXTURE and not _KEEPING.isdisjoint(n.affordances)
    ]
    for closed in (False, True):
        yield from (node.id for node in keeping if (State.CLOSED in node.states) is closed)


#: The preposition of each relation.
PREPOSITIONS = {str(Relation.INSIDE): "in", str(Relation.ON): "on", str(Relation.UNDER): "under"}

"""Working memory: where the movable things of an episode were seen last.

After Choi et al., ReAcTree (2025), section 4.2: filled from observations alone, shared by all that
act in an episode, and read by "recall location of X".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .... import plugins
from ....observation_text.dialect import Dialect
from ....observation_text.sightings import Named, Sighting
from ....observation_text.view import View
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind
from ...contract import Percept

#: What is said before the name of a thing to recall it.
RECALL = "recall location of"

_NUMBERED = re.compile(r"(?P<kind>.*?)\s*\(?(?P<number>\d+)\)?")


@dataclass(frozen=True)
class _Memory:
    """A sighting, and the nodes that kept the thing itself. closer: without rooms."""

    sighting: Sighting
    places: tuple[int, ...] = ()
    closer: tuple[int, ...] = ()


class WorkingMemory:
    """The last seen place of every movable thing, by what was perceived.

    What is missing from its place when that is seen again is kept as gone from there.
    """

    def __init__(self, dialect: str) -> None:
        """dialect: of the episode, in whose words things are asked for and told."""
        found = plugins.load("dialect", dialect)
        assert isinstance(found, Dialect), f"{dialect} is no dialect"
        self._dialect = found
        self._memories: dict[int, _Memory] = {}
        self._view: View | None = None

    def update(self, percept: Percept) -> None:
        """Take in what is perceived now."""
        view = percept.view
        if view is self._view:  # a thought or a recall shows nothing new
            return
        self._view = view
        graph = view.graph
        held = view.held()
        for node in graph.nodes(Kind.OBJECT):
            self._memories[node.id] = _memory(graph, percept.names, node.id, held=node.id in held)
        for thing, memory in self._memories.items():
            if not memory.sighting.gone and thing not in graph and _is_gone(memory, view):
                gone = replace(memory.sighting, gone=True)
                self._memories[thing] = replace(memory, sighting=gone)

    @property
    def sightings(self) -> Mapping[int, Sighting]:
        """Where each thing was seen last, by id."""
        return {thing: memory.sighting for thing, memory in self._memories.items()}

    def kind(self, category: str) -> str:
        """What things of a category are called when they are asked for."""
        return self._dialect.kind(category)

    def recallable(self) -> tuple[str, ...]:
        """The kinds of things seen so far, as "recall location of X" names them.

        Others may be asked for too; they have not been seen.
        """
        categories = {memory.sighting.thing.category for memory in self._memories.values()}
        return tuple(sorted(map(self.kind, categories)))

    def recall(self, thing: str) -> str:
        """Where things of a kind, or the one of a name, were seen last, in the dialect's words."""
        found = sorted(self._asked_for(thing), key=lambda sighting: sighting.thing)
        present = [sighting for sighting in found if not sighting.gone]
        return self._dialect.recalled(_plain(thing), present or found)

    def _asked_for(self, said: str) -> Iterator[Sighting]:
        """The sightings of a kind, or of one thing where a number is said."""
        wanted = _plain(said).lower()
        match = _NUMBERED.fullmatch(wanted)
        kind, number = (wanted, None) if match is None else (match["kind"], int(match["number"]))
        for memory in self._memories.values():
            thing = memory.sighting.thing
            if number in (None, thing.number) and kind in (
                self.kind(thing.category).lower(),
                thing.category.lower(),
            ):
                yield memory.sighting


def _memory(graph: SceneGraph, names: Mapping[int, str], thing: int, *, held: bool) -> _Memory:
    """What is to be remembered of a thing that is seen now."""
    places = tuple(place for _, place in graph.places(thing))
    kinds = {place: graph[place].kind for place in (*places, *graph.above(thing))}
    keeping = [place for place, kind in kinds.items() if kind in (Kind.FIXTURE, Kind.OBJECT)]
    furniture = [place for place in keeping if kinds[place] is Kind.FIXTURE]
    place = next(iter(furniture or keeping), None)
    room = graph.room_of(thing)
    if room is None:
        room = graph.room_of(graph.agent().id)
    sighting = Sighting(
        _named(names[thing]),
        place if place is None else _named(names[place]),
        room if room is None else _named(names[room]),
        held=held,
    )
    closer = tuple(place for place in places if kinds[place] is not Kind.ROOM)
    return _Memory(sighting, places, closer)


def _is_gone(memory: _Memory, view: View) -> bool:
    """Whether a thing out of view is no longer where it was, which the view shows completely.

    Of a thing on a table the room says nothing: from afar it shows only what stands free.
    """
    if memory.sighting.held:
        return True
    return any(view.covered.get(place) for place in memory.closer or memory.places)


def _named(name: str) -> Named:
    """A name of the episode, which ends in its number."""
    category, _, number = name.rpartition(" ")
    return Named(category, int(number))


def _plain(said: str) -> str:
    """A name as it was said, without an article and a full stop."""
    return re.sub(r"^(the|an|a) ", "", said.strip().rstrip("."), flags=re.IGNORECASE)

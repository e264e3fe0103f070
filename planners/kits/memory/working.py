"""Working memory: the last seen places of the movable things of an episode.

After Choi et al., ReAcTree (2025), section 4.2: filled from observations alone, shared by all
agents of an episode, and read by "recall location of X".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .... import plugins
from ....observation_text.dialect import Dialect
from ....observation_text.names import Named, Sighting
from ....observation_text.view import View
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind
from ...contract import Percept

#: The words before the name of a thing to recall.
RECALL = "recall location of"

_NUMBERED = re.compile(r"(?P<kind>.*?)\s*\(?(?P<number>\d+)\)?")


@dataclass(frozen=True)
class _Memory:
    """A sighting, and the nodes that kept the thing. closer: without rooms."""

    sighting: Sighting
    places: tuple[int, ...] = ()
    closer: tuple[int, ...] = ()


class WorkingMemory:
    """The last seen place of every perceived movable thing.

    A thing that is missing from its place when that is seen again is recorded as gone.
    """

    def __init__(self, dialect: str) -> None:
        """dialect: of the episode, for the words of recalls and their answers."""
        loaded = plugins.load("dialect", dialect)
        assert isinstance(loaded, Dialect), f"{dialect} is no dialect"
        self._dialect = loaded
        self._memories: dict[int, _Memory] = {}
        self._view: View | None = None

    def update(self, percept: Percept) -> None:
        """Record what is perceived now."""
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
        """The last sighting of each thing, by id."""
        return {thing: memory.sighting for thing, memory in self._memories.items()}

    def kind(self, category: str) -> str:
        """The word for things of a category in recalls."""
        return self._dialect.kind(category)

    def recallable(self) -> tuple[str, ...]:
        """The kinds of things seen so far, as "recall location of X" names them.

        Other kinds may be recalled, too; the answer is that they were not seen.
        """
        categories = {memory.sighting.thing.category for memory in self._memories.values()}
        return tuple(sorted(map(self.kind, categories)))

    def recall(self, thing: str) -> str:
        """The last seen places of a kind of thing, or of one thing, in the dialect's words."""
        matching = sorted(self._asked_for(thing), key=lambda sighting: sighting.thing)
        present = [sighting for sighting in matching if not sighting.gone]
        return self._dialect.recalled(_plain(thing), present or matching)

    def _asked_for(self, said: str) -> Iterator[Sighting]:
        """Yield the sightings of a kind, or of one thing where a number is given."""
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
    """The memory of a thing that is seen now."""
    places = tuple(place for _, place in graph.places(thing))
    kinds = {place: graph[place].kind for place in (*places, *graph.above(thing))}
    keeping = [place for place, kind in kinds.items() if kind in (Kind.FIXTURE, Kind.OBJECT)]
    furniture = [place for place in keeping if kinds[place] is Kind.FIXTURE]
    place = next(iter(furniture or keeping), None)
    room = graph.room_of(thing)
    if room is None:
        room = graph.room_of(graph.agent().id)
    sighting = Sighting(
        name_of(names[thing]),
        place if place is None else name_of(names[place]),
        room if room is None else name_of(names[room]),
        held=held,
    )
    closer = tuple(place for place in places if kinds[place] is not Kind.ROOM)
    return _Memory(sighting, places, closer)


def _is_gone(memory: _Memory, view: View) -> bool:
    """Whether the view shows a thing's last place completely, without the thing.

    A room says nothing about a thing on a table: from afar it shows only free-standing things.
    """
    if memory.sighting.held:
        return True
    return any(view.covered.get(place) for place in memory.closer or memory.places)


def name_of(name: str) -> Named:
    """The parts of a name of the episode, which ends in its number."""
    category, _, number = name.rpartition(" ")
    return Named(category, int(number))


def _plain(said: str) -> str:
    """A name without an article and a full stop."""
    return re.sub(r"^(the|an|a) ", "", said.strip().rstrip("."), flags=re.IGNORECASE)

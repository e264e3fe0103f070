"""The executable as it answers: its raw graphs, and script lines without our checks before them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from ...adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from ...adapters.virtualhome.unity.adapter import UnityAdapter, words_of
from ...adapters.virtualhome.unity.client import CALL_S, LOAD_S, UnityClient, UnityConnection
from ..assumption import CannotTell
from ..bench import Bench
from .evolving import EvolvingConnection

#: One of the executable's own apartments, unchanged. The first one takes the stand-in longer.
ENVIRONMENT = 1
SCENE = f"unity:{ENVIRONMENT}"
#: The character of the adapter.
CHARACTER = "Chars/Female1"

#: Seconds until a character that was added is in the graph, and between two looks.
_ENTERS_S, _PAUSE_S = 2.0, 0.1

Node = Mapping[str, Any]
Triple = tuple[int, str, int]


class RawGraph:
    """A graph of the executable, with its own ids and words."""

    def __init__(self, data: Mapping[str, Any], avoided: Collection[int] = ()) -> None:
        """avoided: things that are not chosen for anything."""
        self.data, self._avoided = data, avoided
        self.nodes: dict[int, Node] = {node["id"]: node for node in data["nodes"]}
        self.edges: frozenset[Triple] = frozenset(
            (edge["from_id"], edge["relation_type"], edge["to_id"]) for edge in data["edges"]
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RawGraph):
            return NotImplemented
        return (self.edges, self.nodes) == (other.edges, other.nodes)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def rooms(self) -> list[int]:
        return sorted(i for i, node in self.nodes.items() if node["category"] == "Rooms")

    @cached_property
    def characters(self) -> list[int]:
        return sorted(i for i, node in self.nodes.items() if node["class_name"] == "character")

    @property
    def me(self) -> int:
        """The character with the lowest id. Raises CannotTell without one."""
        if not self.characters:
            raise CannotTell("there is no character")
        return self.characters[0]

    def named(self, node_id: int) -> str:
        """A node in words."""
        node = self.nodes.get(node_id)
        return f"{node['class_name']} ({node_id})" if node else f"({node_id}), which is gone"

    def has(self, node_id: int, *properties: str) -> bool:
        return {*properties} <= {*self.nodes[node_id]["properties"]}

    def states(self, node_id: int) -> set[str]:
        return {*self.nodes[node_id]["states"]} if node_id in self.nodes else set()

    def related(self, source: int, relation: str) -> set[int]:
        """What a node has a relation to."""
        return {to for start, word, to in self.edges if start == source and word == relation}

    def held(self) -> set[int]:
        """What the character holds, in either hand."""
        return self.related(self.me, "HOLDS_RH") | self.related(self.me, "HOLDS_LH")

    def places(self, thing: int) -> set[tuple[str, int]]:
        """Where a thing is, besides its room."""
        return {
            (word, to)
            for start, word, to in self.edges
            if start == thing and word in ("ON", "INSIDE") and to not in self.rooms
        }

    def rooms_of(self, thing: int) -> set[int]:
        """The rooms that a thing is said to be inside."""
        return self.related(thing, "INSIDE") & {*self.rooms}

    def free(self, thing: int) -> bool:
        """Whether nothing closed is around a thing, and nobody holds it."""
        around, seen = {thing}, set[int]()
        while around:
            place = around.pop()
            seen.add(place)
            around |= {to for word, to in self.places(place) if word == "INSIDE"} - seen
            around |= {to for word, to in self.places(place) if word == "ON"} - seen
        closed = any("CLOSED" in self.states(place) for place in seen - {thing})
        return not closed and thing not in self.held() if self.characters else not closed

    def things(self, *properties: str) -> Iterator[int]:
        """The nodes with these properties, but no rooms and no characters, by id."""
        others = {*self.rooms, *self.characters, *self._avoided}
        return (i for i in sorted(self.nodes.keys() - others) if self.has(i, *properties))

    def first(self, what: str, *properties: str, where: Callable[[int], bool]) -> int:
        """The first such thing, by id. what: in words. Raises CannotTell where there is none."""
        found = next((each for each in self.things(*properties) if where(each)), None)
        if found is None:
            raise CannotTell(f"the apartment has no {what}")
        return found


class Said(NamedTuple):
    """The answer to a script line."""

    line: str
    success: bool
    words: str

    @property
    def text(self) -> str:
        return f"{self.line}: {'success' if self.success else 'failure'}, {self.words!r:.160}"


def connection(bench: Bench) -> UnityConnection:
    """The connection of the adapter. Raises CannotTell for an adapter in another process."""
    adapter = bench.adapter
    if not isinstance(adapter, UnityAdapter):
        raise CannotTell("this asks the simulator itself; leave --isolate out")
    return adapter.connection()


def speaker(bench: Bench) -> UnityConnection | EvolvingConnection:
    """What takes script lines and gives graphs: the executable, or the evolving graph."""
    if isinstance(bench.adapter, EvolvingGraphAdapter):
        return bench.once("evolving graph", EvolvingConnection)
    return connection(bench)


def ask(
    bench: Bench,
    action: str,
    numbers: Collection[int] = (),
    texts: Collection[str] = (),
) -> dict[str, Any]:
    """One call of the protocol, as it is answered."""
    unity = connection(bench)
    if not isinstance(unity, UnityClient):
        raise CannotTell("a communication object of the user's shows no answers as they come")
    long = action in ("environment", "expand_scene", "clear")
    return bench.call(
        action,
        lambda: unity.call(action, list(numbers), list(texts)),
        LOAD_S if long else CALL_S,
        said=lambda answer: f"success {answer['success']}, {answer.get('message')!r:.120}",
        changes=True,
    )


def graph_now(bench: Bench) -> RawGraph:
    """The present graph."""
    return RawGraph(
        bench.call("environment_graph", speaker(bench).environment_graph, CALL_S, said=False)
    )


def load(bench: Bench) -> None:
    """Load the apartment without a character."""
    unity = speaker(bench)
    loaded = bench.call("load", lambda: unity.reset(ENVIRONMENT), LOAD_S, changes=True)
    if not loaded:
        raise CannotTell(f"environment {ENVIRONMENT} does not load")


def begin(bench: Bench) -> None:
    """Load the apartment, with a character in its first room."""
    load(bench)
    graph = graph_now(bench)
    unity = speaker(bench)
    name = graph.nodes[graph.rooms[0]]["class_name"] if graph.rooms else ""
    add = bench.call(
        f"add_character to {name}", lambda: unity.add_character(CHARACTER, name), CALL_S
    )
    ends = time.monotonic() + _ENTERS_S
    while add and not graph_now(bench).characters and time.monotonic() < ends:
        time.sleep(_PAUSE_S)


def line_of(graph: RawGraph, command: str, *things: int, character: int = 0) -> str:
    """A line of the script language."""
    words = [f"<{graph.nodes[i]['class_name']}> ({i})" for i in things]
    return " ".join([f"<char{character}>", f"[{command.lower()}]", *words])


def send(bench: Bench, line: str) -> Said:
    """Send one script line."""
    unity = speaker(bench)
    success, message = bench.call(line, lambda: unity.render_script([line]), CALL_S, changes=True)
    return Said(line, success, words_of(message))

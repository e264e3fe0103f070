"""The stand-in's world: one apartment, its characters, and its graph as JSON.

Writing a graph of RobotHow's size takes longer than any action. So its JSON is kept in pieces, each
encoded once in the form for the `message` of an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from .....errors import BadInput
from .....scene_graph.graph import SceneGraph
from .....scene_graph.node import Kind, Relation
from .....skills.actions import WITH_PLACE, WITHOUT_TARGET, Action, Verb
from .....skills.outcomes import Reason
from ... import scenes
from ...commands import VERB_OF
from ...evolving_graph import EvolvingGraphAdapter
from ...graph_files import exported, kinds_of, with_character
from ...graph_import import to_scene_graph
from ...package import simulator
from ...server import EvolvingGraph

#: The apartments by number: RobotHow's, and generated houses in place of the executable's others.
SCENES = ("virtualhome-eval:1004_2", *(f"house:{number}" for number in range(1, 7)))

IMPOSSIBLE = "EXECUTION_GENERAL: Script is impossible to execute\n\n"
_NO_WAY = "PROCESS WALK: Can not select object: {name}. REASON: No interaction positions\n"

_LINE = re.compile(r"\s*<char(\d+)>\s*\[(\w+)\]((?:\s*<[^<>]+>\s*\(\d+\))*)\s*", re.ASCII)
_THING = re.compile(r"<([^<>]+)>\s*\((\d+)\)", re.ASCII)
#: Synonyms in the script language.
_SAME = {"RUN": "WALK", "FIND": "WALK", "PUT": "PUTBACK"}
_PUTS = {"PUTBACK": Relation.ON, "PUTIN": Relation.INSIDE}
#: Relations that the simulator changes, for the sources it reports.
_LIVE = ("ON", "INSIDE")

_Triple = tuple[int, str, int]


class Apartment:
    """One loaded apartment. Not thread-safe."""

    def __init__(self) -> None:
        """Raises Missing without the evolving graph."""
        self._world = EvolvingGraph(simulator())
        self._simulator = EvolvingGraphAdapter(self._world)
        self._agents: list[int] = []
        self._edge_texts: dict[_Triple, str] = {}
        self._text = ""
        self._before = ""  # the text before the last change
        self.load(0)

    @property
    def characters(self) -> int:
        return len(self._agents)

    def load(self, number: int) -> bool:
        """Load an apartment without characters; False for an unknown number."""
        if not 0 <= number < len(SCENES):
            return False
        self._replace(exported(scenes.raw(SCENES[number])).graph)
        return True

    def expand(self, graph: Any) -> tuple[bool, str]:
        """Change the apartment into a graph: success and message."""
        try:
            read = to_scene_graph(graph, "the input graph")
        except BadInput as error:
            return False, f"Error processing input graph: {error}"
        unplaced = [
            f"{node['class_name']}.{node['id']}"
            for node in graph["nodes"]
            if _is_nowhere(read, node["id"])
        ]
        if unplaced:
            return False, json.dumps({"unplaced": unplaced})
        self._replace(graph)
        return True, "{}"

    def add_character(self, room_name: str) -> bool:
        """Put a character into a room of that class, or the first; False if there is none."""
        graph = self._graph()
        rooms = [
            node["id"]
            for node in graph["nodes"]
            if node["category"] == "Rooms" and room_name in ("", node["class_name"])
        ]
        if not rooms:
            return False
        graph, new = with_character(graph, min(rooms), "Female1")
        agents = [*self._agents, new]
        self._replace(graph)
        self._agents = agents
        return True

    def do(self, line: str) -> tuple[bool, str]:
        """Execute one script line with the first character: success and message."""
        if not self._agents:
            return False, "No character added yet!"
        parsed = _LINE.fullmatch(line)
        if parsed is None:
            return False, f"Error parsing script: {line.strip()}"
        number, command, rest = parsed.groups()
        things = [(name, int(node_id)) for name, node_id in _THING.findall(rest)]
        try:
            action = _action(command.upper(), [node_id for _, node_id in things])
        except (KeyError, ValueError):
            return False, f"Error parsing script: {line.strip()}"
        known = all(self._names.get(node_id) == name.strip() for name, node_id in things)
        if int(number) != 0 or not known:
            return False, _report(int(number), IMPOSSIBLE)
        failure = self._simulator.attempt(action, 0).failure
        self._changed()
        if failure is None:
            return True, json.dumps({"0": {"message": "Success"}})
        if action.verb is Verb.GO_TO and failure.reason is not Reason.SEATED:
            return False, _report(0, _NO_WAY.format(name=things[0][0]) + IMPOSSIBLE)
        return False, _report(0, IMPOSSIBLE)

    # --- its graph as JSON ---------------------------------------------------------------------

    def text(self, *, stale: bool = False) -> str:
        """The graph's JSON, escaped for a JSON string.

        stale: from before the last change.
        """
        if stale and self._before:
            return self._before
        if not self._text:
            nodes = ", ".join(self._node_texts())
            edges = ", ".join([*self._fixed_texts(), *map(self._edge_text, self._live)])
            self._text = f'{{\\"nodes\\": [{nodes}], \\"edges\\": [{edges}]}}'
        return self._text

    def seen(self) -> list[str]:
        """The classes of the things that the first character perceives, none of them hidden by
        furniture; without a character, of all things.
        """
        if not self._agents:
            return sorted(self._names.values())
        return sorted(node.category for node in self._simulator.view().graph.nodes())

    def room_count(self) -> int:
        return sum(node["category"] == "Rooms" for node in self._raw)

    # --- state ---------------------------------------------------------------------------------

    def _replace(self, graph: dict[str, Any]) -> None:
        """Start with a graph."""
        kinds = kinds_of(graph["nodes"])
        self._raw: list[dict[str, Any]] = graph["nodes"]
        self._names = {node["id"]: str(node["class_name"]) for node in self._raw}
        self._agents = sorted(i for i, kind in kinds.items() if kind is Kind.AGENT)
        self._node_json: dict[int, tuple[object, str]] = {}
        self._states: dict[int, list[str]] = {}
        self._moved: set[int] = set()
        self._hands: dict[int, str] = {}
        self._live: list[_Triple] = []
        triples = ((e["from_id"], e["relation_type"], e["to_id"]) for e in graph["edges"])
        self._fixed: list[_Triple] = list(dict.fromkeys(triples))
        self._fixed_cache: list[str] | None = None
        before, self._text = self._text, ""
        if self._agents:
            agents = set(self._agents)
            self._fixed = [
                (a, relation, b)
                for a, relation, b in self._fixed
                if kinds[a] is None
                or not (relation in _LIVE or a in agents or (relation == "CLOSE" and b in agents))
            ]
            self._simulator.begin(graph)
            self._first: set[_Triple] | None = None
            self._changed()
        self._before = before

    def _changed(self) -> None:
        """Take in the simulator's state after an action."""
        state = self._world.read()
        self._states = state["states"]
        places = {(a, "ON", b) for a, b in state["on"]}
        places.update((a, "INSIDE", b) for a, b in state["inside"])
        if self._first is None:
            self._first = places
        moved = {a for a, _, _ in places ^ self._first} - set(self._agents)
        if not moved <= self._moved:
            # A moved thing is no longer close to its old neighbours.
            self._moved |= moved
            self._fixed = [
                (a, relation, b)
                for a, relation, b in self._fixed
                if relation not in ("CLOSE", "FACING") or not {a, b} & self._moved
            ]
            self._fixed_cache = None
        live = sorted(places) + [(a, self._hand(thing), thing) for a, thing in state["holds"]]
        self._hands = {thing: self._hands[thing] for _, thing in state["holds"]}
        for a, b in state["close"]:
            live += ((a, "CLOSE", b), (b, "CLOSE", a))
        live += [(a, "FACING", b) for a, b in state["facing"]]
        self._live = list(dict.fromkeys(live))
        self._before, self._text = self._text or self._before, ""

    def _hand(self, thing: int) -> str:
        if thing not in self._hands:
            free = [h for h in ("HOLDS_RH", "HOLDS_LH") if h not in self._hands.values()]
            self._hands[thing] = free[0] if free else "HOLDS_RH"
        return self._hands[thing]

    def _graph(self) -> dict[str, Any]:
        """The state as a graph."""
        nodes = [{**raw, "states": self._states.get(raw["id"], raw["states"])} for raw in self._raw]
        edges = [
            {"from_id": a, "relation_type": relation, "to_id": b}
            for a, relation, b in (*self._fixed, *self._live)
        ]
        return {"nodes": nodes, "edges": edges}

    def _node_texts(self) -> Iterable[str]:
        for raw in self._raw:
            states = self._states.get(raw["id"], raw["states"])
            known = self._node_json.get(raw["id"])
            if known is None or known[0] is not states:
                known = (states, _escaped({**raw, "states": states}))
                self._node_json[raw["id"]] = known
            yield known[1]

    def _fixed_texts(self) -> list[str]:
        if self._fixed_cache is None:
            texts = [self._edge_text(triple) for triple in self._fixed]
            self._fixed_cache = [", ".join(texts)] if texts else []
        return self._fixed_cache

    def _edge_text(self, triple: _Triple) -> str:
        text = self._edge_texts.get(triple)
        if text is None:
            source, relation, target = triple
            text = _escaped({"from_id": source, "relation_type": relation, "to_id": target})
            self._edge_texts[triple] = text
        return text


def _action(command: str, things: list[int]) -> Action:
    """The action of a command. Raises KeyError if it is unknown, ValueError for wrong arguments."""
    command = _SAME.get(command, command)
    if command in _PUTS:
        thing, place = things
        return Action(Verb.PUT, thing, _PUTS[command], place)
    verb = VERB_OF[command]
    if verb in WITH_PLACE:
        thing, place = things
        return Action(verb, thing, None, place)
    if len(things) != (verb not in WITHOUT_TARGET):
        raise ValueError("another number of things")
    return Action(verb, things[0] if things else None)


def _report(character: int, text: str) -> str:
    return json.dumps({str(character): {"message": f"ScriptExcutor {character}: {text}"}})


def _is_nowhere(graph: SceneGraph, node_id: int) -> bool:
    node = graph.get(node_id)
    placed = node is None or node.kind in (Kind.ROOM, Kind.AGENT) or graph.holder(node_id)
    return not placed and graph.room_of(node_id) is None


def _escaped(value: object) -> str:
    return json.dumps(json.dumps(value))[1:-1]

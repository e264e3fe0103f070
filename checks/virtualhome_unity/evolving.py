"""The evolving graph behind the calls of the executable's client, for the checks that fit both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...adapters.virtualhome import scenes
from ...adapters.virtualhome.graph_files import kinds_of
from ...adapters.virtualhome.remote import EvolvingGraphApi, evolving_graph
from ...scene_graph.node import Kind

#: The same house as the second apartment of the executable's stand-in.
SCENE = "house:1"

_LINE = re.compile(r"<char0> \[(\w+)\](.*)")


class EvolvingConnection:
    """The simulator of virtualhome-eval, without what the adapter corrects."""

    def __init__(self, world: EvolvingGraphApi | None = None) -> None:
        """world: by default that of this process or the user's interpreter. Raises Missing."""
        self._world = evolving_graph() if world is None else world
        self._data: Mapping[str, Any] = {"nodes": [], "edges": []}
        self._fixed: list[dict[str, Any]] = []

    def reset(self, environment: int) -> bool:
        """Load the house, with its character."""
        self._data = data = scenes.raw(SCENE)
        kinds = {i: kind for i, kind in kinds_of(data["nodes"]).items() if kind is not None}
        agents = sorted(i for i, kind in kinds.items() if kind is Kind.AGENT)
        self._world.reset(data, list(kinds), agents)
        self._fixed = [edge for edge in data["edges"] if edge["from_id"] not in kinds]
        return True

    def add_character(self, resource: str, initial_room: str) -> bool:
        """Do nothing: the house has its character."""
        return True

    def environment_graph(self) -> dict[str, Any]:
        """The state in the words of VirtualHome's graphs. Which hand holds is not told."""
        state = self._world.read()
        names = {"on": "ON", "inside": "INSIDE", "holds": "HOLDS_RH", "close": "CLOSE"}
        edges = [
            {"from_id": source, "relation_type": word, "to_id": target}
            for name, word in names.items()
            for source, target in state[name]
        ]
        nodes = [
            {**raw, "states": state["states"].get(raw["id"], raw["states"])}
            for raw in self._data["nodes"]
        ]
        return {"nodes": nodes, "edges": [*self._fixed, *edges]}

    def render_script(self, lines: Sequence[str]) -> tuple[bool, object]:
        """Execute one line: success, and the simulator's message."""
        parsed = _LINE.fullmatch(lines[0])
        if parsed is None:
            return False, f"no line: {lines[0]}"
        things = [int(number) for number in re.findall(r"\((\d+)\)", parsed[2])]
        message = self._world.do(parsed[1].upper(), things)
        return message is None, message or "Success"

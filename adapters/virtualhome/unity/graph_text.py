"""A parser for the JSON of successive graphs that differ little.

RobotHow's graphs have thousands of edges in 400 kB of JSON, which take longer to parse than most
actions. Edges before the first difference and after the last are reused. They are the same objects,
so that readers of the graph can skip them too.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ....data_files import json_data

_EDGES = re.compile(r'\]\s*,\s*"edges"\s*:\s*\[')


class GraphText:
    """The parser for the graphs of one simulator."""

    def __init__(self) -> None:
        self._nodes, self._edges = "", ""  # the text before the edges, and the rest
        self._graph: dict[str, Any] | None = None  # if each brace of the rest is an edge's

    def parse(self, text: str) -> Any:
        """The JSON value of a text. Shared: must not be modified."""
        edges_key = _EDGES.search(text)
        begin = 0 if edges_key is None else edges_key.end()
        nodes, edges = text[:begin], text[begin:]
        value = None if edges_key is None else self._patched(nodes, edges)
        if value is None:
            value = json_data(text, finite=False)
        flat = (
            isinstance(value, dict)
            and value.keys() == {"nodes", "edges"}
            and isinstance(value["edges"], list)
            and edges.count("{") == len(value["edges"])
        )
        self._graph = value if flat else None
        self._nodes, self._edges = nodes, edges
        return value

    def _patched(self, nodes: str, edges: str) -> dict[str, Any] | None:
        """The graph from the previous one where the texts agree; None if that is impossible."""
        if self._graph is None:
            return None
        old, known = self._edges, self._graph["edges"]
        if (nodes, edges) == (self._nodes, old):
            return self._graph
        head = edges.rfind("}", 0, _common(old, edges)) + 1
        if not head:
            return None
        first = edges.find("{", len(edges) - _common_end(old, edges, head))
        if first < 0:
            first = edges.rfind("]")
            if edges[first:] != old[old.rfind("]") :]:
                return None
        left, right = edges.count("{", 0, head), edges.count("{", first)
        try:
            # One number replaces the edges before the difference, and one those after it.
            between = json.loads(f"[0{edges[head:first]}{'0' * bool(right)}]")
            between = between[1 : len(between) - bool(right)]
            new = self._graph["nodes"]
            if nodes != self._nodes:
                new = json.loads(f"{nodes}]}}")["nodes"]
        except (ValueError, KeyError, RecursionError):
            return None
        return {"nodes": new, "edges": [*known[:left], *between, *known[len(known) - right :]]}


def _common(one: str, other: str) -> int:
    """The length of the common start of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str, head: int) -> int:
    """The length of the common end of two texts, without the first `head` characters of either."""
    low, high = 0, min(len(one), len(other)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low

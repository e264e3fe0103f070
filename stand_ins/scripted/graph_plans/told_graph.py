"""A scene graph as a prompt tells it: JSON with names such as "wicker_basket-1"."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ....observation_text.dialects.lookplangraph import node_names
from ....observation_text.names import Names
from ....scene_graph.graph import SceneGraph
from ....scene_graph.hierarchical_codec import from_hierarchy
from ....scene_graph.node import Kind, Node
from ..household.requirements import Requirement, Table

_BEGINS = "Scene graph: "


@dataclass(frozen=True)
class ToldGraph:
    """A told graph. names: with the told numbers. `native_id` of a node is its told name."""

    graph: SceneGraph
    names: Names

    def told(self, node_id: int) -> str:
        """The name of a node as it was told."""
        return str(self.graph[node_id].native_id)

    def name(self, node_id: int) -> str:
        """ "wicker basket 1" of a node."""
        return self.names(node_id)


def read_graph(asked: str, table: Table) -> ToldGraph:
    """The graph of a message. table: whose words categories are told in."""
    line = next(line for line in asked.splitlines() if line.startswith(_BEGINS))
    return graph_of(json.loads(line.removeprefix(_BEGINS)), table)


def graph_of(data: Any, table: Table) -> ToldGraph:
    """The graph of hierarchical JSON."""
    graph = from_hierarchy(data)
    words = {node_names.stem(word): word for word in _categories(table)}
    numbered: dict[str, dict[int, Node]] = {}
    for node in list(graph.nodes()):
        read = node_names.read(str(node.native_id))
        if read is None:
            continue
        named = replace(node, category=words.get(read.stem, node.category))
        graph.replace_node(named)
        numbered.setdefault(named.category, {})[read.number] = named
    return ToldGraph(graph, _with_numbers(numbered))


def _with_numbers(numbered: dict[str, dict[int, Node]]) -> Names:
    """Names with given numbers; nodes that are not told stand for those between."""
    names = Names()
    unknown = -1
    for category, nodes in numbered.items():
        for number in range(1, max(nodes) + 1):
            if number not in nodes:
                nodes[number] = Node(unknown, category, Kind.OBJECT, unknown)
                unknown -= 1
            names.append([nodes[number]])
    return names


def _categories(table: Table) -> Iterator[str]:
    """The words of the table for kinds of things."""
    for requirements in table.values():
        yield from _of_requirements(requirements)


def _of_requirements(requirements: Iterable[Requirement]) -> Iterator[str]:
    for required in requirements:
        for term in (required.thing, required.place):
            yield from () if term is None else term.categories

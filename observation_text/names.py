"""Names of things for people and planners: a category and a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Node


class Names:
    """The names of an episode, fixed from its full initial graph.

    Things are numbered per category from 1, by sorted native id, hidden ones too, so that a name
    never depends on what was found when. Things that appear later (slices) are appended.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self._numbers: dict[int, tuple[str, int]] = {}
        self._ids: dict[tuple[str, int], int] = {}
        self._counts: dict[str, int] = {}
        self.append(sorted(graph.nodes(), key=_by_native_id))

    def append(self, nodes: Iterable[Node]) -> None:
        """Name nodes that have none yet, in the given order."""
        for node in nodes:
            if node.id not in self._numbers:
                number = self._counts[node.category] = self._counts.get(node.category, 0) + 1
                self._numbers[node.id] = (node.category, number)
                self._ids[node.category, number] = node.id

    def __call__(self, node_id: int) -> str:
        """The name of a node, "kitchen table 1". Raises KeyError for one without a name."""
        category, number = self._numbers[node_id]
        return f"{category} {number}"

    @property
    def numbers(self) -> Mapping[int, tuple[str, int]]:
        """(category, number) of every named node."""
        return self._numbers

    def number(self, node_id: int) -> tuple[str, int]:
        """(category, number) of a node."""
        return self._numbers[node_id]

    def categories(self) -> Iterable[str]:
        """The categories that have names."""
        return self._counts.keys()

    def find(self, category: str, number: int) -> int | None:
        """The node of a name, or None."""
        return self._ids.get((category, number))


def _by_native_id(node: Node) -> tuple[str, int, int, str]:
    """Numeric native ids in numeric order, before textual ones."""
    native = node.native_id
    if isinstance(native, int):
        return (node.category, 0, native, "")
    return (node.category, 1, 0, native)

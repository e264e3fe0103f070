"""Names of things for people and planners: a category and a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..scene_graph.node import Node


class Names:
    """The names of an episode, numbered per category from 1 by first sight.

    What is granted or named in the instruction is named before anything is seen. So a number tells
    nothing of what was never perceived: without it every other thing would have the same name.
    """

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        """nodes: things that have names from the start."""
        self._numbers: dict[int, tuple[str, int]] = {}
        self._ids: dict[tuple[str, int], int] = {}
        self._counts: dict[str, int] = {}
        self.append(nodes)

    def append(self, nodes: Iterable[Node]) -> None:
        """Name nodes that have none yet, those that come at once in the order of native ids.

        A node that has become another thing is named anew: simulators give the ids of slices again
        when a task begins anew.
        """
        numbers = self._numbers
        new = {
            node.id: node
            for node in nodes
            if node.id not in numbers or numbers[node.id][0] != node.category
        }
        for node in sorted(new.values(), key=_by_native_id):
            if node.id in numbers:
                del self._ids[numbers[node.id]]
            number = self._counts[node.category] = self._counts.get(node.category, 0) + 1
            numbers[node.id] = (node.category, number)
            self._ids[node.category, number] = node.id

    def __call__(self, node_id: int) -> str:
        """The name of a node, "kitchen table 1". Raises KeyError for one without a name."""
        category, number = self._numbers[node_id]
        return f"{category} {number}"

    @property
    def numbers(self) -> Mapping[int, tuple[str, int]]:
        """(category, number) of every named node, in the order in which they were named."""
        return self._numbers

    def number(self, node_id: int) -> tuple[str, int]:
        """(category, number) of a node."""
        return self._numbers[node_id]

    def count(self, category: str) -> int:
        """How many things of a category have been named."""
        return self._counts.get(category, 0)

    def categories(self) -> Iterable[str]:
        """The categories that have names."""
        return self._counts.keys()

    def find(self, category: str, number: int) -> int | None:
        """The node of a name, or None."""
        return self._ids.get((category, number))


def _by_native_id(node: Node) -> tuple[str, int, int, tuple[str | int, ...]]:
    """By category, then native id: numbers before texts, the numbers in texts by their value.

    The order of two things does not depend on what else there is. Where a simulator numbers its
    things from 1 it is also the same after another has been left out and the rest moved up.
    """
    native = node.native_id
    if isinstance(native, int):
        return (node.category, 0, native, ())
    parts = re.split(r"([0-9]+)", native)
    return (node.category, 1, 0, tuple(int(p) if p.isdigit() else p for p in parts))

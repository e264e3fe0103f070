"""Names of things for people and planners: a category and a number."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..scene_graph.node import Node

#: Below all ids of worlds: ids of things that are known to exist before any is seen.
_EXPECTED = -(1 << 41)


class Named(NamedTuple):
    """A name before a dialect words it: ("kitchen table", 1)."""

    category: str
    number: int


class Names:
    """The names of an episode, numbered per category from 1 by first sight.

    Things that are granted or named in the instruction get their names at the start. An inventory
    only tells how many things of a category there are: the first one that is seen gets the first
    of their names (`expect`). So a number reveals nothing about things never perceived.
    """

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        """nodes: things that have names from the start."""
        self._numbers: dict[int, tuple[str, int]] = {}
        self._ids: dict[tuple[str, int], int] = {}
        self._counts: dict[str, int] = {}
        self._expected: dict[str, list[int]] = {}  # not seen yet
        self._expected_as: dict[int, int] = {}  # of what was seen since
        self.append(nodes)

    def append(self, nodes: Iterable[Node]) -> None:
        """Name nodes without a name; those that come at once in the order of their ids."""
        self.append_in_order(sorted(nodes, key=lambda node: node.id))

    def append_in_order(self, nodes: Iterable[Node]) -> None:
        """Name nodes without a name, in the order in which they come.

        A node that changed its category gets a new name: simulators reuse the ids of slices when a
        task starts again. A node with a number of its own keeps it.
        """
        numbers = self._numbers
        for node in nodes:
            node_id, category = node.id, node.category
            known = numbers.get(node_id)
            if known is not None:
                if known[0] == category:
                    continue
                del self._ids[known]
            if node.number is not None:
                self.give(node_id, category, node.number)
                continue
            if known is None and self._expected.get(category):
                expected = self._expected_as[node_id] = self._expected[category].pop(0)
                _, number = numbers[expected]
            else:
                number = self._count(category)
            numbers[node_id] = (category, number)
            self._ids[category, number] = node_id

    def _count(self, category: str) -> int:
        """The next free number of a category."""
        number = self._counts[category] = self._counts.get(category, 0) + 1
        return number

    def expect(self, category: str, count: int) -> None:
        """Name things of a category that are known to exist, before they are seen.

        count: how many there are besides those that have names. Their ids are of no world; each is
        replaced by the id of the thing that takes its name.
        """
        waiting = self._expected.setdefault(category, [])
        while len(waiting) < count:
            node_id, number = _EXPECTED - len(self._numbers), self._count(category)
            self._numbers[node_id] = (category, number)
            self._ids[category, number] = node_id
            waiting.append(node_id)

    def expected(self, category: str) -> tuple[int, ...]:
        """The ids of the things that are expected and not seen yet."""
        return tuple(self._expected.get(category, ()))

    def expected_as(self, node_id: int) -> int | None:
        """The id by which a thing was expected before it was seen; None if it was not."""
        return self._expected_as.get(node_id)

    def give(self, node_id: int, category: str, number: int) -> None:
        """Name a node without a name; if the name is taken, with the next free number."""
        if (category, number) in self._ids:
            number = self._counts[category] + 1
        self._counts[category] = max(number, self._counts.get(category, 0))
        self._numbers[node_id] = (category, number)
        self._ids[category, number] = node_id

    def __call__(self, node_id: int) -> str:
        """The name of a node, "kitchen table 1". Raises KeyError for one without a name."""
        category, number = self._numbers[node_id]
        return f"{category} {number}"

    @property
    def numbers(self) -> Mapping[int, tuple[str, int]]:
        """(category, number) of every named node, in the order of naming."""
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

    def find_said(
        self, word: str, number: int, said: Callable[[str], str], among: Container[int]
    ) -> int | None:
        """The node of a name in a dialect's words, if it is among some.

        said: the dialect's word for a category, by which several categories may be called.
        """
        for category in self.categories():
            if said(category) == word:
                node_id = self.find(category, number)
                if node_id is not None and node_id in among:
                    return node_id
        return None


@dataclass(frozen=True)
class Sighting:
    """Where an agent last saw a thing, as input of dialects."""

    thing: Named
    """Its name."""
    place: Named | None = None
    """The furniture that kept it, else the nearest place; None for a free-standing thing."""
    room: Named | None = None
    """None if unknown."""
    held: bool = False
    """Whether the agent holds it."""
    gone: bool = False
    """Whether the place was seen again without it."""

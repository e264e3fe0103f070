"""The change from one view of an episode to the next, as recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import is_

from ..errors import BadInput
from ..scene_graph.changes import GraphChange, applied, difference
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Node
from ..skills.arm.blocks.world import ArmReading
from .view import Part, View

#: Places whose contents are known, and whether completely.
Covered = tuple[tuple[int, bool], ...]


@dataclass(frozen=True, slots=True)
class ViewChange:
    """The difference between two views."""

    came: tuple[int, ...] = ()
    """Nodes perceived now, but not before."""
    gone: tuple[int, ...] = ()
    """Nodes perceived before, but not now."""
    covered: Covered = ()
    """New entries of `View.covered`."""
    uncovered: tuple[int, ...] = ()
    """Places that left `View.covered`, or whose order in it changed."""
    perceived: GraphChange | None = None
    """The change of the perceived graph if it is no part of the true one: there is no true state,
    or the sensors are noisy. Otherwise None.
    """


class ViewTracker:
    """Computes the change from each view of an episode to the next."""

    def __init__(self) -> None:
        self._parts: tuple[Part, ...] = ()
        self._nodes: frozenset[int] = frozenset()
        self._covered: Mapping[int, bool] = {}
        self._graph: SceneGraph | None = None  # the last one that was no part of the truth

    def change(self, view: View, truth: SceneGraph | None) -> ViewChange | None:
        """The change since the previous view; None if there is none.

        truth: the true state at the same moment, or None.
        """
        parts = view.parts
        perceived = self._perceived(view, parts, truth)
        came: tuple[int, ...] = ()
        gone: tuple[int, ...] = ()
        if parts != self._parts:
            nodes: frozenset[int] = frozenset().union(*[part.nodes for part in parts])
            came, gone = tuple(sorted(nodes - self._nodes)), tuple(sorted(self._nodes - nodes))
            self._parts, self._nodes = parts, nodes
        covered, uncovered = self._cover(view.covered, ordered=self._graph is not None)
        if not (came or gone or covered or uncovered or perceived):
            return None
        return ViewChange(came, gone, covered, uncovered, perceived)

    def _perceived(
        self, view: View, parts: tuple[Part, ...], truth: SceneGraph | None
    ) -> GraphChange | None:
        if truth is not None and self._graph is None:
            new = [part for part in parts if part not in self._parts]  # the others are parts
            if all(_is_part(part.nodes, truth.by_id) for part in new):
                return None
        change = difference(self._graph, view.graph)
        self._graph = view.graph
        return change

    def _cover(self, now: Mapping[int, bool], *, ordered: bool) -> tuple[Covered, tuple[int, ...]]:
        """The new and the removed entries of `View.covered`. ordered: whether their order must be
        kept, as in a world that cannot be replayed.
        """
        before, self._covered = self._covered, now
        if now == before and not (ordered and list(now) != list(before)):
            return (), ()
        covered = tuple([item for item in now.items() if before.get(item[0]) is not item[1]])
        uncovered = tuple([place for place in before if place not in now])
        if ordered:
            kept = [place for place in before if place in now]
            if list(now) != [*kept, *(place for place, _ in covered if place not in before)]:
                return tuple(now.items()), tuple(before)
        return covered, uncovered


def _is_part(perceived: Mapping[int, Node], true: Mapping[int, Node]) -> bool:
    """Whether all perceived nodes are the same in the true state."""
    if all(map(is_, perceived.values(), map(true.get, perceived))):  # the case in most simulators
        return True
    return all(true.get(node_id) == node for node_id, node in perceived.items())


class ViewReader:
    """Restores the views of an episode from their recorded changes."""

    def __init__(self) -> None:
        self._nodes: set[int] = set()
        self._covered: dict[int, bool] = {}
        self._graph: SceneGraph | None = None

    def read(
        self,
        change: ViewChange | None,
        truth: SceneGraph | None,
        arm: ArmReading | None,
        where: str,
    ) -> View:
        """The view after a change.

        truth: the true state at that moment, or None. arm: its sensor readings. where: the
        recording, for errors. Raises BadInput if the recording does not contain what was perceived.
        """
        if change is not None:
            self._nodes.difference_update(change.gone)
            self._nodes.update(change.came)
            for place in change.uncovered:
                self._covered.pop(place, None)
            self._covered.update(change.covered)
            if change.perceived is not None:
                self._graph = applied(self._graph or SceneGraph(), change.perceived, where)
        if self._graph is not None:
            return View(self._graph, dict(self._covered), arm)
        if truth is None:
            raise BadInput(f"{where} contains neither what was perceived nor the true state.")
        return View(
            truth.part(n for n in truth.by_id if n in self._nodes), dict(self._covered), arm
        )

"""What the robot knows of its kitchen: what its head camera saw, until it is given reason to doubt.

Nobody else changes the kitchen, so a thing stays where it was seen until the robot looks there and
does not find it, or closes what is before it. Points of areas count as seen as long: several looks
from different stands together may cover an area. All furniture with its state is known throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....observation_text.view import View
from ....scene_graph.graph import Outgoing, SceneGraph
from ....scene_graph.node import Kind, Node, State
from ....skills.arm.rotation import Array
from .noise import Errors, unnoticed
from .sight import COMPLETE, PARTLY, Gaze, Sight


class Known(NamedTuple):
    """A thing as it was seen last: its node, its relations, and its true position then."""

    node: Node
    outgoing: Outgoing
    position: Array


class PerceptionSnapshot(NamedTuple):
    """The complete state of what is known."""

    known: Mapping[int, Known]
    points: NDArray[np.bool_]
    view: View


class Perception:
    """What is known in one episode. Call `look` once after every action.

    ids: of areas and things, by name.
    """

    def __init__(self, sight: Sight, ids: Mapping[str, int]) -> None:
        self._sight = sight
        self._ids = ids
        self._names = {number: name for name, number in ids.items()}
        self._known: dict[int, Known] = {}
        self._points = np.zeros(len(sight.areas_of_points), bool)
        self._view: View | None = None

    @property
    def view(self) -> View:
        """What is known now."""
        assert self._view is not None, "look comes first"
        return self._view

    def sees_all(self, area: str) -> bool:
        """Whether an area was seen completely."""
        return self._sight.shares(self._points).get(area, 0.0) >= COMPLETE

    def unseen(self, area: str, values: Mapping[str, float]) -> dict[str, Array]:
        """The spots of each space of an area that were not seen, shape (n, 3).

        values: how far each front is open.
        """
        return self._sight.unseen(self._points, values, area)

    def look(
        self,
        data: Any,
        gazes: Sequence[Gaze],
        truth: SceneGraph,
        values: Mapping[str, float],
        errors: Errors,
    ) -> None:
        """Look from where the camera is now.

        data: MuJoCo's. truth: the graph of that state. values: how far each front is open.
        """
        self._forget_enclosed(truth)
        seen: dict[str, float] = {}
        for gaze in gazes:
            known = {
                number: each.position
                for number, each in self._known.items()
                if truth.holder(number) is None
            }
            glimpse = self._sight.look(data, gaze, values, list(known.values()))
            self._points |= glimpse.points
            for name, share in glimpse.things.items():
                seen[name] = max(share, seen.get(name, 0.0))
            for number, is_clear in zip(known, glimpse.clear, strict=True):
                if is_clear:  # it was there, and is not
                    del self._known[number]
        places = {name: data.xpos[self._sight.bodies[name]] for name in seen}
        for name in seen.keys() - unnoticed(errors, seen, places):
            self._notice(name, places[name].copy(), truth, errors)
        self._view = self._made(truth)

    def snapshot(self) -> PerceptionSnapshot:
        return PerceptionSnapshot(dict(self._known), self._points.copy(), self.view)

    def restore(self, snapshot: PerceptionSnapshot) -> None:
        self._known = dict(snapshot.known)
        self._points = snapshot.points.copy()
        self._view = snapshot.view

    def _forget_enclosed(self, truth: SceneGraph) -> None:
        """What is behind a closed front is no longer seen; held things are known by the hand."""
        for number in list(self._known):
            _, outgoing, _ = self._known[number]
            shut = any(State.CLOSED in truth[place].states for _, place in outgoing)
            if shut or truth.holder(number) is not None:
                del self._known[number]
        areas = [truth[self._ids[area]] for area in self._sight.areas]
        not_shut = np.array([State.CLOSED not in area.states for area in areas])
        self._points &= not_shut[self._sight.areas_of_points]

    def _notice(self, name: str, position: Array, truth: SceneGraph, errors: Errors) -> None:
        number = self._ids[name]
        if truth.holder(number) is not None:
            return
        node = truth[number]
        if name in errors.named:
            node = replace(node, category=errors.named[name])
        if name in errors.offsets and node.pose is not None:
            x, y, z = (
                round(p + float(o), 3) + 0.0
                for p, o in zip(node.pose.position, errors.offsets[name], strict=True)
            )
            node = replace(node, pose=node.pose._replace(position=(x, y, z)))
        self._known[number] = Known(node, tuple(truth.outgoing(number)), position)

    def _made(self, truth: SceneGraph) -> View:
        """The view of what is known."""
        held = {number for agent in truth.agent_ids for number in truth.held(agent)}
        nodes: dict[int, Node] = {}
        for node in truth.nodes():
            if node.kind is not Kind.OBJECT or node.id in held:
                nodes[node.id] = node
            elif node.id in self._known:
                nodes[node.id] = self._known[node.id].node
        graph = SceneGraph(nodes.values())
        for number in nodes:
            known = self._known.get(number)
            for relation, target in truth.outgoing(number) if known is None else known.outgoing:
                if target in nodes:
                    graph.add_edge(number, relation, target)
        covered = {
            self._ids[area]: share >= COMPLETE
            for area, share in self._sight.shares(self._points).items()
            if share >= PARTLY
        }
        # It looks around at the start: the room is known, with what lies free in it.
        covered.update(dict.fromkeys(truth.room_ids, True))
        for number, node in nodes.items():
            if node.kind is Kind.OBJECT:  # what is in or on it was seen with it
                covered[number] = True
        return View(graph, covered)

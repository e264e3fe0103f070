"""The scene graph of a kitchen in physics: where things are, by their poses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ....scene_graph.graph import Outgoing, SceneGraph
from ....scene_graph.node import Affordance, Kind, Node, Pose, Quaternion, Relation, State, Vector
from ....skills.arm.mobile.world import Front, Reach, Space
from ....skills.arm.rotation import Array
from ....skills.reach import stands_at

#: How far a thing's middle may be outside of a space that keeps it, in m: along the furniture,
#: into it and up. Worktops reach farther back than where things are put down.
_SLACK = {
    Reach.FRONT: (0.06, 0.06, 0.03),
    Reach.DRAWER: (0.05, 0.05, 0.10),
    Reach.ABOVE: (0.12, 0.30, 0.30),
}
#: Digits of positions in m, and of orientations.
_DIGITS = 3


class Truth:
    """Makes the graph of a state from the graph of the scene, in which ids and categories stay.

    Nodes have the names of areas and things as their `native_id`.
    """

    def __init__(
        self,
        scene: SceneGraph,
        spaces: Mapping[str, Space],
        fronts: Mapping[str, Front],
        front_of: Mapping[str, str],
        things: Iterable[str],
    ) -> None:
        """front_of: the front of each area that has one. things: their names."""
        self._scene = scene
        self._fronts = fronts
        self._front_of = front_of
        self.ids: dict[str, int] = {str(node.native_id): node.id for node in scene.nodes()}
        self._room = scene.room_ids[0]
        self._agent = scene.agent().id
        self._things = {name: self.ids[name] for name in things}
        self._spaces = tuple(spaces.values())
        self._lows = np.array([s.low for s in self._spaces])
        self._highs = np.array([s.high for s in self._spaces])
        self._slack = np.array([_SLACK[s.reach] for s in self._spaces])
        self._turns = np.array([s.rotation for s in self._spaces])
        self._fixed = {
            node.id: list(scene.outgoing(node.id))
            for node in scene.nodes()
            if node.kind not in (Kind.OBJECT, Kind.AGENT)
        }

    def graph(
        self,
        poses: Mapping[str, tuple[Array, Quaternion]],
        values: Mapping[str, float],
        running: Mapping[str, bool],
        base: Array,
        held: str | None,
        at: str | None,
    ) -> SceneGraph:
        """The graph of a state.

        poses: of things: the position in m, and the orientation (x, y, z, w). values: how far each
        front is open. running: whether each area that can be switched is on. base: x, y and yaw of
        the robot. at: the area or thing that it was driven to last.
        """
        nodes: dict[int, Node] = {}
        outgoing: dict[int, Outgoing] = {}
        places = self._places([poses[name][0] for name in self._things], values)
        for node in self._scene.nodes():
            nodes[node.id] = node
        for name, front in self._front_of.items():
            state = State.CLOSED if values[front] <= self._fronts[front].closed_at else State.OPEN
            nodes[self.ids[name]] = nodes[self.ids[name]].having(state)
        for name, on in running.items():
            node = nodes[self.ids[name]]
            nodes[node.id] = node.having(State.ON if on else State.OFF)
        for (name, thing), place in zip(self._things.items(), places, strict=True):
            nodes[thing] = replace(nodes[thing], pose=_pose(*poses[name]))
            if name == held:
                outgoing[thing] = ()
            else:
                outgoing[thing] = ((self._relation(place), place),)
        yaw = float(base[2])
        turned = (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2)))
        position = np.array([base[0], base[1], 0.0])
        nodes[self._agent] = replace(nodes[self._agent], pose=_pose(position, turned))
        outgoing[self._agent] = self._of_agent(held, at, outgoing)
        edges = [(i, r, t) for i, pairs in {**self._fixed, **outgoing}.items() for r, t in pairs]
        graph = SceneGraph(nodes.values())
        for source, relation, target in edges:
            graph.add_edge(source, relation, target)
        return graph

    def _places(self, positions: list[Array], values: Mapping[str, float]) -> list[int]:
        """The area that keeps each thing, by its position; the room for what lies elsewhere."""
        if not positions:
            return []
        origins = np.array([s.at(values[s.front] if s.front else 0.0) for s in self._spaces])
        away = np.array(positions)[:, None] - origins
        local = (away[:, :, None, :] @ self._turns)[:, :, 0]
        outside = np.maximum(self._lows - local, local - self._highs) / self._slack
        worst = outside.max(axis=2)
        best = worst.argmin(axis=1)
        return [
            self.ids[self._spaces[space].area] if row[space] <= 1.0 else self._room
            for row, space in zip(worst, best.tolist(), strict=True)
        ]

    def _relation(self, place: int) -> Relation:
        if place == self._room or Affordance.CONTAINER in self._scene[place].affordances:
            return Relation.INSIDE
        return Relation.ON

    def _of_agent(
        self, held: str | None, at: str | None, outgoing: Mapping[int, Outgoing]
    ) -> Outgoing:
        """The relations of the robot: what it holds, its room, and what it stands at."""
        pairs: list[tuple[Relation, int]] = []
        if held is not None:
            pairs.append((Relation.HOLDS, self._things[held]))
        pairs.append((Relation.INSIDE, self._room))
        for base in () if at is None else self._bases(self.ids[at], outgoing):
            pairs.append((Relation.CLOSE, base))
        return tuple(pairs)

    def _bases(self, at: int, outgoing: Mapping[int, Outgoing]) -> list[int]:
        """An area with those beside it, or a thing while it lies on the floor."""
        if at in self._fixed:
            return stands_at(self._scene, at)
        return [at] if (Relation.INSIDE, self._room) in outgoing[at] else []


def rounded(position: Array) -> Vector:
    """A position in mm steps, without a negative zero: resting things tremble by less."""
    x, y, z = (round(float(number), _DIGITS) + 0.0 for number in position)
    return x, y, z


def _pose(position: Array, orientation: Quaternion) -> Pose:
    a, b, c, d = (round(float(number), _DIGITS) + 0.0 for number in orientation)
    return Pose(rounded(position), (a, b, c, d))

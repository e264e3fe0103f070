"""The scene graph of blocks on a table before an arm, from poses, and its node ids."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Box, Edge, Kind, Node, Pose, Relation, State
from .. import rotation
from ..kinematics import TcpPose
from ..rotation import Array
from .world import BLOCK, BlockPose, Workspace

#: Node ids of the room around, the arm, the table, and the first block.
ROOM, ARM, TABLE, FIRST_BLOCK = 1, 2, 3, 4
#: The thickness of the table, in m.
TABLE_THICKNESS = 0.4
#: Tolerances for "on top of", in m: in height, and sideways on a block.
_ON_M, _BESIDE_M = 0.012, 0.03


def block_name(block: int) -> str:
    """The native id of a block, from its node id: cubeA, cubeB …"""
    return f"cube{chr(ord('A') + block - FIRST_BLOCK)}"


def block_graph(
    blocks: Mapping[int, BlockPose],
    held: int | None,
    tcp: TcpPose,
    workspace: Workspace,
    *,
    stopped: bool = False,
) -> SceneGraph:
    """Build the graph: category "cube" for blocks, with native ids cubeA, cubeB …

    A block is on the table, or on the block below whose centre is nearest. Poses and boxes are in m
    in the frame of the arm's base. held: the block in the gripper. stopped: the arm's protective
    stop was tripped; the arm then has State.BROKEN.
    """
    nodes = [
        Node(ROOM, "workspace", Kind.ROOM, "workspace"),
        Node(
            ARM,
            "robot arm",
            Kind.AGENT,
            "arm",
            frozenset({State.BROKEN}) if stopped else frozenset(),
            pose=_pose(tcp.position, tcp.rotation),
        ),
        _table(workspace),
        *(_block(block, pose) for block, pose in blocks.items()),
    ]
    edges = [Edge(ARM, Relation.INSIDE, ROOM), Edge(TABLE, Relation.INSIDE, ROOM)]
    for block in blocks:
        if block == held:
            edges.append(Edge(ARM, Relation.HOLDS, block))
        else:
            edges.append(_placement(block, blocks, workspace))
    return SceneGraph(nodes, edges)


def _table(workspace: Workspace) -> Node:
    (x0, y0), (x1, y1) = workspace.table_low, workspace.table_high
    box = Box(
        ((x0 + x1) / 2, (y0 + y1) / 2, -TABLE_THICKNESS / 2), (x1 - x0, y1 - y0, TABLE_THICKNESS)
    )
    affordances = frozenset({Affordance.SURFACE})
    pose = Pose(box.center)
    return Node(TABLE, "table", Kind.FIXTURE, "table", affordances=affordances, pose=pose, box=box)


def _block(block: int, block_pose: BlockPose) -> Node:
    x, y, z = (float(side) for side in np.abs(block_pose.rotation).sum(axis=1) * BLOCK)
    pose = _pose(block_pose.position, block_pose.rotation)
    return Node(
        block,
        "cube",
        Kind.OBJECT,
        block_name(block),
        affordances=frozenset({Affordance.GRASPABLE, Affordance.SURFACE}),
        pose=pose,
        box=Box(pose.position, (x, y, z)),
    )


def _placement(block: int, blocks: Mapping[int, BlockPose], workspace: Workspace) -> Edge:
    """The support of a block that is not held; inside the room if there is none."""
    position = blocks[block].position
    below = [b for b, other in blocks.items() if b != block and _on(position, other.position)]
    if below:
        # On one support only, even across two. Otherwise one arrangement would count as both
        # stacks, and a task could be solved without knowing which one it asks for.
        under = min(below, key=lambda b: float(np.linalg.norm(position - blocks[b].position)))
        return Edge(block, Relation.ON, under)
    (x0, y0), (x1, y1) = workspace.table_low, workspace.table_high
    on_table = (
        x0 <= position[0] <= x1 and y0 <= position[1] <= y1 and abs(position[2] - BLOCK / 2) < _ON_M
    )
    return Edge(block, Relation.ON, TABLE) if on_table else Edge(block, Relation.INSIDE, ROOM)


def _on(upper: Array, lower: Array) -> bool:
    """Whether a block stands on another: one size above it, its centre nearly over it."""
    beside = np.abs((upper - lower)[:2]).max()
    return bool(abs(upper[2] - lower[2] - BLOCK) < _ON_M and beside < _BESIDE_M)


def _pose(position: Array, orientation: Array) -> Pose:
    x, y, z = (float(part) for part in position)
    a, b, c, d = (float(part) for part in rotation.quaternion(orientation))
    return Pose((x, y, z), (a, b, c, d))

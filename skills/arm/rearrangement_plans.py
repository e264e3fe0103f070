"""Plans for blocks made in imagination, where every action does what it should.

For those who have no arm at hand, such as a suite that wants to know whether a task can be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import cache
from typing import TYPE_CHECKING

from ...scene_graph.goals import Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Vector
from ..actions import Action, Verb
from .rearrangement import Rearrangement, Orientation, goal_conjunctions

if TYPE_CHECKING:
    from .kinematics import TcpPose

#: Plans with more actions are given up.
_LONGEST = 12


def open_loop_plans(
    goal: Goal,
    at: Mapping[int, Vector],
    down: Orientation,
    *,
    held: int | None = None,
    held_s: float = 0.0,
    stuck: Set[int] = frozenset(),
) -> Iterator[tuple[Action, ...]]:
    """A plan for each way to the goal that has one, what is nearest to being fulfilled first.

    at: where the middles of the blocks are, in m. down: the numbers of the gripper's orientation
    when it points down. held: the block in the gripper, for held_s seconds. stuck: the blocks that
    cannot be moved, which no plan picks up.
    """
    now = ideal_graph(at, held)
    ways = [
        way for atoms in goal_conjunctions(goal) if (way := Rearrangement.of(atoms, stuck)) is not None
    ]
    for way in sorted(ways, key=lambda way: way.cost(now)):
        plan = _follow(way, dict(at), down, held, held_s)
        if plan and not any(a.verb is Verb.PICK_UP and a.target in stuck for a in plan):
            yield plan


def _follow(
    way: Rearrangement, at: dict[int, Vector], down: Orientation, held: int | None, held_s: float
) -> tuple[Action, ...]:
    """The actions of a way; none where it does not lead to its end."""
    plan: list[Action] = []
    while len(plan) < _LONGEST:
        graph = ideal_graph(at, held)
        action = way.next(graph, down, held_s)
        if action is None:
            return tuple(plan) if way.done(graph, held_s) else ()
        plan.append(action)
        if action.verb is Verb.PICK_UP:
            held, held_s = action.target, 0.0
        elif action.verb is Verb.PLACE and action.pose is not None and held is not None:
            x, y, z, *_ = action.pose
            at[held], held = (x, y, z), None
        else:
            held_s += action.seconds or 0.0
    return ()


def ideal_graph(at: Mapping[int, Vector], held: int | None) -> SceneGraph:
    """Blocks that are not turned, on a table as large as the tasks have it."""
    import numpy as np

    from .block_graph import block_graph
    from .workspace import SIMULATED
    from .world import BlockPose

    poses = {block: BlockPose(np.array(middle), np.eye(3)) for block, middle in at.items()}
    return block_graph(poses, held, _home(), SIMULATED)


@cache
def _home() -> TcpPose:
    from . import kinematics

    return kinematics.forward(kinematics.HOME)

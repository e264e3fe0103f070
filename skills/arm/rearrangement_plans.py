"""Open-loop plans for blocks, on an ideal model in which every action succeeds.

Used by suites to check that a task can be done, and by planners without an arm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import cache
from typing import TYPE_CHECKING

from ...scene_graph.goals import Goal
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Vector
from ..actions import Action, Verb
from .rearrangement import Orientation, Rearrangement, goal_conjunctions

if TYPE_CHECKING:
    from .kinematics import TcpPose

#: The most actions of a plan.
_MAX_ACTIONS = 12


def open_loop_plans(
    goal: Goal,
    at: Mapping[int, Vector],
    down: Orientation,
    *,
    held: int | None = None,
    held_s: float = 0.0,
    immovable: Set[int] = frozenset(),
) -> Iterator[tuple[Action, ...]]:
    """Yield a plan for each feasible conjunction of the goal, the nearest to the goal first.

    at: the centres of the blocks, in m. down: the orientation of the gripper pointing down. held:
    the block in the gripper, for held_s seconds. immovable: blocks that no plan picks up.
    """
    now = ideal_graph(at, held)
    rearrangements = [
        Rearrangement.from_literals(literals, immovable) for literals in goal_conjunctions(goal)
    ]
    possible = [each for each in rearrangements if each is not None]
    for rearrangement in sorted(possible, key=lambda each: each.open_literals(now)):
        plan = _roll_out(rearrangement, dict(at), down, held, held_s)
        if plan and not any(a.verb is Verb.PICK_UP and a.target in immovable for a in plan):
            yield plan


def _roll_out(
    rearrangement: Rearrangement,
    at: dict[int, Vector],
    down: Orientation,
    held: int | None,
    held_s: float,
) -> tuple[Action, ...]:
    """The actions of a rearrangement; none if they do not complete it."""
    plan: list[Action] = []
    while len(plan) < _MAX_ACTIONS:
        graph = ideal_graph(at, held)
        action = rearrangement.next_action(graph, down, held_s)
        if action is None:
            return tuple(plan) if rearrangement.is_done(graph, held_s) else ()
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
    """The graph of unrotated blocks on a table of the simulated workspace."""
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

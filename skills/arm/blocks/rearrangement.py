"""Rearrangement of blocks by an arm: which block to pick and where to place it for a goal.

Geometry only: weights are unknown here, and so is whether a block can be moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, combinations, product
from typing import TYPE_CHECKING

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import MEASURES, And, EventOccurred, Goal, MeasureInRange, Or, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation, Vector
from ...actions import Action, Verb, pick_up, place, wait
from .world import BLOCK

if TYPE_CHECKING:
    from ..kinematics import TcpPose


#: The orientation of the gripper in an action: a quaternion, or Euler angles in rad.
Orientation = tuple[float, ...]
#: The orientation of the gripper pointing down, by the length of a pose.
GRIPPER_DOWN: Mapping[int, Orientation] = {7: (1.0, 0.0, 0.0, 0.0), 6: (math.pi, 0.0, 0.0)}
#: The spacing of candidate spots along and across a table, in m.
_GRID = 0.04
#: The least distance between blocks, and to a table's edge, in m.
_APART, _EDGE = 0.10, 0.03


def goal_conjunctions(goal: Goal) -> Iterator[tuple[Goal, ...]]:
    """Yield the conjunctions of a goal's disjunctive normal form."""
    if isinstance(goal, Or):
        for part in goal.parts:
            yield from goal_conjunctions(part)
    elif isinstance(goal, And):
        for parts in product(*(list(goal_conjunctions(part)) for part in goal.parts)):
            yield tuple(literal for part in parts for literal in part)
    else:
        yield (goal,)


@dataclass
class Rearrangement:
    """The rearrangement for one conjunction of a goal."""

    literals: tuple[Goal, ...]
    """The conjunction. Literals without a field below, such as a `not`, are only checked in the
    end.
    """
    supports: dict[int, int] = field(default_factory=dict)
    """For each block to place, the block or table to put it on."""
    measures: list[MeasureInRange] = field(default_factory=list)
    """Conditions on the exact positions of blocks."""
    hold: int | None = None
    """The block to be held."""
    hold_s: float = 0.0
    """For how many seconds it must be held."""
    tolerance: float = 0.02
    """The largest distance of a block from its spot, in m."""
    immovable: Set[int] = frozenset()
    """Blocks that cannot be moved; the set may grow later."""

    @classmethod
    def from_literals(
        cls, literals: tuple[Goal, ...], immovable: Set[int] = frozenset()
    ) -> Rearrangement | None:
        """The rearrangement of a conjunction; None if it contains an event that no action here
        causes.
        """
        plan = cls(literals, immovable=immovable)
        for literal in literals:
            match literal:
                case Related(int(), Relation.HOLDS, int(block)):
                    plan.hold = block
                case Related(int(block), Relation.ON, int(base)):
                    plan.supports[block] = base
                case MeasureInRange():
                    plan.measures.append(literal)
                    if literal.measure == "beside":
                        plan.tolerance = min(plan.tolerance, 0.8 * literal.high)
                case EventOccurred(("held",), _, seconds):
                    plan.hold_s = seconds or 0.0
                case EventOccurred():
                    return None
        return plan

    def open_literals(self, graph: SceneGraph) -> int:
        """Count the literals that do not hold yet."""
        return sum(not satisfied(literal, graph) for literal in self.literals)

    def is_done(self, graph: SceneGraph, held_s: float) -> bool:
        """Whether all literals hold. held_s: as in `next_action`."""
        states = (a for a in self.literals if not isinstance(a, EventOccurred))
        return all(satisfied(a, graph) for a in states) and held_s >= self.hold_s

    def next_action(self, graph: SceneGraph, down: Orientation, held_s: float) -> Action | None:
        """The next action; None if nothing is left to do or no spot is free.

        down: the orientation of the gripper pointing down. held_s: for how many seconds the block
        has been held.
        """
        in_hand = graph.held(graph.agent().id)
        targets = self._targets(graph)
        if targets is None:
            return None
        if in_hand:
            block = in_hand[0]
            if block == self.hold:
                return wait(self.hold_s) if held_s < self.hold_s else None
            spot = targets.get(block) or free_spot(graph, block, targets)
            if spot is None:
                return None
            return place((*(round(number, 4) for number in spot), *down))
        for block, spot in targets.items():
            if math.dist(_position(graph, block), spot) > self.tolerance:
                return pick_up(block)
        return None if self.hold is None else pick_up(self.hold)

    def _targets(self, graph: SceneGraph) -> dict[int, Vector] | None:
        """The position of every block to place, the lowest first; None if there is none."""
        targets: dict[int, Vector] = {}
        tables = {node.id for node in graph.nodes(Kind.FIXTURE)}
        moved = [block for block, base in self.supports.items() if base in tables]
        spots = self._spots(graph, moved)
        if spots is None:
            return None
        targets |= spots
        waiting = {block: base for block, base in self.supports.items() if base not in tables}
        while waiting:
            block = next((b for b, base in waiting.items() if base not in waiting), None)
            if block is None:
                return None
            x, y, z = targets.get(waiting[block]) or _position(graph, waiting[block])
            targets[block] = (x, y, z + BLOCK)
            del waiting[block]
        return targets

    def _spots(self, graph: SceneGraph, blocks: list[int]) -> dict[int, Vector] | None:
        """Spots on the table for blocks; blocks stay where they are if possible."""
        fixed = {b: _position(graph, b) for b in _blocks(graph)}
        lying = {b: fixed[b] for b in blocks if _lies_on_table(graph, b)}
        if len(lying) == len(blocks) and self._allows(lying):
            return lying
        free = {block: self._free(graph, block) for block in blocks}
        if not all(free.values()):
            return None
        spots = self._assign(free, lying, [b for b in blocks if b not in lying], fixed)
        if spots is not None:
            return spots
        sizes = reversed(range(len(blocks)))
        # All proper subsets, the largest first.
        for keep in chain.from_iterable(combinations(blocks, n) for n in sizes):
            if not self.immovable.isdisjoint(set(blocks).difference(keep)):
                continue
            kept = {b: lying[b] for b in keep if b in lying}
            spots = self._assign(free, kept, [b for b in blocks if b not in kept], fixed)
            if spots is not None:
                return spots
        return None

    def _free(self, graph: SceneGraph, block: int) -> list[Vector]:
        """The spots for a block regardless of the others, the nearest first."""
        spots = _grid(graph, _position(graph, block))
        for part in self.measures:
            if part.things == (block,):
                spots = [spot for spot in spots if _within(part, [spot])]
        return spots

    def _assign(
        self,
        free: Mapping[int, list[Vector]],
        placed: Mapping[int, Vector],
        rest: list[int],
        taken: Mapping[int, Vector],
    ) -> dict[int, Vector] | None:
        """Assign spots to the rest by backtracking, so that all measures hold.

        free: for each block, the spots that suit it regardless of the others.
        """
        if not self._allows(placed):
            return None
        if not rest:
            return dict(placed)
        block, *others = rest
        for spot in free[block]:
            near = {**{b: p for b, p in taken.items() if b != block}, **placed}
            if any(math.dist(spot[:2], p[:2]) < _APART for p in near.values()):
                continue
            assigned = self._assign(free, {**placed, block: spot}, others, taken)
            if assigned is not None:
                return assigned
        return None

    def _allows(self, placed: Mapping[int, Vector]) -> bool:
        """Whether all measures hold that involve only placed blocks."""
        for part in self.measures:
            at = [placed[t] for t in part.things if isinstance(t, int) and t in placed]
            if len(at) == len(part.things) and not _within(part, at):
                return False
        return True


def _within(part: MeasureInRange, at: Sequence[Vector]) -> bool:
    """Whether a measure is in range, with a margin if the range is wide enough."""
    margin = min(0.005, (part.high - part.low) / 4)
    low = part.low + margin if part.low > 0 or part.measure in "xyz" else part.low
    return low <= MEASURES[part.measure].value(at) <= part.high - margin


def _blocks(graph: SceneGraph) -> list[int]:
    return [node.id for node in graph.nodes(Kind.OBJECT)]


def _position(graph: SceneGraph, block: int) -> Vector:
    pose = graph[block].pose
    assert pose is not None, "blocks have poses"
    return pose.position


def _lies_on_table(graph: SceneGraph, block: int) -> bool:
    return any(graph[place].kind is Kind.FIXTURE for place in graph.targets(block, Relation.ON))


def _grid(graph: SceneGraph, near: Vector) -> list[Vector]:
    """Spots on the tables, the nearest first."""
    spots: list[Vector] = []
    for table in graph.nodes(Kind.FIXTURE):
        if table.box is None:
            continue
        (x, y, z), (length, width, height) = table.box.center, table.box.size
        along = _steps(x - length / 2 + _EDGE, x + length / 2 - _EDGE)
        across = _steps(y - width / 2 + _EDGE, y + width / 2 - _EDGE)
        spots += [(a, b, z + height / 2 + BLOCK / 2) for a in along for b in across]
    return sorted(spots, key=lambda spot: math.dist(spot, near))


def _steps(low: float, high: float) -> list[float]:
    count = max(1, round((high - low) / _GRID))
    return [low + (high - low) * i / count for i in range(count + 1)]


def free_spot(graph: SceneGraph, block: int, targets: Mapping[int, Vector]) -> Vector | None:
    """Find a free spot on a table for a block, away from the targets of others."""
    taken = [_position(graph, b) for b in _blocks(graph) if b != block] + list(targets.values())
    for spot in _grid(graph, _position(graph, block)):
        if all(math.dist(spot[:2], other[:2]) >= _APART for other in taken):
            return spot
    return None


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
    from .world import SIMULATED, BlockPose

    poses = {block: BlockPose(np.array(middle), np.eye(3)) for block, middle in at.items()}
    return block_graph(poses, held, _home(), SIMULATED)


@cache
def _home() -> TcpPose:
    from .. import kinematics

    return kinematics.forward(kinematics.HOME)

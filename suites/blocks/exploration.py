"""Whether a task about blocks can be done without finding anything out: for tasks that are drawn.

A world is what may be true of the blocks that are seen: their order by weight under the tag <mass>,
which of them are fixed under <fix>. Worlds differ in what is not to be seen only, so that the first
observation is the same in all of them.

A plan is a sequence of actions that is settled by the first observation alone: nothing that is read
on the way (the force at the wrist, a failed action) changes it. It fulfils a world where every one
of its actions succeeds there and the goal, as that world has it, holds at the end; a plan whose
actions fail is not one that may be carried on, since to do so is to react to what was found out.
(Such plans are called conformant.) So a block that is fixed in one of two worlds cannot be part of
a plan for both.

A task NEEDS EXPLORATION when, beside its own world, there is another in which it can be done, but
no plan fulfils both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import combinations, permutations

from ...observation_text.dialects.blocks.block_descriptions import BlockFacts
from ...observation_text.dialects.blocks.instructions import BlockInstruction
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import And, Goal, MeasureInRange, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.measures import MEASURES
from ...scene_graph.node import Kind, Relation, Vector
from ...skills.actions import Action
from ...skills.arm.rearrangement import GRIPPER_DOWN, goal_conjunctions
from ...skills.arm.rearrangement_plans import open_loop_plans

#: What is measured of which blocks, in m.
_Key = tuple[str, tuple[int, ...]]
_DOWN = GRIPPER_DOWN[7]


def worlds(blocks: Iterable[int], tags: Set[str]) -> Iterator[BlockFacts]:
    """What may be true of blocks under the tags "mass" and "fix"."""
    seen = tuple(sorted(blocks))
    orders = permutations(seen) if "mass" in tags else iter((seen,))
    sizes = range(len(seen) + 1) if "fix" in tags else range(1)  # none and all of them too
    fixed = [frozenset(some) for size in sizes for some in combinations(seen, size)]
    return (BlockFacts(order, some) for order in orders for some in fixed)


def shared_plan(
    wish: BlockInstruction, among: Iterable[BlockFacts], start: SceneGraph
) -> tuple[Action, ...] | None:
    """A plan that fulfils all of these worlds, or None where the expert's rule finds none.

    start: the scene as it is seen first. The plan is empty where the goals hold already.
    """
    goal, fixed = _joint(wish, among)
    if goal is None:
        return None
    if satisfied(goal, start):
        return ()
    return next(open_loop_plans(goal, positions(start), _DOWN, immovable=fixed), None)


def needs_exploration(
    wish: BlockInstruction, facts: BlockFacts, tags: Set[str], start: SceneGraph
) -> bool:
    """Whether it is proven that a task needs exploration, as the head of this file defines it.

    facts: the task's own world. What is no proof counts as no.
    """
    return any(
        _impossible(wish, (facts, other), start) and shared_plan(wish, (other,), start) is not None
        for other in worlds(facts.blocks, tags)
    )


def positions(graph: SceneGraph) -> dict[int, Vector]:
    """Where the middles of the blocks are, in m."""
    return {n.id: n.pose.position for n in graph.nodes(Kind.OBJECT) if n.pose is not None}


def _joint(
    wish: BlockInstruction, among: Iterable[BlockFacts]
) -> tuple[Goal | None, frozenset[int]]:
    """What holds when the goals of all worlds do, and the blocks that are fixed in any of them."""
    fixed: frozenset[int] = frozenset()
    goals: dict[Goal, None] = {}
    for facts in among:
        goal = wish.goal(facts)
        if goal is None:
            return None, fixed
        fixed |= facts.fixed
        goals[goal] = None
    return And(tuple(goals)), fixed


def _impossible(wish: BlockInstruction, among: Iterable[BlockFacts], start: SceneGraph) -> bool:
    """Whether every way to fulfil these worlds with one plan contradicts itself."""
    goal, fixed = _joint(wish, among)
    return goal is not None and all(
        _contradictory(way, fixed, start) for way in goal_conjunctions(goal)
    )


def _contradictory(way: tuple[Goal, ...], fixed: Set[int], start: SceneGraph) -> bool:
    """Whether it is certain that no state has all of these, with the fixed blocks where they are.

    What is certain: an arm holds one block, which lies nowhere; a block stands on one thing, and
    none on itself, be it by way of others; numbers have to be in all intervals that are asked for.
    Nothing is certain of anything else.
    """
    bases: dict[int, set[int]] = {}
    held: set[int] = set()
    lies: list[MeasureInRange] = []
    for atom in way:
        match atom:
            case Related(int(), Relation.HOLDS, int(block)):
                held.add(block)
            case Related(int(block), Relation.ON, int(base)):
                bases.setdefault(block, set()).add(base)
                if block in fixed and not satisfied(atom, start):
                    return True
            case MeasureInRange():
                lies.append(atom)
    return (
        len(held) > 1
        or bool(held & fixed)
        or bool(held & bases.keys())
        or any(len(places) > 1 for places in bases.values())
        or _in_circles(bases)
        or _beyond(lies, fixed, start)
    )


def _in_circles(bases: dict[int, set[int]]) -> bool:
    """Whether a block stands on itself, by way of others."""
    for block in bases:
        below: set[int] = set()
        at = {block}
        while at:
            at = {base for b in at for base in bases.get(b, ())} - below
            below |= at
        if block in below:
            return True
    return False


def _beyond(lies: list[MeasureInRange], fixed: Set[int], start: SceneGraph) -> bool:
    """Whether numbers are asked for that cannot be at once."""
    low: dict[_Key, float] = {}
    high: dict[_Key, float] = {}
    at = positions(start)
    for part in lies:
        things = tuple(thing for thing in part.things if isinstance(thing, int))
        if all(thing in fixed for thing in things):
            value = MEASURES[part.measure].value([at[thing] for thing in things])
            if not part.low <= value <= part.high:
                return True
        for key, least, most in _as_told(part, things):
            low[key] = max(low.get(key, least), least)
            high[key] = min(high.get(key, most), most)
    return any(low[key] > high[key] for key in low) or _left_in_circles(low)


def _as_told(part: MeasureInRange, things: tuple[int, ...]) -> Iterator[tuple[_Key, float, float]]:
    """An interval, and what it says with its things the other way round."""
    yield (part.measure, things), part.low, part.high
    if part.measure in ("beside", "apart"):
        yield (part.measure, things[::-1]), part.low, part.high
    elif part.measure == "left_of":
        yield (part.measure, things[::-1]), -part.high, -part.low


def _left_in_circles(low: dict[_Key, float]) -> bool:
    """Whether a block is to lie further left than itself, by way of others."""
    left = [of for (measure, of), least in low.items() if measure == "left_of" and least > 0]
    return _in_circles({a: {c for b, c in left if b == a} for a, _ in left})

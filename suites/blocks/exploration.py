"""Whether a task about blocks needs exploration, for drawn tasks.

A world is a hypothesis on the visible blocks: their order by weight with the tag <mass>, and which
of them are fixed with <fix>. Worlds differ only in what cannot be seen. So the first observation is
the same in all of them.

A plan is a sequence of actions that depends only on the first observation. Nothing that is observed
later (the force at the wrist, a failed action) changes it. A plan fulfils a world if all of its
actions succeed there, and the goal, as that world defines it, holds at the end. A plan with a
failed action may not continue, since that would be a reaction to an observation. Such plans are
called conformant. So a block that is fixed in one of two worlds cannot be part of a plan for both.

A task needs exploration if there is another world in which it can be done, but no plan fulfils both
that world and its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import combinations, permutations

from ...observation_text.dialects.blocks.instruction_goals import BlockFacts
from ...observation_text.dialects.blocks.instructions import BlockInstruction
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import MEASURES, And, Goal, MeasureInRange, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Relation, Vector
from ...skills.actions import Action
from ...skills.arm.blocks.rearrangement import GRIPPER_DOWN, goal_conjunctions, open_loop_plans

#: A measure and the blocks that it is of, in m.
_Key = tuple[str, tuple[int, ...]]
_DOWN = GRIPPER_DOWN[7]


def worlds(blocks: Iterable[int], tags: Set[str]) -> Iterator[BlockFacts]:
    """The possible worlds of blocks with the tags "mass" and "fix"."""
    seen = tuple(sorted(blocks))
    orders = permutations(seen) if "mass" in tags else iter((seen,))
    sizes = range(len(seen) + 1) if "fix" in tags else range(1)  # none and all of them too
    fixed = [frozenset(some) for size in sizes for some in combinations(seen, size)]
    return (BlockFacts(order, some) for order in orders for some in fixed)


def shared_plan(
    wish: BlockInstruction, among: Iterable[BlockFacts], start: SceneGraph
) -> tuple[Action, ...] | None:
    """A plan that fulfils all of these worlds, or None if the expert's rule finds none.

    start: the scene at the start. The plan is empty if the goals hold already.
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
    """Whether a task provably needs exploration, as this module defines it.

    facts: the task's own world. Without a proof the answer is no.
    """
    return any(
        _impossible(wish, (facts, other), start) and shared_plan(wish, (other,), start) is not None
        for other in worlds(facts.blocks, tags)
    )


def positions(graph: SceneGraph) -> dict[int, Vector]:
    """The centres of the blocks, in m."""
    return {n.id: n.pose.position for n in graph.nodes(Kind.OBJECT) if n.pose is not None}


def _joint(
    wish: BlockInstruction, among: Iterable[BlockFacts]
) -> tuple[Goal | None, frozenset[int]]:
    """The conjunction of all worlds' goals, and the blocks that are fixed in any of them."""
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
    """Whether every conjunction that fulfils these worlds contradicts itself."""
    goal, fixed = _joint(wish, among)
    return goal is not None and all(
        _contradictory(way, fixed, start) for way in goal_conjunctions(goal)
    )


def _contradictory(way: tuple[Goal, ...], fixed: Set[int], start: SceneGraph) -> bool:
    """Whether no state can have all of these, with the fixed blocks where they are.

    The rules: an arm holds one block, which then lies nowhere. A block stands on one thing, and not
    on itself, also not by way of others. A number has to be in all of its intervals. Everything
    else counts as possible.
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
    """Whether some intervals exclude each other."""
    low: dict[_Key, float] = {}
    high: dict[_Key, float] = {}
    at = positions(start)
    for part in lies:
        things = tuple(thing for thing in part.things if isinstance(thing, int))
        if all(thing in fixed for thing in things):
            value = MEASURES[part.measure].value([at[thing] for thing in things])
            if not part.low <= value <= part.high:
                return True
        for key, least, most in _both_ways(part, things):
            low[key] = max(low.get(key, least), least)
            high[key] = min(high.get(key, most), most)
    return any(low[key] > high[key] for key in low) or _left_in_circles(low)


def _both_ways(
    part: MeasureInRange, things: tuple[int, ...]
) -> Iterator[tuple[_Key, float, float]]:
    """An interval, and the one that follows for its things in reverse order."""
    yield (part.measure, things), part.low, part.high
    if part.measure in ("beside", "apart"):
        yield (part.measure, things[::-1]), part.low, part.high
    elif part.measure == "left_of":
        yield (part.measure, things[::-1]), -part.high, -part.low


def _left_in_circles(low: dict[_Key, float]) -> bool:
    """Whether a block has to lie further left than itself, by way of others."""
    left = [of for (measure, of), least in low.items() if measure == "left_of" and least > 0]
    return _in_circles({a: {c for b, c in left if b == a} for a, _ in left})

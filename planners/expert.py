"""The planner `expert`: knows the true state and takes shortest plans. The upper bound."""

from __future__ import annotations

from collections.abc import Callable

from ..scene_graph.goal_text import describe
from ..scene_graph.graph import SceneGraph
from ..skills.actions import ARM_ONLY_VERBS, GAME_ONLY_VERBS, Action, Verb, place
from ..skills.arm.blocks.rearrangement import (
    GRIPPER_DOWN,
    Orientation,
    Rearrangement,
    goal_conjunctions,
)
from ..skills.outcomes import Reason
from .contract import HOMES, Act, Brief, Decisions, Done, GiveUp, Grant, Note, Percept, Planner
from .kits.household.game_treatments import treated_first
from .kits.household.shortest_plans import follow_shortest_plans


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Follow shortest plans in a household, or rearrange the blocks before an arm."""
    if brief.actions & ARM_ONLY_VERBS:
        yield from rearrange(brief, percept)
    elif brief.actions & GAME_ONLY_VERBS:
        yield from treated_first(follow_shortest_plans, brief, percept)
    else:
        yield from follow_shortest_plans(brief, percept)


PLANNER = Planner(
    name="expert",
    summary="knows the true state and takes shortest plans: the upper bound",
    plan=plan,
    grants=frozenset({Grant.TRUTH, Grant.GOAL}),
    dialects=(
        *HOMES,
        "blocks",
        "alfworld",
        "tru_pomdp",
        "compact",
    ),
)


# --- rearrangements by an arm ---------------------------------------------------------------------


#: The number of failed actions that ends a rearrangement.
MAX_FAILURES = 2


def rearrange(brief: Brief, percept: Percept) -> Decisions:
    """Try one rearrangement after the other until the goal holds."""
    goal = brief.goal
    assert goal is not None, "the expert is granted the goal"
    arm = percept.view.arm
    down = GRIPPER_DOWN[7 if arm is None else len(arm.pose)]
    held_s = 0.0
    immovable: set[int] = set()  # shared by all rearrangements
    parts = [Rearrangement.from_literals(part, immovable) for part in goal_conjunctions(goal)]
    rearrangements = [each for each in parts if each is not None]
    truth = _truth(percept)
    for rearrangement in sorted(rearrangements, key=lambda each: each.open_literals(truth)):
        name = _namer(percept)
        text = " and ".join(describe(literal, name) for literal in rearrangement.literals)
        percept = yield Note("rearrange", text, {})
        failures = 0
        while failures < MAX_FAILURES:
            truth = _truth(percept)
            action = rearrangement.next_action(truth, down, held_s)
            if action is None or action.target in immovable:
                break
            percept = yield Act(_corrected(action, truth, down))
            outcome = percept.outcome
            if outcome is None or not outcome.success:
                failures += 1
                failure = None if outcome is None else outcome.failure
                if failure and failure.reason is Reason.IMMOVABLE and action.target is not None:
                    immovable.add(action.target)
            elif action.seconds is not None:
                held_s = max(held_s, action.seconds)
        else:
            continue
        if rearrangement.is_done(_truth(percept), held_s):
            yield Done("The goal holds.")
            return
    yield GiveUp("No rearrangement of the blocks reached the goal.")


def _corrected(action: Action, truth: SceneGraph, down: Orientation) -> Action:
    """An action whose pose corrects for where on the block the fingers grasped it."""
    me = truth.agent()
    block = next(iter(truth.held(me.id)), None)
    if action.verb is not Verb.PLACE or action.pose is None or block is None:
        return action
    hand, held = me.pose, truth[block].pose
    if hand is None or held is None:
        return action
    import numpy as np

    from ..skills.arm import rotation

    pointing = rotation.from_euler(*down) if len(down) == 3 else rotation.matrix(down)
    back = rotation.matrix(hand.orientation).T @ np.subtract(hand.position, held.position)
    shifted = np.array(action.pose[:3]) + pointing @ back
    return place((*(round(float(number), 4) for number in shifted), *down))


def _truth(percept: Percept) -> SceneGraph:
    assert percept.truth is not None, "the expert is granted the truth"
    return percept.truth


def _namer(percept: Percept) -> Callable[[int], str]:
    return lambda node_id: percept.names.get(node_id, str(node_id))

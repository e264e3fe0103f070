"""How the planner `expert` brings blocks where the goal has them: its plans for an arm.

The goal names the blocks, so nothing has to be weighed or tried. Every way to fulfil the goal is
made into poses and tried in turn, those with the fewest moves first.
"""

from __future__ import annotations

from collections.abc import Callable

from ...scene_graph.goals import describe
from ...scene_graph.graph import SceneGraph
from ...skills.actions import Action, Verb, place
from ...skills.arm.rearrangement import GRIPPER_DOWN, Rearrangement, Orientation, goal_conjunctions
from ...skills.outcomes import Outcome, Reason
from ..contract import Act, Brief, Decisions, Done, GiveUp, Note, Percept


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Bring about one way of the goal after the other until it holds."""
    goal = brief.goal
    assert goal is not None, "the expert is granted the goal"
    truth = _truth(percept)
    arm = percept.view.arm
    numbers = 7 if arm is None else len(arm.pose)
    held_s = 0.0
    stuck: set[int] = set()  # what did not give way; all ways learn of it
    ways = [
        way for atoms in goal_conjunctions(goal) if (way := Rearrangement.of(atoms, stuck)) is not None
    ]
    ways.sort(key=lambda way: way.cost(truth))
    for way in ways:
        percept = yield Note(
            "plan", " and ".join(describe(a, _namer(percept)) for a in way.atoms), {}
        )
        failed = 0
        while failed < 2:
            truth = _truth(percept)
            action = way.next(truth, GRIPPER_DOWN[numbers], held_s)
            if action is None or action.target in stuck:
                break
            percept = yield Act(_corrected(action, truth, GRIPPER_DOWN[numbers]))
            outcome = percept.outcome
            if outcome is None or not outcome.success:
                failed += 1
                if _did_not_give_way(outcome) and action.target is not None:
                    stuck.add(action.target)
            elif action.seconds is not None:
                held_s = max(held_s, action.seconds)
        else:
            continue
        if way.done(_truth(percept), held_s):
            yield Done("The goal holds.")
            return
    yield GiveUp("No way to the goal could be gone.")


def _did_not_give_way(outcome: Outcome | None) -> bool:
    failure = None if outcome is None else outcome.failure
    return failure is not None and failure.reason is Reason.IMMOVABLE


def _corrected(action: Action, truth: SceneGraph, down: Orientation) -> Action:
    """A place so that what is held comes to lie there, wherever the fingers have grasped it."""
    me = truth.agent()
    block = next(iter(truth.held(me.id)), None)
    if action.verb is not Verb.PLACE or action.pose is None or block is None:
        return action
    hand, held = me.pose, truth[block].pose
    if hand is None or held is None:
        return action
    import numpy as np

    from ...skills.arm import rotation

    pointing = rotation.from_euler(*down) if len(down) == 3 else rotation.matrix(down)
    back = rotation.matrix(hand.orientation).T @ np.subtract(hand.position, held.position)
    shifted = np.array(action.pose[:3]) + pointing @ back
    return place((*(round(float(number), 4) for number in shifted), *down))


def _truth(percept: Percept) -> SceneGraph:
    assert percept.truth is not None, "the expert is granted the truth"
    return percept.truth


def _namer(percept: Percept) -> Callable[[int], str]:
    return lambda node_id: percept.names.get(node_id, str(node_id))

"""The next actions of an arm before blocks: what a careful person would do.

It understands the sentences of `observation_text.dialects.blocks.instructions`, measures what they
need (a lifted block's weight, whether a block rises), and then carries out the shortest plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from ....observation_text.dialects.blocks.block_descriptions import DESCRIPTIONS, BlockFacts
from ....observation_text.dialects.blocks.instruction_goals import at_corner
from ....observation_text.dialects.blocks.instructions import BlockInstruction, parse_instruction
from ....scene_graph.events import Event
from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Goal
from ....scene_graph.node import Vector
from ....skills.actions import Action, Verb, reset
from ....skills.arm.rearrangement import GRIPPER_DOWN, free_spot
from ....skills.arm.rearrangement_plans import ideal_graph, open_loop_plans
from ....skills.arm.workspace import BLOCK
from .knowledge import BlockKnowledge, block_name, triple

_RESET = "reset()"


@dataclass(frozen=True)
class ArmPlan:
    """The next actions, and why.

    missing: what has to be found out first. done: nothing is left to do.
    """

    why: str
    actions: tuple[str, ...]
    missing: str = ""
    done: bool = False


def next_actions(task: str, knowledge: BlockKnowledge) -> ArmPlan:
    """The next actions for a task: measurements where something is missing, else the solution."""
    blocks = sorted(knowledge.now.blocks)
    instruction = parse_instruction(task)
    if instruction is None:
        return ArmPlan("I do not understand the task.", (_RESET,))
    some_fixed = "<fix>" in task
    unknown = _unknown(knowledge, blocks, weigh=instruction.needs_weights, some_fixed=some_fixed)
    if unknown:
        names = " and ".join(map(block_name, unknown))
        missing = f"whether {names} can be moved" if some_fixed else f"the weight of {names}"
        if some_fixed and instruction.needs_weights:
            missing += ", and what can be moved has to be weighed"
        why = f"I lift {names} to learn {missing}."
        return ArmPlan(why, _measure(knowledge, unknown), missing)
    fixed = {b for b, movable in knowledge.movable.items() if not movable and some_fixed}
    by_weight = sorted(blocks, key=lambda b: knowledge.weights.get(b, 0.0))
    known = BlockFacts(tuple(by_weight), frozenset(fixed))
    goal = instruction.goal(known)
    facts = f"{knowledge.facts()} ".lstrip()
    if goal is None:
        return ArmPlan(f"{facts}There is no such block.", (_RESET,))
    graph = ideal_graph(knowledge.now.blocks, knowledge.now.held)
    if satisfied(goal, graph, _events(knowledge)):
        return ArmPlan(f"{facts}Everything is as it should be.", (), done=True)
    actions = _shortest_plan(goal, knowledge, fixed)
    why = f"{facts}{_meant(instruction, known)}{_told(actions, knowledge)}"
    return ArmPlan(why, tuple(_text_of(action, knowledge) for action in actions))


def _events(knowledge: BlockKnowledge) -> list[Event]:
    held = knowledge.now.held
    return [] if held is None else [Event("held", (held,), 0, knowledge.held_s)]


def _unknown(
    knowledge: BlockKnowledge,
    blocks: Sequence[int],
    *,
    weigh: bool,
    some_fixed: bool,
) -> list[int]:
    """The blocks that have to be lifted yet."""
    found = []
    for block in blocks:
        fixed = some_fixed and knowledge.movable.get(block) is False
        unweighed = weigh and not fixed and block not in knowledge.weights
        if unweighed or (some_fixed and block not in knowledge.movable):
            found.append(block)
    return found


def _measure(knowledge: BlockKnowledge, unknown: Sequence[int]) -> tuple[str, ...]:
    """Lift one after the other and put each back to where it lies."""
    now = knowledge.now
    actions = []
    if now.held is not None:
        spot = free_spot(ideal_graph(now.blocks, now.held), now.held, {})
        if spot is not None:
            actions.append(_place_text(spot, knowledge))
    for block in unknown:
        if block != now.held:
            actions += [f"pick({block_name(block)})", _place_text(now.blocks[block], knowledge)]
    return tuple(actions)


def _meant(instruction: BlockInstruction, facts: BlockFacts) -> str:
    """Which blocks the instruction means, in sentences: "cubeB is the lighter block. "."""
    told = ""
    for name in filter(None, (instruction.x, instruction.y)):
        block = DESCRIPTIONS[name].find(facts)
        if block is not None and name != block_name(block):
            told += f"{block_name(block)} is {name}. "
    return told


def _told(actions: Sequence[Action], knowledge: BlockKnowledge) -> str:
    """What is done with the blocks, in sentences: "I put cubeB on cubeA, to 0.5, 0.2, 0.075.".

    The numbers are those of the action: a model that has said them before copies them.
    """
    now = knowledge.now
    blocks, held = dict(now.blocks), now.held
    told = []
    for action in actions:
        if action.verb is Verb.PICK_UP:
            held = action.target
        elif action.verb is Verb.PLACE and action.pose is not None and held is not None:
            blocks[held] = triple(action.pose[:3])
            to = _numbers(_gripper_at(blocks[held], knowledge))
            told.append(f"I put {block_name(held)} {_where(blocks, held)}, to {to}.")
            held = None
    if held is not None and held != now.held:
        told.append(f"I pick up {block_name(held)}.")
    return " ".join(told) or "I wait."


def _where(blocks: Mapping[int, Vector], block: int) -> str:
    """Where a block lies: "on cubeA", "at a corner of the table", "on the table"."""
    x, y, z = blocks[block]
    below = [
        other
        for other, (u, v, w) in blocks.items()
        if max(abs(x - u), abs(y - v)) < BLOCK / 2 and w < z
    ]
    if below:
        return f"on {block_name(max(below, key=lambda other: blocks[other][2]))}"
    at_one = satisfied(at_corner(block), ideal_graph(blocks, None))
    return "at a corner of the table" if at_one else "on the table"


def _shortest_plan(goal: Goal, knowledge: BlockKnowledge, fixed: Set[int]) -> Sequence[Action]:
    """The plan with the fewest actions. fixed: the blocks that cannot be moved."""
    now = knowledge.now
    plans = open_loop_plans(
        goal,
        now.blocks,
        GRIPPER_DOWN[now.pose_numbers],
        held=now.held,
        held_s=knowledge.held_s,
        immovable=fixed,
    )
    return min(plans, key=len, default=(reset(),))


def _text_of(action: Action, knowledge: BlockKnowledge) -> str:
    """An action as the dialect `blocks` words it."""
    if action.verb is Verb.PICK_UP and action.target is not None:
        return f"pick({block_name(action.target)})"
    if action.verb is Verb.PLACE and action.pose is not None:
        return _place_text(triple(action.pose[:3]), knowledge)
    return _RESET if action.verb is Verb.RESET else f"wait({action.seconds or 1.0:g})"


def _place_text(spot: Vector, knowledge: BlockKnowledge) -> str:
    """The place after which a block lies at a spot, as far as offsets are known."""
    pose = (*_gripper_at(spot, knowledge), *GRIPPER_DOWN[knowledge.now.pose_numbers])
    return f"place({_numbers(pose)})"


def _gripper_at(spot: Vector, knowledge: BlockKnowledge) -> Vector:
    """Where the gripper opens for its block to lie at a spot."""
    x, y, z = (at - offset for at, offset in zip(spot, knowledge.offset, strict=True))
    return x, y, z


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{round(value, 4):g}" for value in values)

"""Tasks about blocks: knowledge from observations, and the next actions of a careful person.

It understands the sentences of `observation_text.dialects.blocks.instructions`, measures missing
facts (a lifted block's weight, whether a block rises), and then carries out the shortest plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from ...observation_text.dialects.blocks.instruction_goals import BlockFacts, at_corner
from ...observation_text.dialects.blocks.instructions import (
    DESCRIPTIONS,
    BlockInstruction,
    parse_instruction,
)
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import Event, Goal
from ...scene_graph.node import Vector
from ...skills.actions import Action, Verb, reset
from ...skills.arm.blocks.block_graph import FIRST_BLOCK
from ...skills.arm.blocks.rearrangement import GRIPPER_DOWN, free_spot, ideal_graph, open_loop_plans
from ...skills.arm.blocks.world import BLOCK

#: A lifted block rises by more than this. A held block is at most this far from the gripper. In m.
_LIFTED_M, _HELD_WITHIN_M = 0.05, 0.03
#: How far open a gripper is that holds a block, in m.
_HOLDING_M = (0.02, 0.03)
#: A block that lies further than this from its intended place teaches the offset, in m.
_PLACED_WITHIN_M = 0.004
_LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True)
class BlockObservation:
    """An observation as numbers."""

    blocks: dict[int, Vector]
    """Positions by id, in m."""
    hand: Vector
    """Position of the end effector, in m."""
    pull: float
    """Force down on the hand, in N."""
    opening: float
    """Opening of the gripper, in m."""
    orientation: tuple[float, ...]
    """Angles or quaternion of the end effector."""

    @property
    def held(self) -> int | None:
        """The block in the gripper."""
        if not _HOLDING_M[0] < self.opening < _HOLDING_M[1]:
            return None
        near = [b for b, at in self.blocks.items() if _distance(at, self.hand) < _HELD_WITHIN_M]
        return near[0] if near else None

    @property
    def pose_numbers(self) -> int:
        """The length of a pose."""
        return 3 + len(self.orientation)


def observation_of(numbers: Sequence[float], angles: int = 4) -> BlockObservation:
    """The observation of numbers, in the order of the dialect's `vector_of`.

    angles: the length of an orientation.
    """
    count = (len(numbers) - 8 - angles) // 7
    blocks = {FIRST_BLOCK + i: triple(numbers[7 * i : 7 * i + 3]) for i in range(count)}
    hand = numbers[7 * count :]
    return BlockObservation(
        blocks=blocks,
        hand=triple(hand[:3]),
        pull=-hand[5 + angles],
        opening=hand[-1],
        orientation=tuple(hand[3 : 3 + angles]),
    )


@dataclass
class BlockKnowledge:
    """The knowledge from the history."""

    now: BlockObservation
    """The newest observation."""
    weights: dict[int, float] = field(default_factory=dict)
    """Measured weights, in N."""
    movable: dict[int, bool] = field(default_factory=dict)
    """Whether a block can be moved, of the tried blocks."""
    held_s: float = 0.0
    """Seconds for which the arm has stood still."""
    failed: str = ""
    """The failure of the last action in words, or ""."""
    offset: Vector = (0.0, 0.0, 0.0)
    """Offset of placed blocks from the gripper's place along x, y and z, in m."""

    def facts(self) -> str:
        """A sentence on the known facts of the blocks, or ""."""
        weights = [f"{block_name(b)} pulls with {w:.2f} N" for b, w in sorted(self.weights.items())]
        moves = [
            f"{block_name(b)} {'can' if movable else 'cannot'} be moved"
            for b, movable in sorted(self.movable.items())
        ]
        return f"{', '.join([*weights, *moves])}." if weights or moves else ""


def knowledge_of(
    first: BlockObservation, history: Sequence[tuple[str, BlockObservation]]
) -> BlockKnowledge:
    """The knowledge from actions and their observations, the oldest first."""
    knowledge = BlockKnowledge(first)
    for action, after in history:
        before, knowledge.now = knowledge.now, after
        knowledge.failed = ""
        name, _, arguments = action.strip().removesuffix(")").partition("(")
        if name == "wait":
            knowledge.held_s += float(arguments) if arguments else 1.0
            continue
        knowledge.held_s = 0.0
        block = _named(arguments) if name == "pick" else None
        if block is not None and block in after.blocks and before.held is None:
            _learn_from_picking(knowledge, action, block, before)
        elif name == "place" and before.held is not None:
            _learn_from_placing(knowledge, action, arguments, before.held)
    return knowledge


def _learn_from_picking(
    knowledge: BlockKnowledge, action: str, block: int, before: BlockObservation
) -> None:
    """Learn whether a block can be moved, and its weight."""
    after = knowledge.now
    rose = after.blocks[block][2] - before.blocks[block][2] > _LIFTED_M
    knowledge.movable[block] = rose
    if rose:
        knowledge.weights[block] = after.pull
    else:
        knowledge.failed = f"{action}: {block_name(block)} did not rise"


def _learn_from_placing(knowledge: BlockKnowledge, action: str, arguments: str, block: int) -> None:
    """Learn the offset from the place of a block after placing it."""
    at, hand = knowledge.now.blocks[block], knowledge.now.hand
    if knowledge.now.held is not None:
        knowledge.offset = (at[0] - hand[0], at[1] - hand[1], at[2] - hand[2])
        knowledge.failed = f"{action}: the block is still in the gripper; place it higher"
        return
    x, y = (float(number) for number in arguments.split(",")[:2])
    dx, dy = at[0] - x, at[1] - y
    if max(abs(dx), abs(dy)) > _PLACED_WITHIN_M:
        knowledge.offset = (dx, dy, knowledge.offset[2])
        knowledge.failed = (
            f"{action}: the block lies {1000 * dx:.0f} mm along x and {1000 * dy:.0f} mm along y "
            f"beside that; place it by as much to the other side"
        )


def block_name(block: int) -> str:
    """The name of a block in actions, by its id."""
    return f"cube{_LETTERS[block - FIRST_BLOCK]}"


def _named(text: str) -> int | None:
    found = re.fullmatch(r"cube([A-J])", text.strip())
    return None if found is None else FIRST_BLOCK + _LETTERS.index(found.group(1))


def triple(numbers: Sequence[float]) -> Vector:
    """Three numbers as a vector."""
    x, y, z = numbers
    return x, y, z


def _distance(one: Vector, other: Vector) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


# --- what to do next ------------------------------------------------------------------------------

_RESET = "reset()"


@dataclass(frozen=True)
class ArmPlan:
    """The next actions, and why.

    missing: a fact that has to be found out first. done: whether nothing is left to do.
    """

    why: str
    actions: tuple[str, ...]
    missing: str = ""
    done: bool = False


def next_actions(task: str, knowledge: BlockKnowledge) -> ArmPlan:
    """The next actions for a task: measurements if a fact is missing, else the solution."""
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
    held = knowledge.now.held
    events = [] if held is None else [Event("held", (held,), 0, knowledge.held_s)]
    if satisfied(goal, graph, events):
        return ArmPlan(f"{facts}Everything is as it should be.", (), done=True)
    actions = _shortest_plan(goal, knowledge, fixed)
    why = f"{facts}{_meant(instruction, known)}{_actions_text(actions, knowledge)}"
    return ArmPlan(why, tuple(_text_of(action, knowledge) for action in actions))


def _unknown(
    knowledge: BlockKnowledge, blocks: Sequence[int], *, weigh: bool, some_fixed: bool
) -> list[int]:
    found = []
    for block in blocks:
        fixed = some_fixed and knowledge.movable.get(block) is False
        unweighed = weigh and not fixed and block not in knowledge.weights
        if unweighed or (some_fixed and block not in knowledge.movable):
            found.append(block)
    return found


def _measure(knowledge: BlockKnowledge, unknown: Sequence[int]) -> tuple[str, ...]:
    """Lift one block after the other and put each back."""
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
    """Sentences on the blocks of the instruction: "cubeB is the lighter block. "."""
    text = ""
    for name in filter(None, (instruction.x, instruction.y)):
        block = DESCRIPTIONS[name].find(facts)
        if block is not None and name != block_name(block):
            text += f"{block_name(block)} is {name}. "
    return text


def _actions_text(actions: Sequence[Action], knowledge: BlockKnowledge) -> str:
    """Sentences on the actions: "I put cubeB on cubeA, to 0.5, 0.2, 0.075.".

    The numbers are those of the action, so that a model can copy them.
    """
    now = knowledge.now
    blocks, held = dict(now.blocks), now.held
    sentences = []
    for action in actions:
        if action.verb is Verb.PICK_UP:
            held = action.target
        elif action.verb is Verb.PLACE and action.pose is not None and held is not None:
            blocks[held] = triple(action.pose[:3])
            to = _numbers(_gripper_at(blocks[held], knowledge))
            sentences.append(f"I put {block_name(held)} {_where(blocks, held)}, to {to}.")
            held = None
    if held is not None and held != now.held:
        sentences.append(f"I pick up {block_name(held)}.")
    return " ".join(sentences) or "I wait."


def _where(blocks: Mapping[int, Vector], block: int) -> str:
    """The place of a block: "on cubeA", "at a corner of the table", "on the table"."""
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
    if action.verb is Verb.PICK_UP and action.target is not None:
        return f"pick({block_name(action.target)})"
    if action.verb is Verb.PLACE and action.pose is not None:
        return _place_text(triple(action.pose[:3]), knowledge)
    return _RESET if action.verb is Verb.RESET else f"wait({action.seconds or 1.0:g})"


def _place_text(spot: Vector, knowledge: BlockKnowledge) -> str:
    """The action that places a block at a spot, corrected by known offsets."""
    pose = (*_gripper_at(spot, knowledge), *GRIPPER_DOWN[knowledge.now.pose_numbers])
    return f"place({_numbers(pose)})"


def _gripper_at(spot: Vector, knowledge: BlockKnowledge) -> Vector:
    """The position where the gripper opens for its block to lie at a spot."""
    x, y, z = (at - offset for at, offset in zip(spot, knowledge.offset, strict=True))
    return x, y, z


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{round(value, 4):g}" for value in values)

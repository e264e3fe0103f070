"""What a careful person would do with an arm before blocks, from what was read so far.

It understands the sentences of `blocks_wishes`, believes what the observations tell (a lifted
block's weight, a block that did not rise), and looks for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...observation_text.dialects.blocks.block_descriptions import BlockFacts
from ...observation_text.dialects.blocks.instructions import parse_instruction
from ...scene_graph.events import Event
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import Goal
from ...scene_graph.node import Vector
from ...skills.actions import Action, Verb, reset
from ...skills.arm.block_ids import FIRST_BLOCK
from ...skills.arm.rearrangement import GRIPPER_DOWN, free_spot
from ...skills.arm.rearrangement_plans import ideal_graph, open_loop_plans

#: A block that is lifted rises by more than this; one in the gripper is so near to it, in m.
_RISEN, _NEAR = 0.05, 0.03
#: How far from where it was placed a block may lie without one thinking about it, in m.
_PRECISE = 0.004
_LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True)
class BlockReading:
    """One observation as numbers. blocks: by id, in m."""

    blocks: dict[int, Vector]
    hand: Vector
    pull: float
    opening: float
    turned: tuple[float, ...]

    @property
    def held(self) -> int | None:
        if not 0.02 < self.opening < 0.03:
            return None
        near = [b for b, at in self.blocks.items() if _distance(at, self.hand) < _NEAR]
        return near[0] if near else None


def seen(numbers: Sequence[float], turned: int = 4) -> BlockReading:
    """The observation of the numbers in the order of the dialect's `vector_of`.

    turned: how many numbers tell the orientation of the end effector.
    """
    count = (len(numbers) - 8 - turned) // 7
    blocks = {FIRST_BLOCK + i: _triple(numbers[7 * i : 7 * i + 3]) for i in range(count)}
    hand = numbers[7 * count :]
    return BlockReading(
        blocks, _triple(hand[:3]), -hand[5 + turned], hand[-1], tuple(hand[3 : 3 + turned])
    )


@dataclass
class BlockKnowledge:
    """What the history tells. weights: in N. movable: of the blocks that were tried.

    offset: by how much, along x, y and z, blocks are beside where the gripper places them, in m.
    """

    now: BlockReading
    weights: dict[int, float] = field(default_factory=dict)
    movable: dict[int, bool] = field(default_factory=dict)
    held_s: float = 0.0
    failed: str = ""
    offset: Vector = (0.0, 0.0, 0.0)


def believe(first: BlockReading, history: Sequence[tuple[str, BlockReading]]) -> BlockKnowledge:
    """What actions and the observations after them come to, the oldest first."""
    beliefs = BlockKnowledge(first)
    for action, after in history:
        before, beliefs.now = beliefs.now, after
        beliefs.failed = ""
        name, _, inside = action.strip().removesuffix(")").partition("(")
        block = _named(inside) if name == "pick" else None
        if name == "wait":
            beliefs.held_s += float(inside) if inside else 1.0
            continue
        beliefs.held_s = 0.0
        if block in after.blocks and block is not None and before.held is None:
            risen = after.blocks[block][2] - before.blocks[block][2] > _RISEN
            beliefs.movable[block] = risen
            if risen:
                beliefs.weights[block] = after.pull
            else:
                beliefs.failed = f"{action}: {name_of(block)} did not rise"
        elif name == "place" and before.held is not None:
            _look_where(beliefs, action, inside, after.blocks[before.held], after.held is None)
    return beliefs


def _look_where(
    beliefs: BlockKnowledge, action: str, inside: str, at: Vector, let_go: bool
) -> None:
    """Learn from a place where the block came to lie."""
    if not let_go:
        hand = beliefs.now.hand
        beliefs.offset = (at[0] - hand[0], at[1] - hand[1], at[2] - hand[2])
        beliefs.failed = f"{action}: the block is still in the gripper; place it higher"
        return
    x, y = (float(number) for number in inside.split(",")[:2])
    dx, dy = at[0] - x, at[1] - y
    if max(abs(dx), abs(dy)) > _PRECISE:
        beliefs.offset = (dx, dy, beliefs.offset[2])
        beliefs.failed = (
            f"{action}: the block lies {1000 * dx:.0f} mm along x and {1000 * dy:.0f} mm along y "
            f"beside that; place it by as much to the other side"
        )


@dataclass(frozen=True)
class ArmPlan:
    """What to do next and why. missing: what has to be found out first. done: nothing is left."""

    why: str
    actions: tuple[str, ...]
    missing: str = ""
    done: bool = False


def think(task: str, beliefs: BlockKnowledge) -> ArmPlan:
    """The next actions for a task: measurements where something is missing, else the solution."""
    blocks = sorted(beliefs.now.blocks)
    wish = parse_instruction(task)
    if wish is None:
        return ArmPlan("I do not understand the task.", ("reset()",))
    some_fixed = "<fix>" in task
    if some_fixed:
        _deduce(beliefs, blocks)
    unknown = _unknown(beliefs, blocks, wish.needs_weights, some_fixed)
    numbers = 3 + len(beliefs.now.turned)
    if unknown:
        names = " and ".join(map(name_of, unknown))
        missing = f"whether {names} can be moved" if some_fixed else f"the weight of {names}"
        if some_fixed and wish.needs_weights:
            missing += ", and what can be moved has to be weighed"
        return ArmPlan(
            f"I lift {names} to learn {missing}.", _measure(beliefs, unknown, numbers), missing
        )
    stuck = {b for b, movable in beliefs.movable.items() if not movable and some_fixed}
    by_weight = sorted(blocks, key=lambda b: beliefs.weights.get(b, 0.0))
    goal = wish.goal(BlockFacts(tuple(by_weight), frozenset(stuck)))
    if goal is None:
        return ArmPlan(f"{_known(beliefs)}There is no such block.", ("reset()",))
    graph = ideal_graph(beliefs.now.blocks, beliefs.now.held)
    if satisfied(goal, graph, _events(beliefs)):
        return ArmPlan(f"{_known(beliefs)}Everything is as it should be.", (), done=True)
    return ArmPlan(
        f"{_known(beliefs)}Now I do what is asked.", _solve(goal, beliefs, numbers, stuck)
    )


def _events(beliefs: BlockKnowledge) -> list[Event]:
    held = beliefs.now.held
    return [] if held is None else [Event("held", (held,), 0, beliefs.held_s)]


def _deduce(beliefs: BlockKnowledge, blocks: list[int]) -> None:
    """Of two blocks, where some are fixed, exactly one is."""
    if len(blocks) == 2 and len(beliefs.movable) == 1:
        (known, movable) = next(iter(beliefs.movable.items()))
        beliefs.movable[next(b for b in blocks if b != known)] = not movable


def _unknown(
    beliefs: BlockKnowledge, blocks: list[int], weigh: bool, some_fixed: bool
) -> list[int]:
    """The blocks that have to be lifted yet."""
    found = []
    for block in blocks:
        stuck = some_fixed and beliefs.movable.get(block) is False
        unweighed = weigh and not stuck and block not in beliefs.weights
        if unweighed or (some_fixed and block not in beliefs.movable):
            found.append(block)
    return found


def _measure(beliefs: BlockKnowledge, unknown: list[int], numbers: int) -> tuple[str, ...]:
    """Lift one after the other and put each back to where it lies."""
    now = beliefs.now
    actions = []
    if now.held is not None:
        spot = free_spot(ideal_graph(now.blocks, now.held), now.held, {})
        if spot is not None:
            actions.append(_place(spot, numbers, beliefs.offset))
    for block in unknown:
        if block != now.held:
            actions += [
                f"pick({name_of(block)})",
                _place(now.blocks[block], numbers, beliefs.offset),
            ]
    return tuple(actions)


def _solve(goal: Goal, beliefs: BlockKnowledge, numbers: int, stuck: set[int]) -> tuple[str, ...]:
    """The plan with the fewest actions. stuck: the blocks that cannot be moved."""
    now = beliefs.now
    plans = open_loop_plans(
        goal,
        now.blocks,
        GRIPPER_DOWN[numbers],
        held=now.held,
        held_s=beliefs.held_s,
        immovable=stuck,
    )
    plan = min(plans, key=len, default=(reset(),))
    return tuple(_said(action, numbers, beliefs.offset) for action in plan)


def _said(action: Action, numbers: int, offset: Vector) -> str:
    if action.verb is Verb.PICK_UP and action.target is not None:
        return f"pick({name_of(action.target)})"
    if action.verb is Verb.PLACE and action.pose is not None:
        return _place(_triple(action.pose[:3]), numbers, offset)
    return "reset()" if action.verb is Verb.RESET else f"wait({action.seconds or 1.0:g})"


# --- words and numbers ---------------------------------------------------------------------------


def _known(beliefs: BlockKnowledge) -> str:
    weights = [f"{name_of(b)} pulls with {w:.2f} N" for b, w in sorted(beliefs.weights.items())]
    moves = [
        f"{name_of(b)} {'can' if movable else 'cannot'} be moved"
        for b, movable in sorted(beliefs.movable.items())
    ]
    return f"{', '.join([*weights, *moves])}. " if weights or moves else ""


def learned(beliefs: BlockKnowledge) -> str:
    """What the history tells, in a sentence."""
    return _known(beliefs).strip() or "nothing"


def name_of(block: int) -> str:
    return f"cube{_LETTERS[block - FIRST_BLOCK]}"


def _named(text: str) -> int | None:
    found = re.fullmatch(r"cube([A-J])", text.strip())
    return None if found is None else FIRST_BLOCK + _LETTERS.index(found.group(1))


def _place(spot: Vector, numbers: int, offset: Vector = (0.0, 0.0, 0.0)) -> str:
    """The place after which a block lies at a spot."""
    x, y, z = spot
    pose = (x - offset[0], y - offset[1], z - offset[2], *GRIPPER_DOWN[numbers])
    return f"place({', '.join(f'{round(number, 4):g}' for number in pose)})"


def _triple(numbers: Sequence[float]) -> Vector:
    x, y, z = numbers
    return x, y, z


def _distance(one: Vector, other: Vector) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))

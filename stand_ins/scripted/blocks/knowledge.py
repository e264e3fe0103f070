"""What observations of blocks and an arm tell, by what was done before each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....scene_graph.node import Vector
from ....skills.arm.block_graph import FIRST_BLOCK

#: A block that is lifted rises by more than this; one in the gripper is so near to it, in m.
_LIFTED_M, _HELD_WITHIN_M = 0.05, 0.03
#: A gripper that holds a block is so far open, in m.
_HOLDING_M = (0.02, 0.03)
#: How far from where it was placed a block may lie without anything being learnt of it, in m.
_PLACED_WITHIN_M = 0.004
_LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True)
class BlockObservation:
    """One observation as numbers.

    blocks: positions by id, in m. hand: the position of the end effector, in m; orientation: its
    angles or its quaternion. pull: the force down on the hand, in N. opening: of the gripper, in m.
    """

    blocks: dict[int, Vector]
    hand: Vector
    pull: float
    opening: float
    orientation: tuple[float, ...]

    @property
    def held(self) -> int | None:
        """The block in the gripper."""
        if not _HOLDING_M[0] < self.opening < _HOLDING_M[1]:
            return None
        near = [b for b, at in self.blocks.items() if _distance(at, self.hand) < _HELD_WITHIN_M]
        return near[0] if near else None

    @property
    def pose_numbers(self) -> int:
        """How many numbers a pose has."""
        return 3 + len(self.orientation)


def observation_of(numbers: Sequence[float], angles: int = 4) -> BlockObservation:
    """The observation of numbers in the order of the dialect's `vector_of`.

    angles: how many numbers tell an orientation.
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
    """What the history tells.

    weights: in N. movable: of the blocks that were tried. held_s: how long the arm has stood still.
    failed: how the last action failed, in words. offset: by how much, along x, y and z, blocks are
    beside where the gripper places them, in m.
    """

    now: BlockObservation
    weights: dict[int, float] = field(default_factory=dict)
    movable: dict[int, bool] = field(default_factory=dict)
    held_s: float = 0.0
    failed: str = ""
    offset: Vector = (0.0, 0.0, 0.0)

    def facts(self) -> str:
        """What was learnt of the blocks, in a sentence; empty for nothing."""
        weights = [f"{block_name(b)} pulls with {w:.2f} N" for b, w in sorted(self.weights.items())]
        moves = [
            f"{block_name(b)} {'can' if movable else 'cannot'} be moved"
            for b, movable in sorted(self.movable.items())
        ]
        return f"{', '.join([*weights, *moves])}." if weights or moves else ""


def knowledge_of(
    first: BlockObservation,
    history: Sequence[tuple[str, BlockObservation]],
) -> BlockKnowledge:
    """What actions and the observations after them come to, the oldest first."""
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
    knowledge: BlockKnowledge,
    action: str,
    block: int,
    before: BlockObservation,
) -> None:
    """Learn whether a block can be moved, and its weight."""
    after = knowledge.now
    rose = after.blocks[block][2] - before.blocks[block][2] > _LIFTED_M
    knowledge.movable[block] = rose
    if rose:
        knowledge.weights[block] = after.pull
    else:
        knowledge.failed = f"{action}: {block_name(block)} did not rise"


def _learn_from_placing(
    knowledge: BlockKnowledge,
    action: str,
    arguments: str,
    block: int,
) -> None:
    """Learn from where a block came to lie."""
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
    """A block as actions name it, by its id."""
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

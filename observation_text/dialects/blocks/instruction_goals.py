"""Goals of instructions to an arm, made from the facts of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from ....scene_graph.goals import And, EventOccurred, Goal, MeasureInRange, Or, Related
from ....scene_graph.node import Relation
from ....skills.arm.blocks.block_graph import ARM, TABLE
from ....skills.arm.blocks.world import BLOCK, SIMULATED

#: A block is at a corner if its centre is this near to two edges of the table, in m.
CORNER = 0.10
#: The margin by which a block must be off every corner, in m.
CLEAR = 0.01
#: The tolerance of the middle block of three in a line, in m.
STRAIGHT = 0.02
#: The tolerance between the centres of exactly stacked blocks, in m.
EXACT = 0.005
#: The largest distance between centres that is near, and the smallest that is far, in m.
NEAR, FAR = 0.15, 0.40
#: How much further left a block is that lies left of another, in m.
ASIDE = 0.10


@dataclass(frozen=True)
class BlockFacts:
    """The facts of a scene, true or assumed. by_weight: the ids, the lightest first."""

    by_weight: tuple[int, ...]
    fixed: frozenset[int] = frozenset()

    @property
    def blocks(self) -> tuple[int, ...]:
        """The ids of all blocks, ascending."""
        return tuple(sorted(self.by_weight))

    @property
    def movable(self) -> tuple[int, ...]:
        """The blocks that are not fixed, the lightest first."""
        return tuple(block for block in self.by_weight if block not in self.fixed)


#: Makes a goal from the facts, the blocks x and y (0 if a sentence has none), and seconds.
ToGoal = Callable[[BlockFacts, int, int, float], Goal]


def on(block: int, place: int) -> Related:
    """A block stands on another or on the table."""
    return Related(block, Relation.ON, place)


def _on_table(blocks: Iterable[int]) -> tuple[Related, ...]:
    return tuple(on(block, TABLE) for block in blocks)


def held(block: int) -> Related:
    """The arm holds a block."""
    return Related(ARM, Relation.HOLDS, block)


def held_for(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """The arm has held x for so many seconds."""
    return And((held(x), EventOccurred(("held",), (x,), seconds)))


def stacked(order: Sequence[int]) -> And:
    """Blocks are stacked, the lowest first."""
    return And(tuple(on(upper, lower) for lower, upper in pairwise(order)))


def any_stack(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """All blocks are stacked, in any order."""
    return Or(tuple(stacked(order) for order in permutations(facts.blocks)))


def two_stacked(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Some block stands on another."""
    return Or(tuple(on(a, b) for a, b in permutations(facts.blocks, 2)))


def exact_stack(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Some block stands on another, their centres at most EXACT m apart seen from above."""
    pairs = permutations(facts.blocks, 2)
    return Or(
        tuple(And((on(a, b), MeasureInRange("beside", (a, b), 0.0, EXACT))) for a, b in pairs)
    )


def _near_edges(axis: str) -> tuple[float, float, float, float]:
    """(edge, end of its corners, start of the other corners, other edge) along an axis, in m."""
    i = "xy".index(axis)
    low, high = SIMULATED.table_low[i], SIMULATED.table_high[i]
    return low, low + CORNER, high - CORNER, high


def at_corner(block: int) -> And:
    """A block lies on the table at one of its corners."""
    near = []
    for axis in "xy":
        a, b, c, d = _near_edges(axis)
        near.append(
            Or((MeasureInRange(axis, (block,), a, b), MeasureInRange(axis, (block,), c, d)))
        )
    return And((on(block, TABLE), *near))


def all_at_corners(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Every block lies at a corner."""
    return And(tuple(at_corner(block) for block in facts.blocks))


def alone_at_corner(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """x lies at a corner, and no other block does."""
    others = (_off_corners(block) for block in facts.blocks if block != x)
    return And((at_corner(x), *others))


def _off_corners(block: int) -> Or:
    """A block lies off every corner by at least CLEAR m."""
    ends = {axis: _near_edges(axis)[1:3] for axis in "xy"}
    return Or(
        tuple(
            MeasureInRange(a, (block,), low + CLEAR, high - CLEAR)
            for a, (low, high) in ends.items()
        )
    )


def at_either_side(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """x lies at a corner on the left of the arm, y at one on its right."""
    low, below, above, high = _near_edges("y")
    sides = (MeasureInRange("y", (x,), above, high), MeasureInRange("y", (y,), low, below))
    return And((at_corner(x), at_corner(y), *sides))


def in_line(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Three blocks lie on the table, one halfway between the others."""
    a, b, c = facts.blocks
    orders = ((a, b, c), (b, a, c), (a, c, b))
    middle = Or(tuple(MeasureInRange("off_middle", order, 0.0, STRAIGHT) for order in orders))
    return And((*_on_table(facts.blocks), middle))


def in_order(left_first: Sequence[int]) -> Goal:
    """Blocks lie on the table, each further left than the next by at least one block."""
    left = tuple(MeasureInRange("left_of", pair, BLOCK, 1.0) for pair in pairwise(left_first))
    return And((*_on_table(sorted(left_first)), *left))


def measured(measure: str, low: float, high: float) -> ToGoal:
    """The goal that a measure of two blocks on the table is from low to high, in m."""
    return lambda facts, x, y, seconds: And(
        (*_on_table((x, y)), MeasureInRange(measure, (x, y), low, high))
    )

"""Goals of instructions to an arm, made from the facts of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, permutations

from ....scene_graph.goals import And, EventOccurred, Goal, MeasureInRange, Or, Related
from ....scene_graph.node import Relation
from ....skills.arm.block_ids import ARM, TABLE
from ....skills.arm.workspace import BLOCK, SIMULATED
from .block_descriptions import BlockFacts

#: A block is at a corner when its middle is so near to two edges of the table, in m.
CORNER = 0.10
#: By how much more it is off every corner, where it is to be at none, in m.
CLEAR = 0.01
#: How far the middle one of three blocks in a line may be off the middle of the others, in m.
STRAIGHT = 0.02
#: How far beside each other the middles of exactly stacked blocks may be, in m.
EXACT = 0.005
#: How near to each other the middles of neighbours are at most, and how far apart of blocks that
#: are to be far from each other at least, in m.
NEAR, FAR = 0.15, 0.40
#: How much further left a block lies that is to be left of another, in m.
ASIDE = 0.10

#: A goal from the facts, the blocks that x and y are (0 where a sentence has none), and seconds.
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
    """The arm holds x, and has for so many seconds."""
    return And((held(x), EventOccurred(("held",), (x,), seconds)))


def stacked(order: Sequence[int]) -> And:
    """Blocks stand on each other, the lowest first."""
    return And(tuple(on(upper, lower) for lower, upper in pairwise(order)))


def any_stack(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """All blocks stand on each other, in any order."""
    return Or(tuple(stacked(order) for order in permutations(facts.blocks)))


def two_stacked(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Some block stands on another."""
    return Or(tuple(on(a, b) for a, b in permutations(facts.blocks, 2)))


def exact_stack(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Some block stands on another, at most EXACT m beside it."""
    pairs = permutations(facts.blocks, 2)
    return Or(
        tuple(And((on(a, b), MeasureInRange("beside", (a, b), 0.0, EXACT))) for a, b in pairs)
    )


def _near_edges(axis: str) -> tuple[float, float, float, float]:
    """Along an axis, in m: an edge, how far its corners reach, and the same of the other edge."""
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
    """A block lies at no corner, by CLEAR m at least."""
    ends = {axis: _near_edges(axis)[1:3] for axis in "xy"}
    return Or(
        tuple(
            MeasureInRange(a, (block,), low + CLEAR, high - CLEAR)
            for a, (low, high) in ends.items()
        )
    )


def at_either_side(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """x lies at a corner at the left of the arm, y at one at its right."""
    low, below, above, high = _near_edges("y")
    sides = (MeasureInRange("y", (x,), above, high), MeasureInRange("y", (y,), low, below))
    return And((at_corner(x), at_corner(y), *sides))


def in_line(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Three blocks lie on the table, one half way between the others."""
    a, b, c = facts.blocks
    orders = ((a, b, c), (b, a, c), (a, c, b))
    middle = Or(tuple(MeasureInRange("off_middle", order, 0.0, STRAIGHT) for order in orders))
    return And((*_on_table(facts.blocks), middle))


def in_order(left_first: Sequence[int]) -> Goal:
    """Blocks lie on the table, each further left than the next, by at least a block."""
    left = tuple(MeasureInRange("left_of", pair, BLOCK, 1.0) for pair in pairwise(left_first))
    return And((*_on_table(sorted(left_first)), *left))


def measured(measure: str, low: float, high: float) -> ToGoal:
    """Make the goal that a measure of two blocks on the table is from low to high, in m."""
    return lambda facts, x, y, seconds: And(
        (*_on_table((x, y)), MeasureInRange(measure, (x, y), low, high))
    )

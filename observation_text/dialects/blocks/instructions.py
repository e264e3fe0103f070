"""What can be asked of an arm before blocks: sentences, and the goals that they come to.

A sentence names blocks ("the heavier block") and what is to be done with them. What it comes to
depends on the facts: a suite knows the true ones, a reader of observations those that were
measured. The tags before a sentence tell what is not as usual: <mass> the blocks weigh
differently, <fix> some are fixed to the table, <three> there are three.

The kinds of sentences are those of LLM-POP's Table 1 and appendix A.5, and others by the rules of
its appendix A.3, all worded by ourselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations

from ....scene_graph.goals import And, EventOccurred, Goal, MeasureInRange, Or, Related
from ....scene_graph.node import Relation
from ....skills.arm.block_ids import ARM, FIRST_BLOCK, TABLE
from ....skills.arm.workspace import BLOCK, SIMULATED

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
_TAGS = re.compile(r"^(?:<\w+>)*\s*")


@dataclass(frozen=True)
class BlockFacts:
    """What is true of the blocks of a scene, or believed. by_weight: the lightest first."""

    by_weight: tuple[int, ...]
    fixed: frozenset[int] = frozenset()

    @property
    def blocks(self) -> tuple[int, ...]:
        return tuple(sorted(self.by_weight))

    @property
    def movable(self) -> tuple[int, ...]:
        """The lightest first."""
        return tuple(block for block in self.by_weight if block not in self.fixed)


@dataclass(frozen=True)
class BlockDescription:
    """What a sentence calls one of the blocks. find: that block, None where there is no such.

    weighed, tried: whether one has to know weights, and what can be moved, to tell which it is.
    numbers: of how many blocks it is said.
    """

    find: Callable[[BlockFacts], int | None]
    weighed: bool = False
    tried: bool = False
    numbers: tuple[int, ...] = (2, 3)


def _named(block: int) -> Callable[[BlockFacts], int | None]:
    return lambda facts: block if block in facts.blocks else None


def _only(blocks: Iterable[int]) -> int | None:
    found = tuple(blocks)
    return found[0] if len(found) == 1 else None


WHICH: Mapping[str, BlockDescription] = {
    "the lighter block": BlockDescription(lambda f: f.by_weight[0], weighed=True, numbers=(2,)),
    "the heavier block": BlockDescription(lambda f: f.by_weight[-1], weighed=True, numbers=(2,)),
    "the lightest block": BlockDescription(lambda f: f.by_weight[0], weighed=True, numbers=(3,)),
    "the heaviest block": BlockDescription(lambda f: f.by_weight[-1], weighed=True, numbers=(3,)),
    "the block of medium weight": BlockDescription(
        lambda f: f.by_weight[1], weighed=True, numbers=(3,)
    ),
    "the movable block": BlockDescription(lambda f: _only(f.movable), tried=True, numbers=(2,)),
    "the fixed block": BlockDescription(lambda f: _only(f.fixed), tried=True, numbers=(2,)),
    "the only movable block": BlockDescription(
        lambda f: _only(f.movable), tried=True, numbers=(3,)
    ),
    "the only fixed block": BlockDescription(lambda f: _only(f.fixed), tried=True, numbers=(3,)),
    "the lightest of the movable blocks": BlockDescription(
        lambda f: f.movable[0] if len(f.movable) > 1 else None, True, True, (3,)
    ),
    "the heaviest of the movable blocks": BlockDescription(
        lambda f: f.movable[-1] if len(f.movable) > 1 else None, True, True, (3,)
    ),
    "cubeA": BlockDescription(_named(FIRST_BLOCK)),
    "cubeB": BlockDescription(_named(FIRST_BLOCK + 1)),
    "cubeC": BlockDescription(_named(FIRST_BLOCK + 2), numbers=(3,)),
}


#: A goal from the facts, the blocks that x and y are (0 where a sentence has none), and seconds.
ToGoal = Callable[[BlockFacts, int, int, float], Goal]


@dataclass(frozen=True)
class SentenceForm:
    """A kind of sentence. texts: its wordings, with {x} and {y} for blocks and {s} for seconds.

    weighed: whether all blocks have to be weighed for it. numbers: of how many blocks it is said.
    """

    texts: tuple[str, ...]
    goal: ToGoal
    weighed: bool = False
    numbers: tuple[int, ...] = (2, 3)

    @property
    def places(self) -> int:
        """How many blocks it names."""
        return ("{x}" in self.texts[0]) + ("{y}" in self.texts[0])

    @property
    def holds(self) -> bool:
        return "{s}" in self.texts[0]


@dataclass(frozen=True)
class BlockInstruction:
    """A sentence as it is understood. x, y: what the blocks are called, "" where there is none."""

    form: str
    x: str = ""
    y: str = ""
    seconds: float = 0.0

    @property
    def which(self) -> tuple[BlockDescription, ...]:
        return tuple(WHICH[name] for name in (self.x, self.y) if name)

    @property
    def weighed(self) -> bool:
        """Whether one has to know weights."""
        return FORMS[self.form].weighed or any(which.weighed for which in self.which)

    def texts(self) -> tuple[str, ...]:
        """The sentence in all its wordings, without tags."""
        told = {"x": self.x, "y": self.y, "s": f"{self.seconds:g}"}
        return tuple(text.format(**told) for text in FORMS[self.form].texts)

    def goal(self, facts: BlockFacts) -> Goal | None:
        """What it comes to; None where there is no block of that kind, or only one for both."""
        found = [which.find(facts) for which in self.which]
        if None in found or len(set(found)) < len(found):
            return None
        x, y, *_ = (*(block for block in found if block is not None), 0, 0)
        return FORMS[self.form].goal(facts, x, y, self.seconds)


def parse_instruction(instruction: str) -> BlockInstruction | None:
    """The wish of an instruction with its tags; None where it is no known sentence."""
    sentence = _TAGS.sub("", instruction.strip()).replace(" one.", " block.")
    for name, pattern in _patterns():
        found = pattern.fullmatch(sentence)
        if found is not None:
            parts = found.groupdict()
            seconds = float(parts.get("s") or 0.0)
            return BlockInstruction(name, parts.get("x") or "", parts.get("y") or "", seconds)
    return None


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    blocks = "|".join(WHICH)
    places = {
        r"\{x\}": f"(?P<x>{blocks})",
        r"\{y\}": f"(?P<y>{blocks})",
        r"\{s\}": r"(?P<s>\d{1,3})",
    }
    found = []
    for name, form in FORMS.items():
        for text in form.texts:
            pattern = re.escape(text)
            for place, matched in places.items():
                pattern = pattern.replace(place, matched)
            found.append((name, re.compile(pattern)))
    return found


# --- goals ---------------------------------------------------------------------------------------


def _on(block: int, place: int) -> Related:
    return Related(block, Relation.ON, place)


def _on_table(blocks: Iterable[int]) -> tuple[Related, ...]:
    return tuple(_on(block, TABLE) for block in blocks)


def _held(block: int) -> Related:
    return Related(ARM, Relation.HOLDS, block)


def _held_for(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    return And((_held(x), EventOccurred(("held",), (x,), seconds)))


def _stacked(order: Sequence[int]) -> And:
    """Blocks on each other, the lowest first."""
    return And(tuple(_on(upper, lower) for lower, upper in pairwise(order)))


def _any_stack(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    return Or(tuple(_stacked(order) for order in permutations(facts.blocks)))


def _two_stacked(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    return Or(tuple(_on(a, b) for a, b in permutations(facts.blocks, 2)))


def _exact_stack(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    pairs = permutations(facts.blocks, 2)
    return Or(
        tuple(And((_on(a, b), MeasureInRange("beside", (a, b), 0.0, EXACT))) for a, b in pairs)
    )


def _near_edges(axis: str) -> tuple[float, float, float, float]:
    """Along an axis, in m: an edge, how far its corners reach, and the same of the other edge."""
    i = "xy".index(axis)
    low, high = SIMULATED.table_low[i], SIMULATED.table_high[i]
    return low, low + CORNER, high - CORNER, high


def _at_corner(block: int) -> And:
    """That a block lies on the table at one of its corners."""
    near = []
    for axis in "xy":
        a, b, c, d = _near_edges(axis)
        near.append(
            Or((MeasureInRange(axis, (block,), a, b), MeasureInRange(axis, (block,), c, d)))
        )
    return And((_on(block, TABLE), *near))


def _all_at_corners(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    return And(tuple(_at_corner(block) for block in facts.blocks))


def _alone_at_corner(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Without the last part it could be fulfilled by moving all of them to corners."""
    others = (_off_corners(block) for block in facts.blocks if block != x)
    return And((_at_corner(x), *others))


def _off_corners(block: int) -> Or:
    """That a block is clearly not near to two edges."""
    ends = {axis: _near_edges(axis)[1:3] for axis in "xy"}
    return Or(
        tuple(
            MeasureInRange(a, (block,), low + CLEAR, high - CLEAR)
            for a, (low, high) in ends.items()
        )
    )


def _at_either_side(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """x at one of the corners at the left of the arm, y at one at its right."""
    low, below, above, high = _near_edges("y")
    sides = (MeasureInRange("y", (x,), above, high), MeasureInRange("y", (y,), low, below))
    return And((_at_corner(x), _at_corner(y), *sides))


def _in_line(facts: BlockFacts, x: int, y: int, seconds: float) -> Goal:
    """Three blocks on the table, one half way between the others."""
    a, b, c = facts.blocks
    orders = ((a, b, c), (b, a, c), (a, c, b))
    middle = Or(tuple(MeasureInRange("off_middle", order, 0.0, STRAIGHT) for order in orders))
    return And((*_on_table(facts.blocks), middle))


def _in_order(left_first: Sequence[int]) -> Goal:
    """On the table, every block further left than the next, by at least a block."""
    left = tuple(MeasureInRange("left_of", pair, BLOCK, 1.0) for pair in pairwise(left_first))
    return And((*_on_table(sorted(left_first)), *left))


def _measured(measure: str, low: float, high: float) -> ToGoal:
    """Of two blocks on the table, from low to high, in m."""
    return lambda facts, x, y, seconds: And(
        (*_on_table((x, y)), MeasureInRange(measure, (x, y), low, high))
    )


FORMS: Mapping[str, SentenceForm] = {
    "pick": SentenceForm(
        ("Pick up {x}.", "Lift {x} off the table.", "Take {x} into the gripper."),
        lambda f, x, y, s: _held(x),
    ),
    "hold": SentenceForm(
        ("Pick up {x} and hold it for {s} seconds.", "Keep {x} in the gripper for {s} seconds."),
        _held_for,
    ),
    "corner": SentenceForm(
        ("Pick up {x} and put it at a corner of the table.",), lambda f, x, y, s: _at_corner(x)
    ),
    "corner_alone": SentenceForm(
        (
            "Move {x}, and no other block, to a corner of the table.",
            "Only {x} is to lie at a corner of the table.",
        ),
        _alone_at_corner,
    ),
    "corners": SentenceForm(
        (
            "Move both blocks to corners of the table.",
            "Let both blocks lie at corners of the table.",
        ),
        _all_at_corners,
        numbers=(2,),
    ),
    "either_side": SentenceForm(
        (
            "Move {x} to a corner at the left of the table and {y} to a corner at its right.",
            "Put {x} at one of the left corners of the table, and {y} at one of the right ones.",
        ),
        _at_either_side,
    ),
    "on": SentenceForm(
        (
            "Stack {x} on {y}.",
            "Find {x} and put it on {y}.",
            "Let {y} carry {x}.",
        ),
        lambda f, x, y, s: _on(x, y),
    ),
    "stack": SentenceForm(
        ("Stack one block onto the other.", "Maximize the height of the two blocks."),
        _any_stack,
        numbers=(2,),
    ),
    "stack_three": SentenceForm(
        ("Stack the three blocks.", "Build the highest tower that the blocks allow."),
        _any_stack,
        numbers=(3,),
    ),
    "stack_two": SentenceForm(
        ("Stack two of the blocks.", "Some block is to stand on another."),
        _two_stacked,
        numbers=(3,),
    ),
    "stack_exactly": SentenceForm(
        (
            f"Stack one block exactly onto the other, with their middles at most "
            f"{1000 * EXACT:g} mm apart, seen from above.",
        ),
        _exact_stack,
        numbers=(2,),
    ),
    "stack_by_weight": SentenceForm(
        (
            "Stack the blocks in order of weight, the heaviest at the bottom.",
            "Build a tower that gets lighter from block to block.",
        ),
        lambda f, x, y, s: _stacked(f.by_weight[::-1]),
        weighed=True,
        numbers=(3,),
    ),
    "stack_top_heavy": SentenceForm(
        (
            "Stack the blocks in order of weight, the heaviest at the top.",
            "Build a tower that gets heavier from block to block.",
        ),
        lambda f, x, y, s: _stacked(f.by_weight),
        weighed=True,
        numbers=(3,),
    ),
    "line": SentenceForm(
        (
            "Place the blocks on the table in a straight line at equal distances.",
            "One of the blocks is to lie half way between the other two.",
        ),
        _in_line,
        numbers=(3,),
    ),
    "sort": SentenceForm(
        (
            "Sort the blocks on the table by weight, the lightest at the left and the heaviest at "
            "the right.",
            "Order the blocks on the table so that they get heavier from left to right.",
        ),
        lambda f, x, y, s: _in_order(f.by_weight),
        weighed=True,
    ),
    "sort_falling": SentenceForm(
        (
            "Sort the blocks on the table by weight, the heaviest at the left and the lightest at "
            "the right.",
            "Order the blocks on the table so that they get lighter from left to right.",
        ),
        lambda f, x, y, s: _in_order(f.by_weight[::-1]),
        weighed=True,
    ),
    "left_of": SentenceForm(
        (
            f"Put {{x}} on the table at least {100 * ASIDE:g} cm further left than {{y}}.",
            f"Let {{x}} lie on the table, {100 * ASIDE:g} cm or more to the left of {{y}}.",
        ),
        _measured("left_of", ASIDE, 1.0),
    ),
    "near": SentenceForm(
        (
            f"Put {{x}} on the table at most {100 * NEAR:g} cm from {{y}}.",
            f"Bring {{x}} and {{y}} together on the table, {100 * NEAR:g} cm apart at most.",
        ),
        _measured("beside", BLOCK, NEAR),
    ),
    "far": SentenceForm(
        (
            f"Put {{x}} on the table at least {100 * FAR:g} cm from {{y}}.",
            f"Keep {{x}} and {{y}} {100 * FAR:g} cm or more apart on the table.",
        ),
        _measured("beside", FAR, 1.0),
    ),
}

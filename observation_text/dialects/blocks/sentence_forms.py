"""Forms of the sentences that instruct an arm, with their goals.

The sentences are those of LLM-POP's Table 1, as printed and reworded. Those of its appendix A.5,
and others by the rules of appendix A.3, are in our own wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ....skills.arm.world import BLOCK
from .instruction_goals import (
    ASIDE,
    EXACT,
    FAR,
    NEAR,
    ToGoal,
    all_at_corners,
    alone_at_corner,
    any_stack,
    at_corner,
    at_either_side,
    exact_stack,
    held,
    held_for,
    in_line,
    in_order,
    measured,
    on,
    stacked,
    two_stacked,
)


@dataclass(frozen=True)
class SentenceForm:
    """A kind of sentence."""

    texts: tuple[str, ...]
    """Its wordings, with {x} and {y} for blocks and {s} for seconds."""
    goal: ToGoal
    """Makes its goal."""
    needs_weights: bool = False
    """Whether the weights of all blocks must be known for the goal."""
    block_counts: tuple[int, ...] = (2, 3)
    """The numbers of blocks in a scene that it suits."""
    printed: tuple[str, ...] = ()
    """Wordings of the paper's Table 1, which are parsed but not used in tasks."""

    @property
    def slots(self) -> int:
        """The number of blocks it names: 0, 1 or 2."""
        return ("{x}" in self.texts[0]) + ("{y}" in self.texts[0])

    @property
    def takes_seconds(self) -> bool:
        """Whether it names a number of seconds."""
        return "{s}" in self.texts[0]


#: The forms by name.
FORMS: Mapping[str, SentenceForm] = {
    "pick": SentenceForm(
        ("Pick up {x}.", "Lift {x} off the table.", "Take {x} into the gripper."),
        lambda f, x, y, s: held(x),
    ),
    "hold": SentenceForm(
        ("Pick up {x} and hold it for {s} seconds.", "Keep {x} in the gripper for {s} seconds."),
        held_for,
    ),
    "corner": SentenceForm(
        ("Pick up {x} and put it at a corner of the table.",),
        lambda f, x, y, s: at_corner(x),
        printed=("Pick up {x} and put it at the table corner.",),
    ),
    "corner_alone": SentenceForm(
        (
            "Move {x}, and no other block, to a corner of the table.",
            "Only {x} is to lie at a corner of the table.",
        ),
        alone_at_corner,
    ),
    "corners": SentenceForm(
        (
            "Move both blocks to corners of the table.",
            "Let both blocks lie at corners of the table.",
        ),
        all_at_corners,
        block_counts=(2,),
        printed=("Move the blocks to the corners of the table.",),
    ),
    "either_side": SentenceForm(
        (
            "Move {x} to a corner at the left of the table and {y} to a corner at its right.",
            "Put {x} at one of the left corners of the table, and {y} at one of the right ones.",
        ),
        at_either_side,
    ),
    "on": SentenceForm(
        (
            "Stack {x} on {y}.",
            "Find {x} and put it on {y}.",
            "Let {y} carry {x}.",
        ),
        lambda f, x, y, s: on(x, y),
    ),
    "stack": SentenceForm(
        ("Stack one block onto the other.", "Maximize the height of the two blocks."),
        any_stack,
        block_counts=(2,),
        printed=("Stack one block onto another.",),
    ),
    "stack_three": SentenceForm(
        ("Stack the three blocks.", "Build the highest tower that the blocks allow."),
        any_stack,
        block_counts=(3,),
    ),
    "stack_two": SentenceForm(
        ("Stack two of the blocks.", "Some block is to stand on another."),
        two_stacked,
        block_counts=(3,),
    ),
    "stack_exactly": SentenceForm(
        (
            f"Stack one block exactly onto the other, with their middles at most "
            f"{1000 * EXACT:g} mm apart, seen from above.",
        ),
        exact_stack,
        block_counts=(2,),
    ),
    "stack_by_weight": SentenceForm(
        (
            "Stack the blocks in order of weight, the heaviest at the bottom.",
            "Build a tower that gets lighter from block to block.",
        ),
        lambda f, x, y, s: stacked(f.by_weight[::-1]),
        needs_weights=True,
        block_counts=(3,),
    ),
    "stack_top_heavy": SentenceForm(
        (
            "Stack the blocks in order of weight, the heaviest at the top.",
            "Build a tower that gets heavier from block to block.",
        ),
        lambda f, x, y, s: stacked(f.by_weight),
        needs_weights=True,
        block_counts=(3,),
    ),
    "line": SentenceForm(
        (
            "Place the blocks on the table in a straight line at equal distances.",
            "One of the blocks is to lie half way between the other two.",
        ),
        in_line,
        block_counts=(3,),
    ),
    "sort": SentenceForm(
        (
            "Sort the blocks on the table by weight, the lightest at the left and the heaviest at "
            "the right.",
            "Order the blocks on the table so that they get heavier from left to right.",
        ),
        lambda f, x, y, s: in_order(f.by_weight),
        needs_weights=True,
    ),
    "sort_falling": SentenceForm(
        (
            "Sort the blocks on the table by weight, the heaviest at the left and the lightest at "
            "the right.",
            "Order the blocks on the table so that they get lighter from left to right.",
        ),
        lambda f, x, y, s: in_order(f.by_weight[::-1]),
        needs_weights=True,
    ),
    "left_of": SentenceForm(
        (
            f"Put {{x}} on the table at least {100 * ASIDE:g} cm further left than {{y}}.",
            f"Let {{x}} lie on the table, {100 * ASIDE:g} cm or more to the left of {{y}}.",
        ),
        measured("left_of", ASIDE, 1.0),
    ),
    "near": SentenceForm(
        (
            f"Put {{x}} on the table at most {100 * NEAR:g} cm from {{y}}.",
            f"Bring {{x}} and {{y}} together on the table, {100 * NEAR:g} cm apart at most.",
        ),
        measured("beside", BLOCK, NEAR),
    ),
    "far": SentenceForm(
        (
            f"Put {{x}} on the table at least {100 * FAR:g} cm from {{y}}.",
            f"Keep {{x}} and {{y}} {100 * FAR:g} cm or more apart on the table.",
        ),
        measured("beside", FAR, 1.0),
    ),
}

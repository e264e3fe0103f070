"""Instructions to an arm before blocks: sentences, and their goals.

A sentence names blocks ("the heavier block") and a task. Its goal depends on the facts: a suite
knows the true ones, a planner those it has measured. Tags before a sentence mark unusual scenes:
<mass> the blocks weigh differently, <fix> some are fixed to the table, <three> there are three.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ....data_files import read_yaml
from ....scene_graph.goals import Goal
from ....skills.arm.blocks.block_graph import FIRST_BLOCK
from ....skills.arm.blocks.world import BLOCK
from .instruction_goals import (
    ASIDE,
    FAR,
    NEAR,
    BlockFacts,
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

_TAGS = re.compile(r"^(?:<\w+>)*\s*")
#: Variants of "the heavier block.": "the heavier one." and "the heavier.".
_ELLIPSIS = re.compile(r" one\.$|(?<=lighter)\.$|(?<=heavier)\.$")


@dataclass(frozen=True)
class BlockDescription:
    """A phrase for one of the blocks.

    find: the block that it describes, or None. needs_weights, needs_movability: whether weights or
    movability must be known to find it. block_counts: the numbers of blocks in a scene that it
    suits.
    """

    find: Callable[[BlockFacts], int | None]
    needs_weights: bool = False
    needs_movability: bool = False
    block_counts: tuple[int, ...] = (2, 3)


def _by_weight(place: int, blocks: int) -> BlockDescription:
    """The block at a place in the order by weight, of so many blocks."""
    return BlockDescription(
        lambda facts: facts.by_weight[place], needs_weights=True, block_counts=(blocks,)
    )


def _movable(place: int) -> BlockDescription:
    """The same of several movable blocks."""
    return BlockDescription(
        lambda facts: facts.movable[place] if len(facts.movable) > 1 else None, True, True, (3,)
    )


def _only(some: Callable[[BlockFacts], Collection[int]], blocks: int) -> BlockDescription:
    """The only one of some blocks, of so many in all."""
    return BlockDescription(
        lambda facts: next(iter(some(facts))) if len(some(facts)) == 1 else None,
        needs_movability=True,
        block_counts=(blocks,),
    )


def _named(block: int, *block_counts: int) -> BlockDescription:
    return BlockDescription(
        lambda facts: block if block in facts.blocks else None, block_counts=block_counts
    )


#: The descriptions by phrase.
DESCRIPTIONS: Mapping[str, BlockDescription] = {
    "the lighter block": _by_weight(0, 2),
    "the heavier block": _by_weight(-1, 2),
    "the lightest block": _by_weight(0, 3),
    "the heaviest block": _by_weight(-1, 3),
    "the block of medium weight": _by_weight(1, 3),
    "the movable block": _only(lambda facts: facts.movable, 2),
    "the fixed block": _only(lambda facts: facts.fixed, 2),
    "the only movable block": _only(lambda facts: facts.movable, 3),
    "the only fixed block": _only(lambda facts: facts.fixed, 3),
    "the lightest of the movable blocks": _movable(0),
    "the heaviest of the movable blocks": _movable(-1),
    "cubeA": _named(FIRST_BLOCK, 2, 3),
    "cubeB": _named(FIRST_BLOCK + 1, 2, 3),
    "cubeC": _named(FIRST_BLOCK + 2, 3),
}


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


#: The goals of the forms. f: the facts; x, y: blocks; s: seconds.
_GOALS: Mapping[str, ToGoal] = {
    "pick": lambda f, x, y, s: held(x),
    "hold": held_for,
    "corner": lambda f, x, y, s: at_corner(x),
    "corner_alone": alone_at_corner,
    "corners": all_at_corners,
    "either_side": at_either_side,
    "on": lambda f, x, y, s: on(x, y),
    "stack": any_stack,
    "stack_three": any_stack,
    "stack_two": two_stacked,
    "stack_exactly": exact_stack,
    "stack_by_weight": lambda f, x, y, s: stacked(f.by_weight[::-1]),
    "stack_top_heavy": lambda f, x, y, s: stacked(f.by_weight),
    "line": in_line,
    "sort": lambda f, x, y, s: in_order(f.by_weight),
    "sort_falling": lambda f, x, y, s: in_order(f.by_weight[::-1]),
    "left_of": measured("left_of", ASIDE, 1.0),
    "near": measured("beside", BLOCK, NEAR),
    "far": measured("beside", FAR, 1.0),
}


#: The forms by name.
FORMS: Mapping[str, SentenceForm] = {
    name: SentenceForm(
        tuple(form["texts"]),
        _GOALS[name],
        form.get("needs_weights", False),
        tuple(form.get("block_counts", (2, 3))),
        tuple(form.get("printed", ())),
    )
    for name, form in read_yaml(Path(__file__).with_name("sentence_forms.yaml")).items()
}


@dataclass(frozen=True)
class BlockInstruction:
    """A parsed sentence. form: a key of FORMS; x, y: keys of DESCRIPTIONS, or ""."""

    form: str
    x: str = ""
    y: str = ""
    seconds: float = 0.0

    @property
    def descriptions(self) -> tuple[BlockDescription, ...]:
        """The descriptions of the blocks that it names."""
        return tuple(DESCRIPTIONS[name] for name in (self.x, self.y) if name)

    @property
    def needs_weights(self) -> bool:
        """Whether its goal depends on weights."""
        return FORMS[self.form].needs_weights or any(
            each.needs_weights for each in self.descriptions
        )

    def texts(self) -> tuple[str, ...]:
        """List all wordings of the sentence, without tags."""
        values = {"x": self.x, "y": self.y, "s": f"{self.seconds:g}"}
        return tuple(text.format(**values) for text in FORMS[self.form].texts)

    def goal(self, facts: BlockFacts) -> Goal | None:
        """Make its goal; None if a description fits no block, or both fit the same one."""
        blocks = [description.find(facts) for description in self.descriptions]
        if None in blocks or len(set(blocks)) < len(blocks):
            return None
        x, y, *_ = (*(block for block in blocks if block is not None), 0, 0)
        return FORMS[self.form].goal(facts, x, y, self.seconds)


def parse_instruction(instruction: str) -> BlockInstruction | None:
    """Parse an instruction with its tags; None if it is no known sentence."""
    sentence = _ELLIPSIS.sub(" block.", _TAGS.sub("", instruction.strip()))
    for name, pattern in _patterns():
        match = pattern.fullmatch(sentence)
        if match is not None:
            parts = match.groupdict()
            seconds = float(parts.get("s") or 0.0)
            return BlockInstruction(name, parts.get("x") or "", parts.get("y") or "", seconds)
    return None


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    blocks = "|".join(DESCRIPTIONS)
    places = {
        r"\{x\}": f"(?P<x>{blocks})",
        r"\{y\}": f"(?P<y>{blocks})",
        r"\{s\}": r"(?P<s>\d{1,3})",
    }
    patterns = []
    for name, form in FORMS.items():
        for text in (*form.texts, *form.printed):
            pattern = re.escape(text)
            for place, matched in places.items():
                pattern = pattern.replace(place, matched)
            patterns.append((name, re.compile(pattern)))
    return patterns

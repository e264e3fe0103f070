"""Instructions to an arm before blocks: sentences, and their goals.

A sentence names blocks ("the heavier block") and a task. Its goal depends on the facts: a suite
knows the true ones, a planner those it has measured. Tags before a sentence mark unusual scenes:
<mass> the blocks weigh differently, <fix> some are fixed to the table, <three> there are three.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ....scene_graph.goals import Goal
from .block_descriptions import DESCRIPTIONS, BlockDescription, BlockFacts
from .sentence_forms import FORMS

_TAGS = re.compile(r"^(?:<\w+>)*\s*")
#: Variants of "the heavier block.": "the heavier one." and "the heavier.".
_ELLIPSIS = re.compile(r" one\.$|(?<=lighter)\.$|(?<=heavier)\.$")


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

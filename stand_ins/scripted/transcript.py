"""What a planner's messages come to, whatever their format, and what is answered to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Turn:
    """Something that was said to be done, and what was told then."""

    action: str
    observation: str


@dataclass(frozen=True)
class Transcript:
    """An episode as its messages tell it, perhaps with a gap.

    options: the actions on offer now, None where nothing says so. said: how the planner says the
    names that stand otherwise here. hands: how many things one can hold. hand_to_open: whether
    opening takes an empty one.
    """

    instruction: str
    first: str
    turns: tuple[Turn, ...]
    options: tuple[str, ...] | None
    said: Mapping[str, str] = field(default_factory=dict)
    hands: int = 2
    hand_to_open: bool = False


@dataclass(frozen=True)
class Choice:
    """What to do next, and why in a sentence."""

    thought: str
    action: str


DONE = "done"
GIVE_UP = "give up"

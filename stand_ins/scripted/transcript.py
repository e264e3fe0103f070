"""An episode as a planner's messages tell it, whatever their format, and what is chosen then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .household.requirements import Table

#: Actions of no simulator.
DONE = "done"
GIVE_UP = "give up"


@dataclass(frozen=True)
class Turn:
    """An action and the observation after it."""

    action: str
    observation: str


@dataclass(frozen=True)
class Transcript:
    """An episode so far, perhaps with a gap.

    first: the observation before any action. options: the actions on offer now, None where nothing
    says so. wording: names or actions that were translated, with how the planner words them.
    hands: how many things one can hold. opening_needs_hand: an empty one. not_looked_at: the places
    or rooms that the last observation to list any has as left to be looked at, in its order.
    thinks_of_rest: thoughts are what is left to be done, which a small model can learn.
    """

    instruction: str
    first: str
    turns: tuple[Turn, ...]
    options: tuple[str, ...] | None
    wording: Mapping[str, str] = field(default_factory=dict)
    hands: int = 2
    opening_needs_hand: bool = False
    not_looked_at: tuple[str, ...] = ()
    thinks_of_rest: bool = False


@dataclass(frozen=True)
class Choice:
    """What to do next, and why in a sentence."""

    thought: str
    action: str


@dataclass(frozen=True)
class Sampled:
    """What chooses by the table and the seed of a sample; None where chance has no part in it."""

    choose: Callable[[Table, int | None], Choice]

"""Embodiments: the limits of an agent's body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .actions import Verb


@dataclass(frozen=True)
class Embodiment:
    """The limits of a body and of the places it works with."""

    hands: int = 2
    """How many things it can hold."""
    needs_free_hand: frozenset[Verb] = frozenset()
    """Verbs refused while every hand is full."""
    capacity: Mapping[str, int] = field(default_factory=dict)
    """How many things a place of a category takes; unlimited by default."""
    needs_tool: bool = True
    """Whether slicing needs a knife in hand."""
    accepts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The categories of things that a place of a category takes; all by default."""
    closed_to_run: frozenset[str] = frozenset()
    """The categories that run only while closed."""
    seats: Mapping[Verb, Mapping[str, int]] = field(default_factory=dict)
    """For sit or lie_down, how many things a seat of a category takes, including the agent; by
    default one. A verb that is absent has no limit.
    """
    approaches: bool = False
    """Whether it walks by itself to its target within the room."""
    blocked_by_fronts: bool = False
    """Whether doors and drawers that stand open may get in its way."""

    def may_put(self, thing: str, place: str) -> bool:
        """Whether things of a category may be put at places of another."""
        things = self.accepts.get(place)
        return things is None or thing in things

    def categories(self) -> frozenset[str]:
        """All categories with a limit."""
        things = frozenset().union(*self.accepts.values())
        seats = frozenset().union(*self.seats.values())
        return things | seats | {*self.accepts, *self.capacity, *self.closed_to_run}

"""Embodiments: the limits of an agent's body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .actions import Verb


@dataclass(frozen=True)
class Embodiment:
    """The limits of a body and of the places it works with.

    hands: how many things it can hold. needs_free_hand: verbs refused while every hand is full.
    capacity: how many things a place of a category takes; others take any number.
    needs_tool: whether slicing needs a knife in hand.
    accepts: the categories of things that may be put at a place of a category; others accept all.
    closed_to_run: the categories of what can be turned on only while it is closed.
    seats: by verb, sit or lie_down, how many things a seat of a category takes, the agent among
    them; other seats take one. For a verb that is not there seats have no limit.
    approaches: whether it goes by itself to what it acts on, anywhere in the room it stands in.
    """

    hands: int = 2
    needs_free_hand: frozenset[Verb] = frozenset()
    capacity: Mapping[str, int] = field(default_factory=dict)
    needs_tool: bool = True
    accepts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    closed_to_run: frozenset[str] = frozenset()
    seats: Mapping[Verb, Mapping[str, int]] = field(default_factory=dict)
    approaches: bool = False

    def may_put(self, thing: str, place: str) -> bool:
        """Whether things of a category may be put at places of another."""
        things = self.accepts.get(place)
        return things is None or thing in things

    def categories(self) -> frozenset[str]:
        """The categories of which the limits say something; all others are alike."""
        things = frozenset().union(*self.accepts.values())
        seats = frozenset().union(*self.seats.values())
        return things | seats | {*self.accepts, *self.capacity, *self.closed_to_run}

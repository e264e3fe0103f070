"""What has happened in an episode, for goals that a state alone cannot show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    name: an action's verb ("turn_on") or what came of it ("heated", "measured").
    things: the node ids concerned, in the order of the action's arguments.
    step: the step of the episode, from 1. value: a duration in s, a force in N …, where one counts.
    """

    name: str
    things: tuple[int, ...]
    step: int
    value: float | None = None

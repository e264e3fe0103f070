"""Events of an episode, for goals that a state alone cannot show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in an episode.

    name: a verb ("turn_on") or an effect ("heated", "measured"). things: node ids, in the order of
    the action's arguments. step: from 1. value: such as seconds or newtons; None if there is none.
    """

    name: str
    things: tuple[int, ...]
    step: int
    value: float | None = None

"""Sightings: where an agent saw a thing last, as a dialect is given them to tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Named(NamedTuple):
    """A name before a dialect words it: ("kitchen table", 1)."""

    category: str
    number: int


@dataclass(frozen=True)
class Sighting:
    """Where a thing was seen last.

    place: the furniture that kept it, else the nearest thing that did; None for what stood free.
    room: None where it is not known. held: the agent has it in hand. gone: the place was seen again
    without it.
    """

    thing: Named
    place: Named | None = None
    room: Named | None = None
    held: bool = False
    gone: bool = False

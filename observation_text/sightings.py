"""Sightings: where an agent last saw a thing, as input of dialects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Named(NamedTuple):
    """A name before a dialect words it: ("kitchen table", 1)."""

    category: str
    number: int


@dataclass(frozen=True)
class Sighting:
    """Where a thing was last seen."""

    thing: Named
    """Its name."""
    place: Named | None = None
    """The furniture that kept it, else the nearest place; None for a free-standing thing."""
    room: Named | None = None
    """None if unknown."""
    held: bool = False
    """Whether the agent holds it."""
    gone: bool = False
    """Whether the place was seen again without it."""

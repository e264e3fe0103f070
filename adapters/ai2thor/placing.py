"""Where things may be put, as the simulator has it, by our categories."""

from __future__ import annotations

from .object_types import category_of
from .receptacles import ALLOWED, ONE_SLOT


def _takes() -> dict[str, frozenset[str]]:
    """By thing the places that take it; pieces go where what they are pieces of goes, and more."""
    found: dict[str, frozenset[str]] = {}
    for thing, places in ALLOWED.items():
        category = category_of(thing)
        found[category] = found.get(category, frozenset()) | frozenset(map(category_of, places))
    return found


#: See `Embodiment.takes` and `Embodiment.capacity`.
TAKES = _takes()
CAPACITY = {category_of(place): 1 for place in ONE_SLOT}

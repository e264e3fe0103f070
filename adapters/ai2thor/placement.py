"""The simulator's rules of where things may be put.

Without `forceAction` it goes by a table of types. ALFRED's tasks were made with force, and ask for
pencils in bowls; so what the table refuses is put down with force here as well. What takes one
thing only takes nothing but what it is for, force or not.
"""

from __future__ import annotations

from .object_types import category_of
from .receptacles import ONE_SLOT, allowed

#: See `Embodiment.capacity` and `Embodiment.accepts`.
CAPACITY = {category_of(place): 1 for place in ONE_SLOT}
TAKES = {
    category_of(place): frozenset(map(category_of, things)) for place, things in ONE_SLOT.items()
}


def needs_force(thing: str, place: str) -> bool:
    """Whether things of a type are put at places of another only by force."""
    return not allowed(thing, place)

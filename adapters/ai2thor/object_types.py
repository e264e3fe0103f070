"""The types of iTHOR's objects: their names in English, and how they keep things."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from ...scene_graph.node import Affordance

#: Types that keep things inside; all other receptacles keep them on top.
CONTAINERS = frozenset(
    {
        "BathtubBasin",
        "Bowl",
        "Box",
        "Cabinet",
        "Cup",
        "Drawer",
        "Fridge",
        "GarbageCan",
        "LaundryHamper",
        "Microwave",
        "Mug",
        "Pan",
        "Pot",
        "Safe",
        "Sink",
        "SinkBasin",
        "Toaster",
    }
)
#: What is part of the building: one stands on it, or looks past it.
BUILDING = frozenset({"Floor", "Wall", "Ceiling", "Room"})
#: What changes other things by its use, as ALFRED has it.
TREATING = {
    "Knife": Affordance.CUTS,
    "ButterKnife": Affordance.CUTS,
    "Microwave": Affordance.HEATS,
    "Fridge": Affordance.COOLS,
}
#: What the water of a faucet runs into. Only that of a sink cleans, as ALFRED has it.
SINK_BASIN = "SinkBasin"
BASINS = frozenset({SINK_BASIN, "BathtubBasin"})
#: What one looks at things in the light of.
LAMPS = frozenset({"DeskLamp", "FloorLamp"})
#: Types that are called otherwise since ALFRED: the same objects, by their names in the scenes.
RENAMED = {"Glassbottle": "Bottle"}
_PIECES = {"EggCracked": "Egg"}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def type_among(wanted: str, there: Collection[str]) -> str | None:
    """What a type of ALFRED's is called among some types; None where it is not there."""
    return next((name for name in (wanted, RENAMED.get(wanted)) if name in there), None)


@lru_cache(maxsize=1024)
def whole_of(object_type: str) -> str:
    """The type that a piece is a piece of ("Apple" of "AppleSliced"); of others their own."""
    return _PIECES.get(object_type) or object_type.removesuffix("Sliced")


@lru_cache(maxsize=1024)
def category_of(object_type: str) -> str:
    """A type in English: "counter top" of "CounterTop", "tv stand" of "TVStand".

    Pieces have the category of what they are pieces of, and the state SLICED.
    """
    return _WORDS.sub(" ", whole_of(object_type)).lower()

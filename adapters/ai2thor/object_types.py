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
#: Parts of the building, which get no node.
BUILDING = frozenset({"Floor", "Wall", "Ceiling", "Room"})
#: Appliances that change other things, as in ALFRED.
TREATING = {
    "Knife": Affordance.CUTS,
    "ButterKnife": Affordance.CUTS,
    "Microwave": Affordance.HEATS,
    "Fridge": Affordance.COOLS,
}
#: Basins of faucets. Only a sink's basin cleans, as in ALFRED.
SINK_BASIN = "SinkBasin"
BASINS = frozenset({SINK_BASIN, "BathtubBasin"})
#: Lamps under which things are examined.
LAMPS = frozenset({"DeskLamp", "FloorLamp"})
#: Types renamed since ALFRED.
RENAMED = {"Glassbottle": "Bottle"}
_PIECES = {"EggCracked": "Egg"}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def type_among(wanted: str, there: Collection[str]) -> str | None:
    """The present name of an ALFRED type among some types; None if it is absent."""
    return next((name for name in (wanted, RENAMED.get(wanted)) if name in there), None)


@lru_cache(maxsize=1024)
def whole_of(object_type: str) -> str:
    """The type of the whole ("Apple" from "AppleSliced"); any other type unchanged."""
    return _PIECES.get(object_type) or object_type.removesuffix("Sliced")


@lru_cache(maxsize=1024)
def category_of(object_type: str) -> str:
    """A type in English: "counter top" from "CounterTop", "tv stand" from "TVStand".

    Pieces have the category of the whole, and the state SLICED.
    """
    return _WORDS.sub(" ", whole_of(object_type)).lower()

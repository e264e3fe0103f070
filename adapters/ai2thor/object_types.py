"""The types of iTHOR's objects: their names in English, how they keep things, where they may go."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...data_files import read_yaml
from ...scene_graph.node import Affordance


def _sets(types: dict[str, str], letters: dict[str, str]) -> dict[str, frozenset[str]]:
    """Types by each of the types in a key."""
    return {
        name: frozenset(" ".join(letters.get(word, word) for word in places.split()).split())
        for names, places in types.items()
        for name in names.split()
    }


_DATA: dict[str, Any] = read_yaml(Path(__file__).with_name("object_types.yaml"))
#: Types that keep things inside; all other receptacles keep them on top.
CONTAINERS = frozenset(_DATA["containers"].split())
#: Parts of the building, which get no node.
BUILDING = frozenset(_DATA["building"].split())
#: By type, the receptacle types that it may be placed in; other types may go anywhere.
ALLOWED = _sets(_DATA["allowed"], _DATA["letters"])
#: Receptacles with one slot, and the types that fit.
ONE_SLOT = _sets(_DATA["one_slot"], {})
#: Receptacles that must be open for a put.
MUST_BE_OPEN = frozenset(_DATA["must_be_open"].split())
#: Receptacles whose free spots may be far from the agent.
PLACES_ANYWHERE = frozenset(_DATA["places_anywhere"].split())
#: The height of things in them as a fraction of the height of their box; 1 by default.
LEVELS: dict[str, list[float]] = _DATA["levels"]
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


def pose_type(object_name: str) -> str:
    """The type of an object's name: "Mug" from "Mug_1b2c3d4e"."""
    return object_name.split("_")[0]


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


def allowed(object_type: str, receptacle_type: str) -> bool:
    """Whether the table allows a type at receptacles of another type."""
    places = ALLOWED.get(object_type)
    return places is None or receptacle_type in places

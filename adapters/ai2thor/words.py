"""AI2-THOR's object types in plain English, and how each receptacle takes things."""

from __future__ import annotations

import re
from functools import cache

from ...scene_graph.node import Relation

#: Receptacles that things are put into; onto all others
#: (the simulator's own InReceptacles and OnReceptacles, and what is alike).
TAKES_IN = frozenset(
    {
        "BathtubBasin",
        "Bowl",
        "Box",
        "Cabinet",
        "CoffeeMachine",
        "Cup",
        "Drawer",
        "Fridge",
        "GarbageBag",
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
#: The end of the type of a piece: "AppleSliced" is cut from an "Apple".
SLICED = "Sliced"

_BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def category(object_type: str) -> str:
    """ "counter top" of "CounterTop", "tv stand" of "TVStand"."""
    return _BETWEEN.sub(" ", object_type).lower()


def put_relation(receptacle: str) -> Relation:
    """How things are put at a receptacle of an object type."""
    return Relation.INSIDE if receptacle in TAKES_IN else Relation.ON

"""The scene loader "house": generated houses by number, such as "house:3".

The house of a number is always the same. Houses 1, 7, 13 … have three rooms, 2, 8, 14 … four, and
so on to eight; "house:3?rooms=40" has the given number. A house has about 45 nodes per room, a
large one about 28. "house:3?small" has a kitchen and one more room with few things, so that
searches are short. "house:3?lived_in" has four to seven rooms that are furnished and kept as people
do it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ....errors import BadInput
from ....scene_graph.graph import SceneGraph
from ..graph_import import to_scene_graph
from .generate import generate, generate_small
from .rules import LIVED_IN, RULES

LEAST = len(RULES.always)
MOST = 1000
_SIZES = range(LEAST, 9)
_LIVED_IN_SIZES = range(len(LIVED_IN.always), 8)


def load(reference: str) -> SceneGraph:
    """The scene graph of a house. Raises BadInput."""
    return to_scene_graph(read(reference), f"house:{reference}")


@lru_cache(maxsize=8)
def read(reference: str) -> dict[str, Any]:
    """The VirtualHome graph of a house. Cached and shared: must not be modified."""
    pattern = r"([1-9]\d{0,8})(?:\?(?:rooms=(\d{1,4})|(small)|(lived_in)))?"
    asked = re.fullmatch(pattern, reference, re.ASCII)
    if asked is None:
        raise BadInput(
            f"There is no house '{reference}'; give its number, from 1, and optionally its sort: "
            f"house:3, house:3?lived_in, house:3?rooms=40 or house:3?small."
        )
    number, rooms, small, lived_in = asked.groups()
    if small:
        return generate_small(int(number))
    if lived_in:
        return generate(int(number), _size(int(number), _LIVED_IN_SIZES), LIVED_IN)
    count = int(rooms) if rooms else _size(int(number), _SIZES)
    if not LEAST <= count <= MOST:
        raise BadInput(
            f"The house '{reference}' cannot have {count} rooms; give from {LEAST} to {MOST}."
        )
    return generate(int(number), count)


def _size(number: int, sizes: range) -> int:
    """The number of rooms of a house, the sizes in turn."""
    return sizes[(number - 1) % len(sizes)]

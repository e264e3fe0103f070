"""The scene loader "house": generated houses by number, such as "house:3".

The house of a number is always the same. Houses 1, 7, 13 … have three rooms, 2, 8, 14 … four, and
so on to eight; "house:3?rooms=40" has the given number. A house has about 45 nodes per room, a
large one about 28. "house:3?small" has a kitchen and one more room with few things, so that
searches are short.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ....errors import BadInput
from ....scene_graph.graph import SceneGraph
from ..graph_import import to_scene_graph
from .generate import generate, generate_small
from .rules import ALWAYS

LEAST = len(ALWAYS)
MOST = 1000
_SIZES = range(LEAST, 9)


def load(reference: str) -> SceneGraph:
    """The scene graph of a house. Raises BadInput."""
    return to_scene_graph(read(reference), f"house:{reference}")


@lru_cache(maxsize=8)
def read(reference: str) -> dict[str, Any]:
    """The VirtualHome graph of a house. Cached and shared: must not be modified."""
    pattern = r"([1-9]\d{0,8})(?:\?(?:rooms=(\d{1,4})|(small)))?"
    asked = re.fullmatch(pattern, reference, re.ASCII)
    if asked is None:
        raise BadInput(
            f"There is no house '{reference}'; give its number, from 1, and optionally its size: "
            f"house:3, house:3?rooms=40 or house:3?small."
        )
    number, rooms, small = asked.groups()
    if small:
        return generate_small(int(number))
    count = int(rooms) if rooms else _SIZES[(int(number) - 1) % len(_SIZES)]
    if not LEAST <= count <= MOST:
        raise BadInput(
            f"The house '{reference}' cannot have {count} rooms; give from {LEAST} to {MOST}."
        )
    return generate(int(number), count)

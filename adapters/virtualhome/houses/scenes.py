"""The scene loader "house": generated houses by their number, such as "house:3".

A house of a number is the same everywhere and for good. Houses 1, 7, 13 … have three rooms, 2, 8,
14 … four, and so on to eight; "house:3?rooms=40" has as many as asked for. A house has about 45
nodes a room, a large one about 28. "house:3?small" has a kitchen and one more room, with little in
them: what is looked for there is found soon.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ....errors import BadInput
from ....scene_graph.graph import SceneGraph
from ..graph_import import to_scene_graph
from .generate import generate, generate_small
from .rooms import ALWAYS

LEAST = len(ALWAYS)
MOST = 1000
_SIZES = range(LEAST, 9)


def load(reference: str) -> SceneGraph:
    """The scene graph of a house. Raises BadInput."""
    return to_scene_graph(read(reference), f"house:{reference}")


@lru_cache(maxsize=8)
def read(reference: str) -> dict[str, Any]:
    """The same house as a VirtualHome graph. Cached and shared: not to be changed."""
    pattern = r"([1-9]\d{0,8})(?:\?(?:rooms=(\d{1,4})|(small)))?"
    asked = re.fullmatch(pattern, reference, re.ASCII)
    if asked is None:
        raise BadInput(
            f"There is no house '{reference}'; give its number, from 1, and how many rooms it is "
            f"to have unless you leave that to the number: house:3, house:3?rooms=40 or "
            f"house:3?small."
        )
    number, rooms, small = asked.groups()
    if small:
        return generate_small(int(number))
    count = int(rooms) if rooms else _SIZES[(int(number) - 1) % len(_SIZES)]
    if not LEAST <= count <= MOST:
        raise BadInput(
            f"The house '{reference}' is to have {count} rooms; give from {LEAST} to {MOST}."
        )
    return generate(int(number), count)

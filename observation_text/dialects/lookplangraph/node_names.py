"""Names and states of nodes in texts that describe a scene graph: `wicker_basket-1`.

After Onishchenko et al., LookPlanGraph (2025), appendix C: the category with underscores, a hyphen
and a number, which is that of the episode's names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ....scene_graph.node import Affordance, Node, State

#: A category, then a number after a hyphen, blank or underscore, or in parentheses.
_NAME = re.compile(r"(.*[^\W_])(?:[\s_-]+([1-9]\d{0,8})|[\s_-]*\(([1-9]\d{0,8})\))", re.ASCII)
#: The states in texts, in order. Usual states (clean, plugged in) are left out.
_SHOWN = (
    State.OPEN,
    State.CLOSED,
    State.ON,
    State.OFF,
    State.PLUGGED_OUT,
    State.DIRTY,
    State.HOT,
    State.COLD,
    State.SLICED,
    State.FILLED,
    State.COOKED,
    State.BROKEN,
)
#: States that are shown only for things with the affordance.
_ONLY_WITH = {
    State.OPEN: Affordance.OPENABLE,
    State.CLOSED: Affordance.OPENABLE,
    State.ON: Affordance.SWITCHABLE,
    State.OFF: Affordance.SWITCHABLE,
}


class NodeName(NamedTuple):
    """A name in two parts; stem: the category with underscores, "wicker_basket"."""

    stem: str
    number: int

    def __str__(self) -> str:
        return f"{self.stem}-{self.number}"


@lru_cache(maxsize=4096)
def stem(category: str) -> str:
    """The part of a name before its hyphen: "wicker_basket" from "wicker basket"."""
    return re.sub(r"[\W_]+", "_", category.lower()).strip("_")


def read(text: str) -> NodeName | None:
    """Read a name; letter case and separators are ignored. None if it is no name."""
    match = _NAME.fullmatch(text.strip().strip("\"'`"))
    return None if match is None else NodeName(stem(match[1]), int(match[2] or match[3]))


def states_of(node: Node) -> list[str]:
    """The states of a thing in texts, as words."""
    return [
        str(state).replace("_", " ")
        for state in _SHOWN
        if state in node.states
        and (state not in _ONLY_WITH or _ONLY_WITH[state] in node.affordances)
    ]

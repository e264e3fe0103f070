"""The names of nodes in scene graphs for language models: `wicker_basket-1`.

After Onishchenko et al., LookPlanGraph (2025), appendix C: the category with underscores, a hyphen
and a number, which is that of the episode's names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

#: A category, and a number after a hyphen, blank or underscore, or in parentheses.
_NAME = re.compile(r"(.*[^\W_])(?:[\s_-]+([1-9]\d{0,8})|[\s_-]*\(([1-9]\d{0,8})\))", re.ASCII)


class NodeName(NamedTuple):
    """A name in its parts; stem: the category as names have it, "wicker_basket"."""

    stem: str
    number: int

    def __str__(self) -> str:
        return f"{self.stem}-{self.number}"


@lru_cache(maxsize=4096)
def stem(category: str) -> str:
    """The part of a name before its hyphen: "wicker_basket" of "wicker basket"."""
    return re.sub(r"[\W_]+", "_", category.lower()).strip("_")


def read(text: str) -> NodeName | None:
    """Read a name, of which case and the marks between its words are free; None for no name."""
    found = _NAME.fullmatch(text.strip().strip("\"'`"))
    return None if found is None else NodeName(stem(found[1]), int(found[2] or found[3]))

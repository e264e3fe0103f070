"""The names of a game's things, as ALFWorld makes them of their ids.

"cabinet_bar__minus_00_dot_43…" is one of the cabinets. Each kind is numbered from the end of the
sorted ids, so that the first id has the highest number. An id without a place in it, such as
"candle", has no number: its name is "candle ".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_BAR = "_bar_"
_BASIN = "basin"
_SIGNS = {"_bar_": "|", "_minus_": "-", "_plus_": "+", "_dot_": ".", "_comma_": ","}


class Name(NamedTuple):
    """The name of a thing."""

    kind: str
    """Such as "cabinet"."""
    number: int
    """From 1; 0 for a thing without a number."""

    def __str__(self) -> str:
        return f"{self.kind} {self.number or ''}"


def names_of(ids: Iterable[str]) -> Mapping[str, Name]:
    """The names of things by id."""
    ordered = sorted(ids)
    left = Counter(map(_kind, filter(_has_number, ordered)))
    names: dict[str, Name] = {}
    for each in ordered:
        kind = _kind(each)
        if _has_number(each):
            names[each] = Name(kind, left[kind])
            left[kind] -= 1
        else:
            names[each] = Name(kind, 0)
    return names


def _has_number(thing: str) -> bool:
    return _BAR in thing


def _kind(thing: str) -> str:
    if not _has_number(thing):
        for word, sign in _SIGNS.items():
            thing = thing.replace(word, sign)
        return thing
    return thing.partition(_BAR)[0] + (_BASIN if _BASIN in thing else "")

"""Names as models write them, matched with those of areas and objects."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_SEPARATORS = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SUFFIX = re.compile(r"(?:_\d+)+$")


def normalised(said: str) -> str:
    """A name in lower case, its words and numbers joined by "_"; empty where it has none."""
    return _SEPARATORS.sub("_", _CAMEL.sub("_", said)).strip("_").lower()


def without_number(name: str) -> str:
    """A normalised name without the numbers at its end."""
    return _SUFFIX.sub("", name) or name


def matched(said: str, known: Iterable[str]) -> str | None:
    """The known name that is meant; None where it is none or there are several.

    It is the one that is written the same, else the one with the same letters and numbers, else the
    one with the same letters, both without the numbers at the end.
    """
    names = list(known)
    if said in names:
        return said
    for way in (_letters, lambda name: _letters(without_number(normalised(name)))):
        found = [name for name in names if way(name) == way(said)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def object_named(said: str, seen: Iterable[str]) -> str:
    """The object in view that is meant, the first of several; else the name of an unseen one."""
    names = sorted(seen)
    found = matched(said, names)
    if found is not None:
        return found
    plain = without_number(normalised(said))
    alike = [name for name in names if without_number(normalised(name)) == plain]
    return alike[0] if alike else plain


def _letters(name: str) -> str:
    """The letters and numbers of a name, in lower case."""
    return _SEPARATORS.sub("", name).lower()


def nearest(said: str, known: Iterable[str]) -> str:
    """Such as " Near to it: cutlery_drawer."; empty where nothing is near."""
    near = difflib.get_close_matches(normalised(said), list(known), n=3, cutoff=0.5)
    return f" Near to it: {', '.join(near)}." if near else ""

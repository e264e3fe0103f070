"""What instructions ask for: the table that takes the place of understanding language.

JSON data in the form that `peephole.episodes.instruction_table` describes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

#: The agent among things.
YOU = "you"
#: Whatever lies at a place.
ANYTHING = "anything"


@dataclass(frozen=True)
class Term:
    """What an instruction calls a thing.

    categories: of which any will do. named: the how many-th of them that the instruction names it
    is, from 1; None where it names none. which: tells it from others of its categories that are
    asked for; terms with the same number mean the same thing. 0: any will do. room: the room that
    it is in, by its category or name; "" where that is not said.
    """

    categories: tuple[str, ...]
    named: int | None = None
    which: int = 0
    room: str = ""


@dataclass(frozen=True)
class Requirement:
    """One thing asked for, by the fields of the table."""

    relation: str
    thing: Term | None = None
    place: Term | None = None
    count: int | None = 1
    """None for all there are."""
    state: str = ""
    verbs: tuple[str, ...] = ()
    origin: str = ""
    """The category of where the things lie; "" where the instruction does not say."""
    room: str = ""
    """The category of the room that the things are in."""
    negated: bool = False
    """It is not to be so."""
    meaning: int = 0
    """Of an instruction that several tasks have, the how many-th it belongs to."""


Meaning = tuple[Requirement, ...]
Table = Mapping[str, Meaning]


def to_table(data: Mapping[str, Any]) -> Table:
    """The table of JSON data."""
    return {_plain(key): tuple(map(_requirement, entries)) for key, entries in data.items()}


def meanings_of(table: Table, instruction: str) -> list[Meaning]:
    """All that an instruction may ask for, the commonest first; empty where it is not there."""
    requirements = table.get(_plain(instruction), ())
    numbers = sorted({required.meaning for required in requirements})
    return [tuple(r for r in requirements if r.meaning == number) for number in numbers]


def requirements_of(table: Table, instruction: str) -> Meaning:
    """What an instruction asks for as a rule; empty where the table does not have it."""
    return next(iter(meanings_of(table, instruction)), ())


def terms_of(requirements: Sequence[Requirement]) -> list[Term]:
    """All things and places that requirements speak of."""
    return [term for r in requirements for term in (r.thing, r.place) if term is not None]


@lru_cache(maxsize=4096)  # it is asked again for every thing that is known
def named_in(instruction: str, category: str) -> tuple[str, ...]:
    """The things of a category that an instruction names, such as "apple 3", in its order."""
    found = re.findall(rf"(?<!\w){re.escape(category)} \d+(?!\w)", instruction, re.IGNORECASE)
    return tuple(dict.fromkeys(name.lower() for name in found))


def category(name: str) -> str:
    """The category of a name: "apple" of "apple 3"."""
    kind, _, number = name.rpartition(" ")
    return kind if kind and number.isdigit() else name


def _plain(instruction: str) -> str:
    return " ".join(instruction.split()).lower()


def _requirement(entry: Mapping[str, Any]) -> Requirement:
    count = entry.get("count", 1)
    return Requirement(
        entry["relation"],
        _term(entry, "thing"),
        _term(entry, "place"),
        None if count == "all" else int(count),
        entry.get("state", ""),
        tuple(entry.get("verbs", ())),
        entry.get("from", ""),
        entry.get("room", ""),
        entry.get("not", False),
        entry.get("meaning", 0),
    )


def _term(entry: Mapping[str, Any], field: str) -> Term | None:
    value = entry.get(field)
    if value is None:
        return None
    return Term(
        (value,) if isinstance(value, str) else tuple(value),
        entry.get(f"{field}_named"),
        entry.get(f"{field}_which", 0),
        entry.get(f"{field}_room", ""),
    )

"""The goals of instructions: a table in place of language understanding.

It is JSON data; `peephole.episodes.instruction_table` describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

#: The name of the agent in the table.
YOU = "you"
#: The name for anything that lies at a place.
ANYTHING = "anything"


@dataclass(frozen=True)
class Term:
    """A term for a thing in an instruction."""

    categories: tuple[str, ...]
    """Alternative categories."""
    named: int | None = None
    """Its number, from 1, among the things of the category that the instruction names, or None."""
    which: int = 0
    """Terms with the same number mean the same thing; 0 means any thing."""
    room: str = ""
    """The category or name of its room, or ""."""


@dataclass(frozen=True)
class Requirement:
    """A requirement of an instruction, by the fields of the table."""

    relation: str
    """The relation of the thing to the place, or another kind of requirement."""
    thing: Term | None = None
    """The thing."""
    place: Term | None = None
    """The place."""
    count: int | None = 1
    """The number of things; None for all."""
    state: str = ""
    """The state of the thing."""
    verbs: tuple[str, ...] = ()
    """Alternative verbs of an event."""
    origin: str = ""
    """The category of the place where the things lie, or ""."""
    room: str = ""
    """The category of the room of the things, or ""."""
    negated: bool = False
    """Whether it must not hold."""
    meaning: int = 0
    """The number of its meaning, for an instruction with several meanings."""


Meaning = tuple[Requirement, ...]
Table = Mapping[str, Meaning]


def to_table(data: Mapping[str, Any]) -> Table:
    """Read the table from JSON data."""
    return {plain(key): tuple(map(_requirement, entries)) for key, entries in data.items()}


def meanings_of(table: Table, instruction: str) -> list[Meaning]:
    """All meanings of an instruction, the commonest first; empty if the table lacks it."""
    requirements = table.get(plain(instruction), ())
    numbers = sorted({required.meaning for required in requirements})
    return [tuple(r for r in requirements if r.meaning == number) for number in numbers]


def requirements_of(table: Table, instruction: str) -> Meaning:
    """The commonest meaning of an instruction; empty if the table lacks it."""
    return next(iter(meanings_of(table, instruction)), ())


def terms_of(requirements: Sequence[Requirement]) -> list[Term]:
    """All things and places of requirements."""
    return [term for r in requirements for term in (r.thing, r.place) if term is not None]


@lru_cache(maxsize=4096)  # cached, since it is called for every known thing
def named_in(instruction: str, category: str) -> tuple[str, ...]:
    """The things of a category that an instruction names, such as "apple 3", in order.

    Its words may be joined, as "desklamp 1".
    """
    words = " ?".join(map(re.escape, category.split()))
    found = re.findall(rf"(?<!\w){words} (\d+)(?!\w)", instruction, re.IGNORECASE)
    return tuple(dict.fromkeys(f"{category} {number}" for number in found))


def category(name: str) -> str:
    """The category of a name: "apple" for "apple 3"."""
    kind, _, number = name.rpartition(" ")
    return kind if kind and number.isdigit() else name


def plain(instruction: str) -> str:
    """An instruction in small letters, with single spaces."""
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

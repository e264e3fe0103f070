"""What instructions ask for: the table that takes the place of understanding language.

JSON data in the form that `peephole.episodes.instruction_table` describes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....errors import BadInput

#: The agent among things.
YOU = "you"
#: Whatever lies at a place.
ANYTHING = "anything"

_FIELDS = frozenset(
    {
        "relation",
        "thing",
        "thing_named",
        "thing_which",
        "place",
        "place_named",
        "place_which",
        "not",
        "count",
        "state",
        "verbs",
        "from",
        "room",
    }
)


@dataclass(frozen=True)
class Term:
    """What an instruction calls a thing.

    categories: of which any will do. named: the how many-th of them that the instruction names it
    is, from 1; None where it names none. which: tells it from others of its categories that are
    asked for; terms with the same number mean the same thing. 0: any will do.
    """

    categories: tuple[str, ...]
    named: int | None = None
    which: int = 0


@dataclass(frozen=True)
class Requirement:
    """One thing asked for, by the fields of the table.

    count: None for all there are. origin: the category of where the things lie, and room that of
    the room they are in; "" where the instruction does not say. negated: it is not to be so.
    """

    relation: str
    thing: Term | None = None
    place: Term | None = None
    count: int | None = 1
    state: str = ""
    verbs: tuple[str, ...] = ()
    origin: str = ""
    room: str = ""
    negated: bool = False


Table = Mapping[str, tuple[Requirement, ...]]


def read_table(path: Path) -> Table:
    """The table of a file. Raises BadInput."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The table {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"The table {path} is no JSON ({error}).") from error
    return to_table(data, str(path))


def to_table(data: Any, where: str = "The table") -> Table:
    """The table of JSON data. Raises BadInput naming what is wrong."""
    if not isinstance(data, dict):
        raise BadInput(f"{where} is no object from instructions to lists of entries.")
    table = {}
    for instruction, entries in data.items():
        if not isinstance(entries, list):
            raise BadInput(f"{where}: what '{instruction}' asks for is no list of entries.")
        table[_plain(instruction)] = tuple(_requirement(entry, where) for entry in entries)
    return table


def requirements_of(table: Table, instruction: str) -> tuple[Requirement, ...] | None:
    """What an instruction asks for, or None where the table does not have it."""
    return table.get(_plain(instruction))


def named_in(instruction: str, category: str) -> list[str]:
    """The things of a category that an instruction names, such as "apple 3", in its order."""
    found = re.findall(rf"(?<!\w){re.escape(category)} \d+(?!\w)", instruction, re.IGNORECASE)
    return list(dict.fromkeys(name.lower() for name in found))


def _plain(instruction: str) -> str:
    return " ".join(instruction.split()).lower()


def _requirement(entry: Any, where: str) -> Requirement:
    if not isinstance(entry, dict) or not isinstance(entry.get("relation"), str):
        raise BadInput(f"{where}: {entry!r} is no entry; it needs at least a 'relation'.")
    unknown = sorted(entry.keys() - _FIELDS)
    if unknown:
        raise BadInput(f"{where}: {entry!r} has the unknown field '{unknown[0]}'.")
    count = entry.get("count", 1)
    if count != "all" and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
        raise BadInput(f"{where}: the 'count' of {entry!r} is neither from 1 nor \"all\".")
    state = entry.get("state", "")
    verbs = entry.get("verbs", [])
    origin, room = entry.get("from", ""), entry.get("room", "")
    words = (state, origin, room)
    if not all(isinstance(word, str) for word in words) or not _are_words(verbs):
        raise BadInput(f"{where}: a 'state', 'from', 'room' or 'verbs' of {entry!r} is no word.")
    return Requirement(
        entry["relation"],
        _term(entry, "thing", where),
        _term(entry, "place", where),
        None if count == "all" else count,
        state,
        tuple(verbs),
        origin,
        room,
        entry.get("not", False) is True,
    )


def _term(entry: dict[str, Any], field: str, where: str) -> Term | None:
    value, named = entry.get(field), entry.get(f"{field}_named")
    which = entry.get(f"{field}_which")
    if value is None:
        return None
    categories = [value] if isinstance(value, str) else value
    if not categories or not _are_words(categories):
        raise BadInput(f"{where}: the '{field}' of {entry!r} is no category or list of them.")
    for name, number in (("named", named), ("which", which)):
        wrong = not isinstance(number, int) or isinstance(number, bool) or number < 1
        if number is not None and wrong:
            raise BadInput(f"{where}: the '{field}_{name}' of {entry!r} is no number from 1.")
    return Term(tuple(categories), named, which or 0)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)

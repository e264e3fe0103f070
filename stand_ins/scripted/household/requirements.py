"""What instructions ask for: the table that takes the place of understanding language.

JSON data in the form that `peephole.episodes.instruction_table` describes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
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
        "place_room",
        "not",
        "meaning",
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
    asked for; terms with the same number mean the same thing. 0: any will do. room: the room that
    it is in, by its category or name; "" where that is not said.
    """

    categories: tuple[str, ...]
    named: int | None = None
    which: int = 0
    room: str = ""


@dataclass(frozen=True)
class Requirement:
    """One thing asked for, by the fields of the table.

    count: None for all there are. origin: the category of where the things lie, and room that of
    the room they are in; "" where the instruction does not say. negated: it is not to be so.
    meaning: of an instruction that several tasks have, the how many-th it belongs to, from 0.
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
    meaning: int = 0


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
    """What an instruction asks for as a rule, or None where the table does not have it."""
    meanings = meanings_of(table, instruction)
    return meanings[0] if meanings else None


def meanings_of(table: Table, instruction: str) -> list[tuple[Requirement, ...]]:
    """All that an instruction may ask for, the commonest first; empty where it is not there."""
    requirements = table.get(_plain(instruction))
    if requirements is None:
        return []
    numbers = sorted({required.meaning for required in requirements}) or [0]
    return [tuple(r for r in requirements if r.meaning == number) for number in numbers]


@lru_cache(maxsize=4096)  # it is asked again for every thing that is known
def named_in(instruction: str, category: str) -> tuple[str, ...]:
    """The things of a category that an instruction names, such as "apple 3", in its order."""
    found = re.findall(rf"(?<!\w){re.escape(category)} \d+(?!\w)", instruction, re.IGNORECASE)
    return tuple(dict.fromkeys(name.lower() for name in found))


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
        _number(entry, "meaning", where),
    )


def _term(entry: dict[str, Any], field: str, where: str) -> Term | None:
    value = entry.get(field)
    if value is None:
        return None
    categories = [value] if isinstance(value, str) else value
    if not categories or not _are_words(categories):
        raise BadInput(f"{where}: the '{field}' of {entry!r} is no category or list of them.")
    number = _number(entry, f"{field}_named", where) or None
    room = entry.get(f"{field}_room", "")
    if not isinstance(room, str):
        raise BadInput(f"{where}: the '{field}_room' of {entry!r} is no word.")
    return Term(tuple(categories), number, _number(entry, f"{field}_which", where), room)


def _number(entry: dict[str, Any], field: str, where: str) -> int:
    """A number from 1, 0 where there is none."""
    value = entry.get(field)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadInput(f"{where}: the '{field}' of {entry!r} is no number from 1.")
    return value


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)

"""A house as a task of a whole plan tells it, before anything is done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..dialects import reactree, reactree_plain, reactree_thor
from ..transcript import Transcript

_TASK, _PLAN = "Your task is to:", "Plan:"
_FURNITURE, _OBJECTS = "Furniture:", "Objects in the house: "
_PLACES, _CLOSED = "Where they are: ", "Closed: "
_PLACE = re.compile(r"^(.+) (in|on|under) (.+)$")
_LISTED = re.compile(r"([^,()]+?) (?:\((\d+(?:, \d+)*)\)|(\d+))(?=,|$)")
_BRACKETS = re.compile(r" \((\d+)\)$")
_ABBREVIATED = ("cd", "tv")


@dataclass(frozen=True)
class ToldHouse:
    """What is told. All names are as in "kitchen table 1".

    start: the room that one is in. furniture: pairs of a piece and its room. objects: all there
    are. places: of those whose place is told, triples of an object, "in" or "on", and what keeps
    it. closed: what is told to be closed. camel: names are written as AI2-THOR does.
    """

    instruction: str
    start: str
    furniture: tuple[tuple[str, str], ...]
    objects: tuple[str, ...]
    places: tuple[tuple[str, str, str], ...]
    closed: tuple[str, ...]
    camel: bool

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms, in the order in which they are told."""
        return tuple(dict.fromkeys(room for _, room in self.furniture)) or (self.start,)

    def written(self, name: str) -> str:
        """A name in the told words; without its number: the kind."""
        if not self.camel:
            return name
        words = name.split()
        number = f" ({words.pop()})" if words[-1].isdigit() else ""
        return "".join(w.upper() if w in _ABBREVIATED else w.capitalize() for w in words) + number


def read_house(asked: str) -> tuple[ToldHouse, list[str]]:
    """The house and the task of a message, and the lines of the plan that it has already."""
    house, _, rest = asked.partition(f"\n{_TASK}")
    instruction, _, plan = rest.partition(f"\n{_PLAN}")
    lines = house.splitlines()
    first = _in_reactree(lines[0])
    observed = reactree.parse_first(first)
    start = lines.index(_FURNITURE) + 1
    rooms = [line.removeprefix("- ").partition(": ") for line in lines[start:] if line[:2] == "- "]
    closed = [_plain(name) for name in _told(lines, _CLOSED)]
    told = ToldHouse(
        instruction=instruction.strip(),
        start=observed.room or "",
        furniture=tuple((piece, _plain(room)) for room, _, names in rooms for piece in _all(names)),
        objects=tuple(_all(next((n for n in lines if n.startswith(_OBJECTS)), ""))),
        places=tuple(_places(_told(lines, _PLACES))),
        closed=tuple(closed),
        camel=first != lines[0] and "and you arrive at" in lines[0],
    )
    return told, [line for line in plan.splitlines() if line.strip()]


def _told(lines: list[str], title: str) -> list[str]:
    line = next((line for line in lines if line.startswith(title)), "")
    return line.removeprefix(title).split("; ") if line else []


def _places(told: list[str]) -> Iterator[tuple[str, str, str]]:
    for text in told:
        found = _PLACE.match(text)
        if found is not None:
            yield _plain(found[1]), found[2], _plain(found[3])


def _all(names: str) -> Iterator[str]:
    """The names of an enumeration."""
    for found in _LISTED.finditer(names.removeprefix(_OBJECTS)):
        for number in (found[2] or found[3]).split(", "):
            yield _plain(f"{found[1].strip()} {number}")


def _plain(name: str) -> str:
    """ "soap bar 2" of "SoapBar (2)"."""
    plain = _BRACKETS.sub(r" \1", name.strip())
    kind, _, number = plain.rpartition(" ")
    if kind[:1].isupper() and " " not in kind:
        kind = reactree_thor.in_words(kind)
    return f"{kind} {number}"


def _in_reactree(first: str) -> str:
    transcript = Transcript("", first, (), None)
    return reactree_thor.to_reactree(reactree_plain.to_reactree(transcript)).first

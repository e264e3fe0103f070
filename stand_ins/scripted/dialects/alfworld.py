"""Reads the dialect `alfworld` as a careful person would: in the words of `reactree`.

"You arrive at the sinkbasin 1. On the sinkbasin 1, you see an apple 2." comes to "You arrive at the
sink basin (1). You see sink basin (1), apple (2).", "take apple 2 from sinkbasin 1" to "pick up
apple 2"; what is answered is said as it was offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..household import commonsense as sense
from ..household.requirements import Requirement, Table
from ..transcript import Transcript, Turn
from .reactree import category

_FIRST = "You are in the middle of a room. Looking quickly around you, you see "
_NAME = re.compile(r"\b([a-z]+) (\d+)\b")
_LISTED = re.compile(r"\ban? ([a-z]+ \d+)\b")
_ROOM = re.compile(r".*room|kitchen|hall|office|corridor|garage")
_ARRIVED_IN = re.compile(r"You arrive at the [a-z]+\. Looking quickly around you, you see (.*)")
_TAKE = re.compile(r"take ([a-z]+ \d+)(?: from [a-z]+ \d+)?")
_PUT = re.compile(r"put ([a-z]+ \d+) (in/on|in|on|under) ([a-z]+ \d+)")
_SLICE = re.compile(r"slice ([a-z]+ \d+)(?: with [a-z]+ \d+)?")
_VERBS = {"use": "turn on", "examine": "look at"}


def in_other_words(heard: Transcript, table: Table, wants: Sequence[Requirement]) -> Transcript:
    """The transcript in the other wording, where it is in this one; else as it is."""
    if not heard.first.startswith(_FIRST):
        return heard
    kinds = [kind for asked in table.values() for kind in _kinds(asked, ("thing", "place"))]
    inside = _kinds([want for want in wants if want.relation == "inside"], ("place",))
    words = _Words({kind.replace(" ", ""): kind for kind in kinds}, frozenset(inside))
    options = {words.action(text): text for text in reversed(heard.options or ())}
    gone = [turn.action for turn in heard.turns if turn.action.startswith("go to ")]
    goals = [text.removeprefix("go to ") for text in (*options, *gone)]
    rooms = [name for name in dict.fromkeys(goals) if _ROOM.fullmatch(category(name))]
    things = words.listed(heard.first)
    usual = [sense.needs_room(category(name)) for name in things]
    # The room of the beginning is not named; once one has left it, it is one of the others.
    left = any(name in rooms for name in goals[len(options) :])
    start = max(rooms, key=lambda room: usual.count(category(room))) if left else "room 1"
    rooms = list(dict.fromkeys([*rooms, start]))
    count = "is 1 room" if len(rooms) == 1 else f"are {len(rooms)} rooms"
    return replace(
        heard,
        first=f"You are in the house, and there {count}: {_told(rooms)}. You are in the middle of "
        f"a {_told([start])}. Looking quickly around the room, you see {_told(things)}.",
        turns=tuple(words.turns(heard.turns)),
        options=None if heard.options is None else tuple(options),
        said=options,
    )


def _kinds(wants: Sequence[Requirement], fields: Sequence[str]) -> list[str]:
    terms = [getattr(want, field) for want in wants for field in fields]
    return [kind for term in terms if term is not None for kind in term.categories]


def _told(names: Sequence[str]) -> str:
    """ "apple (1), sink basin (2)", or "nothing"."""
    return ", ".join(re.sub(r" (\d+)$", r" (\1)", name) for name in names) or "nothing"


class _Words:
    """kinds: categories by how they are said here. inside: those that things are to be put into."""

    def __init__(self, kinds: Mapping[str, str], inside: frozenset[str]) -> None:
        self._kinds = kinds
        self._inside = inside

    def plain(self, text: str) -> str:
        """A text with its names in plain words: "sink basin 1" of "sinkbasin 1"."""
        return _NAME.sub(lambda name: f"{self._kind(name[1])} {name[2]}", text)

    def _kind(self, said: str) -> str:
        if said in self._kinds or said in sense.WORDS:
            return self._kinds.get(said, said)
        ends = [end for end in sense.WORDS if said.endswith(end)]
        end = max(ends, key=len, default="")
        return f"{said.removesuffix(end)} {end}".strip()

    def listed(self, text: str) -> list[str]:
        return [self.plain(name) for name in _LISTED.findall(text)]

    def action(self, text: str) -> str:
        """An action in the other words."""
        for pattern, verb in ((_TAKE, "pick up"), (_SLICE, "slice")):
            if found := pattern.fullmatch(text):
                return self.plain(f"{verb} {found[1]}")
        if found := _PUT.fullmatch(text):
            place = self.plain(found[3])
            kind = category(place)
            enclosed = kind in self._inside or sense.has_door(kind) or "sink" in kind
            how = ("in" if enclosed else "on") if found[2] == "in/on" else found[2]
            return f"put down {self.plain(found[1])} {how} {place}"
        verb, _, rest = text.partition(" ")
        return self.plain(f"{_VERBS.get(verb, verb)} {rest}".strip())

    def turns(self, turns: Sequence[Turn]) -> Iterator[Turn]:
        """What was done and told; of what is in hand nothing is told here."""
        held: list[str] = []
        for turn in turns:
            action, told = self.action(turn.action), turn.observation
            if not told.startswith(("You ", "On ", "The ", "This ", "There's ")):
                yield Turn(action, told)  # a failure: nothing happens, or a refusal
                continue
            name = re.sub(r"^(?:go to|look at|open|pick up) ", "", action)
            if action.startswith("pick up "):
                held.append(name)
            elif action.startswith("put down ") and (put := _PUT.fullmatch(turn.action)):
                held = [thing for thing in held if thing != self.plain(put[1])]
            hands = f" You hold {_told(held)}." if held else ""
            yield Turn(action, f"{self._observation(action, name, told)}{hands}")

    def _observation(self, action: str, name: str, told: str) -> str:
        here = _told([name])
        if around := _ARRIVED_IN.fullmatch(told):
            things = _told(self.listed(around[1]))
            return f"You move to the {here}. Looking quickly around the room, you see {things}."
        door = re.search(r"\bis (closed|open)\.", told)
        state = f" The {here} is {door[1]}." if door else ""
        listed = self.listed(told.partition("you see ")[2])
        sight = f"{state} You see {_told([name, *listed])}."
        if action.startswith("go to "):
            return f"You arrive at the {here}.{sight}"
        if action.startswith("look at "):
            kept = f" You see {_told(listed)}." if "you see " in told else ""
            return f"You look at the {here}.{kept}"
        done = f"You {category(action)}."
        return f"{done}{sight}" if action.startswith("open ") else done

"""Transcripts in the dialect `alfworld`, translated into `reactree`.

"You arrive at the sinkbasin 1. On the sinkbasin 1, you see an apple 2." comes to "You arrive at the
sink basin (1). You see sink basin (1), apple (2).", "take apple 2 from sinkbasin 1" to "pick up
apple 2"; the transcript keeps how each option was worded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..household import commonsense
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


def to_reactree(
    transcript: Transcript,
    table: Table,
    requirements: Sequence[Requirement],
) -> Transcript:
    """The transcript in `reactree`; as it is, where it is not in `alfworld`.

    table: has the categories by which names are split into words. requirements: of the instruction.
    """
    if not transcript.first.startswith(_FIRST):
        return transcript
    known = [kind for each in table.values() for kind in _categories(each, ("thing", "place"))]
    inside = _categories([r for r in requirements if r.relation == "inside"], ("place",))
    words = _Translation({kind.replace(" ", ""): kind for kind in known}, frozenset(inside))
    options = {words.action(text): text for text in reversed(transcript.options or ())}
    gone = [turn.action for turn in transcript.turns if turn.action.startswith("go to ")]
    goals = [text.removeprefix("go to ") for text in (*options, *gone)]
    rooms = [name for name in dict.fromkeys(goals) if _ROOM.fullmatch(category(name))]
    things = words.listed(transcript.first)
    usual = [commonsense.usual_room(category(name)) for name in things]
    # The room of the beginning is not named; once one has left it, it is one of the others.
    left = any(name in rooms for name in goals[len(options) :])
    start = max(rooms, key=lambda room: usual.count(category(room))) if left else "room 1"
    rooms = list(dict.fromkeys([*rooms, start]))
    count = "is 1 room" if len(rooms) == 1 else f"are {len(rooms)} rooms"
    first = (
        f"You are in the house, and there {count}: {_listing(rooms)}. You are in the middle of a "
        f"{_listing([start])}. Looking quickly around the room, you see {_listing(things)}."
    )
    return replace(
        transcript,
        first=first,
        turns=tuple(words.turns(transcript.turns)),
        options=None if transcript.options is None else tuple(options),
        wording=options,
    )


def _categories(requirements: Sequence[Requirement], fields: Sequence[str]) -> list[str]:
    terms = [getattr(requirement, field) for requirement in requirements for field in fields]
    return [kind for term in terms if term is not None for kind in term.categories]


def _listing(names: Sequence[str]) -> str:
    """ "apple (1), sink basin (2)", or "nothing"."""
    return ", ".join(re.sub(r" (\d+)$", r" (\1)", name) for name in names) or "nothing"


class _Translation:
    """The translation of texts.

    categories: by how `alfworld` has them, without spaces. inside: those that things are to be put
    into.
    """

    def __init__(self, categories: Mapping[str, str], inside: frozenset[str]) -> None:
        self._categories = categories
        self._inside = inside

    def separated(self, text: str) -> str:
        """A text with its names in separate words: "sink basin 1" of "sinkbasin 1"."""
        return _NAME.sub(lambda name: f"{self._category(name[1])} {name[2]}", text)

    def _category(self, joined: str) -> str:
        if joined in self._categories or joined in commonsense.KNOWN_WORDS:
            return self._categories.get(joined, joined)
        ends = [end for end in commonsense.KNOWN_WORDS if joined.endswith(end)]
        end = max(ends, key=len, default="")
        return f"{joined.removesuffix(end)} {end}".strip()

    def listed(self, text: str) -> list[str]:
        """The names in a list of things."""
        return [self.separated(name) for name in _LISTED.findall(text)]

    def action(self, text: str) -> str:
        """An action in `reactree`."""
        for pattern, verb in ((_TAKE, "pick up"), (_SLICE, "slice")):
            if found := pattern.fullmatch(text):
                return self.separated(f"{verb} {found[1]}")
        if found := _PUT.fullmatch(text):
            place = self.separated(found[3])
            kind = category(place)
            enclosed = kind in self._inside or commonsense.has_door(kind) or "sink" in kind
            how = ("in" if enclosed else "on") if found[2] == "in/on" else found[2]
            return f"put down {self.separated(found[1])} {how} {place}"
        verb, _, rest = text.partition(" ")
        return self.separated(f"{_VERBS.get(verb, verb)} {rest}".strip())

    def turns(self, turns: Sequence[Turn]) -> Iterator[Turn]:
        """The turns in `reactree`, which also tells what is in hand."""
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
                held = [thing for thing in held if thing != self.separated(put[1])]
            hands = f" You hold {_listing(held)}." if held else ""
            yield Turn(action, f"{self._observation(action, name, told)}{hands}")

    def _observation(self, action: str, name: str, told: str) -> str:
        here = _listing([name])
        if around := _ARRIVED_IN.fullmatch(told):
            things = _listing(self.listed(around[1]))
            return f"You move to the {here}. Looking quickly around the room, you see {things}."
        door = re.search(r"\bis (closed|open)\.", told)
        state = f" The {here} is {door[1]}." if door else ""
        listed = self.listed(told.partition("you see ")[2])
        sight = f"{state} You see {_listing([name, *listed])}."
        if action.startswith("go to "):
            return f"You arrive at the {here}.{sight}"
        if action.startswith("look at "):
            kept = f" You see {_listing(listed)}." if "you see " in told else ""
            return f"You look at the {here}.{kept}"
        done = f"You {category(action)}."
        return f"{done}{sight}" if action.startswith("open ") else done

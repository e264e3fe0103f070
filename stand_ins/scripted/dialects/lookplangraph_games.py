"""Transcripts in the dialect `lookplangraph`, translated into `reactree`.

"You open fridge-1. Inside fridge-1, you see juice-2." comes to "You open fridge. You see fridge
(1), juice (2).", `put_inside(fridge-1)` with an apple in hand to "put down apple 1 in fridge 1".
The transcript keeps how each option was worded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....observation_text.dialects.lookplangraph.grammar import FUNCTIONS, PUTS
from ....observation_text.dialects.reactree.grammar import INTO, PHRASES, PREPOSITIONS
from ..household.requirements import Table
from ..transcript import Transcript, Turn
from .lookplangraph import NodeWords
from .reactree import category

_FIRST = "The house has these places: "
_NAME = re.compile(r"[a-z0-9_]+-\d+")
_CALL = re.compile(r"([a-z_]+)\((.*)\)")
_AROUND = re.compile(r"You are in (\S+?-\d+)\. Looking around, you see ([^.]*)\.")
_SEEN = re.compile(r"you see ([^.]*)\.")
_DOOR = re.compile(r"(\S+?-\d+) (?:is (open|closed)|\((open|closed))\b")
_PHRASES = {FUNCTIONS[verb]: phrase for verb, phrase in PHRASES.items() if verb in FUNCTIONS}
_PUTS = {function: PREPOSITIONS[relation] for relation, function in PUTS.items()}
_POSTURES = ("sitting", "lying")
_WITHOUT_THING = {"look": "look around"}
#: Beginnings of what is told of what was done.
_DONE = ("You go to ", "You are in ", "You open ", "You pick up ", "You put ", "You look at ")
#: Patterns of failures, and how `reactree` says them of categories.
_FAILURES = (
    (re.compile(r"(\S+) is too far away"), "The {} is not close to you."),
    (re.compile(r"(\S+) is inside (\S+), which is closed"), "The {} is inside closed {}."),
    (re.compile(r"Your hands are full"), "You do not have an empty hand."),
    (re.compile(r"You hold (\S+) already"), "You already hold the {}."),
    (re.compile(r"You do not hold (\S+?)\."), "You do not grab the {}."),
    (re.compile(r"(\S+) cannot be picked up"), "The {} cannot be grabbed."),
    (re.compile(r"(\S+) has no door or lid"), "The {} cannot be opened."),
    (re.compile(r"(\S+) is (open|closed) already"), "The {} is already {}."),
    (re.compile(r"(\S+) is on already"), "The {} is already turned on."),
    (re.compile(r"(\S+) is off already"), "The {} is already turned off."),
    (re.compile(r"(\S+) is plugged in already"), "The {} is already plugged in."),
    (re.compile(r"(\S+) is unplugged already"), "The {} is already unplugged."),
    (re.compile(r"(\S+) is still on"), "The {} is still turned on."),
    (re.compile(r"(\S+) is still open"), "The {} is still open."),
    (re.compile(r"(\S+) is not plugged in"), "The {} is not plugged in."),
    (re.compile(r"(\S+) has no (?:switch|plug)"), "The {} does not have a switch."),
    (re.compile(r"Nothing can be put on (\S+?)\."), "The thing cannot be put down on {}."),
    (re.compile(r"Nothing can be put inside (\S+?)\."), "The thing cannot be put down in {}."),
    (re.compile(r"(\S+) has no room left"), "The {} is full."),
    (re.compile(r"There is no free spot at (\S+?)\."), "The {} is full."),
    (re.compile(r"You have to stand up first"), "You are not standing."),
    (re.compile(r"(\S+) cannot be reached"), "The {} cannot be reached."),
    (re.compile(r"(\S+) is out of sight"), "You do not see the {} from here."),
    (re.compile(r"(\S+) (?:is not here|was not seen yet)"), "The {} is not here."),
    (re.compile(r"(\S+) is closed\.$"), "The {} is closed."),
    (re.compile(r"There is no such node"), "You have not seen any such thing."),
)


def to_reactree(transcript: Transcript, table: Table) -> Transcript:
    """The transcript in `reactree`; as it is, where it is not in `lookplangraph`."""
    if not transcript.first.startswith(_FIRST):
        return transcript
    told = _Translation(table)
    turns = tuple(told.turns(transcript.turns))
    options = {told.action(text): text for text in reversed(transcript.options or ())}
    return replace(
        transcript,
        first=told.first(transcript.first),
        turns=turns,
        options=None if transcript.options is None else tuple(options),
        wording=options,
    )


class _Translation:
    """The translation of texts; it keeps what is in hand."""

    def __init__(self, table: Table) -> None:
        self._words = NodeWords(table)
        self._held: list[str] = []

    def first(self, text: str) -> str:
        """The first observation."""
        rooms, _, rest = text.removeprefix(_FIRST).partition(". ")
        names = self._all(rooms)
        count = "is 1 room" if len(names) == 1 else f"are {len(names)} rooms"
        here = _AROUND.search(rest)
        start = "" if here is None else f" You are in the middle of a {self._listed([here[1]])}."
        return (
            f"You are in the house, and there {count}: {_listing(names)}.{start}"
            f"{_posture(rest)}{self._around(rest)}{self._hands()}"
        )

    def turns(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """The turns, in their order."""
        for turn in turns:
            action = self.action(turn.action)
            yield Turn(action, self._observation(action, turn.observation) + self._hands())

    def action(self, text: str) -> str:
        """An action in `reactree`."""
        found = _CALL.fullmatch(text)
        if found is None:
            return text
        function, names = found[1], self._all(found[2])
        if function in _PUTS and names:
            thing = names[0] if len(names) == 2 else next(iter(self._held), "thing 1")
            return f"put down {thing} {_PUTS[function]} {names[-1]}"
        if not names:
            return _WITHOUT_THING.get(function, function.replace("_", " "))
        if function == "pour" and len(names) == 2:
            return f"pour {names[0]} {INTO} {names[1]}"
        return f"{_PHRASES.get(function, function)} {names[0]}"

    def _observation(self, action: str, told: str) -> str:
        name = self._target(action)
        done = told.startswith(_DONE) or (told.startswith("You ") and told.count(".") == 1)
        failure = None if told.startswith(_DONE) else self._failure(told)
        if failure is not None or not done:
            return failure or told
        seen = self._listed([name, *self._seen(told)])
        if action.startswith("go to "):
            if told.startswith("You are in "):
                return f"You move to the {self._listed([name])}.{self._around(told)}"
            return f"You arrive at the {self._listed([name])}.{self._doors(told)} You see {seen}."
        if action == "look around":
            return f"{self._around(told)}{_posture(told)}".strip()
        if action.startswith("look at "):
            kept = self._listed(self._seen(told)) if "you see" in told else ""
            listed = f" You see {kept}." if kept else ""
            return f"You look at the {self._listed([name])}.{self._doors(told)}{listed}"
        if action.startswith("pick up "):
            self._held.append(name)
        elif action.startswith(("put down ", "drop ")):
            thing = re.sub(r" (?:in|on|under) .*", "", name)
            self._held = [held for held in self._held if held != thing]
        text = f"You {category_of_all(action)}."
        return f"{text} You see {seen}." if action.startswith("open ") else text

    def _failure(self, told: str) -> str | None:
        for pattern, said in _FAILURES:
            found = pattern.match(told)
            if found is not None:
                kinds = [category(self._words.words(g)) if "-" in g else g for g in found.groups()]
                return said.format(*kinds)
        return None

    # --- parts of texts ------------------------------------------------------------------------

    def _all(self, text: str) -> list[str]:
        return [self._words.words(name) for name in _NAME.findall(text)]

    def _listed(self, names: Iterable[str]) -> str:
        """ "apple (1), sink basin (2)" of names of either kind."""
        return _listing([self._words.words(n) if _NAME.fullmatch(n) else n for n in names])

    def _seen(self, told: str) -> list[str]:
        """Everything that an observation lists."""
        return [name for listed in _SEEN.findall(told) for name in self._all(listed)]

    def _around(self, told: str) -> str:
        found = _AROUND.search(told)
        listed = [] if found is None else self._all(found[2])
        doors = "" if found is None else self._doors(found[2])
        return f" Looking quickly around the room, you see {_listing(listed)}.{doors}"

    def _doors(self, told: str) -> str:
        """What is open and closed, in sentences."""
        return "".join(
            f" The {self._listed([name])} is {state or other}."
            for name, state, other in _DOOR.findall(told)
        )

    def _hands(self) -> str:
        return f" You hold {_listing(self._held)}." if self._held else ""

    def _target(self, action: str) -> str:
        for phrase in (*_PHRASES.values(), "put down"):
            if action.startswith(f"{phrase} "):
                return action.removeprefix(f"{phrase} ")
        return action


def _posture(told: str) -> str:
    """How one rests, in a sentence."""
    return next((f" You are {how}." for how in _POSTURES if f"You are {how}." in told), "")


def category_of_all(action: str) -> str:
    """An action with categories for names, as `reactree` tells that it was done."""
    return re.sub(r" \d+(?= |$)", "", action)


def _listing(names: Iterable[str]) -> str:
    return ", ".join(re.sub(r" (\d+)$", r" (\1)", name) for name in names) or "nothing"

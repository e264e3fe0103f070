"""The next action in a kitchen that is told in the dialect `tru_pomdp`.

Every observation there tells all areas and objects in view, so that nothing has to be remembered:
what is asked for is picked where it is seen and placed; while it is not, closed areas are opened,
those first whose names speak of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .household.requirements import Requirement, Term
from .transcript import DONE, GIVE_UP, Choice, Transcript

_SITUATION = re.compile(
    r"Closed areas: (?P<closed>[^.]*)\. Open areas: (?P<open>[^.]*)\. "
    r"Objects seen: (?P<objects>[^.]*)\. You hold (?P<held>[^.]*)\."
)
_AT = re.compile(r"(\S+) (?:in|on|under) (\S+)")
_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True)
class _Situation:
    """What was told last. objects: each with its area, "" where none is told."""

    closed: tuple[str, ...]
    open: tuple[str, ...]
    objects: Mapping[str, str]
    held: str


def is_told(transcript: Transcript) -> bool:
    """Whether a transcript is in this dialect."""
    return _SITUATION.search(transcript.first) is not None


def next_action(transcript: Transcript, requirements: Sequence[Requirement]) -> Choice:
    """What to do next, one of the options if there are any."""
    choice = _choice(_situation(transcript), requirements)
    options = transcript.options
    if options is None or choice.action in (*options, DONE, GIVE_UP):
        return choice
    return Choice("I see no way on.", GIVE_UP)


def _situation(transcript: Transcript) -> _Situation:
    """What the newest observation that tells it all tells."""
    told = [turn.observation for turn in transcript.turns]
    for text in (*reversed(told), transcript.first):
        if found := _SITUATION.search(text):
            objects = {}
            for item in _names(found["objects"]):
                at = _AT.fullmatch(item)
                objects[at[1] if at else item] = at[2] if at else ""
            held = "" if found["held"] == "nothing" else found["held"]
            return _Situation(_names(found["closed"]), _names(found["open"]), objects, held)
    raise AssertionError("the first observation is in this dialect")


def _names(listed: str) -> tuple[str, ...]:
    return () if listed in ("nothing", "none", "") else tuple(listed.split(", "))


def _choice(now: _Situation, requirements: Sequence[Requirement]) -> Choice:
    left, settled = _unfulfilled(now, requirements)
    if not left:
        return Choice("Everything is where it should be.", DONE)
    if now.held:
        for required in left:
            if _is(now.held, required.thing):
                return _placing(now, required)
        return Choice("That is not needed, so I put it down.", f"place {now.open[0]}")
    for required in left:
        for name in now.objects:
            if name not in settled and _is(name, required.thing):
                return Choice("That is asked for.", f"pick {name}")
    if not now.closed:
        return Choice("I have looked everywhere.", GIVE_UP)
    words = {word for each in left for kind in _categories(each.thing) for word in kind.split()}
    likeliest = max(now.closed, key=lambda area: len(words.intersection(area.split("_"))))
    return Choice("What is missing may be in there.", f"open {likeliest}")


def _placing(now: _Situation, required: Requirement) -> Choice:
    for area in now.open:
        if _is(area, required.place):
            return Choice("It belongs there.", f"place {area}")
    for area in now.closed:
        if _is(area, required.place):
            return Choice("It belongs in there, but that is closed.", f"open {area}")
    return Choice("I do not see where it belongs.", GIVE_UP)


def _unfulfilled(
    now: _Situation, requirements: Sequence[Requirement]
) -> tuple[list[Requirement], set[str]]:
    """What is still to be placed, and the objects that are where they should be."""
    left: list[Requirement] = []
    settled: set[str] = set()
    for required in requirements:
        there = [
            name
            for name, area in now.objects.items()
            if name not in settled and _is(name, required.thing) and _is(area, required.place)
        ]
        if there:
            settled.add(there[0])
        else:
            left.append(required)
    return left, settled


def _is(name: str, term: Term | None) -> bool:
    """Whether a name is one of a term's."""
    return _NUMBER.sub("", name).replace("_", " ") in _categories(term)


def _categories(term: Term | None) -> tuple[str, ...]:
    return () if term is None else term.categories

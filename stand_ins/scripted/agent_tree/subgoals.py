"""The words in which goals are divided, and what they ask for.

An agent of a tree is told its own goal alone, so these words have all that it needs: which thing,
where to, and in which room that is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..dialects.reactree import category
from ..household.requirements import Requirement, Term

_PREPOSITIONS = {"inside": "in", "on": "on", "under": "under"}
_RELATIONS = {word: relation for relation, word in _PREPOSITIONS.items()}
_ORDINALS = ("the", "the second", "the third", "the fourth", "the fifth", "the sixth")
#: How a treatment is said, by the state that comes of it.
_TREATMENTS = {"heated": "heat", "cooled": "cool", "cleaned": "clean"}
_STATES = {"on": "turn on", "closed": "close", "open": "open", "off": "turn off"}

_PLACE = r"(?P<how>in|on|under) (?P<place>.+? \d+) in (?P<room>\S.*? \d+)"
_GROUP = re.compile(rf"(?P<how_done>put|carry) these {_PLACE}: (?P<things>.+)")
_MOVE = re.compile(rf"put (?P<which>{'|'.join(_ORDINALS[::-1])}) (?P<thing>.+?) {_PLACE}")
_FIND = re.compile(
    r"find and pick up the (?P<thing>.+?)"
    r"(?: in (?:(?P<unlikely>unlikely places)(?: of (?P<corner>\S.*? \d+))?"
    r"|(?P<within>\S.*? \d+)))?"
    rf"(?:, but none that is {_PLACE})?"
)
_PUT = re.compile(
    r"put down the (?P<thing>.+?) (?P<how>in|on|under) "
    r"(?:the (?P<kind>.+)|(?P<place>.+? \d+) in (?P<room>\S.*? \d+))"
)
_BRING = re.compile(rf"(?P<verb>{'|'.join(_STATES.values())}) (?P<place>.+? \d+) in (?P<room>.+)")
_TREAT = re.compile(rf"(?P<verb>{'|'.join(_TREATMENTS.values())}) the (?P<thing>.+) and pick it up")
_GO_ON = re.compile(r"with the (?P<thing>.+?) in hand: (?P<instruction>.+)", re.DOTALL)


@dataclass(frozen=True)
class Place:
    """Where something is put: relation, a piece of furniture, and the room that it is in."""

    relation: str
    name: str
    room: str

    def __str__(self) -> str:
        return f"{_PREPOSITIONS[self.relation]} {self.name} in {self.room}"


@dataclass(frozen=True)
class Group:
    """Several things at one place, by one agent alone where they are to be carried.

    things: kinds, of which any category will do.
    """

    place: Place
    things: tuple[Term, ...]
    alone: bool = False

    def __str__(self) -> str:
        verb = "carry" if self.alone else "put"
        return f"{verb} these {self.place}: {', '.join(map(said, self.things))}"


@dataclass(frozen=True)
class WantedPlacement:
    """One thing at a place. number: the how many-th of its kind it is there, from 1."""

    thing: Term
    place: Place
    number: int = 1

    def __str__(self) -> str:
        return f"put {_ORDINALS[self.number - 1]} {said(self.thing)} {self.place}"


@dataclass(frozen=True)
class Find:
    """A thing in hand.

    within: the room to look in. unlikely: where one does not expect such a thing. but: a place
    whose things do not do.
    """

    thing: Term
    within: str | None = None
    unlikely: bool = False
    but: Place | None = None

    def __str__(self) -> str:
        where = " of ".join(filter(None, ("unlikely places" * self.unlikely, self.within)))
        within = f" in {where}" if where else ""
        but = f", but none that is {self.but}" if self.but else ""
        return f"find and pick up the {said(self.thing)}{within}{but}"


@dataclass(frozen=True)
class Put:
    """What is in hand at a place, or at one of a kind of places."""

    thing: Term
    relation: str
    place: Place | None = None
    kind: Term | None = None

    def __str__(self) -> str:
        where = self.place or f"{_PREPOSITIONS[self.relation]} the {said(self.kind or Term(()))}"
        return f"put down the {said(self.thing)} {where}"


@dataclass(frozen=True)
class Bring:
    """A piece of furniture in a state."""

    state: str
    name: str
    room: str

    def __str__(self) -> str:
        return f"{_STATES[self.state]} {self.name} in {self.room}"

    def requirement(self) -> Requirement:
        return Requirement("state", Term((category(self.name),), named=1), state=self.state)


@dataclass(frozen=True)
class Treat:
    """What is in hand heated, cooled or cleaned, and in hand again."""

    state: str
    thing: Term

    def __str__(self) -> str:
        return f"{_TREATMENTS[self.state]} the {said(self.thing)} and pick it up"

    def requirements(self) -> tuple[Requirement, ...]:
        treated = Requirement("treated", self.thing, state=self.state)
        return (treated, Requirement("holds", self.thing))


@dataclass(frozen=True)
class GoOn:
    """The rest of an instruction, with a thing in hand."""

    thing: Term
    instruction: str

    def __str__(self) -> str:
        return f"with the {said(self.thing)} in hand: {self.instruction}"


Subgoal = Group | WantedPlacement | Find | Put | Bring | Treat | GoOn


def said(term: Term) -> str:
    """The categories of a term: "knife or butter knife"."""
    return " or ".join(term.categories)


def can_be_said(state: str) -> bool:
    """Whether there are words for bringing furniture into a state."""
    return state in _STATES


def parse(goal: str) -> Subgoal | None:
    """What a goal asks for; None for one in other words."""
    for pattern, made in (
        (_GO_ON, _go_on),
        (_GROUP, _group),
        (_PUT, _put),
        (_MOVE, _move),
        (_FIND, _find),
        (_TREAT, _treat),
        (_BRING, _bring),
    ):
        match = pattern.fullmatch(goal)
        if match is not None:
            return made(match)
    return None


def _go_on(match: re.Match[str]) -> GoOn:
    return GoOn(_term(match["thing"]), match["instruction"])


def _group(match: re.Match[str]) -> Group:
    things = tuple(map(_term, match["things"].split(", ")))
    return Group(_place(match), things, alone=match["how_done"] == "carry")


def _put(match: re.Match[str]) -> Put:
    relation = _RELATIONS[match["how"]]
    if match["kind"] is not None:
        return Put(_term(match["thing"]), relation, kind=_term(match["kind"]))
    return Put(_term(match["thing"]), relation, _place(match))


def _move(match: re.Match[str]) -> WantedPlacement:
    return WantedPlacement(
        _term(match["thing"]), _place(match), _ORDINALS.index(match["which"]) + 1
    )


def _find(match: re.Match[str]) -> Find:
    but = None if match["place"] is None else _place(match)
    within = match["within"] or match["corner"]
    return Find(_term(match["thing"]), within, bool(match["unlikely"]), but)


def _treat(match: re.Match[str]) -> Treat:
    states = {verb: state for state, verb in _TREATMENTS.items()}
    return Treat(states[match["verb"]], _term(match["thing"]))


def _bring(match: re.Match[str]) -> Bring:
    states = {verb: state for state, verb in _STATES.items()}
    return Bring(states[match["verb"]], match["place"], match["room"])


def _place(match: re.Match[str]) -> Place:
    return Place(_RELATIONS[match["how"]], match["place"], match["room"])


def _term(text: str) -> Term:
    return Term(tuple(text.split(" or ")))

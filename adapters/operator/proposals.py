"""What a detector says of a photo, as proposed sightings: in the labels of the question.

The person sees them in the form of the answer, corrects them and sends them. A row becomes a thing
that the person knows where its name or its category fits, and otherwise a new one with a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...observation_text.detected_rows import Rows, Said, plain, spoken, understood
from ...scene_graph.node import OPPOSITE, Relation, State
from .questions import KEPT, LONGEST_LABEL, Kept, KnownThing, Look, Place, Sighting

#: How something has a name: category and number.
_Name = tuple[str, int | None]


@dataclass(frozen=True)
class Proposal:
    """Sightings that fit a question. left_out: names in the rows that fit no place of it."""

    sightings: tuple[Sighting, ...]
    left_out: tuple[str, ...]


def proposal(question: Look, rows: Rows) -> Proposal:
    """What rows say of the places of a question. A keeper comes before what it keeps."""
    return _Reading(question, list(understood(rows, Counter()))).proposal()


def merged(expected: Iterable[Sighting], proposed: Iterable[Sighting]) -> tuple[Sighting, ...]:
    """What is expected, with what is proposed in its place."""
    found = {each.thing: each for each in expected}
    for each in proposed:
        before = found.get(each.thing)
        if each.place is not None and _is_above(each.thing, each.place, found):
            continue
        if before is not None:
            others = (s for s in before.states if OPPOSITE.get(s) not in each.states)
            states = tuple(dict.fromkeys((*others, *each.states)))
            each = each.model_copy(update={"states": states})
        found[each.thing] = each
    return tuple(found.values())


def _is_above(thing: str, place: str, things: dict[str, Sighting]) -> bool:
    """Whether a thing is a place, or keeps it."""
    at: str | None = place
    while at is not None and at != thing:
        at = things[at].place if at in things else None
    return at is not None


class _Reading:
    """Ties rows to the labels of a question."""

    def __init__(self, question: Look, said: list[Said]) -> None:
        self._question = question
        self._said = said
        self._used: set[str] = set()
        labels = (*(known.label for known in question.known), *question.reserved)
        places = (place.label for place in question.places)
        self._taken = {label.casefold() for label in (*labels, *places)}
        self._reserved = {spoken(label) for label in question.reserved}
        self._exact = dict(self._exact_labels())
        self._rows: dict[_Name, str] = {}  # the labels of things so far
        self._found: dict[str, Sighting] = {}

    def proposal(self) -> Proposal:
        pending, left_out = [], []
        for number, said in enumerate(self._said):
            name = (said.category, said.number)
            place = None if number in self._exact else self._place(name)
            if place is not None:
                self._state_of(place, said)
            elif name in self._reserved:
                left_out.append(_words(name))
            else:
                pending.append((number, said))
        waiting = -1
        while waiting != len(pending):  # until no more keepers are found
            waiting = len(pending)
            pending = [each for each in pending if not self._add(*each)]
        left_out += [_words((said.category, said.number)) for _, said in pending]
        return Proposal(tuple(self._found.values()), tuple(dict.fromkeys(left_out)))

    def _exact_labels(self) -> Iterator[tuple[int, str]]:
        """The known things that rows name, by the number of the row."""
        known = {spoken(thing.label): thing.label for thing in self._question.known}
        for number, said in enumerate(self._said):
            label = known.pop((said.category, said.number), None)
            if label is not None:
                self._used.add(label)
                yield number, label

    def _place(self, name: _Name) -> Place | None:
        """The place of a name. A place without a number is also the first of its category."""
        category, number = name
        alike = [p for p in self._question.places if spoken(p.label)[0] == category]
        exact = [place for place in alike if spoken(place.label) == name]
        if exact or len(alike) != 1:
            return exact[0] if exact else None
        own = spoken(alike[0].label)[1]
        return alike[0] if number is None or (own is None and number == 1) else None

    def _state_of(self, place: Place, said: Said) -> None:
        states = _of(place.states, said)
        if states:
            self._found[place.label] = Sighting(thing=place.label, states=states)

    def _add(self, number: int, said: Said) -> bool:
        """Add a thing, if its keeper is known by now."""
        where = self._where(said)
        if where is None:
            return False
        relation, place = where
        label = self._exact.get(number) or self._label(said, place)
        known = self._known(label)
        states = () if known is None else _of(known.states, said)
        self._used.add(label)
        self._taken.add(label.casefold())
        self._rows.setdefault((said.category, said.number), label)
        self._found[label] = Sighting(thing=label, relation=relation, place=place, states=states)
        return True

    def _where(self, said: Said) -> tuple[Kept, str] | None:
        """How and where a thing is kept; None where that is not known."""
        relation = None if said.relation is None else KEPT.get(said.relation)
        place = None
        if said.related is not None:
            thing = self._rows.get(said.related)
            if thing is not None:
                return relation or Relation.ON, thing
            place = self._place(said.related)
        elif len(self._question.places) == 1:
            place = self._question.places[0]
        if place is None or not place.relations:
            return None
        return relation if relation in place.relations else place.relations[0], place.label

    def _known(self, label: str) -> KnownThing | None:
        return next((known for known in self._question.known if known.label == label), None)

    def _label(self, said: Said, place: str) -> str:
        """The label of a known thing that a row may mean, or a new one."""
        alike = [
            known.label
            for known in self._question.known
            if known.label not in self._used
            and said.category in (plain(known.category), spoken(known.label)[0])
        ]
        expected = {each.thing: each.place for each in self._question.expected}
        alike.sort(key=lambda label: (expected.get(label) != place, label not in expected))
        if alike:
            return alike[0]
        label = base = said.category[: LONGEST_LABEL - 4].strip()
        number = 1
        while label.casefold() in self._taken:
            number += 1
            label = f"{base} {number}"
        return label


def _of(states: Iterable[State], said: Said) -> tuple[State, ...]:
    """Those of the states that a row says, none together with its opposite."""
    found: list[State] = []
    for state in states:
        if state in said.states and OPPOSITE.get(state) not in found:
            found.append(state)
    return tuple(found)


def _words(name: _Name) -> str:
    category, number = name
    return category if number is None else f"{category} {number}"

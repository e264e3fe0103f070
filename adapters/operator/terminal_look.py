"""What is to be seen, asked in a terminal place by place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence

from ...errors import BadInput
from ...scene_graph.node import OPPOSITE, State
from .questions import Kept, Look, Place, Sighting
from .room_file import PREPOSITIONS
from .terminal_words import parsed_item, split_items

#: Shown with the first look of a session.
HOW_TO_LOOK = """\
For each place type what is there, split by commas: apple, cup 1 on tray, box (open).
Enter alone: as in brackets. -: nothing. ?: not looked at. .: all the rest as in brackets.
names: what is known. again: from the first place."""

_RIGHT = ("", "y", "yes")
_DIGITS = re.compile(r"\d+")


class _Again(Exception):
    """The person begins again."""


class _NotLooked(Exception):
    """The person has not looked at the place."""


class Looking:
    """Asks what is to be seen at the places of a question."""

    def __init__(
        self, question: Look, read: Callable[[str], str], show: Callable[[str], None]
    ) -> None:
        """read: shows a prompt and returns a line. show: shows a line."""
        self._question = question
        self._read = read
        self._show = show
        self._rest = False
        self._typed_any = False

    def seen(self) -> tuple[tuple[Sighting, ...], tuple[str, ...]]:
        """What is seen, and the places that were not looked at."""
        while True:
            sightings: list[Sighting] | None = None
            try:
                self._rest = self._typed_any = False
                sightings, unseen = self._all_places()
                if self._typed_any:
                    self._confirm(sightings)
                return tuple(sightings), tuple(unseen)
            except _Again:
                self._show("From the first place.")
                if sightings is not None:  # so that only what was wrong is typed again
                    corrected = {"expected": tuple(sightings)}
                    self._question = self._question.model_copy(update=corrected)

    def _all_places(self) -> tuple[list[Sighting], list[str]]:
        sightings: list[Sighting] = []
        unseen: list[str] = []
        for place in self._question.places:
            try:
                sightings += self._look_at(place)
            except _NotLooked:
                unseen.append(place.label)
        return sightings, unseen

    def _confirm(self, sightings: Sequence[Sighting]) -> None:
        placed = [each for each in sightings if each.place is not None]
        words = [f"{in_words(each)} {each.relation} {each.place}" for each in placed]
        self._show(f"So you see: {'; '.join(words) or 'nothing'}.")
        while self._line("Enter if that is right, again to correct it: ").lower() not in _RIGHT:
            self._show("Type nothing but Enter, or again.")

    def _look_at(self, place: Place) -> list[Sighting]:
        """What is at a place, with its own states. Raises _NotLooked."""
        expected = expected_at(self._question, place)
        found = self._states_of(place, expected)
        for relation in place.relations:
            there = [each for each in expected if each.relation is relation]
            there += _kept_by(there, expected)
            found += there if self._rest else self._things(place, relation, there)
        return found

    def _things(self, place: Place, relation: Kept, there: list[Sighting]) -> list[Sighting]:
        shown = ", ".join(map(in_words, there)) or "nothing"
        free = ", not on furniture" if place.is_room else ""
        while True:
            text = self._line(
                f"{PREPOSITIONS[relation].capitalize()} {place.label}{free} [{shown}]: "
            )
            if text == "?":
                raise _NotLooked
            self._rest = text == "."
            if not text or self._rest:
                return there
            try:
                found = self._read_items(text, relation, place)
            except BadInput as error:
                self._show(str(error))
                continue
            self._typed_any = True
            return found

    def _states_of(self, place: Place, expected: Iterable[Sighting]) -> list[Sighting]:
        """The states of a place, which the person may correct."""
        told = [each for each in expected if each.place is None]
        now = told[0].states if told else ()
        if not place.states or not now or self._rest:
            return told
        words = " and ".join(str(state).replace("_", " ") for state in now)
        while True:
            text = self._line(f"{place.label} is {words}. Enter: yes. Otherwise type what it is: ")
            if text == "?":
                raise _NotLooked
            self._rest = text == "."
            if not text or self._rest:
                return told
            word = text.lower().replace(" ", "_")
            if word in list(map(str, place.states)):
                self._typed_any = True
                new = State(word)
                kept = tuple(state for state in now if OPPOSITE.get(state) is not new)
                states = tuple(dict.fromkeys((*kept, new)))
                return [Sighting(thing=place.label, states=states)]
            self._show(f"Type one of: {', '.join(place.states)}.")

    def _line(self, prompt: str) -> str:
        """A line that is neither `again` nor `names`."""
        while True:
            text = self._read(prompt)
            if text.lower() == "again":
                raise _Again
            if text.lower() != "names":
                return text
            self._show(", ".join(known.label for known in self._question.known) or "none")

    def _read_items(self, text: str, relation: Kept, place: Place) -> list[Sighting]:
        """The sightings of a line. Raises BadInput for one that is none."""
        found = []
        labels = {known.label.casefold(): known.label for known in self._question.known}
        for item in split_items(text):
            sighting = parsed_item(item, relation, place.label)
            label = labels.get(sighting.thing.casefold())
            if label is None:
                label = self._new_label(sighting.thing, labels)
                labels[label.casefold()] = label
            found.append(sighting.model_copy(update={"thing": label}))
        return found

    def _new_label(self, typed: str, labels: dict[str, str]) -> str:
        """A label that nobody knows yet, or a known one if that was meant. Raises BadInput."""
        if len(typed) < 2:  # an answer to another question
            raise BadInput(f"'{typed}' is no name; type what you see, or Enter.")
        numbers = _DIGITS.findall(typed)
        alike = [label for label in labels if _DIGITS.findall(label) == numbers]
        for near in difflib.get_close_matches(typed.casefold(), alike, n=1, cutoff=0.75):
            text = self._line(f"'{typed}' is new. Type y if you meant '{labels[near]}': ")
            if text.lower() in ("y", "yes"):
                return labels[near]
        return typed


def expected_at(question: Look, place: Place) -> list[Sighting]:
    """What is known at a place and on its things, and the place's own states."""
    own = [each for each in question.expected if each.place is None and each.thing == place.label]
    there = [each for each in question.expected if each.place == place.label]
    return [*own, *there, *_kept_by(there, question.expected)]


def in_words(sighting: Sighting) -> str:
    """A thing with its states."""
    states = f" ({', '.join(sighting.states)})" if sighting.states else ""
    return f"{sighting.thing}{states}"


def _kept_by(things: Sequence[Sighting], every: Iterable[Sighting]) -> list[Sighting]:
    """What is on and in things."""
    every, found = list(every), list(things)
    for keeper in found:  # which grows
        found += [each for each in every if each.place == keeper.thing and each not in found]
    return found[len(things) :]

"""The desk in a terminal: plain lines, which a screen reader can follow.

It asks on standard error, since standard output may be a JSON document, and reads lines from
standard input. Enter alone never answers that something was done.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TextIO

from ...errors import BadInput
from ...scene_graph.node import OPPOSITE, Relation, State
from ...skills.executor import SimulatorDied
from ...terminal import printable
from .questions import (
    Answer,
    Confirm,
    Confirmed,
    Do,
    Done,
    Failed,
    Look,
    Place,
    Prepare,
    Question,
    Ready,
    Refused,
    Seen,
    Sighting,
    check_answer,
)
from .terminal_words import parsed_item, split_items

_DIGITS = re.compile(r"\d+")
_YES: tuple[str, ...] = ("y", "yes", "d", "done")
_PREPOSITIONS = {Relation.ON: "On", Relation.INSIDE: "In", Relation.UNDER: "Under"}


class TerminalDesk:
    """Asks a person in the terminal."""

    def __init__(self, lines: TextIO | None = None, shown: TextIO | None = None) -> None:
        """lines, shown: instead of standard input and standard error."""
        self._lines = lines
        self._shown = shown
        self._instruction = ""
        self._criteria: list[bool] = []

    def ask(self, question: Question) -> Answer:
        self._forget_typed_ahead()
        self._head(question)
        while True:
            answer = self._answer(question)
            try:
                check_answer(question, answer)
            except BadInput as error:
                self._show(str(error))
                continue
            return answer

    def kept(self, question: Question) -> None:
        self._show("Saved.")

    def close(self) -> None:
        """There is nothing to close."""

    # --- the questions -----------------------------------------------------------------------

    def _head(self, question: Question) -> None:
        """What every question begins with."""
        self._criteria = [criterion.holds for criterion in question.criteria]
        self._show("")
        if question.instruction != self._instruction:
            self._instruction = question.instruction
            self._show(f"Task: {question.instruction}")
            self._show_criteria(question)
        limit = f" of at most {question.step_limit}" if question.step_limit else ""
        if question.step:
            self._show(f"Step {question.step}{limit}.")
        if question.repeated:
            self._show(
                "This was asked before the interruption. If you did it then, do not do it again."
            )

    def _answer(self, question: Question) -> Answer:
        match question:
            case Prepare():
                return self._prepare(question)
            case Do():
                return self._do(question)
            case Look():
                return self._look(question)
            case Confirm():
                return self._confirm(question)

    def _prepare(self, question: Prepare) -> Answer:
        times = f" This is trial {question.trial}." if question.trial > 1 else ""
        self._show(f"Please prepare the room.{times}")
        for line in question.lines:
            self._show(f"  {line}")
        return self._until(
            question,
            "Type y when it is so: ",
            {_YES: lambda _: Ready(criteria=self._held())},
        )

    def _confirm(self, question: Confirm) -> Answer:
        self._show("The run goes on after an interruption. This is how the room should be:")
        for line in question.lines:
            self._show(f"  {line}")
        return self._until(
            question,
            "Put right what is not so, then type y: ",
            {_YES: lambda _: Confirmed(criteria=self._held())},
        )

    def _do(self, question: Do) -> Answer:
        self._show(f"Please do: {question.text}")
        if question.safety:
            self._show(f"Mind: {question.safety}")
        if question.tries > 1:
            self._show(f"You may try up to {question.tries} times.")
        return self._until(
            question,
            "Type d for done, f for failed, n for not allowed: ",
            {
                _YES: lambda _: Done(criteria=self._held()),
                ("f", "failed"): lambda _: self._failed(question),
                ("n", "no"): self._refused,
            },
        )

    def _failed(self, question: Do) -> Answer:
        self._show("Why did it fail?")
        for place, offered in enumerate(question.reasons, start=1):
            self._show(f"  {place}  {offered.words}")
        while True:
            text = self._read("Type the number, and your own words if you like: ")
            number, _, words = text.partition(" ")
            if number.isdecimal() and 1 <= int(number) <= len(question.reasons):
                reason = question.reasons[int(number) - 1].reason
                return Failed(criteria=self._held(), reason=reason, words=words.strip()[:400])
            self._show(f"Please type a number from 1 to {len(question.reasons)}.")

    def _refused(self, words: str) -> Answer:
        while not words:
            words = self._read("Why is it not allowed? The planner reads your words: ")
        return Refused(criteria=self._held(), words=words[:400])

    def _until(
        self,
        question: Question,
        prompt: str,
        choices: Mapping[tuple[str, ...], Callable[[str], Answer]],
    ) -> Answer:
        """Read lines until one is a choice. A line with c and a number changes a criterion."""
        while True:
            text = self._read(prompt)
            word, _, rest = text.partition(" ")
            if word.lower() in ("c", "criterion", "criteria"):
                self._change_criterion(question, rest)
                continue
            for words, choice in choices.items():
                if word.lower() in words:
                    return choice(rest.strip())
            self._show(
                "That is no answer here. You can also type c for the criteria, or q to leave."
            )

    # --- criteria ----------------------------------------------------------------------------

    def _held(self) -> tuple[bool, ...]:
        return tuple(self._criteria)

    def _show_criteria(self, question: Question) -> None:
        self._show("It has succeeded if all of this holds. Type c and a number when it changes:")
        for number, criterion in enumerate(question.criteria, start=1):
            holds = "holds" if self._criteria[number - 1] else "does not hold"
            self._show(f"  {number}  {criterion.text} ({holds})")

    def _change_criterion(self, question: Question, text: str) -> None:
        for word in text.replace(",", " ").split():
            if word.isdecimal() and 1 <= int(word) <= len(self._criteria):
                self._criteria[int(word) - 1] ^= True
            else:
                self._show(f"There is no criterion {word}.")
        self._show_criteria(question)

    # --- looking -----------------------------------------------------------------------------

    def _look(self, question: Look) -> Answer:
        self._show(question.text)
        self._show(
            "For each place type what is there, split by commas. Enter: as in brackets. "
            "-: nothing. ?: not looked at. .: all the rest as in brackets. names: what is known."
        )
        sightings: list[Sighting] = []
        unseen: list[str] = []
        rest = False
        for place in question.places:
            found = None if rest else self._look_at(place, question)
            if found is None:
                rest = True
                found = _expected_at(question, place)
            if found == _NOT_LOOKED:
                unseen.append(place.label)
            else:
                sightings += found
        return Seen(criteria=self._held(), sightings=tuple(sightings), unseen=tuple(unseen))

    def _look_at(self, place: Place, question: Look) -> list[Sighting] | None:
        """What is at a place; None where it and all the rest is as expected."""
        expected = _expected_at(question, place)
        found = self._states_of(place, expected)
        for relation in place.relations:
            there = [each for each in expected if each.relation is relation]
            there += _kept_by(there, expected)
            shown = ", ".join(map(_in_words, there)) or "nothing"
            words = f"{_PREPOSITIONS[relation]} {place.label} [{shown}]: "
            while True:
                text = self._read(words)
                if text == ".":
                    return None
                if text == "?":
                    return _NOT_LOOKED
                if text.lower() == "names":
                    self._show(", ".join(known.label for known in question.known) or "none")
                    continue
                if text.split(" ")[0].lower() == "c":
                    self._change_criterion(question, text[1:])
                    continue
                if not text:
                    found += there
                    break
                try:
                    found += self._typed(text, relation, place, question)
                    break
                except BadInput as error:
                    self._show(str(error))
        return found

    def _states_of(self, place: Place, expected: Iterable[Sighting]) -> list[Sighting]:
        """The states of a place, which the person may correct."""
        told = [each for each in expected if each.place is None]
        now = told[0].states if told else ()
        if not place.states or not now:
            return told
        words = " and ".join(str(state).replace("_", " ") for state in now)
        while True:
            text = self._read(f"{place.label} is {words}. Enter: yes. Otherwise type what it is: ")
            if not text:
                return told
            word = text.lower().replace(" ", "_")
            if word in list(map(str, place.states)):
                new = State(word)
                kept = tuple(state for state in now if OPPOSITE.get(state) is not new)
                states = tuple(dict.fromkeys((*kept, new)))
                return [Sighting(thing=place.label, states=states)]
            self._show(f"Type one of: {', '.join(place.states)}.")

    def _typed(self, text: str, relation: Relation, place: Place, question: Look) -> list[Sighting]:
        """The sightings of a line. Raises BadInput for one that is none."""
        found = []
        labels = {known.label.casefold(): known.label for known in question.known}
        for item in split_items(text):
            sighting = parsed_item(item, relation, place.label)
            label = labels.get(sighting.thing.casefold())
            if label is None:
                label = self._new_label(sighting.thing, labels)
                labels[label.casefold()] = label
            found.append(sighting.model_copy(update={"thing": label}))
        return found

    def _new_label(self, typed: str, labels: dict[str, str]) -> str:
        """A label that nobody knows yet, or a known one if that was meant."""
        numbers = _DIGITS.findall(typed)
        alike = [label for label in labels if _DIGITS.findall(label) == numbers]
        for near in difflib.get_close_matches(typed.casefold(), alike, n=1, cutoff=0.75):
            text = self._read(f"'{typed}' is new. Type y if you meant '{labels[near]}': ")
            if text.lower() in ("y", "yes"):
                return labels[near]
        return typed

    # --- the terminal ------------------------------------------------------------------------

    def _show(self, text: str, end: str = "\n") -> None:
        print(printable(text), end=end, file=self._shown or sys.stderr, flush=True)

    def _read(self, prompt: str) -> str:
        """A line of the person. Raises SimulatorDied if it leaves."""
        self._show(prompt, end="")
        line = (self._lines or sys.stdin).readline()
        text = " ".join(printable(line.encode("utf-8", "replace").decode()).split())
        if not line or text.lower() in ("q", "quit"):
            raise SimulatorDied("the person left")
        return text

    def _forget_typed_ahead(self) -> None:
        """Drop what was typed before the question was there: it answers another one."""
        stream = self._lines or sys.stdin
        if stream.isatty():
            import termios

            with suppress(termios.error):
                termios.tcflush(stream.fileno(), termios.TCIFLUSH)


#: Stands for a place that could not be looked at.
_NOT_LOOKED = [Sighting(thing="?")]


def _expected_at(question: Look, place: Place) -> list[Sighting]:
    """What is known at a place and on its things, and the place's own states."""
    own = [each for each in question.expected if each.place is None and each.thing == place.label]
    there = [each for each in question.expected if each.place == place.label]
    return [*own, *there, *_kept_by(there, question.expected)]


def _kept_by(things: Sequence[Sighting], every: Iterable[Sighting]) -> list[Sighting]:
    """What is on and in things."""
    every = list(every)
    names = {each.thing for each in things}
    found = [each for each in every if each.place in names]
    return [*found, *_kept_by(found, every)] if found else []


def _in_words(sighting: Sighting) -> str:
    states = f" ({', '.join(sighting.states)})" if sighting.states else ""
    return f"{sighting.thing}{states}"

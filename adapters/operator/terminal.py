"""The desk in a terminal: plain lines, which a screen reader can follow.

It asks on standard error, since standard output may be a JSON document, and reads lines from
standard input. Enter alone never answers that something was done.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from ...errors import BadInput
from ...skills.executor import SimulatorDied
from ...terminal import forget_typed_ahead, printable, typed_line
from .photo_reader import PhotoReader
from .questions import (
    Answer,
    Confirm,
    Confirmed,
    Do,
    Done,
    Failed,
    Look,
    Prepare,
    Question,
    Ready,
    Refused,
    Seen,
    check_answer,
)
from .terminal_look import HOW_TO_LOOK, Looking
from .terminal_photo import TerminalPhotos, read_photos

_BACK = ("b", "back")
_YES: tuple[str, ...] = ("y", "yes", "d", "done")


class TerminalDesk:
    """Asks a person in the terminal."""

    def __init__(
        self,
        lines: TextIO | None = None,
        shown: TextIO | None = None,
        reader: PhotoReader | None = None,
    ) -> None:
        """lines, shown: instead of standard input and standard error. reader: reads photos."""
        self._lines = lines
        self._shown = shown
        self._reader = reader
        self._instruction = ""
        self._criteria: list[bool] = []
        self._has_looked = False
        self._photos: TerminalPhotos | None = None  # of the present question

    def ask(self, question: Question) -> Answer:
        forget_typed_ahead(self._lines or sys.stdin)
        self._photos = None
        self._head(question)
        while True:
            answer = self._answer(question)
            try:
                check_answer(question, answer)
            except BadInput as error:
                self._show(str(error))
                if isinstance(question, Look) and isinstance(answer, Seen):  # is not typed again
                    question = question.model_copy(update={"expected": answer.sightings})
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
        if question.repeated and isinstance(question, Do | Prepare):
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
        if question.pending:
            self._show(f"If you have done this already, leave it so: {question.pending}")
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

    def _failed(self, question: Do) -> Answer | None:
        self._show("Why did it fail?")
        for place, offered in enumerate(question.reasons, start=1):
            self._show(f"  {place}  {offered.words}")
        while True:
            text = self._read("Type the number, and your own words if you like; b goes back: ")
            if text.lower() in _BACK:
                return None
            number, _, words = text.partition(" ")
            if number.isdecimal() and 1 <= int(number) <= len(question.reasons):
                reason = question.reasons[int(number) - 1].reason
                return Failed(criteria=self._held(), reason=reason, words=words.strip()[:400])
            self._show(f"Please type a number from 1 to {len(question.reasons)}.")

    def _refused(self, words: str) -> Answer | None:
        while not words:
            words = self._read("Why is it not allowed? The planner reads your words; b goes back: ")
        if words.lower() in _BACK:
            return None
        return Refused(criteria=self._held(), words=words[:400])

    def _until(
        self,
        question: Question,
        prompt: str,
        choices: Mapping[tuple[str, ...], Callable[[str], Answer | None]],
    ) -> Answer:
        """Read lines until one is a choice that gives an answer.

        A line with c and a number changes a criterion.
        """
        while True:
            text = self._read(prompt)
            word, _, rest = text.partition(" ")
            if word.lower() in ("c", "criterion", "criteria"):
                self._change_criterion(question, rest)
                continue
            found = [choice for words, choice in choices.items() if word.lower() in words]
            answer = found[0](rest.strip()) if found else None
            if answer is not None:
                return answer
            if not found:
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
        if not self._has_looked:
            self._show(HOW_TO_LOOK)
            self._has_looked = True

        def read(prompt: str) -> str:
            while True:
                text = self._read(prompt)
                word, _, rest = text.partition(" ")
                if word.lower() != "c":
                    return text
                self._change_criterion(question, rest)

        if self._reader is not None and self._photos is None:
            self._photos = read_photos(question, self._reader, read, self._show)
            question = self._photos.question
        photos = self._photos
        sightings, unseen = Looking(question, read, self._show).seen()
        answer = Seen(criteria=self._held(), sightings=sightings, unseen=unseen)
        if photos is None:
            return answer
        return answer.model_copy(update={"photo": photos.content, "readings": photos.readings})

    # --- the terminal ------------------------------------------------------------------------

    def _show(self, text: str, end: str = "\n") -> None:
        print(printable(text), end=end, file=self._shown or sys.stderr, flush=True)

    def _read(self, prompt: str) -> str:
        """A line of the person. Raises SimulatorDied if it leaves."""
        self._show(prompt, end="")
        text = typed_line(self._lines or sys.stdin)
        if text is None or text.lower() in ("q", "quit"):
            raise SimulatorDied("the person left")
        return text

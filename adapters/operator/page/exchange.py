"""The one open question, between the thread that asks and the threads of the server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ....errors import PeepholeError
from .gate import Refused
from .photo import Photo

#: The most photos kept for one question, those that the person took again included.
_MOST_PHOTOS = 12
_ENDED = "The run has ended; this {what} was not used."
_ANSWERED = "This question was answered before; this {what} was not used."

#: Reads the JSON of an answer, with the photos by their names. Raises PeepholeError.
ReadAnswer = Callable[[Any, dict[str, Photo]], Any]
#: Makes JSON data for the page of what a photo shows. It may take long, and raises nothing.
ReadPhoto = Callable[[Photo], Any]


@dataclass
class _Open:
    number: int
    question: Any
    read: ReadAnswer
    read_photo: ReadPhoto | None = None
    photos: dict[str, Photo] = field(default_factory=dict)
    readings: dict[str, Any] = field(default_factory=dict)
    """What photos show, by their names; None while one is being read."""
    answer: Any = None


class Left(Exception):
    """The person has stopped for now."""


class Exchange:
    """At most one open question; each gets one answer. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._version = 0
        self._asked = 0
        self._open: _Open | None = None
        self._taken: tuple[int, str] = (0, "")
        self._kept = 0
        self._left = False
        self._ended: str | None = None
        self._waiting = 0
        self._told_end = False

    def ask(self, question: Any, read: ReadAnswer, read_photo: ReadPhoto | None = None) -> Any:
        """Ask a question and wait for its answer. Interrupted, it withdraws the question.

        question: JSON data. read_photo: None where photos are not read. Returns what `read` makes
        of the answer. Raises Left.
        """
        with self._changed:
            assert self._open is None, "one question at a time"
            self._asked += 1
            mine = self._open = _Open(self._asked, question, read, read_photo)
            self._change()
            try:
                while self._open is mine and not self._left:
                    self._changed.wait(1.0)  # in short waits, so that Ctrl-C reaches this thread
                if self._open is mine:
                    self._left = False
                    raise Left
                return mine.answer
            finally:
                if self._open is mine:
                    self._open = None
                    self._change()

    def keep(self) -> None:
        """Show that the last answer is kept."""
        with self._changed:
            self._kept = self._taken[0]
            self._change()

    def leave(self) -> None:
        """Let the person stop for now: the open or the next question gets no answer."""
        with self._changed:
            self._left = True
            self._changed.notify_all()

    def wake(self) -> None:
        """Answer all pages that wait for news: another one has been opened."""
        with self._changed:
            self._change()

    def begin(self) -> None:
        """Begin, also after an end."""
        with self._changed:
            self._ended, self._told_end = None, False
            self._change()

    def end(self, words: str, seconds: float = 0.0) -> None:
        """End: nothing more is asked. Waits until a page that waits for news was told.

        words: shown in place of a question. seconds: to wait at most.
        """
        with self._changed:
            waits = self._waiting > 0
            self._ended = words
            self._change()
            if waits:
                self._changed.wait_for(lambda: self._told_end, seconds)

    def state(self, known: int, seconds: float) -> dict[str, Any]:
        """What the page shows now, as JSON data; waits while it is of the version `known`."""
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: self._version != known, seconds)
            self._waiting -= 1
            state: dict[str, Any] = {
                "version": self._version,
                "state": "waiting",
                "kept": self._kept,
            }
            if self._ended is not None:
                state |= {"state": "ended", "words": self._ended}
            elif self._open is not None:
                state |= {"state": "question", "number": self._open.number}
                state |= {"question": self._open.question, "readings": dict(self._open.readings)}
            return state

    def tell_end(self) -> None:
        """Note that a page was told of the end."""
        with self._changed:
            self._told_end = self._ended is not None
            self._changed.notify_all()

    def answer(self, number: int, data: Any) -> None:
        """Answer a question. The same answer sent again is taken once.

        Raises Refused for another question's answer and for one that is not understood.
        """
        with self._changed:
            said = (number, json.dumps(data, sort_keys=True))
            if said == self._taken:
                return
            asked = self._asked_as(number, "answer")
            try:
                asked.answer = asked.read(data, asked.photos)
            except PeepholeError as error:
                raise Refused(422, str(error)) from None
            self._open, self._taken = None, said
            self._change()

    def add_photo(self, number: int, photo: Photo) -> None:
        """Keep a photo for the answer to a question. Raises Refused."""
        with self._changed:
            asked = self._asked_as(number, "photo")
            photos = asked.photos
            if photo.name not in photos and len(photos) >= _MOST_PHOTOS:
                raise Refused(413, f"A question takes {_MOST_PHOTOS} photos at most.")
            photos[photo.name] = photo
            self._have_read(asked, photo)

    def read_again(self, number: int, name: str) -> None:
        """Have a kept photo read once more. Raises Refused."""
        with self._changed:
            asked = self._asked_as(number, "photo")
            if name not in asked.photos:
                raise Refused(422, "The photo did not arrive; take it again, or remove it.")
            self._have_read(asked, asked.photos[name])

    def _have_read(self, asked: _Open, photo: Photo) -> None:
        """Have a photo read in a thread of its own, unless that goes on already."""
        read = asked.read_photo
        if read is None or asked.readings.get(photo.name, "") is None:
            return
        asked.readings[photo.name] = None

        def run() -> None:
            found = read(photo)
            with self._changed:
                asked.readings[photo.name] = found
                self._change()

        threading.Thread(target=run, daemon=True).start()
        self._change()

    def _asked_as(self, number: int, what: str) -> _Open:
        """The open question, if it has this number. Raises Refused. what: what came for it."""
        if self._ended is not None:
            raise Refused(410, _ENDED.format(what=what))
        if self._open is None or self._open.number != number:
            raise Refused(409, _ANSWERED.format(what=what))
        return self._open

    def _change(self) -> None:
        self._version += 1
        self._changed.notify_all()

"""The desk on a web page: a person answers with a phone or a browser."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ....errors import BadInput
from ....scene_graph.node import OPPOSITE
from ....skills.executor import SimulatorDied
from ..photo_reader import PhotoReader
from ..questions import (
    Answer,
    Look,
    PhotoReading,
    Question,
    Seen,
    answer_from_json,
    check_answer,
)
from ..settings import VARIABLE, PageSettings
from .exchange import Exchange, Left
from .gate import Gate
from .photo import Photo
from .server import PageServer

#: Seconds that a page gets to hear of the end before its server closes.
_FAREWELL_S = 2.0
_END = "The run has ended. You may close this page."
_STOPPED = "The run has stopped for now. With --resume it goes on at the same question."


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class PageDesk:
    """Asks on a page of this machine's loopback interface; see `Desk`.

    The link is shown when the first question is asked. It works once. If it is opened again, the
    terminal shows a new one, which takes the place of the page that was open.
    """

    def __init__(
        self,
        settings: PageSettings | None = None,
        show: Callable[[str], None] = _print,
        reader: PhotoReader | None = None,
    ) -> None:
        """show: shows a line to the person at the terminal. reader: None to read no photos."""
        self._settings = settings or PageSettings()
        self._show = show
        self._reader = reader
        self._gate = Gate([self._settings.host] if self._settings.host else [])
        self._exchange = Exchange()
        self._server: PageServer | None = None
        self._last_words = _END

    def ask(self, question: Question) -> Answer:
        """See `Desk.ask`. Raises BadInput if the port is taken."""
        self._serve()
        self._last_words = _STOPPED  # if nobody answers
        readings: list[PhotoReading] = []
        try:
            answer: Answer = self._exchange.ask(
                page_data(question),
                lambda data, photos: read_answer(question, data, photos, tuple(readings)),
                self._read_photo(question, readings),
            )
        except Left:
            raise SimulatorDied("the person left") from None
        self._last_words = _END
        return answer

    def _read_photo(
        self, question: Question, readings: list[PhotoReading]
    ) -> Callable[[Photo], Any] | None:
        """What reads the photos of a question, if photos are read. readings: gets what is said."""
        reader = self._reader
        if reader is None or not isinstance(question, Look):
            return None

        def read(photo: Photo) -> Any:
            reading = reader.read(photo.content, question)
            readings.append(reading)
            sightings = [sighting.model_dump(mode="json") for sighting in reading.sightings]
            return {"sightings": sightings, "words": reading.words, "read": not reading.problem}

        return read

    def kept(self, question: Question) -> None:
        """See `Desk.kept`."""
        self._exchange.keep()

    def close(self) -> None:
        """See `Desk.close`."""
        if self._server is not None:
            self._exchange.end(self._last_words, _FAREWELL_S)
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def link(self) -> str:
        """The link that opens the page, once."""
        assert self._server is not None, "there is a link when the first question is asked"
        return f"http://127.0.0.1:{self._server.port}/#{self._gate.token}"

    def _serve(self) -> None:
        """Start the server, if it does not run."""
        if self._server is not None:
            return
        port = self._settings.port
        try:
            server = PageServer(port, self._gate, self._exchange, self._renew_link)
        except OSError as error:
            raise BadInput(
                f"The operator's page cannot use port {port} ({error.strerror}); set another, such "
                f"as {VARIABLE}='page port={port + 1}'."
            ) from None
        self._server = server
        self._exchange.begin()
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        if not self._gate.opened:
            self._show_link("Open the page of the operator")

    def _renew_link(self) -> None:
        """Show a new link, if the one that was shown is used up."""
        if self._gate.opened:
            self._gate.renew()
            self._show_link("The link was opened a second time. To open the page there, use")

    def _show_link(self, words: str) -> None:
        assert self._server is not None
        self._show(f"{words}: {self.link}")
        if self._settings.host:
            self._show(f"By the tunnel: https://{self._settings.host}/#{self._gate.token}")


def page_data(question: Question) -> dict[str, Any]:
    """A question as JSON data for the page: with its digest, and which states exclude which."""
    data = question.model_dump(mode="json") | {"digest": question.digest}
    if isinstance(question, Look):
        data["opposites"] = OPPOSITE
    return data


def read_answer(
    question: Question,
    data: Any,
    photos: Mapping[str, Photo],
    readings: tuple[PhotoReading, ...] = (),
) -> Answer:
    """The answer in JSON data of the page, where a photo stands by its name. Raises BadInput."""
    if isinstance(data, dict) and data.get("photo") is not None:
        photo = photos.get(data["photo"]) if isinstance(data["photo"], str) else None
        if photo is None:
            raise BadInput("The photo did not arrive; take it again, or remove it.")
        data = data | {"photo": base64.b64encode(photo.content).decode()}
    answer = answer_from_json(json.dumps(data))
    if isinstance(answer, Seen):  # the page does not say what the model said
        answer = answer.model_copy(update={"readings": readings})
    check_answer(question, answer)
    return answer

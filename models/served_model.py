"""The contract of models that a run serves by itself: the plugins of the group `peephole.models`.

`--model NAME` and `--model NAME:ARGUMENT` choose one by the name of its entry point, which names a
`ServedModel`. It answers chat completions over HTTP like any endpoint, so the rest of Peephole
does not know of it. Every other `--model` is a model of the user's endpoint.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import urlsplit

from ..data_files import json_data
from ..errors import each_name


@dataclass(frozen=True)
class ModelEndpoint:
    """The endpoint of a model."""

    base_url: str
    """The URL of its OpenAI-compatible API."""
    model: str
    """The name of the model there."""
    key: str | None = field(default=None, repr=False)
    """The API key, None for none."""
    timeout_s: float = 120.0
    """Timeout of one HTTP request, in seconds, where the user sets none."""
    advises: bool = False
    """Whether its error messages say what to do."""
    slots: int = 0
    """How many conversations its prompt cache keeps apart, by llama.cpp's request field `id_slot`.

    0 for none.
    """
    copies_slots: bool = False
    """Whether one slot can be copied to another, by llama.cpp's path `slots`."""
    more_urls: tuple[str, ...] = ()
    """The URLs of further servers of the same model, which share the slots equally, see `slot`."""
    version: str = ""
    """Tells models of the same name apart, such as a file that was replaced."""
    reads_aside: bool = False
    """Whether it is a stand-in, which receives the data of `Request.about` in the request field
    `aside`.
    """

    def slot(self, number: int) -> tuple[str, int]:
        """The URL of the server that has a slot, and the slot's number there, from 0.

        number: of the slot, modulo those there are. The first slots are the first server's.
        """
        if not self.slots:
            return self.base_url, 0
        urls = (self.base_url, *self.more_urls)
        server, place = divmod(number % self.slots, -(-self.slots // len(urls)))
        return urls[server], place

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a request to one of its further paths, such as /tokenize."""
        key = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        return {"Content-Type": "application/json", **key}

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


@dataclass(frozen=True)
class ServeOptions:
    """The settings for serving a model."""

    argument: str = ""
    """The text after the colon of --model NAME:ARGUMENT."""
    seed: int = 0
    """The run's seed."""
    start_timeout_s: float = 120.0
    """The longest time, in seconds, until the model answers."""
    slots: int = 1
    """How many conversations go on at the same time."""
    threads: int | None = None
    """Processor threads; None for what suits the model."""
    context: int | None = None
    """The most tokens of one conversation; None for what suits the model."""
    instruction_table: Mapping[str, Any] = field(default_factory=dict)
    """What the run's instructions ask for, see `episodes.instruction_table`.

    Empty for a model that does not want it.
    """
    places_table: Mapping[str, Any] = field(default_factory=dict)
    """Where things lie when the tasks begin, see `episodes.instruction_table`.

    Empty for a model that does not want it.
    """


#: The grant of the instruction table, in words.
INSTRUCTION_TABLE = "a table of what the instructions ask for, made from the goals"
#: The grant of the places table, in words.
PLACES_TABLE = "a table of where things lie at the start"


@dataclass(frozen=True)
class ServedModel:
    """A model that a run serves by itself, once for all its episodes."""

    name: str
    """The name for --model."""
    summary: str
    """One line for lists of models."""
    serve: Callable[[ServeOptions], AbstractContextManager[ModelEndpoint]]
    """Gives the endpoint, which answers while the context is open."""
    check: Callable[[str], None] = lambda argument: None
    """Raises BadInput or Missing for an argument that cannot be served."""
    note: Callable[[str], str] = lambda argument: ""
    """A sentence that the user has to know of the model with an argument, or ""."""
    dialect: Callable[[str], str] = lambda argument: ""
    """The dialect that it needs, given an argument, or ""; in it the note is not shown."""
    stand_in: bool = False
    """Whether it is no language model; results with it are marked as a mechanism check."""
    wants_instruction_table: bool = False
    """Whether it needs the instruction table, which takes seconds to make."""
    wants_places_table: Callable[[str], bool] = lambda argument: False
    """Whether it needs the places table, given an argument."""
    knows: tuple[str, ...] = ()
    """What else it has that no language model gets, a phrase each ("the suite's own grammar")."""
    lengths: bool = False
    """Whether it enforces limits on lengths and values in JSON schemas, which many endpoints
    refuse.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "knows", each_name(self.knows))

    def granted(self, argument: str) -> tuple[str, ...]:
        """The data it has besides the messages of a request, for recordings and results."""
        tables = (INSTRUCTION_TABLE,) * self.wants_instruction_table
        return (*tables, *(PLACES_TABLE,) * self.wants_places_table(argument), *self.knows)


# --- servers in a process of their own ------------------------------------------------------------


class NotStarted(Exception):
    """A server that ended, or was not ready in time; the text says which."""


@contextmanager
def server_process(
    command: Sequence[str], start_timeout_s: float, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run a server while the context is open; gives the URL it listens on.

    environment: variables besides those of this process.

    When it is ready, the server prints the line {"listening": URL} on standard output and nothing
    after it. The server must end when its standard input closes, which happens when the process
    that started it is killed. Raises NotStarted.
    """
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, **(environment or {})},
        )
        try:
            yield _url(process, log, start_timeout_s)
        finally:
            process.kill()
            process.communicate()


def _url(process: subprocess.Popen[bytes], log: IO[bytes], start_timeout_s: float) -> str:
    """The URL that the server prints."""
    assert process.stdout is not None
    late = threading.Event()

    def give_up() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(start_timeout_s, give_up)
    timer.daemon = True
    timer.start()
    try:
        for line in process.stdout:
            try:
                printed = json_data(line)
            except ValueError:
                continue  # a library's own words
            if isinstance(printed, dict) and "listening" in printed:
                return str(printed["listening"])
    finally:
        timer.cancel()
    process.wait()
    if late.is_set():
        raise NotStarted(f"it was not ready within {start_timeout_s:g} s")
    log.seek(0)
    last = log.read().decode(errors="replace").strip().splitlines()[-1:]
    raise NotStarted(" ".join(last) or "it ended without a word")

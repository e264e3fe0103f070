"""The contract of models that a run serves by itself: the plugins of the group `peephole.models`.

`--model NAME` and `--model NAME:ARGUMENT` choose one by the name of its entry point, which names a
`ServedModel`. It answers chat completions over HTTP like any endpoint, so nothing else of Peephole
knows it. Every other `--model` is one of the user's endpoint.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class ModelEndpoint:
    """Where a model answers.

    base_url: of its OpenAI-compatible API. model: its name there. key: None for none.
    timeout_s: of one HTTP request where the user does not say. advises: its refusals say what to
    do. slots: how many conversations its cache of what it has read keeps apart, by a field
    `id_slot` of the request as llama.cpp has it; 0 where it knows no such field. copies_slots: one
    slot can be given what another has read, by llama.cpp's path `slots`. more_urls: of further
    servers of the same model, which have the slots in equal parts, see `slot`. version: tells apart
    models of the same name, such as files that took each other's place. reads_aside: a stand-in,
    which gets what a question is about as data, in a field `aside` of the request.
    """

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 120.0
    advises: bool = False
    slots: int = 0
    copies_slots: bool = False
    more_urls: tuple[str, ...] = ()
    version: str = ""
    reads_aside: bool = False

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
    def host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


@dataclass(frozen=True)
class ServeOptions:
    """What a model is served with.

    argument: what follows the colon of --model NAME:ARGUMENT. seed: the run's. start_timeout_s: how
    long it may take until it answers. slots: conversations that go on at the same time. threads: of
    the processor, context: tokens that one conversation may have; None for what suits the model.
    instruction_table: what the run's instructions ask for, see `episodes.instruction_table`; empty
    for a model that does not want it. places_table: where things lie when the tasks begin, see
    `episodes.places_table`; empty likewise.
    """

    argument: str = ""
    seed: int = 0
    start_timeout_s: float = 120.0
    slots: int = 1
    threads: int | None = None
    context: int | None = None
    instruction_table: Mapping[str, Any] = field(default_factory=dict)
    places_table: Mapping[str, Any] = field(default_factory=dict)


def _accept(argument: str) -> None:
    """Accept any argument."""


def _no_note(argument: str) -> str:
    return ""


def _never(argument: str) -> bool:
    return False


#: How the grant of the instruction table is told.
INSTRUCTION_TABLE = "a table of what the instructions ask for, made from the goals"
#: How the grant of the places table is told.
PLACES_TABLE = "a table of where things lie at the start"


@dataclass(frozen=True)
class ServedModel:
    """A model that a run serves by itself, once for all its episodes.

    name: as --model has it. summary: one line. serve: the endpoint, which answers for as long as
    the context lasts. check: raises BadInput or Missing where an argument cannot be served. note: a
    sentence on what the user has to know of the model with an argument, or "".
    stand_in: it is no language model; results with it are marked as a mechanism check.
    wants_instruction_table: it is given the table, which takes seconds to make. wants_places_table:
    whether it is given that table with an argument. knows: what else it
    has that no language model is given, a phrase each ("the suite's own grammar"). lengths: it
    enforces limits on lengths and values in JSON schemas, which many endpoints refuse.
    """

    name: str
    summary: str
    serve: Callable[[ServeOptions], AbstractContextManager[ModelEndpoint]]
    check: Callable[[str], None] = _accept
    note: Callable[[str], str] = _no_note
    stand_in: bool = False
    wants_instruction_table: bool = False
    wants_places_table: Callable[[str], bool] = _never
    knows: tuple[str, ...] = ()
    lengths: bool = False

    def granted(self, argument: str) -> tuple[str, ...]:
        """What it has besides the messages of a request; recordings and results say so."""
        tables = (INSTRUCTION_TABLE,) * self.wants_instruction_table
        return (*tables, *(PLACES_TABLE,) * self.wants_places_table(argument), *self.knows)


# --- servers in a process of their own ------------------------------------------------------------


class NotStarted(Exception):
    """A server that ended, or was not ready in time; the text says which."""


@contextmanager
def server_process(command: Sequence[str], start_timeout_s: float) -> Iterator[str]:
    """Run a server for as long as the context lasts; gives the URL it listens on.

    When it is ready the server prints {"listening": URL} as a line on standard output, and nothing
    there afterwards. It ends by itself when its standard input closes: that is how it learns that
    the process that started it was killed. Raises NotStarted.
    """
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
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
                printed = json.loads(line)
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

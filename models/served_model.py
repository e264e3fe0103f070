"""The contract of models that a run serves by itself: the plugins of the group `peephole.models`.

`--model NAME` and `--model NAME:ARGUMENT` choose one by the name of its entry point, which names a
`ServedModel`. It answers chat completions over HTTP like any endpoint, so nothing else of Peephole
knows it. Every other `--model` is one of the user's endpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any
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

"""Models that a run starts here by itself, and the way to every other.

A started model is served by a process of its own on 127.0.0.1, once for the whole run, and asked
over HTTP like any other.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from ...errors import Missing
from .config import ModelConfig, ModelEndpoint, endpoint_from_environment

#: Name: the module here that serves it. The module has `check(argument)`, which raises BadInput or
#: Missing where it cannot be served, `note(argument)`, a line on what the user has to know of it
#: ("" for nothing), and `serve(options)`, a context manager that gives the Access.
STARTED = {"local": "peephole.planners.llm.local", "scripted": "peephole.stand_ins.scripted"}
_STAND_INS = frozenset({"scripted"})

#: Makes JSON data; see `scripted.table`.
Table = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class ServeOptions:
    """What a started model is given.

    argument: what follows the colon in --model NAME:ARGUMENT. seed: the run's.
    table: makes the understanding of the run's instructions that a stand-in is given; it takes
    seconds, so only a model that needs it asks for it.
    """

    argument: str = ""
    seed: int = 0
    table: Table = dict


Serve = Callable[[ServeOptions], AbstractContextManager[ModelEndpoint]]


def split(name: str) -> tuple[str, str] | None:
    """Name and argument of a started model; None for a model of the user's endpoint."""
    kind, _, argument = name.partition(":")
    if kind in STARTED:
        return kind, argument
    return ("local", name) if name.endswith(".gguf") else None


def checked(config: ModelConfig) -> ModelConfig:
    """The config with its host, once it is clear that the model can be asked at all.

    Raises NoEndpoint, BadInput or Missing, each saying what to do.
    """
    started = split(config.name)
    if started is None:
        return replace(config, host=endpoint_from_environment(config.name).host)
    kind, argument = started
    _module(kind).check(argument)
    return config


def note(name: str) -> str:
    """One line that the user has to know of a started model; empty for none."""
    started = split(name)
    if started is None:
        return ""
    kind, argument = started
    told: str = _module(kind).note(argument)
    return told


def label(name: str) -> str:
    """A model's name as results show it: one that is no language model says so."""
    return f"{name} (mechanism check)" if stands_in(name) else name


def stands_in(name: str) -> bool:
    """Whether a model is a stand-in by rules."""
    started = split(name)
    return started is not None and started[0] in _STAND_INS


@contextmanager
def access(config: ModelConfig, seed: int = 0, table: Table = dict) -> Iterator[ModelEndpoint]:
    """The way to a model, which is started for as long as the context lasts where need be."""
    started = split(config.name)
    if started is None:
        yield endpoint_from_environment(config.name)
        return
    kind, argument = started
    serve: Serve = _module(kind).serve
    with serve(ServeOptions(argument, seed, table)) as way:
        yield way


def _module(kind: str) -> ModuleType:
    try:
        return importlib.import_module(STARTED[kind])
    except ModuleNotFoundError as error:
        raise Missing(
            f"The model '{kind}' is not part of this installation ({error}); "
            f"reinstall peephole, or choose another --model."
        ) from None

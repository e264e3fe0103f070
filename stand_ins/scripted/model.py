"""The plugin: the stand-in as a model that a run serves by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...served_model import ModelEndpoint, ServedModel, ServeOptions
from . import MODEL as NAME
from .faults import parse_rates
from .process import scripted


def check(argument: str) -> None:
    """Raise BadInput where the argument is no rates of faults."""
    parse_rates(argument)


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Run the stand-in for as long as the context lasts."""
    with scripted(options) as url:
        yield ModelEndpoint(url, NAME)


MODEL = ServedModel(
    NAME,
    "answers by rules, and with faults on purpose if wanted: --model scripted:malformed=0.1",
    serve,
    check,
    stand_in=True,
    wants_instruction_table=True,
)

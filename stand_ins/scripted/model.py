"""The stand-in as a model that a run serves by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...models.served_model import ModelEndpoint, ServedModel, ServeOptions
from ..server import serving
from . import NAME
from .faults import ReplyFaults, parse_rates
from .guesses import Guesses, parse_chances, places_of
from .reply import ScriptedModel
from .table import to_table


def check(argument: str) -> None:
    """Raise BadInput where the argument is no rates of faults and chances of guesses."""
    _, rates = parse_chances(argument)
    parse_rates(rates)


def _wants_places(argument: str) -> bool:
    """Whether it is to guess places rightly, which it cannot without knowing them."""
    chances, _ = parse_chances(argument)
    return chances.place is not None


@contextmanager
def serve(
    options: ServeOptions, slow_s: float = 2.0, retry_after_s: float = 1.0
) -> Iterator[ModelEndpoint]:
    """Answer, from threads of this process, for as long as the context lasts.

    options: their argument is the rates of `faults` and the chances of `guesses`. slow_s,
    retry_after_s: see `ScriptedModel`.
    """
    chances, rates = parse_chances(options.argument)
    model = ScriptedModel(
        to_table(options.instruction_table),
        ReplyFaults(parse_rates(rates), options.seed),
        Guesses(chances, places_of(options.places_table), options.seed),
        slow_s,
        retry_after_s,
    )
    with serving(NAME, model.reply) as url:
        yield ModelEndpoint(url, NAME, reads_aside=True)


MODEL = ServedModel(
    NAME,
    "answers by rules, and with faults on purpose if wanted: --model scripted:malformed=0.1",
    serve,
    check,
    stand_in=True,
    wants_instruction_table=True,
    wants_places_table=_wants_places,
    knows=(
        "what its questions are about, as data",
        "for blocks the suite's own grammar, goal test and plans",
    ),
)

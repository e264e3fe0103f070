"""The stand-in as a model that a run serves by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from ...errors import Missing
from ...installed import Lack
from ...models.served_model import ModelEndpoint, ServedModel, ServeOptions
from ..server import serving
from . import NAME
from .errors import parse_rates
from .replies import DetectorModel


def check(argument: str) -> None:
    """Raise BadInput where the argument is no rates of errors, Missing without pillow."""
    parse_rates(argument)
    if find_spec("PIL") is None:
        raise Missing(Lack("The stand-in detector needs pillow", "vision"))


@contextmanager
def serve(options: ServeOptions) -> Iterator[ModelEndpoint]:
    """Answer, from threads of this process, for as long as the context lasts."""
    model = DetectorModel(parse_rates(options.argument), options.seed)
    with serving(NAME, model.reply) as url:
        yield ModelEndpoint(url, NAME)


MODEL = ServedModel(
    NAME,
    "reads drawn pictures by their codes, with errors if wanted: "
    "--model vision=scripted_detector:missed=0.1,invented=0.05,miscounted=0.1",
    serve,
    check,
    stand_in=True,
)

"""The stand-in as a model that a run serves by itself."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...errors import PeepholeError
from ...models.served_model import (
    ModelEndpoint,
    NotStarted,
    ServedModel,
    ServeOptions,
    server_process,
)
from . import NAME
from .faults import parse_rates
from .guesses import parse_chances


def check(argument: str) -> None:
    """Raise BadInput where the argument is no rates of faults and chances of guesses."""
    _, rates = parse_chances(argument)
    parse_rates(rates)


def _wants_places(argument: str) -> bool:
    """Whether it is to guess places rightly, which it cannot without knowing them."""
    chances, _ = parse_chances(argument)
    return chances.place is not None


@contextmanager
def serve(options: ServeOptions, more: Sequence[str] = ()) -> Iterator[ModelEndpoint]:
    """Run the stand-in for as long as the context lasts.

    options: their argument is the rates of `faults` and the chances of `guesses`. more: options of
    its command line. Raises PeepholeError where it does not start.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="peephole-scripted-"))
        command = [sys.executable, "-m", __package__, "--port", "0"]
        tables = {"table": options.instruction_table, "places": options.places_table}
        for name, table in tables.items():
            path = Path(folder) / f"{name}.json"
            path.write_text(json.dumps(table, ensure_ascii=False), encoding="utf-8")
            command += [f"--{name}", str(path)]
        command += ["--faults", options.argument, "--seed", str(options.seed)]
        command += ["--until-stdin-closes", *more]
        try:
            url = stack.enter_context(server_process(command, options.start_timeout_s))
        except NotStarted as failure:
            raise PeepholeError(f"The stand-in 'scripted' did not start: {failure}.") from None
        yield ModelEndpoint(url, NAME)


MODEL = ServedModel(
    NAME,
    "answers by rules, and with faults on purpose if wanted: --model scripted:malformed=0.1",
    serve,
    check,
    stand_in=True,
    wants_instruction_table=True,
    wants_places_table=_wants_places,
    knows=("for blocks the suite's own grammar, goal test and plans",),
)

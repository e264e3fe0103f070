"""The stand-in as a model that a run serves by itself."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...errors import PeepholeError
from ...served_model import ModelEndpoint, ServedModel, ServeOptions
from ...server_process import NotStarted, server_process
from . import NAME
from .faults import parse_rates


def check(argument: str) -> None:
    """Raise BadInput where the argument is no rates of faults."""
    parse_rates(argument)


@contextmanager
def serve(options: ServeOptions, more: Sequence[str] = ()) -> Iterator[ModelEndpoint]:
    """Run the stand-in for as long as the context lasts.

    options: their argument is the rates of `faults`. more: options of its command line. Raises
    PeepholeError where it does not start.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="peephole-scripted-"))
        path = Path(folder) / "table.json"
        table = json.dumps(options.instruction_table, ensure_ascii=False)
        path.write_text(table, encoding="utf-8")
        command = [sys.executable, "-m", __package__, "--table", str(path), "--port", "0"]
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
    knows=("for blocks the suite's own grammar, goal test and plans",),
)

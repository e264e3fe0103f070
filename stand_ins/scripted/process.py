"""Starts the stand-in as a process of its own."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...errors import PeepholeError
from ...served_model import ServeOptions
from ...server_process import NotStarted, server_process


@contextmanager
def scripted(options: ServeOptions, more: Sequence[str] = ()) -> Iterator[str]:
    """The base URL of a running stand-in.

    options: their argument is the rates of `faults`. more: options of the command line.
    Raises PeepholeError where it does not start.
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
        yield url

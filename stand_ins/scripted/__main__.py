"""Serves the stand-in `scripted` until it is stopped: python -m peephole.stand_ins.scripted."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import threading
from pathlib import Path

from ...errors import BadInput, PeepholeError
from ..server import ChatServer
from . import NAME
from .faults import KINDS, ReplyFaults, parse_rates
from .guesses import Guesses, parse_chances, read_places
from .household.requirements import read_table
from .reply import ScriptedModel


def main() -> None:
    """Print one JSON line with the URL when ready, then answer."""
    options = _options()
    try:
        server = _server(options)
    except PeepholeError as error:
        print(f"peephole: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    if options.until_stdin_closes:
        threading.Thread(target=_end_with_stdin, args=(server,), daemon=True).start()
    print(json.dumps({"listening": server.url}), flush=True)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.1)


def _server(options: argparse.Namespace) -> ChatServer:
    table = read_table(options.table)
    chances, rates = parse_chances(options.faults)
    faults = ReplyFaults(parse_rates(rates), options.seed)
    guesses = Guesses(chances, read_places(options.places), options.seed)
    model = ScriptedModel(table, faults, guesses, options.slow_s, options.retry_after_s)
    try:
        return ChatServer(NAME, model.reply, options.port)
    except (OSError, OverflowError) as error:
        raise BadInput(
            f"Port {options.port} of 127.0.0.1 cannot be had ({error}); "
            f"choose another --port, or 0 for any that is free."
        ) from error


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m peephole.stand_ins.scripted",
        description="A rule-based stand-in for a language model, for checks of mechanisms.",
    )
    parser.add_argument("--table", type=Path, required=True, help="what the instructions ask for")
    parser.add_argument("--places", type=Path, help="where things lie, for guesses of places")
    parser.add_argument("--port", type=int, default=0, help="0 for any that is free")
    parser.add_argument("--faults", default="", help=f"rates such as slow=0.1, of {KINDS}")
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    parser.add_argument("--slow-s", type=float, default=2.0, help="how long a slow reply takes")
    parser.add_argument("--retry-after-s", type=float, default=1.0, help="what a 429 asks for")
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="end with the process that started it"
    )
    return parser.parse_args()


def _end_with_stdin(server: ChatServer) -> None:
    sys.stdin.buffer.read()
    server.shutdown()


if __name__ == "__main__":
    main()

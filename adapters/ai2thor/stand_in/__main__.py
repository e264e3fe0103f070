"""python -m peephole.adapters.ai2thor.stand_in [--faults …] [--convention 2.1] [--boxes]"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

from ....errors import Missing, PeepholeError
from . import transports
from .engine import StandInEngine
from .faults import EngineFault, parse


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m peephole.adapters.ai2thor.stand_in",
        description=(
            "Stands in for AI2-THOR's Unity build; started by Controller(local_executable_path=…)."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--faults",
        default="",
        help=f"of {', '.join(EngineFault)}: refuse=3,nostart=1,crash@12,die@14,hang@20,late@5:2.0",
    )
    parser.add_argument("--log", type=Path, help="file that keeps the counts of faults over starts")
    parser.add_argument("--convention", choices=("5.0", "2.1"), default="5.0")
    parser.add_argument("--boxes", action="store_true", help="send the objects' boxes")
    settings = parser.parse_args(_without_unity(sys.argv[1:]))
    try:
        return _run(settings)
    except PeepholeError as error:
        print(f"ai2thor stand_in: {error}", file=sys.stderr)
        return error.exit_code


def _run(settings: argparse.Namespace) -> int:
    faults = parse(settings.faults, settings.log)
    faults.start()
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    size = _screen(sys.argv[1:])
    engine = StandInEngine(faults, settings.convention, settings.boxes, size)
    if os.environ.get("AI2THOR_SERVER_TYPE") == "WSGI":
        host, port = _variable("AI2THOR_HOST"), int(_variable("AI2THOR_PORT"))
        transports.serve_wsgi(engine, host, port, os.environ.get("AI2THOR_CLIENT_TOKEN", ""))
    else:
        server = Path(_variable("AI2THOR_FIFO_SERVER_PIPE_PATH"))
        client = Path(_variable("AI2THOR_FIFO_CLIENT_PIPE_PATH"))
        transports.serve_fifo(engine, server, client)
    return 0


def _variable(name: str) -> str:
    if name not in os.environ:
        raise Missing(
            f"The environment variable {name} is not set; let ai2thor's Controller start this "
            "program, by its argument local_executable_path."
        )
    return os.environ[name]


def _end_with_parent(parent: int) -> None:
    """End with the Controller; otherwise its engine would wait forever at a pipe."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _without_unity(arguments: list[str]) -> list[str]:
    """The arguments before those that the Controller appends, which have one dash."""
    for index, argument in enumerate(arguments):
        if argument.startswith("-") and not argument.startswith("--") and argument != "-h":
            return arguments[:index]
    return arguments


def _screen(arguments: list[str]) -> tuple[int, int]:
    sizes = []
    for name in ("-screen-width", "-screen-height"):
        value = arguments[arguments.index(name) + 1] if name in arguments[:-1] else ""
        sizes.append(int(value) if value.isdigit() and int(value) > 0 else 300)
    return sizes[0], sizes[1]


if __name__ == "__main__":
    sys.exit(main())

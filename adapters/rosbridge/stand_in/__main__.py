"""python -m peephole.adapters.rosbridge.stand_in SCENE [--port P] [--ros 1|2] [--faults …]"""

from __future__ import annotations

import argparse
import signal
import sys
from contextlib import suppress

from ....errors import BadInput, PeepholeError
from ....installed import Lack
from ...scenes import load_scene
from .fake_robot import FakeRobot
from .faults import Fault, Faults, parse


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m peephole.adapters.rosbridge.stand_in",
        description="A fake robot behind a rosbridge server (protocol version 2).",
    )
    parser.add_argument("scene", help="LOADER:REFERENCE, such as json:room.json")
    parser.add_argument("--port", type=int, default=9090, help="0 takes a free one")
    parser.add_argument("--ros", type=int, choices=(1, 2), default=1)
    parser.add_argument("--faults", default="", help=f"rates of {', '.join(Fault)}: late=0.1")
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        if not 0 <= given.port < 65536:
            raise BadInput(f"There is no port {given.port}; give one from 0 to 65535.")
        return _serve(given)
    except PeepholeError as error:
        print(f"rosbridge_stand_in: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(
            f"rosbridge_stand_in: port {given.port} cannot be used ({error.strerror}); choose "
            f"another with --port.",
            file=sys.stderr,
        )
        return 2


def _serve(given: argparse.Namespace) -> int:
    try:
        from .server import StandIn
    except ImportError:
        print(f"rosbridge_stand_in: {Lack('It needs roslibpy', 'ros')}", file=sys.stderr)
        return 3
    faults = Faults(rates=parse(given.faults), seed=given.seed)
    stand_in = StandIn(FakeRobot(load_scene(given.scene)), faults, ros=given.ros)
    with suppress(KeyboardInterrupt):
        stand_in.serve(
            given.port, lambda: print(f"a fake robot answers at {stand_in.url}", flush=True)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

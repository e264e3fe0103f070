"""python -m peephole.adapters.virtualhome.unity.stand_in [--port P] [--faults …] [--seed S]"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from .....errors import BadInput, PeepholeError
from .server import UnityFault, UnityFaults, parse, serve


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m peephole.adapters.virtualhome.unity.stand_in",
        description="Speaks the HTTP protocol of VirtualHome's Unity executable.",
    )
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one")
    parser.add_argument(
        "--faults", default="", help=f"rates of {', '.join(UnityFault)}: timeout=0.05,stale=0.1"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    parser.add_argument("--log", type=Path, help="file to which every call and fault is appended")
    settings = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        if not 0 <= settings.port < 65536:
            raise BadInput(f"There is no port {settings.port}; give one from 0 to 65535.")
        serve(settings.port, UnityFaults(parse(settings.faults), settings.seed, settings.log))
    except PeepholeError as error:
        print(f"unity_stand_in: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(
            f"unity_stand_in: port {settings.port} cannot be used ({error.strerror}); "
            f"choose another with --port.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The server of OmniGibson, run by the interpreter that has it.

Run as a file, with omnigibson and only two files of Peephole beside it: `simulator`, and `serving`,
whose protocol it speaks. Its calls are the methods of `simulator.OmniGibsonSimulator`.
"""

from __future__ import annotations

import importlib
import os
import sys

_CALLS = ("reset", "apply", "state", "image", "close")


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    kept = [folder for folder in sys.path if folder != here]
    sys.path[:] = [os.path.join(os.path.dirname(here), "process"), here, *kept]
    serving = importlib.import_module("serving")
    simulator = importlib.import_module("simulator")
    sys.path[:] = kept  # the folder omnigibson beside `serving` is not the simulator
    channel = serving.Channel()
    try:
        world = simulator.OmniGibsonSimulator()
    except simulator.Unavailable as error:
        serving.serve_missing(channel, f"{sys.executable}: {error}")
        return
    calls = {name: getattr(world, name) for name in _CALLS}
    kinds = {simulator.Unavailable: serving.MISSING, simulator.Unknown: serving.BAD_INPUT}
    serving.serve(channel, calls, world.facts, kinds)


if __name__ == "__main__":
    main()

"""The server of OmniGibson, run by the interpreter that has it.

Run as a file, with omnigibson and only two files of Peephole beside it: `simulator`, and `serving`,
whose protocol it speaks. Its calls are the methods of `simulator.OmniGibsonSimulator`.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_CALLS = ("reset", "apply", "state", "image", "close")


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    kept = [folder for folder in sys.path if folder != here]
    sys.path[:] = [os.path.join(os.path.dirname(here), "process"), here, *kept]
    serving = importlib.import_module("serving")
    simulator = importlib.import_module("simulator")
    sys.path[:] = kept  # the folder omnigibson beside `serving` is not the simulator
    channel = serving.Channel()

    def for_users(call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def translated(**arguments: Any) -> Any:
            try:
                return call(**arguments)
            except simulator.Unavailable as error:
                raise serving.CallError(serving.MISSING, str(error)) from error
            except simulator.Unknown as error:
                raise serving.CallError(serving.BAD_INPUT, str(error)) from error

        return translated

    try:
        world = simulator.OmniGibsonSimulator()
    except simulator.Unavailable as error:
        message = f"{sys.executable}: {error}"

        def missing() -> dict[str, Any]:
            raise serving.CallError(serving.MISSING, message)

        serving.serve(channel, {}, missing)
        return
    calls = {name: for_users(getattr(world, name)) for name in _CALLS}
    serving.serve(channel, calls, world.facts)


if __name__ == "__main__":
    main()

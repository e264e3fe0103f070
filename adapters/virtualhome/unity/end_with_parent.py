"""Run a command until it ends or our own input does, then end all that it has started.

    python end_with_parent.py COMMAND ARGUMENT …

Whoever starts this keeps its input open. A simulator so outlives neither an interrupted nor a
killed run. It needs nothing of Peephole.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

#: Seconds for the command to end by itself.
_END_S = 3.0


def main() -> None:
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=_end_with_input, args=(command,), daemon=True).start()
    sys.exit(min(255, abs(command.wait())))


def _end_with_input(command: subprocess.Popen[bytes]) -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    _signal(command, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        command.wait(_END_S)
    _signal(command, signal.SIGKILL)


def _signal(command: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # all of it is gone
        os.killpg(command.pid, number)


if __name__ == "__main__":
    main()

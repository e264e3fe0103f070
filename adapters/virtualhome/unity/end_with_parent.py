"""Run a command until it or our own input ends, then end everything that it has started.

    python end_with_parent.py COMMAND ARGUMENT …

The parent keeps our input open. So a simulator ends with an interrupted or killed run. This file
needs nothing of Peephole.
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
    with suppress(ProcessLookupError, PermissionError):  # already gone
        os.killpg(command.pid, number)


if __name__ == "__main__":
    main()

"""Run a command as the leader of its own process group.

    python process_group.py COMMAND ARGUMENT …

An engine may start further processes; as a group they can be ended together. On Linux the kernel
ends the leader together with our process. This file needs nothing of Peephole.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def main() -> None:
    parent = os.getppid()
    with suppress(PermissionError):  # already a group leader
        os.setsid()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # the parent ended before the call
            sys.exit(1)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        sys.exit(f"{sys.argv[1]} cannot be run ({error.strerror}).")


if __name__ == "__main__":
    main()

"""Runs commands of `peephole`, each in a process of its own that need not import it first.

    python command_server.py < requests > exit codes

A request is a line of JSON: {"arguments", "folder", "environment", "stdout", "stderr"}, the last
two files. Most of what a short command takes is importing; here that is done once, and each command
is a fork. Otherwise it runs as `python -m peephole` in its folder does, for LONGEST_S at most.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
from typing import Any

PRELOADED = ("peephole.cli.main", "peephole.episodes.resolve")
LONGEST_S = 120


def main() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            break
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    else:
        return
    become(request)
    runpy.run_module("peephole", run_name="__main__", alter_sys=True)


def become(request: dict[str, Any]) -> None:
    """Make this process what a new one is at its start."""
    signal.alarm(LONGEST_S)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    files = {0: os.devnull, 1: request["stdout"], 2: request["stderr"]}
    for number, path in files.items():
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), number)
    sys.argv = ["peephole", *request["arguments"]]
    sys.path[0] = request["folder"]
    importlib.invalidate_caches()


if __name__ == "__main__":
    main()

"""Commands of `peephole`, each in a process of its own that need not import it first.

Most of what a short command takes is importing. That is done once, by a server, and each command is
a fork of it. Otherwise it runs as `python -m peephole` in its folder does, for LONGEST_S at most.

    python commands.py < requests > exit codes

is the server. A request is a line of JSON: {"arguments", "folder", "environment", "stdout",
"stderr"}, the last two files.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

#: What most commands import besides the plugins.
PRELOADED = (
    "ai2thor.build",
    "openai.resources.chat",
    "peephole.cli.main",
    "peephole.episodes.runner",
    "peephole.results.show.episode_view",
    "peephole.results.show.runs",
    "peephole.stand_ins.scripted.answers",
    "requests",
    "tokenizers",
)
LONGEST_S = 240


def command(
    *arguments: object, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with an environment; by default in those of this process."""
    server = _server()
    with TemporaryDirectory() as outputs:
        stdout, stderr = Path(outputs, "stdout"), Path(outputs, "stderr")
        request = {
            "arguments": list(map(str, arguments)),
            "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ if environment is None else environment),
            "stdout": str(stdout),
            "stderr": str(stderr),
        }
        assert server.stdin is not None
        assert server.stdout is not None
        print(json.dumps(request), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, stdout.read_text(), stderr.read_text())


@cache
def _server() -> subprocess.Popen[str]:
    """The server, which ends with this process, as its input does."""
    return subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def main() -> None:
    preload()
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


def preload() -> None:
    """Import what most commands import. What cannot be imported is left to them."""
    for name in PRELOADED:
        with suppress(ImportError):
            importlib.import_module(name)
    for kind in ("dialects", "adapters", "planners", "suites"):
        for plugin in entry_points(group=f"peephole.{kind}"):
            with suppress(Exception):
                plugin.load()
    gc.freeze()  # no fork has to go through what it shares


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
    added = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:1] = [request["folder"], *added]
    importlib.invalidate_caches()


if __name__ == "__main__":
    main()

"""A server in a child process, which ends with the process that started it."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO


class NotStarted(Exception):
    """A server that ended, or was not ready in time; the text says which."""


@contextmanager
def server_process(command: Sequence[str], start_timeout_s: float) -> Iterator[str]:
    """Run a server for as long as the context lasts; gives the URL it listens on.

    When it is ready the server prints {"listening": URL} as a line on standard output, and nothing
    there afterwards. It ends by itself when its standard input closes: that is how it learns that
    the process that started it was killed. Raises NotStarted.
    """
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
        try:
            yield _url(process, log, start_timeout_s)
        finally:
            process.kill()
            process.communicate()


def _url(process: subprocess.Popen[bytes], log: IO[bytes], start_timeout_s: float) -> str:
    """The URL that the server prints."""
    assert process.stdout is not None
    late = threading.Event()

    def give_up() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(start_timeout_s, give_up)
    timer.daemon = True
    timer.start()
    try:
        for line in process.stdout:
            try:
                printed = json.loads(line)
            except ValueError:
                continue  # a library's own words
            if isinstance(printed, dict) and "listening" in printed:
                return str(printed["listening"])
    finally:
        timer.cancel()
    process.wait()
    if late.is_set():
        raise NotStarted(f"it was not ready within {start_timeout_s:g} s")
    log.seek(0)
    last = log.read().decode(errors="replace").strip().splitlines()[-1:]
    raise NotStarted(" ".join(last) or "it ended without a word")

"""The Unity simulator's process: its address, and its start if a command is set.

PEEPHOLE_UNITY_URL lists the addresses of simulators, separated by commas; the default is
http://127.0.0.1:8080. Every worker process claims one of them.

PEEPHOLE_UNITY_COMMAND starts a simulator, such as "./linux_exec.x86_64 -batchmode
-http-port={port}". It runs if nothing answers yet, again after a loss, and ends with the adapter.
"{port}" becomes a free port, so that every worker has its own simulator. Without it the command
must serve at PEEPHOLE_UNITY_URL.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from ....errors import BadInput, Missing
from ....skills.executor import SimulatorDied
from ...process.supervisor import without_secrets
from .client import UnityClient, address

URL_VARIABLE = "PEEPHOLE_UNITY_URL"
COMMAND_VARIABLE = "PEEPHOLE_UNITY_COMMAND"
DEFAULT_URL = "http://127.0.0.1:8080"

#: Seconds until a simulator must answer; the executable starts in ten to thirty.
PATIENCE_S = 60.0
#: Seconds for one check whether it answers.
_ASK_S = 2.0
_PAUSE_S = 0.05
#: Seconds between two starts of the command.
_LASTS_S = 1.0
#: A command that ended this often without an answer is not started again.
_ENDS = 5
#: Seconds for the started command to end by itself.
_END_S = 5.0

#: Runs the command under a process that ends it with ours.
_RUNNER = str(Path(__file__).with_name("end_with_parent.py"))


class UnityProcess:
    """One simulator of the settings, claimed from its first use to `stop`."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self.url = ""
        self._patience_s = patience_s
        self._command: list[str] = []
        self._claim: IO[str] | None = None  # kept open to keep its lock
        self._runner: subprocess.Popen[bytes] | None = None
        self._started = -_LASTS_S
        self._starts = 0
        self._answered = False

    def reach(self) -> str:
        """The URL of the simulator once it answers; it is started if a command is set.

        Raises Missing if nothing ever answered there or can be started, and SimulatorDied if it
        does not come back in time.
        """
        if not self.url:
            self._choose()
        ends = time.monotonic() + self._patience_s
        while not answers(self.url):
            exited = None if self._runner is None else self._runner.poll()
            if self._command and (self._runner is None or exited is not None):
                if exited is not None and self._starts >= _ENDS and not self._answered:
                    raise Missing(
                        f"{COMMAND_VARIABLE} starts {self._command[0]}, which ended {_ENDS} times "
                        f"(exit code {exited}) and never answered at {self.url}; correct it."
                    )
                self._start()
            if time.monotonic() > ends:
                what = f"; {self._command[0]} exited with code {exited}" if exited else ""
                error = f"Nothing answered at {self.url} within {self._patience_s:g} s{what}."
                self.stop()
                raise SimulatorDied(error)
            time.sleep(_PAUSE_S)
        self._answered = True
        return self.url

    def stop(self) -> None:
        """Release the simulator, and end it if it was started here."""
        if self._claim is not None:
            self._claim.close()
        self.url, self._claim = "", None
        runner, self._runner = self._runner, None
        if runner is None:
            return
        assert runner.stdin is not None
        runner.stdin.close()
        try:
            runner.wait(_END_S)
        except subprocess.TimeoutExpired:
            runner.kill()
            runner.wait()

    def _choose(self) -> None:
        command = os.environ.get(COMMAND_VARIABLE, "")
        if "{port}" in command:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            self.url = f"http://127.0.0.1:{port}"
            self._command = words_of(command.replace("{port}", str(port)))
            return
        self._command = words_of(command)
        self.url, self._claim = _claimed(urls())

    def _start(self) -> None:
        """Start the command, with a pause if the last one did not last."""
        if time.monotonic() - self._started < _LASTS_S:
            return
        self._started = time.monotonic()
        self._starts += 1
        try:
            self._runner = subprocess.Popen(
                [sys.executable, _RUNNER, *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=without_secrets(),
                start_new_session=True,
            )
        except OSError as error:
            raise Missing(f"{sys.executable} cannot be run ({error.strerror}).") from error


def urls() -> list[str]:
    """The URLs of the setting. Raises BadInput."""
    named = os.environ.get(URL_VARIABLE) or DEFAULT_URL
    listed = [url.strip().rstrip("/") for url in named.split(",") if url.strip()]
    for url in listed:
        address(url)
    if not listed:
        raise BadInput(f"{URL_VARIABLE} has no address; set it to one such as {DEFAULT_URL}.")
    return listed


def words_of(command: str) -> list[str]:
    """The program and arguments of a command. Raises BadInput."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise BadInput(f"{COMMAND_VARIABLE} is no command line ({error}); correct it.") from None


def missing() -> str | None:
    """One sentence if no simulator answers and none can be started, or None."""
    command = words_of(os.environ.get(COMMAND_VARIABLE, ""))
    if command:
        if shutil.which(command[0]) is not None:
            return None
        return f"{COMMAND_VARIABLE} starts {command[0]}, which is no program; correct or unset it."
    known = urls()
    if any(answers(url) for url in known):
        return None
    port = address(known[0])[1]
    return (
        f"No VirtualHome simulator answers at {', '.join(known)} ({URL_VARIABLE}); start the Unity "
        f"executable with -batchmode -http-port={port}, or the stand-in with: "
        f"python -m peephole.adapters.virtualhome.unity.stand_in --port {port}"
    )


def answers(url: str) -> bool:
    """Whether a ready simulator answers at a URL."""
    return server_at(url) is not None


def server_at(url: str) -> str | None:
    """The name of the simulator at a URL, "" if it has none; None if no ready one answers."""
    client = UnityClient(url, timeout_s=_ASK_S)
    try:
        return client.server if client.idle() else None
    except SimulatorDied:
        return None
    finally:
        client.close()


def _claimed(known: list[str]) -> tuple[str, IO[str] | None]:
    """A URL that no other process of this machine uses, with the file that claims it."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return known[0], None
    for url in known:
        host, port = address(url)
        path = Path(tempfile.gettempdir(), f"peephole-unity-{host.replace(':', '_')}-{port}.lock")
        with suppress(OSError):
            claim = path.open("a")
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                claim.close()
            else:
                return url, claim
    raise Missing(
        f"Another process uses the simulator at {', '.join(known)}; list one for every worker in "
        f"{URL_VARIABLE}, separated by commas, or run with --workers 1."
    )

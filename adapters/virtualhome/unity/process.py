"""The Unity simulator's process: where it answers, and how it is started where that is ours.

PEEPHOLE_UNITY_URL says where simulators answer, by default http://127.0.0.1:8080. Of several,
separated by commas, every worker process takes one for itself.

PEEPHOLE_UNITY_COMMAND starts one, such as "./linux_exec.x86_64 -batchmode -http-port={port}": it
is run where nothing answers yet and again where it was lost, and ended with the adapter. "{port}"
becomes a free port, so that every worker has a simulator of its own; without it the command has to
serve at PEEPHOLE_UNITY_URL.
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
from ...process.environment import without_secrets
from .client import UnityClient, address

URL_VARIABLE = "PEEPHOLE_UNITY_URL"
COMMAND_VARIABLE = "PEEPHOLE_UNITY_COMMAND"
DEFAULT_URL = "http://127.0.0.1:8080"

#: Seconds in which a simulator has to answer: the executable starts in ten to thirty.
PATIENCE_S = 60.0
#: Seconds for the answer to one question whether it is there.
_ASK_S = 2.0
_PAUSE_S = 0.05
#: Seconds between two starts of the command.
_LASTS_S = 1.0
#: A command that has ended so often, and never answered, is not tried any more.
_ENDS = 5
#: Seconds for what we started to end by itself.
_END_S = 5.0

#: The command under a process that ends it with us, whatever becomes of us.
_RUNNER = str(Path(__file__).with_name("end_with_parent.py"))


class UnityProcess:
    """One simulator of those that the settings name, claimed from its first use to `stop`."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self.url = ""
        self._patience_s = patience_s
        self._command: list[str] = []
        self._claim: IO[str] | None = None  # kept open: its lock lasts as long
        self._runner: subprocess.Popen[bytes] | None = None
        self._started = -_LASTS_S
        self._starts = 0
        self._answered = False

    def reach(self) -> str:
        """The URL at which the simulator answers, once it does so; started where that is ours.

        Raises Missing where nothing ever answered there or cannot be started, and SimulatorDied
        where it has not come back in time.
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
                told = f"Nothing answered at {self.url} within {self._patience_s:g} s{what}."
                self.stop()
                raise SimulatorDied(told)
            time.sleep(_PAUSE_S)
        self._answered = True
        return self.url

    def stop(self) -> None:
        """Let go of the simulator, and end it if it was started here."""
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
        """Start the command, but not at once again where it does not last."""
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
    """The URLs at which the setting says that simulators answer. Raises BadInput."""
    named = os.environ.get(URL_VARIABLE) or DEFAULT_URL
    found = [url.strip().rstrip("/") for url in named.split(",") if url.strip()]
    for url in found:
        address(url)
    if not found:
        raise BadInput(f"{URL_VARIABLE} names no address; give one such as {DEFAULT_URL}.")
    return found


def words_of(command: str) -> list[str]:
    """The program and arguments of a command. Raises BadInput."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise BadInput(f"{COMMAND_VARIABLE} is no command line ({error}).") from None


def missing() -> str | None:
    """One sentence where no simulator answers and none can be started, or None."""
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
    """Whether a simulator that is ready answers at a URL."""
    client = UnityClient(url, timeout_s=_ASK_S)
    try:
        return client.idle()
    except SimulatorDied:
        return False
    finally:
        client.close()


def server_at(url: str) -> str:
    """What the simulator at a URL calls itself; empty where it does not."""
    client = UnityClient(url, timeout_s=_ASK_S)
    try:
        client.idle()
        return client.server
    except SimulatorDied:
        return ""
    finally:
        client.close()


def _claimed(known: list[str]) -> tuple[str, IO[str] | None]:
    """One of the URLs that no other process of this machine uses, and what keeps it claimed."""
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
        f"Another process uses the simulator at {', '.join(known)}; name one for every worker in "
        f"{URL_VARIABLE}, separated by commas, or run with --workers 1."
    )

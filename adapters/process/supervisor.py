"""Our side of a simulator in its own process: starts it, calls it, and ends it.

The process speaks the framed JSON of `serving`. If it does not start, exits, hangs or sends
nonsense, SimulatorDied says so in one sentence. Its whole process group is killed then, so that
`start` can start a new one.
"""

from __future__ import annotations

import os
import secrets
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from ...errors import BadInput, Missing
from ...skills.executor import SimulatorDied
from . import serving

#: Seconds for an interpreter to start, import its simulator and say hello; cold disks are slow.
START_S = 60.0
#: Seconds for a simulator to end on request.
CLOSE_S = 5.0
#: Seconds for a process to exit after it closed its output, so that its exit code is known.
_EXIT_S = 1.0
#: The kept end of the process's standard error, in bytes.
_TAIL = 8192
_CHUNK = 1 << 18
#: The endings of the names of variables that simulators do not get.
_SECRETS = ("_API_KEY", "_TOKEN", "_SECRET")


def without_secrets() -> dict[str, str]:
    """The environment of this process without API keys, tokens and secrets."""
    return {name: v for name, v in os.environ.items() if not name.upper().endswith(_SECRETS)}


class Supervisor:
    """One simulator process at a time. Not thread-safe.

    name: for errors. command: the program and its arguments. start_s: seconds until it must say
    hello.
    """

    def __init__(self, name: str, command: Sequence[str], start_s: float = START_S) -> None:
        self.name = name
        self._command = list(command)
        self._start_s = start_s
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether a living process can be called."""
        return self._process is not None and not _has_exited(self._process.pid)

    def start(self) -> dict[str, Any]:
        """Start the process, and kill an earlier one; returns its hello: "protocol", "python" and
        "facts".

        Raises SimulatorDied, and BadInput or Missing if the process reports that.
        """
        self.kill()
        self._token = secrets.token_hex(16)
        self._seq = 0
        self._received = bytearray()
        self._errors = b""
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env={**without_secrets(), serving.TOKEN_VARIABLE: self._token},
                start_new_session=True,
            )
        except OSError as error:
            raise SimulatorDied(
                f"The simulator {self.name} did not start: "
                f"{self._command[0]} cannot be run ({error.strerror})."
            ) from None
        self._process = process
        self._selector = selectors.DefaultSelector()
        self._input, self._output, stderr = _pipes(process)
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(stderr, selectors.EVENT_READ)
        for pipe in (self._input, self._output, stderr):
            os.set_blocking(pipe.fileno(), False)
        try:
            hello = self.call("hello", {}, self._start_s)
        except BaseException:
            self.kill()
            raise
        spoken = hello.get("protocol") if isinstance(hello, dict) else None
        if spoken != serving.PROTOCOL:
            raise self.lost(
                f"speaks version {spoken!r} of the protocol, not {serving.PROTOCOL}; "
                f"run a server file of the same peephole"
            )
        assert isinstance(hello, dict)
        return hello

    def call(self, name: str, arguments: Mapping[str, Any], deadline_s: float) -> Any:
        """The answer to one call, as JSON data.

        Raises SimulatorDied, also after `deadline_s` seconds. Raises BadInput or Missing if the
        simulator reports that; it keeps running then.
        """
        if self._process is None:
            raise SimulatorDied(f"The simulator {self.name} is not running; reset the adapter.")
        self._seq += 1
        content = {
            "token": self._token,
            "seq": self._seq,
            "call": name,
            "arguments": dict(arguments),
        }
        try:
            request = serving.pack(content)
        except ValueError as error:
            raise BadInput(
                f"The call '{name}' of the simulator {self.name} cannot be sent: {error}."
            ) from None
        try:
            answer = self._exchange(request, name, deadline_s)
        except BaseException:  # an interrupted exchange would leave its answer to the next one
            self.kill()
            raise
        if "value" in answer:
            return answer["value"]
        kind, message = answer["error"].get("kind"), str(answer["error"].get("message"))
        if kind == serving.BAD_INPUT:
            raise BadInput(message)
        if kind == serving.MISSING:
            raise Missing(message)
        raise self.lost(f"failed in '{name}' ({_one_line(message)})")

    def stop(self) -> None:
        """End the process, gently at first. Does nothing if none runs."""
        if self._process is not None:
            with suppress(SimulatorDied, BadInput, Missing):
                self.call("close", {}, CLOSE_S)
            self.kill()

    def kill(self) -> None:
        """Kill the process and everything that it started in its group."""
        if self._process is None:
            return
        process = self._process
        # The leader is not reaped before, so that its number still belongs to this group.
        with suppress(ProcessLookupError, PermissionError):  # macOS denies it for zombies
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._selector.close()
        for pipe in _pipes(process):
            pipe.close()
        self._process = None

    def lost(self, what: str) -> SimulatorDied:
        """Kill the process; the error that says what it did, such as "answered nonsense"."""
        self.kill()
        return SimulatorDied(f"The simulator {self.name} {what}.")

    # --- one exchange ----------------------------------------------------------------------

    def _exchange(self, request: bytes, call: str, deadline_s: float) -> dict[str, Any]:
        """Send a request and receive its answer, while reading what the process prints."""
        ends = time.monotonic() + deadline_s
        unsent = memoryview(request)[self._send(request) :]
        if unsent:
            self._selector.register(self._input, selectors.EVENT_WRITE)
        while (content := self._next_frame()) is None:
            left = ends - time.monotonic()
            if left <= 0:
                raise self.lost(f"gave no answer to '{call}' within {deadline_s:g} s")
            for key, _ in self._selector.select(left):
                if key.fileobj is self._input:
                    unsent = unsent[self._send(unsent) :]
                    if not unsent:
                        self._selector.unregister(self._input)
                elif key.fileobj is self._output:
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        raise self._exited(call)
                    self._received += chunk
                else:
                    self._read_errors(key.fd)
        if unsent:
            raise self.lost(f"answered '{call}' before it had read it")
        return self._checked(content)

    def _send(self, data: bytes | memoryview) -> int:
        """Write as much as the pipe takes now; the number of bytes."""
        try:
            return os.write(self._input.fileno(), data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)  # it closes its output too, which gives a better error

    def _next_frame(self) -> bytes | None:
        """The content of the next frame, once it is complete."""
        received = self._received
        if len(received) < 4:
            return None
        length = serving.content_length(bytes(received[:4]))
        if length > serving.MAX_FRAME:
            raise self.lost(f"sent {serving.over_limit(length)}")
        if len(received) < 4 + length:
            return None
        content = bytes(received[4 : 4 + length])
        del received[: 4 + length]
        return content

    def _checked(self, content: bytes) -> dict[str, Any]:
        """The message of a frame's content, which must be the awaited answer."""
        try:
            answer = serving.unpack(content)
        except ValueError as error:
            raise self.lost(f"sent {error}") from None
        if answer.get("token") != self._token:
            raise self.lost("sent a frame without this session's token, as from a stranger")
        seq = answer.get("seq")
        if seq != self._seq:
            raise self.lost(f"answered out of order: {seq!r} where {self._seq} was due")
        if "value" not in answer and not isinstance(answer.get("error"), dict):
            raise self.lost("sent an answer with neither a value nor an error")
        return answer

    # --- its end ---------------------------------------------------------------------------

    def _exited(self, call: str) -> SimulatorDied:
        """The exit of a process that closed its output, in words."""
        assert self._process is not None
        process = self._process
        ends = time.monotonic() + _EXIT_S
        while not _has_exited(process.pid) and time.monotonic() < ends:
            time.sleep(0.005)
        gone = _has_exited(process.pid)
        self._read_errors(_pipes(process)[2].fileno())
        self.kill()
        if not gone:
            how = "closed its connection"
        elif process.returncode < 0:
            how = f"was ended by signal {-process.returncode}"
        else:
            how = f"exited with code {process.returncode}"
        lines = self._errors.decode(errors="replace").split("\n")
        last = next((_one_line(line) for line in reversed(lines) if line.strip()), "")
        said = f" (it said last: {last})" if last else ""
        if call == "hello":
            return self.lost(f"did not start: it {how}{said}")
        return self.lost(f"{how} during '{call}'{said}")

    def _read_errors(self, fd: int) -> None:
        """Keep the end of standard error; a pipe holds less than a chunk."""
        try:
            chunk = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        if not chunk and fd in self._selector.get_map():
            self._selector.unregister(fd)
        self._errors = (self._errors + chunk)[-_TAIL:]


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def _has_exited(pid: int) -> bool:
    """Whether a child process has ended, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]

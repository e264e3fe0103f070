"""The simulator's side of a simulator in its own process: answers framed JSON calls.

The simulator's own interpreter runs this file: Python 3.8 or later, with the standard library only.
A frame is the length of its content (4 bytes big-endian) and the content, a JSON object in UTF-8.
Frames come in through standard input and go out through standard output:

    request    {"token": T, "seq": N, "call": "attempt", "arguments": {…}}
    answer     {"token": T, "seq": N, "value": …}
           or  {"token": T, "seq": N, "error": {"kind": K, "message": "…"}}

The token of the session comes in the environment, not on the command line, which other users can
read. `seq` numbers the requests; an answer repeats it, or has null if it was unreadable. The
protocol has two calls of its own: `hello` returns {"protocol", "python", "facts"}, `close` ends the
session. All other calls belong to the simulator.

Kinds of errors: `bad_input` and `missing` are for the user to fix. `failed` is an exception of the
simulator, `refused` a malformed request.
"""

from __future__ import annotations

import inspect
import json
import os
import platform
import select
import signal
import struct
import threading
import time
import traceback
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PROTOCOL = 1
TOKEN_VARIABLE = "PEEPHOLE_SESSION_TOKEN"
#: The longest content of a frame, in bytes; enough for a camera image of 4000 x 3000.
MAX_FRAME = 64 * 1024 * 1024
BAD_INPUT, MISSING, FAILED, REFUSED = "bad_input", "missing", "failed", "refused"

_HEADER = struct.Struct(">I")
#: Seconds for a simulator to end by itself after its parent has ended.
GRACE_S = 5.0


class CallError(Exception):
    """Raised by a call to answer with an error of a kind."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def pack(message: Mapping[str, Any]) -> bytes:
    """The frame of a message. Raises ValueError or TypeError if JSON cannot hold it, and ValueError
    for a frame over the limit.
    """
    content = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    if len(content) > MAX_FRAME:
        raise ValueError(over_limit(len(content)))
    return _HEADER.pack(len(content)) + content


def unpack(content: bytes) -> dict[str, Any]:
    """The message of a frame's content. Raises ValueError if it is no JSON object."""
    try:
        message = json.loads(content.decode())
    except (ValueError, RecursionError):
        raise ValueError("a frame that is not JSON") from None
    if not isinstance(message, dict):
        raise ValueError("a frame that is no JSON object")
    return message


def content_length(header: bytes) -> int:
    """The length in a frame's first 4 bytes; it may be over the limit."""
    length: int = _HEADER.unpack(header)[0]
    return length


def over_limit(length: int) -> str:
    return f"a frame of {length} bytes, over the limit of {MAX_FRAME}"


class Channel:
    """The connection to the parent. Create it before any import of the simulator.

    It reserves standard input and output for frames. What the simulator or its children print goes
    to standard error, and they find nothing to read.
    """

    def __init__(self) -> None:
        self.token = os.environ.pop(TOKEN_VARIABLE, "")
        self.requests: IO[bytes] = os.fdopen(os.dup(0), "rb")
        self.answers: IO[bytes] = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)


def serve(
    channel: Channel,
    calls: Mapping[str, Callable[..., Any]],
    facts: Callable[[], Mapping[str, Any]] = dict,
    kinds: Mapping[type[Exception], str] | None = None,
) -> None:
    """Answer calls until the session is closed or the parent has ended.

    calls: the simulator's own, by name. They take a request's arguments by name and return JSON
    data. `close`, if present, is called when the parent closes the session. facts: versions and
    settings of the simulator. kinds: of exceptions that are not `failed`, beside CallError.

    If the simulator hangs after its parent has ended, its whole process group is killed.
    """
    requests, answers = channel.requests, channel.answers
    threading.Thread(target=_end_with_parent, args=(requests.fileno(),), daemon=True).start()
    session = _Session(calls, facts, kinds or {}, channel.token)
    while not session.closed:
        header = requests.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return
        length = content_length(header)
        if length > MAX_FRAME:
            if not _skip(requests, length):
                return
            answer = session.error(None, REFUSED, over_limit(length))
        else:
            content = requests.read(length)
            if len(content) < length:
                return
            answer = session.answer(content)
        try:
            answers.write(answer)
            answers.flush()
        except BrokenPipeError:
            return


def serve_missing(channel: Channel, message: str) -> None:
    """Answer every `hello` with an error of the kind `missing`: the simulator is not there."""

    def facts() -> dict[str, Any]:
        raise CallError(MISSING, message)

    serve(channel, {}, facts)


class _Session:
    """Turns requests into answers."""

    def __init__(
        self,
        calls: Mapping[str, Callable[..., Any]],
        facts: Callable[[], Mapping[str, Any]],
        kinds: Mapping[type[Exception], str],
        token: str,
    ) -> None:
        self.closed = False
        self._token = token
        self._kinds = kinds
        self._facts = facts
        self._calls = {"close": _nothing, **calls, "hello": self._hello}
        self._signatures = {name: inspect.signature(call) for name, call in self._calls.items()}

    def answer(self, content: bytes) -> bytes:
        """The answer to a request's content, as a frame."""
        seq = None
        try:
            request = unpack(content)
            if not self._token or request.get("token") != self._token:
                raise ValueError("a request without this session's token")
            seq = request.get("seq")
            if type(seq) is not int:
                seq = None
                raise ValueError("a request without a whole number 'seq'")
            name, arguments = request.get("call"), request.get("arguments")
            if not isinstance(name, str) or not isinstance(arguments, dict):
                raise ValueError("a request without text 'call' and an object 'arguments'")
            if name not in self._calls:
                raise ValueError(f"there is no call '{name}'")
            try:
                self._signatures[name].bind(**arguments)
            except TypeError as error:
                raise ValueError(f"wrong arguments of '{name}': {error}") from None
        except ValueError as error:
            return self.error(seq, REFUSED, str(error))
        try:
            value = self._calls[name](**arguments)
            answer = pack({"token": self._token, "seq": seq, "value": value})
        except CallError as error:
            return self.error(seq, error.kind, str(error))
        except Exception as error:  # the simulator may fail in any way
            for known, kind in self._kinds.items():
                if isinstance(error, known):
                    return self.error(seq, kind, str(error))
            traceback.print_exc()
            return self.error(seq, FAILED, f"{type(error).__name__}: {error}")
        self.closed = name == "close"
        return answer

    def error(self, seq: int | None, kind: str, message: str) -> bytes:
        error = {"kind": kind, "message": message[:2000]}
        return pack({"token": self._token, "seq": seq, "error": error})

    def _hello(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "python": platform.python_version(),
            "facts": dict(self._facts()),
        }


def _nothing() -> None:
    pass


def _skip(requests: IO[bytes], length: int) -> bool:
    """Read past a frame's content; whether all of it was there."""
    while length > 0:
        part = requests.read(min(length, 1 << 20))
        if not part:
            return False
        length -= len(part)
    return True


def _end_with_parent(requests: int) -> None:
    """Wait until the parent has ended, then end this process, even if it hangs."""
    poll = select.poll()
    poll.register(requests, 0)  # reports only that the other end was closed
    poll.poll()
    time.sleep(GRACE_S)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)

"""The side of the shell door that holds an episode: a socket in front of a seat.

A client sends one line of JSON, {"token", "tool", "argument"}, and gets one, {"text", "ok"}.
"""

from __future__ import annotations

import hmac
import json
import os
import socketserver
import threading
import time
from contextlib import suppress
from typing import Any

from ...errors import BadInput
from ...planners.external.seat import Reply, Seat
from ...planners.kits.tools import argument_of, over_text, tool_named
from .sessions import SessionFile

#: The longest line of a client, in bytes.
_LONGEST = 1 << 16
#: Seconds in which a client sends its line.
_LINE_S = 10.0
#: Clients at the same time; others wait to be accepted.
_MOST_CLIENTS = 32
#: Seconds in which the last clients are answered when the episode is over.
_ENDING_S = 2.0


class HeldEpisode:
    """An episode that is held for commands of a shell.

    with HeldEpisode(seat) as held:
        print(held.session.path)
    """

    def __init__(self, seat: Seat) -> None:
        """Make the session. Raises BadInput."""
        self.session = SessionFile()
        self._seat = seat
        try:
            self._server = _Server(self.session.socket, _Client)
        except OSError as error:
            raise BadInput(
                f"The socket {self.session.socket} cannot be made ({error.strerror or error}); set "
                f"XDG_RUNTIME_DIR to a folder of yours with a short name."
            ) from None
        self._server.seat, self._server.token = seat, self.session.token
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="shell door", daemon=True
        )

    def __enter__(self) -> HeldEpisode:
        self.session.write()
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._server.wait_for_answers(_ENDING_S)
        with suppress(OSError):
            os.unlink(self.session.socket)
            self.session.write(over_text(self._seat.over or ""))


class _Server(socketserver.ThreadingUnixStreamServer):
    seat: Seat
    token: str
    daemon_threads = True
    request_queue_size = _MOST_CLIENTS

    def __init__(self, *given: Any) -> None:
        self._places = threading.BoundedSemaphore(_MOST_CLIENTS)
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._places.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def wait_for_answers(self, seconds: float) -> None:
        """Wait until every client has its answer, at most so long."""
        until = time.monotonic() + seconds
        for _ in range(_MOST_CLIENTS):
            self._places.acquire(timeout=max(0.0, until - time.monotonic()))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that breaks off is no news."""


class _Client(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        reply = self._reply(self._line())
        self.connection.settimeout(None)
        self.wfile.write(json.dumps({"text": reply.text, "ok": reply.ok}).encode() + b"\n")

    def _line(self) -> bytes:
        """The line of the client, which has some seconds for all of it. Raises TimeoutError."""
        until, line = time.monotonic() + _LINE_S, b""
        while not line.endswith(b"\n") and len(line) < _LONGEST:
            self.connection.settimeout(max(1e-3, until - time.monotonic()))
            part = self.connection.recv(_LONGEST - len(line))
            if not part:
                break
            line += part
        return line

    def _reply(self, line: bytes) -> Reply:
        try:
            asked = json.loads(line)
            token, tool, argument = (asked[key] for key in ("token", "tool", "argument"))
            known = hmac.compare_digest(str(token).encode(), self.server.token.encode())
        except (ValueError, TypeError, KeyError, RecursionError):
            return Reply("This is no call of `peephole`, or it is too long.", False)
        if not known:
            return Reply("The token is not that of the session.", False)
        try:
            said = argument_of(str(tool), {tool_named(str(tool)).argument: argument})
        except ValueError as error:
            return Reply(str(error), False)
        return self.server.seat.call(str(tool), said)

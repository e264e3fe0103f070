"""A connection to a rosbridge server over roslibpy, which is lost for good once it is lost.

roslibpy 2.1 does three things that a robot must not meet, so this class stands between:

- It keeps what is sent while the connection is down, and sends it once the connection is back. Here
  a message is sent at once or never.
- It connects again by itself, without end. Here a lost connection stays lost: the state of the
  room is unknown then.
- It writes what it cannot read into a log, and drops a result whose status it does not know. Here
  every message comes to one reader, which counts the garbled ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from ...data_files import json_data, json_text
from ...errors import Missing
from ...installed import Lack
from ...skills.executor import SimulatorDied

#: Bytes of one message; longer ones end the connection.
_LONGEST = 16_000_000
#: Seconds between pings of the server, and until one counts as lost.
_PING_S = 5.0

Message = dict[str, Any]
Reader = Callable[[Message], None]


def missing() -> str | None:
    """One sentence on what is not installed, or None."""
    if find_spec("roslibpy") is None:
        return Lack("The adapter rosbridge needs roslibpy", "ros")
    return None


class Connection:
    """One connection. `read` gets every message, in roslibpy's thread, while `changed` is held."""

    def __init__(self, url: str, read: Reader, connect_s: float) -> None:
        """Connect. Raises SimulatorDied where nobody answers, and Missing without roslibpy."""
        lack = missing()
        if lack is not None:
            raise Missing(lack)
        from .transport import open_client

        self.url = url
        self.changed = threading.Condition()
        self.garbled = 0
        """Messages that were no JSON objects, or that the reader could not read."""
        self.errors: list[str] = []
        """What the server itself reported as errors."""
        self._read = read
        self._lost = ""
        self._client = open_client(url, self._received, _LONGEST, _PING_S)
        self._client.on("close", self._closed)
        ready = threading.Event()
        self._client.factory.on_ready(lambda _: ready.set())
        if not ready.wait(connect_s):
            self.close()
            raise SimulatorDied(f"no rosbridge server answers at {url} within {connect_s:g} s")

    @property
    def lost(self) -> str:
        """Why the connection is lost; empty while it is there."""
        return self._lost

    def send(self, message: Message) -> None:
        """Send a message now, or nothing: raises SimulatorDied if the connection is lost."""
        payload = json_text(message).encode()
        now = [True]
        sent: list[bool] = []

        def pass_on(protocol: Any) -> None:
            if now[0]:
                protocol.send_message(payload)
                sent.append(True)

        if not self._lost:
            self._client.factory.on_ready(pass_on)
        now[0] = False  # roslibpy would call it again after a reconnection
        if not sent:
            raise SimulatorDied(self._lost or f"the connection to {self.url} is lost")

    def wait(self, done: Callable[[], bool], until: float) -> bool:
        """Wait for a condition, which messages change.

        until: in seconds of time.monotonic(). Returns whether it holds; also returns once the
        connection is lost.
        """
        with self.changed:
            while not done():
                rest = until - time.monotonic()
                if rest <= 0 or self._lost:
                    return done()
                self.changed.wait(min(rest, 1.0))
            return True

    def close(self) -> None:
        """Close the connection; more than once is harmless."""
        with self.changed:
            self._lost = self._lost or f"the connection to {self.url} is closed"
        self._client.end()

    def _received(self, payload: bytes, is_binary: bool) -> None:
        with self.changed:
            try:
                if is_binary:
                    raise ValueError("a binary frame")
                message = json_data(payload, finite=False)
                if not isinstance(message, dict):
                    raise ValueError("no object")
                if message.get("op") == "status" and message.get("level") == "error":
                    self.errors.append(str(message.get("msg"))[:500])
                self._read(message)
            except (ValueError, LookupError, TypeError, AttributeError):
                self.garbled += 1
            self.changed.notify_all()

    def _closed(self, _: Any) -> None:
        with self.changed:
            self._lost = self._lost or f"the rosbridge server at {self.url} closed the connection"
            self.changed.notify_all()

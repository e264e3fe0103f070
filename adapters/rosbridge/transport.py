"""roslibpy's client, without its reconnection and with a reader of our own for every frame."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from roslibpy import Ros
from roslibpy.comm.comm_asyncio import AsyncioRosBridgeProtocol

Received = Callable[[bytes, bool], None]

logging.getLogger("roslibpy").addHandler(logging.NullHandler())  # it would write to the terminal


class _Protocol(AsyncioRosBridgeProtocol):  # type: ignore[misc]  # roslibpy has no types
    """Hands every frame on."""

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803  # autobahn's
        self.factory.received(payload, isBinary)


class Client(Ros):  # type: ignore[misc]  # roslibpy has no types
    """Connects once. roslibpy's constructor would connect before it is set up."""

    def __init__(self, url: str) -> None:
        self._is_set_up = False
        super().__init__(url, transport="asyncio")

    def connect(self) -> None:
        if self._is_set_up:
            super().connect()

    def set_up(self, received: Received, longest: int, ping_s: float) -> None:
        """Set the reader and the limits, and connect."""
        factory = self.factory
        factory.protocol = _Protocol
        factory.received = received
        factory.maxRetries = 0
        factory.setProtocolOptions(
            maxMessagePayloadSize=longest,
            openHandshakeTimeout=ping_s,
            autoPingInterval=ping_s,
            autoPingTimeout=ping_s,
        )
        self._is_set_up = True
        self.connect()

    def end(self) -> None:
        """Close the connection, and make no other."""
        self.factory.maxRetries = -1
        with suppress(Exception):
            self.close(timeout=2)


def open_client(url: str, received: Received, longest: int, ping_s: float) -> Any:
    """A client that is connecting to a server."""
    client = Client(url)
    client.set_up(received, longest, ping_s)
    return client

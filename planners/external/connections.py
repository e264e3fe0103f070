"""The connections of clients to the HTTP server of a seat: few at a time, and none that is idle.

Anybody on this machine can connect, with the token or without it. Each connection takes an open
file of the process that records the episode.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections at the same time; a further one is closed at once.
MOST = 64
#: Seconds after which a connection is closed that has no request. It may take twice as long.
IDLE_S = 10.0


class Connection(H11Protocol):
    """A connection that is closed where there are too many, or where its next request is slow."""

    _looking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.abort()
            return
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        self._looking = self.loop.call_later(IDLE_S, self._look, self.cycle)

    def _look(self, before: object) -> None:
        """Close it if it had no request since before: a request makes a new cycle."""
        answers = self.cycle is not None and not self.cycle.response_complete
        if answers or self.cycle is not before:
            self._look_later()
        else:
            self.transport.abort()

"""The pace of the requests to one endpoint, which all episodes of a process share.

Where the endpoint refuses a request because there are too many (429, or 503 with Retry-After), no
other request is sent before the pause that it asks for has passed. From then on fewer requests are
on their way at the same time, and with each reply a few more again. Questions that wait are sent in
the order in which they were first asked.
"""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from .failures import Interrupted
from .served_model import ModelEndpoint

#: The share of the requests on their way that is kept after a refusal.
_KEPT = 0.7
#: Seconds between two looks of a thread that waits for its turn.
_LOOK_S = 1.0


class Paces:
    """The paces of the endpoints that a process asks, one for each. Several threads may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paces: dict[tuple[str, str | None], Pace] = {}

    def of(self, endpoint: ModelEndpoint) -> Pace:
        """The pace of an endpoint; all models of one account there have the same."""
        with self._lock:
            return self._paces.setdefault((endpoint.base_url, endpoint.key), Pace())


class Pace:
    """The pace of one endpoint. Several threads may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._most = math.inf  # requests on their way at the same time
        self._sent = 0  # those on their way
        self._from_s = 0.0  # nothing is sent before, by the monotonic clock
        self._cut_s = 0.0  # when `_most` was last made smaller
        self._waiting: list[tuple[float, int, threading.Event]] = []  # a heap
        self._numbers = count()

    @contextmanager
    def sending(self, asked_s: float) -> Iterator[None]:
        """Wait until a request may be sent; it is on its way while the context is open.

        asked_s: when its question was first asked, by the monotonic clock. Raises Interrupted.
        """
        turn = threading.Event()
        with self._lock:
            heapq.heappush(self._waiting, (asked_s, next(self._numbers), turn))
            self._send_next()
            pause_s = self._pause_s()
        try:
            while not turn.wait(pause_s):
                with self._lock:
                    self._send_next()
                    pause_s = self._pause_s()
            self._check()
            yield
        finally:
            with self._lock:
                if turn.is_set():
                    self._sent -= 1
                else:  # it was interrupted before
                    self._waiting = [each for each in self._waiting if each[2] is not turn]
                    heapq.heapify(self._waiting)
                self._send_next()

    def _send_next(self) -> None:
        """Give those their turn that may send."""
        while self._waiting and (self._stopped.is_set() or self._may_send()):
            _, _, turn = heapq.heappop(self._waiting)
            self._sent += 1
            turn.set()

    def _may_send(self) -> bool:
        return self._sent + 1 <= self._most and time.monotonic() >= self._from_s

    def _pause_s(self) -> float:
        """Seconds until a waiting thread looks again whether it may send."""
        return min(max(self._from_s - time.monotonic(), 0.0) or _LOOK_S, _LOOK_S)

    def answered(self) -> None:
        """Note a reply: a few more requests may be on their way."""
        with self._lock:
            self._most += 1 / self._most

    def refused(self, sent_s: float, pause_s: float) -> None:
        """Note that a request was refused because there are too many.

        sent_s: when it was sent, by the monotonic clock. pause_s: until the next one.
        """
        with self._lock:
            now = time.monotonic()
            self._from_s = max(self._from_s, now + pause_s)
            if sent_s >= self._cut_s:  # the others of one burst are refused for the same reason
                self._most = max(1.0, _KEPT * min(self._most, self._sent + 1))
                self._cut_s = now

    def sleep(self, seconds: float) -> None:
        """Pause one question. Raises Interrupted."""
        self._stopped.wait(seconds)
        self._check()

    def stop(self) -> None:
        """Send nothing more: who waits, or wants to send, gets Interrupted."""
        with self._lock:
            self._stopped.set()
            self._send_next()

    def _check(self) -> None:
        if self._stopped.is_set():
            raise Interrupted("The run was interrupted.")

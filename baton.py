"""A baton for threads that take turns: one computes while the others wait for an endpoint.

Python runs one thread at a time, and changes threads every few milliseconds. Hundreds of threads
that compute at the same time take longer than one after the other, and each looks slow. So a thread
holds a baton while it computes, and gives it away while it waits. They get it in the order in which
they asked for it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds after which a thread no longer waits for one that keeps the baton.
_LONGEST_S = 1.0


class Baton:
    """Held by one thread at a time, and by a second where the first keeps it for long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._holders = 0
        self._passed = time.monotonic()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the baton, except in `waiting`, while the context is open."""
        self.take()
        _MINE.baton = self
        try:
            yield
        finally:
            _MINE.baton = None
            self.give()

    def take(self) -> None:
        """Wait for the baton."""
        with self._lock:
            if not self._holders:
                self._begin()
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        while not mine.acquire(timeout=_LONGEST_S):
            with self._lock:
                first = bool(self._waiting) and self._waiting[0] is mine
                if first and time.monotonic() - self._passed >= _LONGEST_S:
                    self._waiting.popleft()
                    self._begin()
                    return

    def give(self) -> None:
        """Give the baton to the thread that has waited longest."""
        with self._lock:
            self._holders -= 1
            if self._waiting and not self._holders:
                self._waiting.popleft().release()
                self._begin()

    def _begin(self) -> None:
        self._holders += 1
        self._passed = time.monotonic()


class _Mine(threading.local):
    baton: Baton | None = None
    """The baton that this thread holds."""


_MINE = _Mine()


@contextmanager
def waiting() -> Iterator[None]:
    """Let other threads compute while this one waits; nothing for a thread without a baton."""
    baton = _MINE.baton
    if baton is None:
        yield
        return
    _MINE.baton = None
    baton.give()
    try:
        yield
    finally:
        baton.take()
        _MINE.baton = baton

"""A hard deadline around a call."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class DeadlineExceeded(Exception):
    """A call did not return in time."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Interrupt the body with DeadlineExceeded when it has not ended after `seconds` (> 0).

    Works by SIGALRM, so only in a process's main thread on POSIX; elsewhere the body runs
    unguarded, and a simulator that may hang belongs in a process of its own.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(signum: int, frame: FrameType | None) -> None:
        raise DeadlineExceeded(f"no answer within {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)

"""A hard deadline around a call."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..errors import BadInput


class DeadlineExceeded(Exception):
    """A call did not return in time."""


def can_interrupt() -> bool:
    """Whether calls can be interrupted here: only in the main thread of a process, on POSIX."""
    main = threading.current_thread() is threading.main_thread()
    return main and hasattr(signal, "SIGALRM")


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Interrupt the body with DeadlineExceeded after `seconds` (> 0).

    Uses SIGALRM. Raises BadInput where that is not available, instead of waiting forever.
    """
    if not can_interrupt():
        raise BadInput(
            "Calls can be interrupted only in the main thread of a process; play the episode there."
        )

    def expire(signum: int, frame: FrameType | None) -> None:
        raise DeadlineExceeded(f"no answer within {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)

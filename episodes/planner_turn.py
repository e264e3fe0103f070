"""A planner's turn: its code runs here, and gives the control back, whatever it does.

A turn that takes too long is ended. In the main thread a signal ends it, also while it sleeps or
waits. In another thread it ends at its next step in Python, so that code in C which never returns
is not ended. `os._exit` in a turn raises an error instead of ending the run without a word.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, TypeVar

#: How often the turns are looked at, in seconds.
_LOOK_EVERY_S = 0.5
#: A signal that Python and the system ignore, unless there is a handler.
_SIGNAL = signal.SIGURG

_T = TypeVar("_T")


class TurnTooLong(BaseException):
    """Raised in the planner's code to end its turn; no error that the code would catch."""


def take_turn(turn: Callable[[], _T], is_late: Callable[[], bool] | None = None) -> _T:
    """The result of a planner's code. is_late: whether to end it, asked by another thread.

    Raises what the code raises, and TurnTooLong.
    """
    _WATCH.begin()
    mine = _Turn(is_late)
    before, _PLAYING.turn = getattr(_PLAYING, "turn", None), mine
    try:
        try:
            _WATCH.turns.add(mine)
            return turn()
        finally:
            mine.finish()
    except TurnTooLong:
        mine.finish()  # it may have come before the first call did its work
        raise
    finally:
        _PLAYING.turn = before


class _Turn:
    """One call of a planner's code, in the thread that makes it."""

    def __init__(self, is_late: Callable[[], bool] | None) -> None:
        self._is_late = is_late
        self._thread = threading.get_ident()
        self._is_main = threading.current_thread() is threading.main_thread()
        self._lock = threading.Lock()
        self._over = self._ended = False

    def finish(self) -> None:
        """From now on nothing is raised for this turn."""
        with self._lock:
            self._over = True
            if self._ended and not self._is_main:
                _raise_in(self._thread, None)
        _WATCH.turns.discard(self)

    def end_if_late(self) -> None:
        """End it where it is late. Called by the watching thread, again while it goes on."""
        if self._is_late is None or not self._is_late():
            return
        with self._lock:
            if self._over:
                return
            self._ended = True
            if self._is_main:
                signal.pthread_kill(self._thread, _SIGNAL)
            else:
                _raise_in(self._thread, TurnTooLong)

    def signalled(self) -> None:
        """Raise TurnTooLong where it is ended and not over. Called in its own thread."""
        if self._ended and not self._over:
            raise TurnTooLong


class _Watch:
    """The thread that looks at the turns, begun with the first one of a process."""

    def __init__(self) -> None:
        self.turns: set[_Turn] = set()
        self.pid = 0
        self._handled = False
        self._beginning = threading.Lock()

    def begin(self) -> None:
        if not self._handled and threading.current_thread() is threading.main_thread():
            signal.signal(_SIGNAL, _signalled)
            self._handled = True
        if self.pid == os.getpid():  # a forked process has no such thread
            return
        with self._beginning:
            if self.pid == os.getpid():
                return
            self.turns.clear()
            os._exit = _exit_of_planners
            threading.Thread(target=self._look, name="planner turns", daemon=True).start()
            self.pid = os.getpid()

    def _look(self) -> None:
        pause = threading.Event()
        while not pause.wait(_LOOK_EVERY_S):
            for turn in list(self.turns):
                turn.end_if_late()


_WATCH = _Watch()
_PLAYING = threading.local()
_EXIT = os._exit


def _exit_of_planners(status: int) -> NoReturn:
    """`os._exit`, but for a planner's code in its turn."""
    if getattr(_PLAYING, "turn", None) is None or _WATCH.pid != os.getpid():
        _EXIT(status)
    raise SystemExit(f"os._exit({status}) would have ended the run")


def _signalled(number: int, frame: FrameType | None) -> None:
    turn: _Turn | None = getattr(_PLAYING, "turn", None)
    if turn is not None:
        turn.signalled()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread at its next step in Python; None: take back what is not raised."""
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)

"""Executes actions through a simulator: retries, variations, postconditions, deadlines, restore.

`outcomes.FailureClass` decides the policy. A precondition is reported at once. Geometry and
transient failures are retried with another variation. An infrastructure failure restarts the
simulator, restores the episode by replaying its attempts, and retries. A world that cannot be
replayed (a real room) is tried once; there, a lost connection stops the run.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from types import FrameType
from typing import Protocol, TypeVar

from ..errors import BadInput, PeepholeError
from ..scene_graph.graph import SceneGraph
from .actions import Action
from .dynamics import achieved, unachieved
from .outcomes import Attempt, Failure, FailureClass, Outcome, RawResult, Reason


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


_T = TypeVar("_T")

#: Failure classes that are never retried.
_FINAL = (FailureClass.PRECONDITION, FailureClass.DENIED)


class SimulatorDied(PeepholeError):
    """Raised by an adapter when its simulator crashed, closed its connection or sent nonsense."""


class EpisodeVoided(PeepholeError):
    """The simulator was lost, and the state of the episode could not be restored."""


class ConnectionLost(PeepholeError):
    """A world that cannot be replayed was lost; the episode can be continued as the world is."""


class ActionWorld(Protocol):
    """The part of an adapter that the executor uses."""

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try through the simulator's API."""

    def graph(self) -> SceneGraph | None:
        """The fresh true state; None if there is none (a real room)."""


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of retries.

    attempts: tries per action after geometry and transient failures. attempt_s, action_s: deadlines
    of one try and of all tries of an action, in s. restarts: simulator restarts per action, and per
    restart, before the episode is voided.
    """

    attempts: int = 3
    attempt_s: float = 60.0
    action_s: float = 180.0
    restarts: int = 2

    @classmethod
    def within(cls, attempt_s: float) -> RetryPolicy:
        """The default policy for a simulator whose tries take at most `attempt_s`."""
        return cls(attempt_s=attempt_s, action_s=cls.attempts * attempt_s)


@dataclass
class Executor:
    """Executes the actions of one episode."""

    world: ActionWorld
    """The adapter that does the actions."""
    restart: Callable[[], None]
    """Closes the simulator and resets a fresh one to the start of the episode."""
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    """Limits of retries."""
    tried: list[tuple[Action, int]] = field(default_factory=list)
    """Every answered try, in order; replaying them restores the episode."""
    state: SceneGraph | None = None
    """The last true state that was read, None if there is none. Set the first state, so that a
    restart can be checked from the beginning.
    """
    replayable: bool = True
    """If false, every action is tried once, nothing is restarted or replayed, and a lost world
    raises ConnectionLost.
    """
    bounded: bool = False
    """Whether calls of the world end by themselves; then they run where `deadline` cannot interrupt
    them.
    """

    def execute(self, action: Action) -> Outcome:
        """Do one action.

        Raises EpisodeVoided if the simulator cannot be restored, ConnectionLost if nothing may be
        replayed.
        """
        began = time.monotonic()
        attempts: list[Attempt] = []
        sim_time = 0.0
        variation = restarts = 0
        restored = False
        while True:
            attempt_began = time.monotonic()
            result = self._try(action, variation)
            now = time.monotonic()
            sim_time += result.sim_time_s
            failure = result.failure
            attempts.append(
                Attempt(variation, failure, result.message, now - attempt_began, restored)
            )
            restored = False
            if failure is None or failure.kind in _FINAL:
                break
            if failure.kind is FailureClass.INFRASTRUCTURE:
                if not self.replayable:
                    raise connection_lost(result.message or failure.reason)
                if restarts >= self.policy.restarts:
                    message = result.message.rstrip(".")
                    raise EpisodeVoided(
                        f"The simulator failed {restarts + 1} times on one action "
                        f"({failure.reason}: {message}); the episode is voided."
                    )
                restarts += 1
                self.restore()
                restored = True
                continue
            if failure.reason is Reason.NOT_CONFIRMED and self._confirmed(action):
                failure = None  # the effect appeared late in the state
                break
            if not self.replayable:
                break
            variation += 1
            if variation >= self.policy.attempts or now - began >= self.policy.action_s:
                break
        return Outcome(failure, tuple(attempts), time.monotonic() - began, sim_time)

    def replay(self, tried: Iterable[tuple[Action, int]]) -> None:
        """Repeat recorded tries without retries, ignoring their results.

        Raises SimulatorDied, also if one hangs.
        """
        try:
            for action, variation in tried:
                with self._in_time():
                    self.world.attempt(action, variation)
                self.tried.append((action, variation))
            with self._in_time():
                self.state = self.world.graph()
        except DeadlineExceeded as error:
            raise SimulatorDied(str(error)) from error

    def read(self, reading: Callable[[], _T]) -> _T:
        """The result of `reading`, such as a view; a simulator lost during it is restored first.

        Raises EpisodeVoided if it cannot be restored, SimulatorDied if it is lost repeatedly, and
        ConnectionLost if nothing may be replayed.
        """
        for _ in range(self.policy.restarts):
            try:
                with self._in_time():
                    return reading()
            except (SimulatorDied, DeadlineExceeded) as error:
                if not self.replayable:
                    raise connection_lost(str(error)) from error
                self.restore()
        return reading()

    def restore(self) -> None:
        """Restart the simulator and restore the state of the episode.

        Raises EpisodeVoided if the simulator is lost each time or the state after the replay
        differs.
        """
        before, tried = self.state, self.tried
        for restart in range(self.policy.restarts):
            self.tried = []
            try:
                self.restart()
                self.replay(tried)
                break
            except SimulatorDied as error:
                if restart + 1 == self.policy.restarts:
                    raise EpisodeVoided(
                        f"The simulator did not survive its restart ({error})."
                    ) from error
        if before is not None and self.state != before:
            raise EpisodeVoided(
                "The replay after the simulator's restart led to a different state; "
                "the episode is voided."
            )

    def _try(self, action: Action, variation: int) -> RawResult:
        try:
            with self._in_time():
                result = self.world.attempt(action, variation)
                after = self.world.graph()
        except DeadlineExceeded as error:
            return RawResult(Failure(Reason.TIMEOUT), str(error))
        except SimulatorDied as error:
            return RawResult(Failure(Reason.CRASHED), str(error))
        if result.failure is not None and result.failure.kind is FailureClass.INFRASTRUCTURE:
            return result
        self.tried.append((action, variation))
        self.state = after
        problem = unachieved(after, action) if result.success and after is not None else ""
        if not problem:
            return result
        words = "; ".join(filter(None, (result.message.rstrip("."), f"afterwards {problem}")))
        return RawResult(Failure(Reason.NOT_CONFIRMED), words, result.sim_time_s)

    def _in_time(self) -> AbstractContextManager[None]:
        """The deadline of one try."""
        if self.bounded and not can_interrupt():
            return nullcontext()
        return deadline(self.policy.attempt_s)

    def _confirmed(self, action: Action) -> bool:
        try:
            with self._in_time():
                self.state = self.world.graph()
        except (SimulatorDied, DeadlineExceeded):
            return False  # the next try meets the dead simulator and handles it
        return self.state is not None and achieved(self.state, action)


def connection_lost(why: str) -> ConnectionLost:
    """The error for a lost world in which nothing may be replayed."""
    return ConnectionLost(
        f"The episode was interrupted ({why.rstrip('.')}); continue the run with --resume once "
        f"that is over."
    )

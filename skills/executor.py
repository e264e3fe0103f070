"""Executes actions through a simulator: retries, variations, postconditions, deadlines, restore.

The policy per failure class is that of `outcomes.FailureClass`: a precondition is told at once,
geometry and transient failures are tried again with another variation, an infrastructure failure
restarts the simulator, restores the episode by replaying its attempts, and tries again. What
cannot be replayed (a real room) is tried once, and a lost connection ends the run for now.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from ..errors import PeepholeError
from ..scene_graph.graph import SceneGraph
from .actions import Action
from .deadline import DeadlineExceeded, can_interrupt, deadline
from .dynamics import achieved
from .outcomes import Attempt, Failure, FailureClass, Outcome, RawResult, Reason

_T = TypeVar("_T")

#: Failures after which an action is not tried again.
_FINAL = (FailureClass.PRECONDITION, FailureClass.DENIED)


class SimulatorDied(PeepholeError):
    """Raised by an adapter when its simulator crashed, closed its connection or sent nonsense."""


class EpisodeVoided(PeepholeError):
    """The simulator was lost and the episode could not be brought back to where it was."""


class ConnectionLost(PeepholeError):
    """A world that cannot be replayed was lost; the episode can be continued as the world is."""


class ActionWorld(Protocol):
    """What the executor needs of an adapter."""

    def attempt(self, action: Action, variation: int) -> RawResult:
        """ONE try through the simulator's API."""

    def graph(self) -> SceneGraph | None:
        """The fresh true state; None where there is none to read (a real room)."""


@dataclass(frozen=True)
class RetryPolicy:
    """How hard to try.

    attempts: tries an action, geometry and transient failures counted together.
    attempt_s, action_s: deadlines of one try and of all tries of one action, in seconds.
    restarts: simulator restarts an action, and a restart, before the episode is voided.
    """

    attempts: int = 3
    attempt_s: float = 60.0
    action_s: float = 180.0
    restarts: int = 2

    @classmethod
    def within(cls, attempt_s: float) -> RetryPolicy:
        """The default for a simulator of which one try takes so long at most."""
        return cls(attempt_s=attempt_s, action_s=cls.attempts * attempt_s)


@dataclass
class Executor:
    """Executes the actions of one episode.

    restart: brings a fresh simulator to the episode's start (closes, resets). state: the last
    state that was read, None where there is none to read; give the first one, so that a restart
    can be checked from the beginning. tried: every try that reached the simulator and was
    answered, in order; replaying it restores the episode. replayable: whether that is so; if not,
    every action is tried once, nothing is ever restarted or replayed from here, and a lost world
    is told as ConnectionLost. bounded: calls of the world end by themselves, so that they are not
    interrupted where that cannot be done, see `deadline`.
    """

    world: ActionWorld
    restart: Callable[[], None]
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    tried: list[tuple[Action, int]] = field(default_factory=list)
    state: SceneGraph | None = None
    replayable: bool = True
    bounded: bool = False

    def execute(self, action: Action) -> Outcome:
        """Do one action. Raises EpisodeVoided when the simulator cannot be brought back.

        Raises ConnectionLost instead where nothing may be replayed.
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
                    raise EpisodeVoided(
                        f"The simulator failed {restarts + 1} times on one action "
                        f"({failure.reason}: {result.message}); the episode is voided."
                    )
                restarts += 1
                self.restore()
                restored = True
                continue
            if failure.reason is Reason.NOT_CONFIRMED and self._confirmed(action):
                failure = None  # the state only showed late what had been done
                break
            if not self.replayable:
                break
            variation += 1
            if variation >= self.policy.attempts or now - began >= self.policy.action_s:
                break
        return Outcome(failure, tuple(attempts), time.monotonic() - began, sim_time)

    def replay(self, tried: Iterable[tuple[Action, int]]) -> None:
        """Do recorded tries again, without retries; their results are not looked at.

        Raises SimulatorDied, also when one hangs.
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
        """What `reading` gives, such as a view; a simulator that is lost over it is restored first.

        Raises EpisodeVoided when it cannot be, SimulatorDied when it is lost again and again, and
        ConnectionLost where nothing may be replayed.
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
        """Restart the simulator and bring the episode back to where it was.

        Raises EpisodeVoided when the simulator is lost again each time, and when the state after
        the replay is another one.
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
                "After the simulator's restart the replayed episode is in another state than "
                "before; the episode is voided."
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
        if result.success and after is not None and not achieved(after, action):
            return RawResult(Failure(Reason.NOT_CONFIRMED), result.message, result.sim_time_s)
        return result

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
    """The error for a world that was lost and that nothing may be replayed in."""
    return ConnectionLost(
        f"The connection was lost ({why.rstrip('.')}); continue the run with --resume once it is "
        f"back."
    )

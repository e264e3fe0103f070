"""Worlds in which skills fail, or that do not survive."""

from __future__ import annotations

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Failure, RawResult, Reason


class Clumsy(SymbolicAdapter):
    """A world in which a skill fails for its geometry whenever it is used."""

    verb = Verb.PICK_UP
    reason = Reason.SLIPPED

    def attempt(self, action: Action, variation: int) -> RawResult:
        if action.verb is self.verb:
            return RawResult(Failure(self.reason, action.target))
        return super().attempt(action, variation)


class NoSpot(Clumsy):
    verb, reason = Verb.PUT, Reason.NO_FREE_SPOT


class Blocked(Clumsy):
    reason = Reason.BLOCKED


class Refusing(Clumsy):
    verb, reason = Verb.PUT, Reason.REFUSED


class Dying(SymbolicAdapter):
    """A simulator that does not survive its third action, however often it is started."""

    tries = 2

    def reset(self, task: Task, seed: int) -> None:
        super().reset(task, seed)
        self._left = self.tries

    def attempt(self, action: Action, variation: int) -> RawResult:
        self._left -= 1
        if self._left < 0:
            raise SimulatorDied("The connection was closed.")
        return super().attempt(action, variation)


class DyingAtOnce(Dying):
    tries = 0


class DyingLate(Dying):
    tries = 5

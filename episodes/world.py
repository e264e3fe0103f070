"""A task's world: a simulator or a real room, or the recording of an episode that is continued."""

from __future__ import annotations

from dataclasses import dataclass

from ..adapters.contract import Adapter, Capability
from ..observation_text.view import View
from ..observation_text.view_change import ViewReader
from ..scene_graph.changes import applied
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.executor import Executor, RetryPolicy
from ..skills.outcomes import Failure, FailureClass, Outcome
from .events import Perceived, Stepped


@dataclass(frozen=True, slots=True)
class Moment:
    """What is so and what is perceived. truth: None where there is no true state to read."""

    truth: SceneGraph | None
    view: View


class World:
    """Brings a task's world to its start and carries out actions in it.

    Where an episode is continued, recorded attempts are done again and lead to where it was. An
    adapter without `Capability.REPLAYABLE` is left alone: there the recording tells what was so.
    """

    def __init__(self, adapter: Adapter, task: Task, seed: int, policy: RetryPolicy) -> None:
        self._adapter = adapter
        self._task = task
        self._seed = seed
        self._policy = policy
        self._replayable = Capability.REPLAYABLE in adapter.spec.capabilities
        self._recorded = _RecordedMoments()

    def begin(self, recorded: Perceived | None) -> Moment:
        """Bring the world to the task's start. recorded: the start that is to come out again.

        Raises what `Adapter.reset` and `Executor.read` do.
        """
        adapter = self._adapter
        if recorded is not None and not self._replayable:
            adapter.resume(self._task, self._seed)
            moment = self._recorded.after(recorded)
            self._executor = self._new_executor(moment.truth)
            return moment
        adapter.reset(self._task, self._seed)
        truth = adapter.graph()
        self._executor = self._new_executor(truth)
        return Moment(truth, self._executor.read(adapter.view))

    def perform(
        self, action: Action, refused: Failure | None, recorded: Stepped | None
    ) -> tuple[Outcome, Moment]:
        """Carry out an action, or what was recorded of it, and read what came of it.

        refused: why it must not reach the simulator. Raises EpisodeVoided, SimulatorDied.
        """
        if recorded is not None and not self._replayable:
            return recorded.outcome, self._recorded.after(recorded)
        if recorded is not None:
            outcome = recorded.outcome
            self._executor.replay(
                (action, attempt.variation)
                for attempt in outcome.attempts
                if not _never_arrived(attempt.failure)
            )
        else:
            outcome = Outcome(refused) if refused is not None else self._executor.execute(action)
        view = self._executor.read(self._adapter.view)
        return outcome, Moment(self._executor.state, view)  # read after the last attempt

    def _new_executor(self, truth: SceneGraph | None) -> Executor:
        return Executor(
            self._adapter, self._restart, self._policy, state=truth, replayable=self._replayable
        )

    def _restart(self) -> None:
        self._adapter.close()
        self._adapter.reset(self._task, self._seed)


def _never_arrived(failure: Failure | None) -> bool:
    return failure is not None and failure.kind is FailureClass.INFRASTRUCTURE


class _RecordedMoments:
    """The moments of an episode, read from its events in their order."""

    def __init__(self) -> None:
        self._truth: SceneGraph | None = None
        self._views = ViewReader()

    def after(self, event: Perceived) -> Moment:
        """The moment after an event. Raises BadInput where the recording does not tell it."""
        where = "the recording"
        if event.world is not None:
            self._truth = applied(self._truth or SceneGraph(), event.world, where)
        view = self._views.read(event.view, self._truth, event.sensors, where)
        return Moment(self._truth, view)

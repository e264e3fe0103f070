"""A task's world: a simulator, a real room, or the recording of a continued episode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..adapters.contract import Adapter, Capability
from ..errors import BadInput
from ..observation_text.view import View
from ..observation_text.view_change import ViewReader
from ..scene_graph.changes import applied
from ..scene_graph.goal_evaluation import Progress
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..skills.actions import ARM_ONLY_VERBS, Action
from ..skills.executor import Executor, RetryPolicy, SimulatorDied, can_interrupt, connection_lost
from ..skills.outcomes import Failure, FailureClass, Injection, Outcome
from .events import Perceived, Stepped
from .faults import Faults, FaultyExecution
from .simulator import Simulator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Moment:
    """The true state and the agent's view at one moment. truth: None where it cannot be read."""

    truth: SceneGraph | None
    view: View


class World:
    """Brings a task's world to its start and carries out actions in it.

    In a continued episode the recorded attempts are done again. An adapter without
    `Capability.REPLAYABLE` only recalls them: there the recording gives the moments.
    """

    def __init__(
        self,
        adapter: Adapter,
        task: Task,
        seed: int,
        policy: RetryPolicy,
        faults: Faults | None = None,
    ) -> None:
        """faults: failures to inject, if any."""
        self._spec = spec = adapter.spec
        self._simulator = Simulator(adapter)
        self._task = task
        self._seed = seed
        self._policy = policy
        self._replayable = Capability.REPLAYABLE in spec.capabilities
        self._attached = False
        self._recorded = RecordedMoments()
        is_arm = not ARM_ONLY_VERBS.isdisjoint(spec.actions)
        self._faulty = (
            None
            if faults is None
            else FaultyExecution(faults, task.id, seed, spec.embodiment, is_arm=is_arm)
        )

    def begin(self, recorded: Perceived | None) -> Moment:
        """Bring the world to the task's start. recorded: the start that is to be repeated.

        Raises what `Adapter.reset` and `Executor.read` do, with ConnectionLost instead of
        SimulatorDied where nothing may be replayed. Raises BadInput in a thread in which the
        adapter cannot be played.
        """
        simulator, spec = self._simulator, self._spec
        if not (spec.bounded or can_interrupt()):
            raise BadInput(
                f"The adapter {spec.name} may hang and can be interrupted in a process's "
                f"main thread only; play it there, or in a process of its own: "
                f"connect('{spec.name}', isolated=True)."
            )
        if recorded is not None and not self._replayable:
            with self._connected():
                if self._attached:  # later trials begin in the same room
                    simulator.recall(self._task, None)
                else:
                    simulator.resume(self._task, self._seed)
            self._attached = True
            moment = self._recorded.after(recorded)
            self._executor = self._new_executor(moment.truth)
            return moment
        with self._connected():
            simulator.reset(self._task, self._seed)
            truth = simulator.graph()
        self._executor = self._new_executor(truth)
        return Moment(truth, self._executor.read(simulator.view))

    def perform(
        self, action: Action, refused: Failure | None, recorded: Stepped | None
    ) -> tuple[Outcome, Moment]:
        """Carry out an action, or its recording; returns its outcome and the moment after it.

        refused: why it must not reach the simulator. Raises EpisodeVoided, SimulatorDied.
        """
        if self._faulty is not None and (recorded is not None or refused is not None):
            self._faulty.skip()
        if recorded is not None and not self._replayable:
            for attempt in recorded.outcome.attempts:
                if not _never_arrived(attempt.failure):
                    with self._connected():
                        self._simulator.recall(self._task, action)
            return recorded.outcome, self._recorded.after(recorded)
        if recorded is not None:
            outcome = recorded.outcome
            self._executor.replay(
                (action, attempt.variation)
                for attempt in outcome.attempts
                if not _never_arrived(attempt.failure) and outcome.injected is not Injection.INSTEAD
            )
        elif refused is not None:
            outcome = Outcome(refused)
        elif self._faulty is not None:
            graph = self._executor.state or self._executor.read(self._simulator.view).graph
            outcome = self._faulty.execute(self._executor, action, graph)
        else:
            outcome = self._executor.execute(action)
        view = self._executor.read(self._simulator.view)
        return outcome, Moment(self._executor.state, view)  # read after the last attempt

    def judge(self) -> Progress | None:
        """Progress by the adapter's own judgement; None where it gives none."""
        with self._connected():
            return self._simulator.judge(self._task)

    def image(self) -> NDArray[np.uint8] | None:
        """The camera image, shape (height, width, 3), or None."""
        return self._executor.read(self._simulator.image)

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Raise ConnectionLost where a world is lost that cannot be replayed."""
        try:
            yield
        except SimulatorDied as error:
            if self._replayable:
                raise
            raise connection_lost(str(error)) from error

    def _new_executor(self, truth: SceneGraph | None) -> Executor:
        return Executor(
            self._simulator,
            self._restart,
            self._policy,
            state=truth,
            replayable=self._replayable,
            bounded=self._spec.bounded,
        )

    def _restart(self) -> None:
        self._simulator.close()
        self._simulator.reset(self._task, self._seed)


def _never_arrived(failure: Failure | None) -> bool:
    return failure is not None and failure.kind is FailureClass.INFRASTRUCTURE


class RecordedMoments:
    """The moments of an episode, read from its events in their order."""

    def __init__(self) -> None:
        self._truth: SceneGraph | None = None
        self._views = ViewReader()

    def after(self, event: Perceived) -> Moment:
        """The moment after an event. Raises BadInput where the recording is inconsistent."""
        where = "the recording"
        if event.world is not None:
            self._truth = applied(self._truth or SceneGraph(), event.world, where)
        view = self._views.read(event.view, self._truth, event.sensors, where)
        return Moment(self._truth, view)

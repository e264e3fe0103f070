"""An adapter whose errors cost its episode at most.

An adapter in a process of its own reports what its code raises as SimulatorDied. One in this
process raises anything. Here both are the same: the simulator is restarted, the episode restored.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..adapters.contract import Adapter
from ..errors import PeepholeError
from ..observation_text.view import View
from ..plugins import reason
from ..scene_graph.goal_evaluation import Progress
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.executor import DeadlineExceeded, SimulatorDied
from ..skills.outcomes import RawResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Simulator:
    """The calls of an adapter that an episode makes; see `Adapter`.

    Each raises what the adapter's contract says, and SimulatorDied for any other error.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter

    def reset(self, task: Task, seed: int) -> None:
        with self._guarded("reset"):
            self._adapter.reset(task, seed)

    def resume(self, task: Task, seed: int) -> None:
        with self._guarded("resume"):
            self._adapter.resume(task, seed)

    def recall(self, task: Task, action: Action | None) -> None:
        with self._guarded("recall"):
            self._adapter.recall(task, action)

    def attempt(self, action: Action, variation: int) -> RawResult:
        with self._guarded("attempt"):
            return self._adapter.attempt(action, variation)

    def graph(self) -> SceneGraph | None:
        with self._guarded("graph"):
            return self._adapter.graph()

    def view(self) -> View:
        with self._guarded("view"):
            return self._adapter.view()

    def judge(self, task: Task) -> Progress | None:
        with self._guarded("judge"):
            return self._adapter.judge(task)

    def image(self) -> NDArray[np.uint8] | None:
        with self._guarded("image"):
            return self._adapter.image()

    def close(self) -> None:
        with self._guarded("close"):
            self._adapter.close()

    @contextmanager
    def _guarded(self, call: str) -> Iterator[None]:
        try:
            yield
        except (PeepholeError, DeadlineExceeded):
            raise
        except Exception as error:
            raise SimulatorDied(
                f"The adapter {self._adapter.spec.name} failed in '{call}' ({reason(error)})."
            ) from error

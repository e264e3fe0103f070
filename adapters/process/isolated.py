"""Any adapter in its own process, so that its simulator may crash or hang.

The process is another interpreter like ours that runs `isolated_server`. Views are computed here
from the state, unless only the simulator knows what is visible. Only changes of the state are sent,
sometimes with a digest, so that a divergence of the two sides is noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import BadInput
from ...observation_text.view import View, Visibility, visible
from ...scene_graph.changes import applied, change_from_data
from ...scene_graph.goal_evaluation import Progress
from ...scene_graph.graph import SceneGraph
from ...scene_graph.json_codec import digest
from ...scene_graph.task import Task
from ...skills import actions
from ...skills.actions import Action
from ...skills.outcomes import RawResult
from ..contract import Adapter, AdapterSpec
from . import messages
from .supervisor import START_S, Supervisor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")


@dataclass(frozen=True)
class Deadlines:
    """The time for a simulator to answer, in seconds.

    reset_s, attempt_s: from the adapter's spec. start_s: to start and say hello. read_s: to read a
    state, view or image, during which nothing moves.
    """

    reset_s: float
    attempt_s: float
    start_s: float = START_S
    read_s: float = 10.0

    @classmethod
    def of(cls, spec: AdapterSpec) -> Deadlines:
        """The deadlines of an adapter."""
        return cls(spec.reset_s, spec.attempt_s)


class IsolatedAdapter(Adapter):
    """A registered adapter, run in its own process.

    The process starts with the first reset and serves one episode after another. Once it has died,
    every call raises SimulatorDied until `reset` starts another one. Films are made here, always
    with one frame per step.
    """

    def __init__(
        self,
        name: str,
        spec: AdapterSpec,
        deadlines: Deadlines | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        """name, spec: of the registered adapter. command: instead of this interpreter's
        `isolated_server`; the name is appended as the last argument.
        """
        self.spec = replace(spec, bounded=True)
        self._deadlines = deadlines or Deadlines.of(spec)
        server = command or (sys.executable, "-m", f"{__package__}.isolated_server")
        self._process = Supervisor(name, [*server, name], self._deadlines.start_s)
        self._hello: Mapping[str, Any] = {}
        self._graph = SceneGraph()  # the last one from the process
        self._revision = 0
        self._folder: Path | None = None
        self._knows_folder = False  # the present process

    def keep(self, folder: Path) -> None:
        self._folder, self._knows_folder = folder.absolute(), False

    def reset(self, task: Task, seed: int) -> None:
        self._begin("reset", task, seed)
        self._capture()

    def resume(self, task: Task, seed: int) -> None:
        self._begin("resume", task, seed)

    def _begin(self, call: str, task: Task, seed: int) -> None:
        self._start()
        self._graph, self._revision = SceneGraph(), 0
        if self._folder is not None and not self._knows_folder:
            self._process.call("keep", {"folder": str(self._folder)}, self._deadlines.read_s)
            self._knows_folder = True
        arguments = {"task": messages.task_to_data(task), "seed": seed}
        self._process.call(call, arguments, self._deadlines.reset_s)

    def recall(self, task: Task, action: Action | None) -> None:
        done = None if action is None else actions.to_data(action)
        arguments = {"task": messages.task_to_data(task), "action": done}
        self._process.call("recall", arguments, self._deadlines.reset_s)

    def attempt(self, action: Action, variation: int) -> RawResult:
        arguments = {"action": actions.to_data(action), "variation": variation}
        data = self._process.call("attempt", arguments, self._deadlines.attempt_s)
        result = self._understood(messages.result_from_data, data)
        self._capture()
        return result

    def graph(self) -> SceneGraph | None:
        graph = self._read_graph()
        return None if graph is None else graph.copy()

    def view(self) -> View:
        if self.spec.visibility is Visibility.CAMERA:
            data = self._process.call("view", {}, self._deadlines.read_s)
            return self._understood(messages.view_from_data, data)
        graph = self._read_graph()
        assert graph is not None, "an adapter without a true state words its own views"
        return visible(graph, self.spec.visibility)

    def judge(self, task: Task) -> Progress | None:
        arguments = {"task": messages.task_to_data(task)}
        data = self._process.call("judge", arguments, self._deadlines.attempt_s)
        return self._understood(messages.progress_from_data, data)

    def image(self) -> NDArray[np.uint8] | None:
        data = self._process.call("image", {}, self._deadlines.read_s)
        return self._understood(messages.image_from_data, data)

    def close(self) -> None:
        self._process.stop()

    def facts(self) -> dict[str, Any]:
        """The facts of the adapter and of its process."""
        self._start()
        own = {"isolated": {key: self._hello.get(key) for key in ("protocol", "python")}}
        return {**self._hello.get("facts", {}), **own}

    def _start(self) -> None:
        if not self._process.running:
            self._hello = self._process.start()
            self._knows_folder = False

    def _read_graph(self) -> SceneGraph | None:
        """The present state; not to be modified."""
        arguments = {"since": self._revision}
        data = self._process.call("graph", arguments, self._deadlines.read_s)
        if data is None:
            return None
        return self._understood(self._updated, data)

    def _updated(self, data: dict[str, Any], where: str) -> SceneGraph:
        graph = self._graph
        if data["changes"] is not None:
            graph = applied(graph, change_from_data(data["changes"], where), where)
        if data["digest"] is not None and data["digest"] != digest(graph):
            raise BadInput("its changes do not add up to its state")
        self._graph, self._revision = graph, data["revision"]
        return graph

    def _understood(self, read: Callable[[Any, str], _T], data: Any) -> _T:
        """Data of the process as a value; malformed data ends the process."""
        try:
            return read(data, "its answer")
        except (BadInput, KeyError, TypeError, ValueError) as error:
            raise self._process.lost(f"answered nonsense ({error})") from error

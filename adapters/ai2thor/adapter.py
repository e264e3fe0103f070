"""AI2-THOR's Controller as an adapter: iTHOR's 120 rooms, and ALFRED's tasks in them.

As in ALFRED, the agent has one hand and needs a knife in it for slicing. Going to a thing leads to
the place that keeps it. There the agent looks at everything on it, because large counters are not
visible as a whole from one point. While it stays, it may use anything there, and moves to another
pose for things out of sight. It never arrives without having seen its target.

The view has what the simulator reports as visible since the agent arrived, unless enclosed since
then, and held things and all fixtures of the room. Going to the room itself shows the things on its
floor.

`engine` chooses the engine, `connection` watches it, `world` keeps its reports, and `execution`
does the verbs. Limits: it has never run against a Unity build, only against the stand-in engine,
through the unmodified Controller (docs/simulators/ai2thor.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import Missing
from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation
from ...scene_graph.task import Task
from ...skills.actions import Action
from ...skills.dynamics import achieved, check
from ...skills.embodiment import Embodiment
from ...skills.executor import SimulatorDied
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import STAND_IN, Adapter, AdapterSpec, Capability
from . import engine, execution, scenes
from .connection import SCENE_S, START_S, STEP_S, EngineConnection
from .execution import VERBS, execute
from .graph import exists_as_pieces
from .world import ThorWorld

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: In m: the distance of sight and reach, and the spacing of the walking grid.
SIGHT_M, GRID_M = 1.5, 0.25
#: The parameters of the Controller and of Initialize. Frames are 300 x 300.
_PARAMETERS = {
    "gridSize": GRID_M,
    "visibilityDistance": SIGHT_M,
    "width": 300,
    "height": 300,
    "fastActionEmit": True,
}
#: The attempts to load a scene before the engine counts as lost.
_RESETS = 3


class ThorAdapter(Adapter):
    """A task in one of iTHOR's rooms."""

    spec = AdapterSpec(
        name="ai2thor",
        summary="AI2-THOR's Controller in iTHOR's 120 rooms, with ALFRED's tasks",
        actions=VERBS,
        embodiment=Embodiment(
            hands=1,
            capacity=execution.CAPACITY,
            accepts=execution.TAKES,
            closed_to_run=frozenset({"microwave"}),
        ),
        visibility=Visibility.CAMERA,
        capabilities=frozenset(
            {Capability.GRAPH, Capability.IMAGES, Capability.SEED, Capability.REPLAYABLE}
        ),
        loaders=scenes.LOADERS,
        dialects=("reactree_thor_plain", "reactree_thor", "alfworld"),
        tested_on="the stand-in of its engine, through the real Controller; never a Unity build",
        reset_s=_RESETS * (START_S + SCENE_S),
        bounded=True,
    )

    def __init__(
        self, *, start_s: float = START_S, scene_s: float = SCENE_S, step_s: float = STEP_S
    ) -> None:
        """start_s, scene_s, step_s: seconds for the engine to start, to load a scene, to act."""
        self._within = {"start_s": start_s, "scene_s": scene_s, "step_s": step_s}
        self._world: ThorWorld | None = None
        self._ran = False  # whether the engine ever ran
        self._unconfirmed = False  # whether the last action has no effect yet

    @classmethod
    def missing(cls) -> str | None:
        return engine.missing()

    def reset(self, task: Task, seed: int) -> None:
        start = scenes.initial_state_of(task.scene)
        if self._world is None:
            connection = EngineConnection(engine.chosen(), _PARAMETERS, **self._within)
            self._world = ThorWorld(connection)
        for left in reversed(range(_RESETS)):
            try:
                self._world.load(start)
                break
            except SimulatorDied as error:
                self._world.connection.close()
                if left:
                    continue
                if self._ran:
                    raise
                raise Missing(
                    f"{error} It never ran: correct {engine.EXECUTABLE_VARIABLE}; its log is "
                    f"~/.ai2thor/log/unity.log."
                ) from None
        self._ran, self._unconfirmed = True, False
        self._capture()

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on from other poses; 2 is forced."""
        if action.verb not in self.spec.actions or action.relation is Relation.UNDER:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        world = self.world
        graph = world.graph()
        cut = [i for i in action.things if i in graph and exists_as_pieces(graph[i])]
        if cut:
            return RawResult(Failure(Reason.ALREADY_SLICED, cut[0]))
        failure = check(graph, action, self.spec.embodiment)
        if failure is not None:
            return RawResult(failure)
        result = execute(world, action, variation)
        self._unconfirmed = result.success and not achieved(world.graph(), action)
        self._capture()
        return result

    def graph(self) -> SceneGraph:
        if self._unconfirmed:  # the effect may be there now
            self._unconfirmed = False
            self.world.step("Pass")
        return self.world.graph().copy()

    def view(self) -> View:
        return self.world.view()

    def image(self) -> NDArray[np.uint8] | None:
        """The agent's camera, 300 x 300; None if the engine sends no frames."""
        self.world.step("Pass", renderImage=True)
        return self.world.connection.frame()

    def close(self) -> None:
        world, self._world = self._world, None
        if world is not None:
            world.connection.close()

    def facts(self) -> dict[str, Any]:
        chosen = engine.chosen()
        facts = {"simulator": f"ai2thor {engine.version()}", "engine": chosen.name}
        return {**facts, STAND_IN: "a stand-in of AI2-THOR's engine"} if chosen.stand_in else facts

    @property
    def world(self) -> ThorWorld:
        """The room in the engine, for measurements. Raises SimulatorDied if none runs."""
        if self._world is None:
            raise SimulatorDied("The engine is not running; reset the adapter.")
        return self._world

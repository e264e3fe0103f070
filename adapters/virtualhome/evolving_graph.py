"""VirtualHome's evolving-graph simulator, from the package virtualhome-eval, as an adapter.

Every action is one line of the simulator's script language. It is checked by our own model of
household actions first, so that the simulator's known faults stay here:

- FIND is never used. In the original package, virtualhome 2.3.0, it raises TypeError on all that
  is not close; in this one it is a WALK.
- Class names always come from the ids; the simulator takes any name with any id.
- It works switches with full hands, puts things on what is no surface and into what is no
  container, grabs out of nested closed containers, and reaches by a loose rule (all that is close
  to something close). We refuse these, as VirtualHome's Unity simulator does. It also unplugs
  what is on, closes with full hands, and takes along water and children, which we refuse.
- It never updates the room of what is carried and put down; see `Simulation.correct_rooms`.

What it does and our model does not, which therefore shows in the state that is read:

- What stands on or in a thing falls out when that thing is picked up, and stays behind in the
  room. What is put into a held container falls out at the next walk; what is put on a held tray
  is carried along.
- After picking up something that stood free in a room, the agent is also close to one of the
  thing's neighbours; after walking to furniture that stands on a mat, also to the mat.

What it refuses and our model allows: acting on what stands where the agent stands, but more than
one relation away from what the agent walked to (the iron on the table inside the couch). Such a
refusal is reported as UNREACHABLE, and another variation walks up to the thing itself first, by a
line of its own.

The simulator runs in this process, or in the interpreter that PEEPHOLE_VIRTUALHOME_PYTHON names:
Python 3.8 or later with numpy and virtualhome-eval.

Postures are not modelled: an agent that sits at the start stands up. Looking and waiting do not
reach the simulator, whose LOOKAT asks for a FACING that it only knows in part.
"""

from __future__ import annotations

import re
from typing import Any

from ...errors import BadInput
from ...observation_text.view import View, Visibility, visible
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb
from ...skills.dynamics import check
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import Adapter, AdapterSpec, Capability
from ..scenes import load_scene, split_scene
from . import package, remote, scenes
from .simulation import Simulation, World

_COMMANDS = {
    (Verb.GO_TO, None): "WALK",
    (Verb.PICK_UP, None): "GRAB",
    (Verb.PUT, Relation.ON): "PUTBACK",
    (Verb.PUT, Relation.INSIDE): "PUTIN",
    (Verb.OPEN, None): "OPEN",
    (Verb.CLOSE, None): "CLOSE",
    (Verb.TURN_ON, None): "SWITCHON",
    (Verb.TURN_OFF, None): "SWITCHOFF",
    (Verb.PLUG_IN, None): "PLUGIN",
    (Verb.PLUG_OUT, None): "PLUGOUT",
}
_WITHOUT_COMMAND = frozenset({Verb.LOOK, Verb.WAIT})

#: The simulator's families of refusals. "Not close" is told only of what we hold to be in reach.
_REFUSALS = (
    ("is not close to", Reason.UNREACHABLE),
    ("is inside other closed thing", Reason.ENCLOSED),
    ("does not have a free hand", Reason.HANDS_FULL),
    ("already grabbed", Reason.HELD),
    ("is not grabbable", Reason.NOT_GRASPABLE),
    ("is not holding", Reason.NOT_HELD),
    ("is not open or is not openable", Reason.CONTAINER_CLOSED),
    ("can not be opened", Reason.NOT_OPENABLE),
    ("is still on", Reason.STILL_ON),
    ("does not have a switch", Reason.NOT_SWITCHABLE),
    ("is unplugged", Reason.UNPLUGGED),
    ("does not have a plug", Reason.NOT_PLUGGABLE),
    ("is not closed", Reason.ALREADY_OPEN),
    ("is not open", Reason.ALREADY_CLOSED),
    ("is not off", Reason.ALREADY_ON),
    ("is not on", Reason.ALREADY_OFF),
    ("is not plugged_out", Reason.ALREADY_PLUGGED_IN),
    ("is not plugged_in", Reason.ALREADY_PLUGGED_OUT),
    ("cannot be found", Reason.UNKNOWN),
)


class EvolvingGraphAdapter(Adapter):
    """A task in the evolving graph. The simulator is deterministic: every seed gives the same."""

    spec = AdapterSpec(
        name="virtualhome",
        summary="VirtualHome's evolving graph on RobotHow's, generated and your own houses",
        actions=frozenset(verb for verb, _ in _COMMANDS) | _WITHOUT_COMMAND,
        embodiment=Embodiment(
            hands=2,
            needs_free_hand=frozenset(
                {
                    Verb.OPEN,
                    Verb.CLOSE,
                    Verb.TURN_ON,
                    Verb.TURN_OFF,
                    Verb.PLUG_IN,
                    Verb.PLUG_OUT,
                }
            ),
        ),
        visibility=Visibility.NEAR,
        capabilities=frozenset({Capability.GRAPH, Capability.SEED}),
        loaders=tuple(scenes.READERS),
        tested_on="the evolving graph of virtualhome-eval 0.1.1; never the Unity executable",
        install=package.INSTALL,
    )

    def __init__(self) -> None:
        self._world: World | None = None
        self._simulation: Simulation | None = None

    @classmethod
    def missing(cls) -> str | None:
        return package.missing() or remote.missing()

    def reset(self, task: Task, seed: int) -> None:
        loader, _ = split_scene(task.scene)
        if loader not in self.spec.loaders:
            raise BadInput(
                f"The adapter virtualhome cannot load the scene '{task.scene}'; "
                f"it takes scenes of {', '.join(self.spec.loaders)} only."
            )
        load_scene(task.scene)  # refuses a malformed graph in words, where the simulator fails
        self._simulation = Simulation(scenes.raw(task.scene), self._connected())
        self._simulation.stand_up()

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on, the agent walks up to the thing itself first."""
        simulation = self._running()
        command = _COMMANDS.get((action.verb, action.relation))
        if command is None and action.verb not in _WITHOUT_COMMAND:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        before = simulation.graph()
        failure = check(before, action, self.spec.embodiment)
        if failure is not None or command is None:
            return RawResult(failure)
        if variation > 0 and action.verb is not Verb.GO_TO:
            self._walk_up(before, action.things[-1])
        message = simulation.do(command, *action.things)
        if message is not None:
            return RawResult(failure_of(action, message), message)
        if action.verb is Verb.GO_TO:
            self._correct_rooms(before.held(before.agent().id))
        elif action.verb is Verb.PUT:
            self._correct_rooms(action.things[:1])
        return RawResult()

    def graph(self) -> SceneGraph:
        return self._running().graph().copy()

    def view(self) -> View:
        return visible(self._running().graph(), self.spec.visibility)

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
        self._world = self._simulation = None

    def facts(self) -> dict[str, Any]:
        return {"simulator": "evolving graph", **self._connected().facts()}

    def _connected(self) -> World:
        if self._world is None:
            self._world = remote.evolving_graph()
        return self._world

    def _running(self) -> Simulation:
        assert self._simulation is not None, "reset comes first"
        return self._simulation

    def _walk_up(self, before: SceneGraph, thing: int) -> None:
        if before.holder(thing) is None:
            self._running().do("WALK", thing)
            self._correct_rooms(before.held(before.agent().id))

    def _correct_rooms(self, moved: list[int] | tuple[int, ...]) -> None:
        """Correct the rooms of things that were moved, and of all they carry."""
        simulation = self._running()
        graph = simulation.graph()
        simulation.correct_rooms([i for thing in moved for i in (thing, *graph.below(thing))])


def failure_of(action: Action, message: str) -> Failure:
    """The simulator's refusal of an action in our terms, about the thing that it names last."""
    words, _, _ = message.partition(" when executing")
    reason = next((reason for text, reason in _REFUSALS if text in words), Reason.REFUSED)
    if reason is Reason.HANDS_FULL:
        return Failure(reason)
    named = [int(number) for number in re.findall(r"\((\d+)\)", words)]
    return Failure(reason, next((i for i in reversed(named) if i in action.things), action.target))

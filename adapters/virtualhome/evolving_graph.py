"""VirtualHome's evolving-graph simulator, from the package virtualhome-eval, as an adapter.

Every action goes to the simulator in its script language (`commands`). It is checked by our own
model of household actions first, so that the simulator's known faults stay here:

- FIND is never used. In the original package, virtualhome 2.3.0, it raises TypeError on all that
  is not close; in this one it is a WALK.
- Class names always come from the ids; the simulator takes any name with any id.
- It puts things on what is no surface and into what is no container, grabs out of nested closed
  containers, unplugs what is on, and reaches by a loose rule (all that is close to something
  close). We refuse these, as VirtualHome's Unity simulator does.
- It keeps what is no longer so: the room of what is carried and put down, the seats that the agent
  has left, what was poured into a thing but is still in the hand, that something was grabbed which
  was since poured out or put on. `Simulation` and `EvolvingGraph` correct these.
- It brings the agent close to what it walks to, not to what stands side by side with that; to its
  body only once it has walked. The adapter adds both.

What it does and our model does not, which therefore shows in the state that is read:

- What stands on or in a thing falls out when that thing is picked up, and stays behind in the
  room. What is put into a held container falls out at the next walk; what is put on a held tray
  is carried along.
- After picking up something that stood free in a room, the agent is also close to one of the
  thing's neighbours; after walking to furniture that stands on a mat, also to the mat.

What it refuses and our model allows: acting on what stands where the agent stands, but more than
one relation away from what the agent walked to (the iron on the table inside the couch). Such a
refusal is reported as UNREACHABLE, and another variation walks up to the thing itself first, by a
line of its own. docs/simulators/virtualhome.md lists all differences.

Every action is one line, but looking at a thing, which turns to it by a line of its own, and
looking around and waiting, which have none. What was cut the simulator does not keep; the adapter
shows it as sliced.

The simulator runs in this process, or in the interpreter that PEEPHOLE_VIRTUALHOME_PYTHON names:
Python 3.8 or later with numpy and virtualhome-eval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...observation_text.view import View, Visibility, visible
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Relation
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb, go_to
from ...skills.dynamics import bases, check, stands_at
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import AdapterSpec, Capability
from ..drawn.adapter import DrawnAdapter
from ..scenes import load_scene
from . import commands, package, remote, scenes
from .simulation import EvolvingGraphApi, Simulation

#: How many things a seat takes when one sits or lies down on it, in the simulator's executors.
_SEATS = {
    Verb.SIT: {"couch": 4, "bed": 4, "loveseat": 2, "sofa": 4, "piano bench": 2, "bench": 2},
    Verb.LIE_DOWN: {"couch": 2, "bathtub": 2, "bed": 3, "loveseat": 2, "sofa": 2},
}
#: A toaster takes one slice at a time (LLM-State, figure 4); the simulator has no such limit.
_CAPACITY = {"toaster": 1}


class EvolvingGraphAdapter(DrawnAdapter):
    """A task in the evolving graph. The simulator is deterministic: every seed gives the same."""

    spec = AdapterSpec(
        name="virtualhome",
        summary="VirtualHome's evolving graph on RobotHow's, generated and your own houses",
        actions=commands.VERBS,
        embodiment=Embodiment(
            hands=2,
            needs_free_hand=frozenset(
                {
                    Verb.OPEN,
                    Verb.PLUG_IN,
                    Verb.PLUG_OUT,
                    Verb.SLICE,
                    Verb.SQUEEZE,
                    Verb.PUSH,
                    Verb.PULL,
                    Verb.MOVE,
                }
            ),
            capacity=_CAPACITY,
            seats=_SEATS,
        ),
        visibility=Visibility.NEAR,
        capabilities=frozenset(
            {Capability.GRAPH, Capability.IMAGES, Capability.SEED, Capability.REPLAYABLE}
        ),
        loaders=tuple(scenes.READERS),
        tested_on="the evolving graph of virtualhome-eval 0.1.1; never the Unity executable",
        reset_s=120.0,  # the user's interpreter may take 60 s to start and 60 s for the scene
        bounded=True,
    )

    def __init__(self, world: EvolvingGraphApi | None = None) -> None:
        """world: the simulator; by default that of this process or the user's interpreter."""
        self._world = world
        self._simulation: Simulation | None = None

    @classmethod
    def missing(cls) -> str | None:
        return package.missing() or remote.missing()

    def reset(self, task: Task, seed: int) -> None:
        self.scene_of(task)
        load_scene(task.scene)  # refuses a malformed graph in words, where the simulator fails
        self.begin(scenes.raw(task.scene))
        self._turn_to(None)
        self._capture()

    def begin(self, data: Mapping[str, Any]) -> None:
        """Load a sound graph as VirtualHome writes it, with a character, instead of a scene."""
        self._simulation = Simulation(data, self._connected())
        graph = self._simulation.graph()
        things = (n for n in graph.nodes() if n.kind in (Kind.FIXTURE, Kind.OBJECT))
        self._simulation.correct_rooms(node.id for node in things)
        self._simulation.come_close(graph.contents(graph.agent().id))

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on, the agent walks up to the thing itself first."""
        self._turn_to(action)
        result = self._try(action, variation)
        self._capture()
        return result

    def _try(self, action: Action, variation: int) -> RawResult:
        simulation = self._running()
        lines = commands.lines_of(action)
        if lines is None:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        before = simulation.graph()
        failure = check(before, action, self.spec.embodiment)
        if failure is not None:
            return RawResult(failure)
        if variation > 0 and lines and action.verb is not Verb.GO_TO:
            self._walk_up(before, action.things[-1:])
        resting = action.verb in (Verb.SIT, Verb.LIE_DOWN)
        seats = simulation.leave_seats() if resting else []  # else it counts the agent as a thing
        for command, things in lines:
            message = simulation.do(command, *things)
            if message is not None:
                simulation.keep_seats(seats)
                return RawResult(commands.failure_of(action, message), message)
        self._correct(before, action)
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

    def _connected(self) -> EvolvingGraphApi:
        if self._world is None:
            self._world = remote.evolving_graph()
        return self._world

    def _running(self) -> Simulation:
        assert self._simulation is not None, "reset comes first"
        return self._simulation

    def _walk_up(self, before: SceneGraph, things: tuple[int, ...]) -> None:
        for thing in things:
            if before.holder(thing) is None and bases(before, thing):
                self._running().do("WALK", thing)
                self._correct(before, go_to(thing))

    def _correct(self, before: SceneGraph, action: Action) -> None:
        """Correct what the simulator leaves wrong after an action that succeeded."""
        simulation, me, target = self._running(), before.agent().id, action.target
        match action.verb, target:
            case Verb.GO_TO, int():
                self._correct_rooms([*before.held(me), *before.sources(me, Relation.ON)])
                simulation.come_close([*stands_at(before, target), *before.contents(me)])
            case Verb.PUT | Verb.DROP, int():
                self._correct_rooms([target])
            case Verb.TAKE_OFF, int():
                self._correct_rooms([target])
                simulation.come_close([target])
            case Verb.POUR, int():
                if Affordance.LIQUID in before[target].affordances:
                    self._correct_rooms([target])
                else:
                    simulation.take_out(*action.things)
            case Verb.STAND_UP, _:
                simulation.leave_seats()

    def _correct_rooms(self, moved: Iterable[int]) -> None:
        """Correct the rooms of things that were moved, and of all they carry."""
        simulation = self._running()
        graph = simulation.graph()
        simulation.correct_rooms([i for thing in moved for i in (thing, *graph.below(thing))])

"""VirtualHome's evolving-graph simulator, from the package virtualhome-eval, as an adapter.

Every action goes to the simulator in its script language (`commands`). Our own model of household
actions checks it first, so the simulator's known faults have no effect; `Simulation` and
`EvolvingGraph` correct its outdated facts. docs/simulators/virtualhome.md lists both, and the
effects that our model lacks, which show in the state that is read.

The simulator brings the agent close to its target, but not to what stands beside it, and to its
body only after a walk. The adapter adds both. The simulator removes cut things; the adapter shows
them as sliced.

The simulator runs in this process, or in the interpreter of PEEPHOLE_VIRTUALHOME_PYTHON (`remote`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...observation_text.view import View, Visibility, visible
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Relation
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb, go_to
from ...skills.dynamics import check
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure, RawResult, Reason
from ...skills.reach import bases, stands_at
from ..contract import AdapterSpec, Capability
from ..drawn import DrawnAdapter
from ..scenes import load_scene
from . import commands, package, remote, scenes
from .remote import EvolvingGraphApi
from .simulation import Simulation

#: The capacity of seats for sitting or lying, in the simulator's executors.
_SEATS = {
    Verb.SIT: {"couch": 4, "bed": 4, "loveseat": 2, "sofa": 4, "piano bench": 2, "bench": 2},
    Verb.LIE_DOWN: {"couch": 2, "bathtub": 2, "bed": 3, "loveseat": 2, "sofa": 2},
}
#: A toaster takes one slice at a time (LLM-State, figure 4); the simulator has no such limit.
_CAPACITY = {"toaster": 1}


class EvolvingGraphAdapter(DrawnAdapter):
    """A task in the evolving graph. Deterministic: every seed gives the same."""

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
        """world: the simulator; by default that of this process or of the user's interpreter."""
        self._world = world
        self._simulation: Simulation | None = None

    @classmethod
    def missing(cls) -> str | None:
        return package.missing() or remote.missing()

    def reset(self, task: Task, seed: int) -> None:
        self.scene_of(task)
        load_scene(task.scene)  # a clear error for a malformed graph, on which the simulator fails
        self.begin(scenes.raw(task.scene))
        self._turn_to(None)
        self._capture()

    def begin(self, data: Mapping[str, Any]) -> None:
        """Load a valid VirtualHome graph with a character, instead of a scene."""
        self._simulation = Simulation(data, self._connected())
        graph = self._simulation.graph()
        things = (n for n in graph.nodes() if n.kind in (Kind.FIXTURE, Kind.OBJECT))
        self._simulation.correct_rooms(node.id for node in things)
        self._simulation.come_close(graph.contents(graph.agent().id))

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on, the agent first walks to the thing itself."""
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
        seats = simulation.leave_seats() if resting else []  # else the agent counts as a thing
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
        """Correct the simulator's outdated facts after a successful action."""
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
        """Correct the rooms of moved things and of everything that they carry."""
        simulation = self._running()
        graph = simulation.graph()
        simulation.correct_rooms([i for thing in moved for i in (thing, *graph.below(thing))])


class WholeRoomAdapter(EvolvingGraphAdapter):
    """The same, with an agent that perceives its whole room, as in LLM-State (2024)."""

    spec = replace(
        EvolvingGraphAdapter.spec,
        name="virtualhome_room",
        summary="the same as virtualhome; the agent perceives its whole room, not from near alone",
        visibility=Visibility.ROOM,
    )

"""AI2-THOR's Controller as an adapter: iTHOR's 120 rooms, and ALFRED's tasks in them.

The agent has one hand and a knife has to be in it for slicing, as ALFRED has it. Going to a thing
leads to where it is kept, and the agent looks over all that is kept there: large counters are not
seen whole from any one point. While it stays it may use whatever is there, and steps aside for
what is not in sight from where it stands. Nobody arrives without having seen what it went to.

A try that the simulator refuses for its geometry is tried again from another pose, then from yet
another with `forceAction`. What the simulator refuses for good, our own model of household actions
refuses before, from the state.

The view is what the simulator says is visible within its interaction distance of 1.5 m, since the
agent came here, as far as nothing has been closed around it; what is carried; and the fixtures of
the room, which one sees by looking around quickly. Going to the room itself shows what lies on its
floor.

`engine` says which engine the Controller drives, `connection` watches over it. A dead or hung
engine is told as SimulatorDied.

What to know before trusting it: it has never run against a Unity build, only against the stand-in
engine, through the unmodified Controller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...errors import BadInput, Missing
from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, State
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb
from ...skills.dynamics import achieved, check, stands_at
from ...skills.embodiment import Embodiment
from ...skills.executor import SimulatorDied
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import Adapter, AdapterSpec, Capability
from . import engine, placing, scenes, starting, starts
from .connection import SCENE_S, START_S, STEP_S, Answer, EngineConnection
from .failures import failure_of
from .graph import AGENT, ROOM, ThorGraphReader
from .navigation import CAMERA_M, Stand, nearest, ordered, read_poses, turned_to

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: How far the agent sees and reaches, in m, and the grid that it walks on.
SIGHT_M, GRID_M = 1.5, 0.25
_WIDTH, _HEIGHT = 300, 300

#: How often a scene is loaded before the engine counts as lost: loading begins from nothing.
_RESETS = 3
#: The last try of the executor, for which the simulator is told to look away.
_FORCED = 2
#: Teleports for one try to come to a thing; for a look at one thing; for looking a place over.
_STEPS_TO, _STEPS_AT, _STEPS_OVER = 3, 2, 16

_SIMPLE = {
    Verb.PICK_UP: "PickupObject",
    Verb.OPEN: "OpenObject",
    Verb.CLOSE: "CloseObject",
    Verb.TURN_ON: "ToggleObjectOn",
    Verb.TURN_OFF: "ToggleObjectOff",
    Verb.SLICE: "SliceObject",
}


class ThorAdapter(Adapter):
    """A task in one of iTHOR's rooms."""

    spec = AdapterSpec(
        name="ai2thor",
        summary="AI2-THOR's Controller in iTHOR's 120 rooms, with ALFRED's tasks",
        actions=frozenset({*_SIMPLE, Verb.GO_TO, Verb.PUT, Verb.DROP, Verb.LOOK, Verb.WAIT}),
        embodiment=Embodiment(
            hands=1,
            capacity=placing.CAPACITY,
            takes=placing.TAKES,
            shut_to_run=frozenset({"microwave"}),
        ),
        visibility=Visibility.CAMERA,
        capabilities=frozenset(
            {Capability.GRAPH, Capability.IMAGES, Capability.SEED, Capability.REPLAYABLE}
        ),
        loaders=scenes.LOADERS,
        dialects=("reactree", "alfworld"),
        tested_on="the stand-in of its engine, through the real Controller; never a Unity build",
        install=engine.INSTALL,
        reset_s=_RESETS * (START_S + SCENE_S),
    )

    def __init__(
        self, *, start_s: float = START_S, scene_s: float = SCENE_S, step_s: float = STEP_S
    ) -> None:
        """start_s, scene_s, step_s: seconds for the engine to start, to load a scene, to act."""
        self._within = {"start_s": start_s, "scene_s": scene_s, "step_s": step_s}
        self._link: EngineConnection | None = None
        self._ran = False  # whether the engine was ever there
        self._reader = ThorGraphReader()
        self._metadata: Mapping[str, Any] = {}
        self._state: SceneGraph | None = None  # of the metadata
        self._doubted = False  # whether the state has to be read again
        self._points: list[dict[str, float]] = []
        self._at: tuple[int, ...] = ()  # where the agent stands
        self._seen: set[str] = set()  # the movable things seen since it came there
        self._looked: set[int] = set()  # the places it has looked over since
        self._asks_poses = True  # whether the engine knows poses to interact from
        self._names_both = False  # whether PutObject names what is held, as before version 3

    @classmethod
    def missing(cls) -> str | None:
        return engine.missing()

    # --- the start ---------------------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        start = scenes.start_of(task.scene)
        if self._link is None:
            parameters = {
                "gridSize": GRID_M,
                "visibilityDistance": SIGHT_M,
                "width": _WIDTH,
                "height": _HEIGHT,
                "fastActionEmit": True,
            }
            self._link = EngineConnection(engine.chosen(), parameters, **self._within)
        for left in reversed(range(_RESETS)):
            try:
                self._begin(start)
                self._ran = True
                break
            except SimulatorDied as error:
                self._link.close()
                if left:
                    continue
                if self._ran:
                    raise
                raise Missing(
                    f"{error} It never ran: correct {engine.EXECUTABLE_VARIABLE}; what it wrote "
                    f"is in ~/.ai2thor/log/unity.log."
                ) from None
        self._capture()

    def _begin(self, start: starts.Start) -> None:
        assert self._link is not None
        self._reader = ThorGraphReader()
        self._at, self._seen, self._looked, self._points = (), set(), set(), []
        self._doubted = False
        self._asks_poses, self._names_both = True, engine.version().startswith(("1.", "2."))
        self._take(self._link.load(start.floor_plan))
        starting.bring_about(start, self, self._metadata)
        self._reader = (
            ThorGraphReader()
        )  # ids are those of the start, whatever came and went before
        self._state = None
        self._seen = self._visible()

    # --- acting ------------------------------------------------------------------------------

    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try. variation: from 1 on from other poses; 2 is forced."""
        if action.verb not in self.spec.actions:
            return RawResult(Failure(Reason.NOT_SUPPORTED, action.target))
        failure = check(self._fresh(), action, self.spec.embodiment)
        if failure is not None:
            return RawResult(failure)
        result = self._does[action.verb](self, action, variation)
        self._doubted = result.success and not achieved(self._fresh(), action)
        self._capture()
        return result

    def graph(self) -> SceneGraph:
        if self._doubted:  # what was reported as done does not show: it may by now
            self._doubted = False
            self.step("Pass")
        return self._fresh().copy()

    def view(self) -> View:
        truth = self._fresh()
        shown = dict.fromkeys(node.id for node in truth.nodes() if node.kind is not Kind.OBJECT)
        for thing in truth.held(AGENT):
            shown.update(dict.fromkeys((thing, *truth.below(thing))))
        ids = self._reader.ids
        shown.update(dict.fromkeys(ids[name] for name in sorted(self._seen)))
        nodes = [i for i in shown if i in truth and truth.closed_around(i) is None]
        covered = {node_id: True for node_id in nodes if self._tells_of(truth, node_id)}
        return View(truth.part(nodes), covered)

    def image(self) -> NDArray[np.uint8] | None:
        """What the agent sees, 300 x 300; None where the engine sends no pictures."""
        self.step("Pass", renderImage=True)
        return None if self._link is None else self._link.frame()

    def close(self) -> None:
        link, self._link, self._state = self._link, None, None
        if link is not None:
            link.close()

    def facts(self) -> dict[str, Any]:
        return {"simulator": f"ai2thor {engine.version()}", "engine": engine.chosen().name}

    # --- what each verb does -----------------------------------------------------------------

    def _go_to(self, action: Action, variation: int) -> RawResult:
        target = _target(action)
        if target == ROOM:
            self._leave()
            floor = self._fresh().contents(ROOM)
            self._look_over(thing for thing in floor if self._is_movable(thing))
            self._looked.add(ROOM)
            return RawResult()
        arrived = self._stand_at(target, variation)
        if arrived.failure is not None:
            return arrived
        self._leave()
        self._at = tuple(stands_at(self._fresh(), target))
        self._state = None
        here = self._here()
        if self._look_over(self._kept(self._at)):
            self.teleport(asdict(here))
        self._looked.update(self._at)
        return arrived

    def _use(self, action: Action, variation: int) -> RawResult:
        """Do what takes nothing but its target."""
        target = _target(action)
        near = self._come_near(target, variation)
        if near.failure is not None:
            return near
        forced = {"forceAction": True} if variation >= _FORCED else {}
        answer = self.step(_SIMPLE[action.verb], objectId=self._reader.names[target], **forced)
        result = _told(answer, action)
        if result.success and action.verb in (Verb.OPEN, Verb.SLICE):
            here = self._here()
            found = self._kept([target]) if action.verb is Verb.OPEN else self._kept(self._at)
            if self._look_over(found):
                self.teleport(asdict(here))
            if action.verb is Verb.OPEN:
                self._looked.add(target)
        return result

    def _put(self, action: Action, variation: int) -> RawResult:
        assert action.place is not None
        near = self._come_near(action.place, variation)
        if near.failure is not None:
            return near
        target, names = _target(action), self._reader.names
        held, place = names[target], names[action.place]
        extra: dict[str, Any] = {"placeStationary": True}
        if variation >= _FORCED or placing.by_force(self._type(target), self._type(action.place)):
            extra["forceAction"] = True
        answer = self._put_down(held, place, extra)
        if not answer.known:  # the build is of another age than the package
            self._names_both = not self._names_both
            answer = self._put_down(held, place, extra)
        if answer.success:
            self._seen.add(held)
        return _told(answer, action)

    def _put_down(self, held: str, place: str, extra: Mapping[str, Any]) -> Answer:
        if self._names_both:
            return self.step("PutObject", objectId=held, receptacleObjectId=place, **extra)
        return self.step("PutObject", objectId=place, **extra)

    def _drop(self, action: Action, variation: int) -> RawResult:
        forced = {"forceAction": True} if variation >= _FORCED else {}
        answer = self.step("DropHandObject", **forced)
        result = _told(answer, action)
        if result.success:
            target = _target(action)
            self._seen.add(self._reader.names[target])
            self._at = tuple(dict.fromkeys((*self._at, *stands_at(self._fresh(), target))))
            self._state = None
        return result

    def _look(self, action: Action, variation: int) -> RawResult:
        """Look around, or turn to one thing."""
        if action.target is not None:
            return self._come_near(action.target, variation)
        for _ in range(4):
            answer = self.step("RotateRight")
            if not answer.success:  # something in hand is in the way: not all was looked at
                break
        return _told(answer, action)

    def _wait(self, action: Action, variation: int) -> RawResult:
        return _told(self.step("Pass"), action)

    _does: Mapping[Verb, Callable[[ThorAdapter, Action, int], RawResult]] = {
        **dict.fromkeys(_SIMPLE, _use),
        Verb.GO_TO: _go_to,
        Verb.PUT: _put,
        Verb.DROP: _drop,
        Verb.LOOK: _look,
        Verb.WAIT: _wait,
    }

    # --- standing and looking ----------------------------------------------------------------

    def _come_near(self, thing: int, variation: int) -> RawResult:
        """Stay where a thing is in sight, or step aside for it; on later tries in any case."""
        if variation == 0 and self._in_sight(thing):
            return RawResult()
        if thing in self._fresh().held(AGENT):
            return RawResult()
        return self._stand_at(thing, variation)

    def _stand_at(self, thing: int, variation: int) -> RawResult:
        """Stand somewhere with a thing in sight; every variation tries other poses."""
        message = ""
        for stand in self._stands(thing, variation, _STEPS_TO):
            answer = self.teleport(asdict(stand))
            if answer.success and self._in_sight(thing):
                return RawResult()
            message = answer.message or message
        return RawResult(Failure(Reason.UNREACHABLE, thing), message)

    def _stands(self, thing: int, variation: int, count: int) -> Iterator[Stand]:
        """The poses to try for a thing: turned to it, and if that does not do as the engine says.

        count: how many of either sort.
        """
        raw = self._raw(thing)
        if raw is None:
            return
        camera = self._metadata.get("cameraPosition") or {}
        height = camera.get("y") or self._metadata["agent"]["position"]["y"] + CAMERA_M
        points = nearest(raw, self.reachable())
        for found in (turned_to, self._told_poses):
            listed = ordered(raw, found(raw, points, float(height)), float(height))
            yield from listed[variation :: _FORCED + 1][:count]

    def _told_poses(
        self, raw: Mapping[str, Any], points: Sequence[Mapping[str, float]], height: float
    ) -> list[Stand]:
        """The poses at some points that the engine would interact with a thing from."""
        if not self._asks_poses:
            return []
        answer = self.step(
            "GetInteractablePoses",
            objectId=raw["objectId"],
            positions=[dict(point) for point in points],
            standings=[True],
        )
        self._asks_poses = answer.known
        return read_poses(answer.returned or ()) if answer.success else []

    def _look_over(self, things: Iterable[int]) -> bool:
        """Look for what is here from wherever it may be seen. Whether that took any steps.

        It comes to what a look from every point and angle would show, with fewer of them.
        """
        left = _STEPS_OVER
        for thing in things:
            name = self._reader.names[thing]
            if name in self._seen or self._fresh().closed_around(thing) is not None:
                continue
            for stand in self._stands(thing, 0, _STEPS_AT):
                if left == 0:
                    return True
                left -= 1
                if self.teleport(asdict(stand)).success and name in self._seen:
                    break
        return left < _STEPS_OVER

    def _kept(self, places: Iterable[int]) -> list[int]:
        """All that can be moved of what some places keep."""
        truth = self._fresh()
        found = (thing for place in places for thing in (place, *truth.below(place)))
        return [thing for thing in dict.fromkeys(found) if self._is_movable(thing)]

    def _leave(self) -> None:
        """What was seen is out of sight now; what is, and what is carried, is not."""
        self._seen = self._visible()
        self._at, self._looked, self._state = (), set(), None

    def _tells_of(self, truth: SceneGraph, node_id: int) -> bool:
        """Whether the view tells all that a place keeps that is in it."""
        node = truth[node_id]
        if node.kind is Kind.ROOM:
            return node_id in self._looked
        if node.kind is Kind.AGENT:
            return True
        keeps = Affordance.SURFACE in node.affordances or Affordance.CONTAINER in node.affordances
        if not keeps:
            return True
        if State.CLOSED in node.states:
            return False
        return node.kind is Kind.OBJECT or node_id in self._looked

    # --- the engine --------------------------------------------------------------------------

    def step(self, action: str, **arguments: Any) -> Answer:
        """Have the engine do an action, and take in what it tells."""
        if self._link is None:
            raise SimulatorDied("The engine is not running; start it anew.")
        arguments.setdefault("renderImage", False)
        return self._take(self._link.step(action, **arguments))

    def teleport(self, pose: Mapping[str, float]) -> Answer:
        """Bring the agent into a pose, "x", "y", "z", "rotation" and "horizon"."""
        more: dict[str, Any] = (
            {"rotateOnTeleport": True} if self._names_both else {"standing": True}
        )
        keys = ("x", "y", "z", "rotation", "horizon")
        return self.step("TeleportFull", **{key: pose[key] for key in keys}, **more)

    def reachable(self) -> list[dict[str, float]]:
        """The points that the agent can stand at, asked for once a scene."""
        if not self._points:
            answer = self.step("GetReachablePositions")
            told = answer.returned or answer.metadata.get("reachablePositions") or ()
            self._points = [{axis: float(point[axis]) for axis in "xyz"} for point in told]
        return self._points

    def _take(self, answer: Answer) -> Answer:
        """Take in the engine's answer; that to a question tells nothing new of the scene."""
        if answer.metadata["objects"] is not self._metadata.get("objects"):
            self._metadata, self._state = answer.metadata, None
            self._seen |= self._visible()
        return answer

    def _fresh(self) -> SceneGraph:
        """The state that the engine told last; the caller must not change it."""
        if self._state is None:
            try:
                state = self._reader.read(self._metadata, self._at)
            except BadInput as error:
                raise SimulatorDied(str(error)) from None
            ids = self._reader.ids
            self._seen = {
                name
                for name in self._seen
                if ids[name] in state and state.closed_around(ids[name]) is None
            }
            self._state = state
        return self._state

    def _visible(self) -> set[str]:
        """The movable things that are in sight now."""
        return {
            raw["objectId"]
            for raw in self._metadata["objects"]
            if raw["visible"] and raw["pickupable"]
        }

    def _in_sight(self, thing: int) -> bool:
        raw = self._raw(thing)
        return raw is not None and bool(raw["visible"]) and bool(raw.get("isInteractable", True))

    def _raw(self, thing: int) -> Mapping[str, Any] | None:
        name = self._reader.names.get(thing)
        return next((raw for raw in self._metadata["objects"] if raw["objectId"] == name), None)

    def _type(self, thing: int) -> str:
        raw = self._raw(thing)
        return "" if raw is None else str(raw["objectType"])

    def _is_movable(self, thing: int) -> bool:
        return self._fresh()[thing].kind is Kind.OBJECT

    def _here(self) -> Stand:
        agent = self._metadata["agent"]
        at = agent["position"]
        return Stand(at["x"], at["y"], at["z"], agent["rotation"]["y"], agent["cameraHorizon"])


def _target(action: Action) -> int:
    assert action.target is not None  # `actions` builds them so
    return action.target


def _told(answer: Answer, action: Action) -> RawResult:
    if answer.success:
        return RawResult()
    return RawResult(failure_of(answer.message, action), answer.message)

"""The room in an engine, as the agent in it has seen it so far.

Versions of the simulator differ in the arguments of some actions. This module finds out by asking
the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...errors import BadInput
from ...observation_text.view import View
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, State
from ...skills.executor import SimulatorDied
from . import engine
from .connection import EngineAnswer, EngineConnection
from .graph import AGENT, ThorGraphReader, exists_as_pieces
from .initial_state import InitialState, initialize
from .navigation import CAMERA_M, AgentPose, standing_poses


class ThorWorld:
    """A room in an engine. Call `load` first.

    metadata: the engine's last report, not to be modified. at: ids of the nodes that the agent went
    to. looked: ids of the places looked over since. seen: native ids of the movable things in sight
    since.
    """

    def __init__(self, connection: EngineConnection) -> None:
        self.connection = connection
        self._begin()

    def _begin(self) -> None:
        self._reader = ThorGraphReader()
        self.metadata: Mapping[str, Any] = {}
        self._state: SceneGraph | None = None  # of the metadata
        self._points: list[dict[str, float]] = []
        self._knows_poses = True  # whether the engine has GetInteractablePoses
        # Before version 3, PutObject also names the held thing, and TeleportFull differs.
        self._before_3 = engine.version().startswith(("1.", "2."))
        self.at: tuple[int, ...] = ()
        self.looked: set[int] = set()
        self.seen: set[str] = set()

    def load(self, start: InitialState) -> None:
        """Load a floor plan and set up the start in it. Raises BadInput and SimulatorDied."""
        self._begin()
        self._take(self.connection.load(start.floor_plan))
        initialize(start, self, self.metadata)
        # Ids are those of the start, regardless of changes during its setup.
        self._reader = ThorGraphReader()
        self._state = None
        self.seen = self._visible()

    # --- acting ------------------------------------------------------------------------------

    def step(self, action: str, **arguments: Any) -> EngineAnswer:
        """Do an action and take in the answer. Raises SimulatorDied."""
        arguments.setdefault("renderImage", False)
        return self._take(self.connection.step(action, **arguments))

    def teleport(self, pose: Mapping[str, float]) -> EngineAnswer:
        """Move the agent to a pose, "x", "y", "z", "rotation" and "horizon"."""
        more = {"rotateOnTeleport": True} if self._before_3 else {"standing": True}
        keys = ("x", "y", "z", "rotation", "horizon")
        return self.step("TeleportFull", **{key: pose[key] for key in keys}, **more)

    def take_pose(self, pose: AgentPose) -> EngineAnswer:
        """Move the agent to a pose."""
        return self.teleport(asdict(pose))

    def put(self, held: str, place: str, **arguments: Any) -> EngineAnswer:
        """Put down the held thing; both by native id."""
        answer = self._put(held, place, arguments)
        if not answer.known:  # the build is older or newer than the package
            self._before_3 = not self._before_3
            answer = self._put(held, place, arguments)
        return answer

    def _put(self, held: str, place: str, arguments: Mapping[str, Any]) -> EngineAnswer:
        if self._before_3:
            return self.step("PutObject", objectId=held, receptacleObjectId=place, **arguments)
        return self.step("PutObject", objectId=place, **arguments)

    def reachable(self) -> list[dict[str, float]]:
        """The reachable points, queried once per scene."""
        if not self._points:
            answer = self.step("GetReachablePositions")
            points = answer.returned or answer.metadata.get("reachablePositions") or ()
            self._points = [{axis: float(point[axis]) for axis in "xyz"} for point in points]
        return self._points

    def interactable_poses(
        self, native_id: str, points: Sequence[Mapping[str, float]]
    ) -> list[AgentPose]:
        """The poses at some points from which the engine allows interaction with a thing."""
        if not self._knows_poses:
            return []
        answer = self.step(
            "GetInteractablePoses",
            objectId=native_id,
            positions=[dict(point) for point in points],
            standings=[True],
        )
        self._knows_poses = answer.known
        return standing_poses(answer.returned or ()) if answer.success else []

    def leave(self) -> None:
        """Move away: things not in sight now are not seen any more."""
        self.seen = self._visible()
        self.arrive(())
        self.looked = set()

    def move_on(self, at: Collection[int]) -> None:
        """Set the places of the agent after a move; things it left are no longer in view."""
        if set(at) == set(self.at):
            return
        truth = self.graph()
        stays = {thing for place in at for thing in (place, *truth.below(place))}
        self.seen = self._visible() | {
            name for name in self.seen if self._reader.ids[name] in stays
        }
        self.looked &= stays
        self.arrive(at)

    def arrive(self, at: Collection[int]) -> None:
        """Set the places of the agent, which are then CLOSE to it."""
        self.at, self._state = tuple(at), None

    def _take(self, answer: EngineAnswer) -> EngineAnswer:
        """Take in the engine's answer; answers to queries do not change the scene."""
        if answer.metadata["objects"] is not self.metadata.get("objects"):
            self.metadata, self._state = answer.metadata, None
            self.seen = self.seen | self._visible()
        return answer

    # --- reading -----------------------------------------------------------------------------

    def graph(self) -> SceneGraph:
        """The state in the engine's last answer; not to be modified."""
        if self._state is None:
            try:
                state = self._reader.read(self.metadata, self.at)
            except BadInput as error:
                raise SimulatorDied(str(error)) from None
            ids = self._reader.ids
            self.seen = {
                name
                for name in self.seen
                if ids[name] in state and state.closed_around(ids[name]) is None
            }
            self._state = state
        return self._state

    def view(self) -> View:
        """Fixtures, held things and seen things, without enclosed ones."""
        truth = self.graph()
        shown = dict.fromkeys(node.id for node in truth.nodes() if node.kind is not Kind.OBJECT)
        for thing in truth.held(AGENT):
            shown.update(dict.fromkeys((thing, *truth.below(thing))))
        ids = self._reader.ids
        shown.update(dict.fromkeys(ids[name] for name in sorted(self.seen)))
        nodes = [i for i in shown if _can_be_shown(truth, i)]
        covered = {node_id: True for node_id in nodes if self._is_covered(truth, node_id)}
        return View(truth.part(nodes), covered)

    def _is_covered(self, truth: SceneGraph, node_id: int) -> bool:
        """Whether the view has all contents of a place."""
        node = truth[node_id]
        if node.kind is Kind.ROOM:
            return node_id in self.looked
        if node.kind is Kind.AGENT:
            return True
        keeps = Affordance.SURFACE in node.affordances or Affordance.CONTAINER in node.affordances
        if not keeps:
            return True
        if State.CLOSED in node.states:
            return False
        return node.kind is Kind.OBJECT or node_id in self.looked

    def native_id(self, thing: int) -> str:
        """The simulator's id of a thing."""
        return self._reader.names[thing]

    def raw(self, thing: int) -> Mapping[str, Any] | None:
        """The metadata of a thing; None if the simulator no longer reports it."""
        name = self._reader.names.get(thing)
        return next((raw for raw in self.metadata["objects"] if raw["objectId"] == name), None)

    def type_of(self, thing: int) -> str:
        """The simulator's type of a thing."""
        raw = self.raw(thing)
        return "" if raw is None else str(raw["objectType"])

    def in_sight(self, thing: int) -> bool:
        """Whether the agent can interact with a thing from here."""
        raw = self.raw(thing)
        return raw is not None and bool(raw["visible"]) and bool(raw.get("isInteractable", True))

    def pose(self) -> AgentPose:
        """The agent's pose now."""
        agent = self.metadata["agent"]
        at = agent["position"]
        return AgentPose(at["x"], at["y"], at["z"], agent["rotation"]["y"], agent["cameraHorizon"])

    def camera_height(self) -> float:
        """The height of the agent's camera, in m."""
        camera = self.metadata.get("cameraPosition") or {}
        return float(camera.get("y") or self.metadata["agent"]["position"]["y"] + CAMERA_M)

    def _visible(self) -> set[str]:
        """The movable things that are in sight now."""
        return {
            raw["objectId"]
            for raw in self.metadata["objects"]
            if raw["visible"] and raw["pickupable"]
        }


def _can_be_shown(truth: SceneGraph, thing: int) -> bool:
    node = truth.get(thing)
    return node is not None and not exists_as_pieces(node) and truth.closed_around(thing) is None

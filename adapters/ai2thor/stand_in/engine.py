"""The engine: takes AI2-THOR's actions as dictionaries, answers with its metadata and frames."""

from __future__ import annotations

import copy
import math
import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..objects import SCENES
from . import actions, manipulation, visibility
from .faults import EngineFaults
from .world import ActionRefused, Array, Settings, ThorScene

#: The Controller's own actions, which faults never hit.
_OWN = frozenset({"Reset", "Initialize", "GetScenesInBuild", "ChangeResolution", "ChangeQuality"})
_NEAR_PLANE, _FAR_PLANE = 0.1, 20.0
_START_HORIZONS = (0.0, 30.0)
_BACKGROUND = (206, 204, 198)


@dataclass
class EngineReply:
    """An answer.

    metadata: all, or with `patch` only the changes by a query. image: RGB, bottom row first, or
    None.
    """

    metadata: dict[str, Any]
    patch: bool = False
    image: bytes | None = None


class StandInEngine:
    """One engine. convention: "5.0", or "2.1" for ALFRED's arguments of PutObject and others."""

    def __init__(
        self,
        faults: EngineFaults | None = None,
        convention: str = "5.0",
        boxes: bool = False,
        size: tuple[int, int] = (300, 300),
    ) -> None:
        """Raises Missing without the data of the scenes."""
        self.faults = faults or EngineFaults()
        self._convention = convention
        self._boxes = boxes
        self._size = size
        self._render = False
        self._world = _started(SCENES[0])
        self._last = _outcome()
        self._sight: tuple[int, set[str]] | None = None
        self._boxed: dict[str, Array] = {}  # the corners of an object's last boxes

    def hello(self) -> EngineReply:
        """The first message, of a default scene."""
        return EngineReply(self.payload(0))

    def handle(self, action: dict[str, Any]) -> EngineReply:
        """Do one action."""
        name = str(action.get("action"))
        if name not in _OWN:
            self.faults.before()
        success, message, code, returned = True, "", "Undefined", None
        try:
            returned = self._do(name, action)
        except ActionRefused as refused:
            success, message, code = False, refused.message, refused.code
        self._last = _outcome(name, success, message, code, returned)
        render = action.get("renderImage", self._render) is True
        sequence = int(action.get("sequenceId", 0))
        if name in actions.QUERIES and self._world.settings.fast_emit and not render:
            return EngineReply({**self._last, "agentId": 0}, patch=True)
        payload = self.payload(sequence)
        image = _render(self._world, self._visible(), self._size) if render else None
        return EngineReply(payload, image=image)

    def _do(self, name: str, action: dict[str, Any]) -> Any:
        if name == "Reset":
            self._reset(str(action.get("sceneName")))
            return None
        if name == "Initialize":
            return self._initialize(action)
        if name == "ChangeResolution":
            self._size = (int(_number(action, "x", 300)), int(_number(action, "y", 300)))
            return None
        if name == "ChangeQuality":
            return None
        if name == "PutObject" and self._world.held is not None:
            return self._put(action)
        return actions.perform(self._world, action, self._convention)

    def _put(self, action: dict[str, Any]) -> Any:
        """Put, but leave everything unchanged if a fault refuses it."""
        if self.faults.pending_refusals():
            probe = copy.deepcopy(self._world)
            actions.perform(probe, action, self._convention)
            if self.faults.refuses():
                raise ActionRefused(manipulation.NO_PLACE)
        return actions.perform(self._world, action, self._convention)

    def _reset(self, scene: str) -> None:
        name = re.sub("_physics$", "", scene)
        if name not in SCENES:
            raise ActionRefused(f"Scene {scene} is not in this build.", "InvalidArgument")
        self._world = _started(name)
        self._sight = None

    def _initialize(self, action: dict[str, Any]) -> dict[str, float]:
        settings = self._world.settings
        grid = _number(action, "gridSize", settings.grid)
        sight_distance = _number(action, "visibilityDistance", settings.visibility_distance)
        fov = _number(action, "fieldOfView", settings.fov)
        rotate_step = _number(action, "rotateStepDegrees", settings.rotate_step)
        if not fov < 180:
            raise ActionRefused("fov must be set to (0, 180) noninclusive.")
        settings.grid, settings.visibility_distance = grid, sight_distance
        settings.fov, settings.rotate_step = fov, rotate_step
        settings.fast_emit = bool(action.get("fastActionEmit", True))
        self._render = action.get("renderImage") is True
        self._world.changed += 1
        return {"cameraNearPlane": _NEAR_PLANE, "cameraFarPlane": _FAR_PLANE}

    # --- metadata ------------------------------------------------------------------------------

    def _visible(self) -> set[str]:
        world = self._world
        if self._sight is None or self._sight[0] != world.changed:
            self._sight = (world.changed, visibility.visible(world, self._size[0] / self._size[1]))
        return self._sight[1]

    def payload(self, sequence: int) -> dict[str, Any]:
        """The whole metadata."""
        return {
            "agents": [self._metadata()],
            "thirdPartyCameras": [],
            "sequenceId": sequence,
            "activeAgentId": 0,
        }

    def _metadata(self) -> dict[str, Any]:
        world = self._world
        agent = world.agent
        seen = self._visible()
        for thing, distance in zip(world.things.values(), visibility.distances(world), strict=True):
            thing["distance"] = distance
            thing["visible"] = thing["isInteractable"] = thing["objectId"] in seen
            if self._boxes:
                self._update_boxes(thing, world.corners[thing["objectId"]])
        held = world.things[world.held] if world.held is not None else None
        hand = world.hand()
        camera = agent.camera()
        boxes = world.boxes()
        return {
            "objects": list(world.things.values()),
            "isSceneAtRest": True,
            "agent": {
                "name": "agent",
                "position": {"x": agent.x, "y": agent.y, "z": agent.z},
                "rotation": {"x": 0.0, "y": agent.yaw, "z": 0.0},
                "cameraHorizon": agent.horizon,
                "isStanding": agent.standing,
                "inHighFrictionArea": False,
            },
            "heldObjectPose": {
                "position": _xyz(hand),
                "rotation": {"x": 0.0, "y": agent.yaw, "z": 0.0},
                "localPosition": {"x": 0.0, "y": -0.16, "z": 0.38},
                "localRotation": {"x": 0.0, "y": 0.0, "z": 0.0},
            },
            "arm": None,
            "fov": world.settings.fov,
            "cameraPosition": _xyz(camera),
            "cameraOrthSize": 0.0,
            "thirdPartyCameras": [],
            "collided": False,
            "collidedObjects": [],
            "inventoryObjects": [{"objectId": held["objectId"], "objectType": held["objectType"]}]
            if held
            else [],
            "sceneName": f"{world.scene}_physics",
            "screenWidth": self._size[0],
            "screenHeight": self._size[1],
            "agentId": 0,
            "depthFormat": "Meters",
            "colors": None,
            "currentTime": 0.0,
            "sceneBounds": _bounds(boxes.low.min(axis=0), boxes.high.max(axis=0)),
            "visibleRange": None,
            **self._last,
        }

    def _update_boxes(self, thing: dict[str, Any], corners: Array) -> None:
        """Update an object's boxes. The same array of corners means the same boxes."""
        if thing["axisAlignedBoundingBox"] and self._boxed.get(thing["objectId"]) is corners:
            return
        self._boxed[thing["objectId"]] = corners
        thing["axisAlignedBoundingBox"] = _bounds(corners.min(axis=0), corners.max(axis=0))
        if thing["pickupable"] or thing["moveable"]:
            thing["objectOrientedBoundingBox"] = {"cornerPoints": corners.tolist()}


def _outcome(
    action: str = "",
    success: bool = True,
    message: str = "",
    code: str = "Undefined",
    returned: Any = None,
) -> dict[str, Any]:
    """The part of the metadata on the last action."""
    return {
        "lastAction": action,
        "lastActionSuccess": success,
        "errorMessage": message,
        "errorCode": code,
        "actionReturn": returned,
    }


def _started(scene: str) -> ThorScene:
    """A scene in which the agent faces the things that its metadata report as visible."""
    world = ThorScene(scene, Settings())
    reported = {name for name, thing in world.things.items() if thing["visible"]}
    best = -math.inf
    angles = (0.0, 0.0)
    for yaw in (0.0, 90.0, 180.0, 270.0):
        for horizon in _START_HORIZONS:
            world.agent.yaw, world.agent.horizon = yaw, horizon
            seen = visibility.visible(world)
            agreement = len(seen & reported) - len(seen ^ reported)
            if agreement > best:
                best, angles = agreement, (yaw, horizon)
    world.agent.yaw, world.agent.horizon = angles
    return world


def _number(action: dict[str, Any], key: str, default: float) -> float:
    """A positive number of an action. Raises ActionRefused for anything else."""
    value = action.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise ActionRefused(
            f"action: {action['action']} has an invalid argument: {key} (=={value}). "
            "Cannot convert to: a positive number",
            "InvalidArgument",
        )
    return float(value)


def _bounds(low: Array, high: Array) -> dict[str, Any]:
    sides = np.stack([high, low])
    points = [[float(sides[i][0]), float(sides[j][1]), float(sides[k][2])] for i, j, k in _EIGHT]
    return {"cornerPoints": points, "center": _xyz((low + high) / 2), "size": _xyz(high - low)}


_EIGHT = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def _xyz(vector: Array) -> dict[str, float]:
    return {"x": float(vector[0]), "y": float(vector[1]), "z": float(vector[2])}


# --- frames ------------------------------------------------------------------------------------


def _render(world: ThorScene, visible: set[str], size: tuple[int, int]) -> bytes:
    """RGB bytes of a frame (width, height), the bottom row first, as the Controller expects it.

    Boxes before the camera are drawn as rectangles around their corners, one colour per type, the
    far ones first. Things in closed receptacles are left out.
    """
    width, height = size
    frame = np.empty((height, width, 3), dtype=np.uint8)
    frame[:] = _BACKGROUND
    agent = world.agent
    yaw, pitch = math.radians(agent.yaw), math.radians(agent.horizon)
    ids = [i for i in world.things if i in visible or world.closed_around(i) is None]
    away = np.stack([world.corners[i] for i in ids]) - agent.camera()
    right = away[..., 0] * math.cos(yaw) - away[..., 2] * math.sin(yaw)
    level = away[..., 0] * math.sin(yaw) + away[..., 2] * math.cos(yaw)
    ahead = level * math.cos(pitch) - away[..., 1] * math.sin(pitch)
    up = level * math.sin(pitch) + away[..., 1] * math.cos(pitch)
    scale = height / 2 / math.tan(math.radians(world.settings.fov) / 2)
    depth = np.maximum(ahead, 0.05)
    columns = width / 2 + scale * right / depth
    rows = height / 2 + scale * up / depth  # the bottom row comes first
    for index in np.argsort(-ahead.mean(axis=1)):
        if ahead[index].max() > 0.05:
            kind = world.things[ids[index]]["objectType"]
            x0, x1 = _span(columns[index], width)
            y0, y1 = _span(rows[index], height)
            frame[y0:y1, x0:x1] = _colour(kind)
    return frame.tobytes()


def _span(values: Array, size: int) -> tuple[int, int]:
    low, high = np.clip([math.floor(values.min()), math.ceil(values.max())], 0, size)
    return int(low), int(high)


def _colour(kind: str) -> tuple[int, int, int]:
    code = zlib.crc32(kind.encode())
    return (64 + (code & 127), 64 + (code >> 8 & 127), 64 + (code >> 16 & 127))

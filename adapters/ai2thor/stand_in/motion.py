"""Moving the agent: steps, turns, looks, teleports, and reachable positions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from . import visibility
from .world import SEE_THROUGH, ActionRefused, AgentState, ThorScene

HORIZONS = (-30.0, 60.0)
#: The tolerance of reachable points: half the diagonal of the grid.
_SLACK = 0.18
#: Types that a held object collides with; the boxes of other types are mostly empty.
_SOLID = frozenset({"Fridge", "Cabinet", "Microwave", "CoffeeMachine", "Television", "Toaster"})
_HELD_HALF = 0.1  # of a held object, only the part within this distance of its centre collides, m

Vector = dict[str, float]


# --- the hand in the way -------------------------------------------------------------------------


def bumps_into(world: ThorScene, agent: AgentState) -> str | None:
    """The name of an obstacle for a held object with the agent there; None if there is none."""
    if world.held is None:
        return None
    middle = world.hand(agent)
    half = (world.high(world.held) - world.low(world.held)) / 2
    half = np.minimum(half, _HELD_HALF)
    boxes = world.boxes()
    hit = np.all((boxes.low < middle + half) & (boxes.high > middle - half), axis=1)
    carried = {world.held, *world.contents(world.held)}
    for row in np.flatnonzero(hit):
        thing = world.things[boxes.ids[row]]
        hollow = thing["openable"] and thing["isOpen"] and thing["objectType"] not in SEE_THROUGH
        if thing["objectType"] in _SOLID and not hollow and thing["objectId"] not in carried:
            return str(thing["name"])
    return None


# --- steps ---------------------------------------------------------------------------------------


def move(world: ThorScene, ahead: float, right: float) -> None:
    """Step by metres ahead and to the right, if the whole way is free."""
    agent = world.agent
    yaw = math.radians(agent.yaw)
    dx = ahead * math.sin(yaw) + right * math.cos(yaw)
    dz = ahead * math.cos(yaw) - right * math.sin(yaw)
    parts = max(1, math.ceil(math.hypot(dx, dz) / world.settings.grid - 1e-6))
    for part in range(1, parts + 1):
        x, z = agent.x + dx * part / parts, agent.z + dz * part / parts
        if not reachable(world, x, z):
            raise ActionRefused(
                f"{_in_the_way(world, x, z)} is blocking Agent 0 from moving by "
                f"({dx:.4f}, 0.0000, {dz:.4f})."
            )
    _take(world, replace(agent, x=agent.x + dx, z=agent.z + dz), "moves")


def rotate(world: ThorScene, degrees: float) -> None:
    _take(world, replace(world.agent, yaw=(world.agent.yaw + degrees) % 360), "rotates")


def look(world: ThorScene, degrees: float) -> None:
    """Look down by degrees, or up if negative."""
    horizon = world.agent.horizon + degrees
    low, high = HORIZONS
    if horizon > high + 1e-6:
        raise ActionRefused(
            f"can't look down beyond {high:.0f} degrees below the forward horizon",
            "LookDownCantExceedMin",
        )
    if horizon < low - 1e-6:
        raise ActionRefused(
            f"can't look up beyond {-low:.0f} degrees above the forward horizon",
            "LookUpCantExceedMax",
        )
    _take(world, replace(world.agent, horizon=horizon), "rotates")


def stand(world: ThorScene, standing: bool) -> None:
    if world.agent.standing is standing:
        raise ActionRefused("Already standing." if standing else "Already crouching.")
    world.agent = replace(world.agent, standing=standing)
    world.follow()


def teleport(
    world: ThorScene,
    x: float,
    y: float,
    z: float,
    yaw: float,
    horizon: float,
    standing: bool,
    force: bool,
) -> None:
    """Move at once. Raises ActionRefused if the agent or the held object does not fit."""
    low, high = HORIZONS
    if not low <= horizon <= high:
        raise ActionRefused(f"Each horizon must be in [{low:.0f}:{high:.0f}]. You gave {horizon}.")
    agent = AgentState(x, y, z, yaw % 360, horizon, standing)
    if not force:
        if not reachable(world, x, z):
            raise ActionRefused(
                f"Cannot teleport: {_in_the_way(world, x, z)} collides with the agent at "
                f"({x:.4f}, {y:.4f}, {z:.4f})."
            )
        if abs(y - world.agent.y) > 0.05:
            raise ActionRefused(
                "After teleporting and adjusting agent position to floor, there was too large a "
                f"change({abs(y - world.agent.y):.4f} > 0.05) in the vertical component."
            )
        if bumps_into(world, agent) is not None:
            raise ActionRefused("Cannot teleport due to hand object collision.")
    agent.y = world.agent.y
    world.agent = agent
    world.follow()


def reachable(world: ThorScene, x: float, z: float) -> bool:
    return any(math.hypot(px - x, pz - z) <= _SLACK for px, pz in world.points)


def reachable_positions(world: ThorScene, max_step_count: int = 0) -> list[Vector]:
    return [{"x": x, "y": world.agent.y, "z": z} for x, z in world.points]


def _take(world: ThorScene, agent: AgentState, verb: str) -> None:
    bumped = bumps_into(world, agent)
    if bumped is not None:
        raise ActionRefused(
            f"a held item: {world.held} will collide with {bumped}: with something if agent {verb}"
            if verb == "rotates"
            else f"{bumped} is blocking Agent 0 from moving, since it would hit {world.held}."
        )
    world.agent = agent
    world.follow()


def _in_the_way(world: ThorScene, x: float, z: float) -> str:
    """The name of the nearest obstacle there, or a wall."""
    near = [
        (visibility.horizontal_distance(world, object_id, x, z), str(thing["name"]))
        for object_id, thing in world.things.items()
        if not thing["pickupable"] and thing["objectType"] != "Floor"
    ]
    gap, name = min(near, default=(9.0, ""))
    return name if gap < 0.3 else "Wall"


# --- poses to interact from ----------------------------------------------------------------------


def interactable_poses(
    world: ThorScene,
    object_id: str,
    positions: list[Vector] | None = None,
    rotations: list[float] | None = None,
    horizons: list[float] | None = None,
    standings: list[bool] | None = None,
    max_distance: float | None = None,
    max_poses: int = 2**31,
) -> list[dict[str, Any]]:
    """The poses from which the object is visible, ignoring a held object."""
    distance = world.settings.visibility_distance if max_distance is None else max_distance
    world.thing(object_id)
    if world.closed_around(object_id) is not None:
        return []
    agents = [
        AgentState(point["x"], world.agent.y, point["z"], yaw, horizon, standing)
        for point in positions or reachable_positions(world)
        if visibility.horizontal_distance(world, object_id, point["x"], point["z"]) <= distance
        for yaw in rotations or [i * world.settings.rotate_step for i in range(4)]
        for horizon in horizons or [-30.0, 0.0, 30.0, 60.0]
        for standing in standings or [True, False]
    ]
    if not agents:
        return []
    chosen = np.flatnonzero(visibility.agents_seeing(world, object_id, agents))[:max_poses]
    return [_pose(agents[index]) for index in chosen]


def _pose(agent: AgentState) -> dict[str, Any]:
    return {
        "x": agent.x,
        "y": agent.y,
        "z": agent.z,
        "rotation": agent.yaw,
        "horizon": agent.horizon,
        "standing": agent.standing,
    }

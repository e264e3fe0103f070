"""Going to an area, front, button or thing: to a place before it, from which the arm reaches it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from .body import LIFT_DRIVING, TUCK, turned_near
from .driving import Mover
from .failures import Failed
from .paths import TRANSIT
from .reaching import Blame
from .stands import BASE_NEED
from .world import ARM, BASE, LIFT, RoomWorld

#: Distances of the base from its goal, and how far to the side it may be, in m.
NEAR, SIDE = (0.55, 0.95), 0.4
#: The same where open fronts leave no such place: before an open drop door, or beside it.
_FAR, _FAR_SIDE = (0.45, 1.4), 0.85
_PLACES, _TRIED = 60, 4
_TURN = 0.3  # rad about facing the goal
#: How much a metre to the side counts against a metre of driving.
_SIDEWAYS = 1.0


class Goal(NamedTuple):
    """A point to stand before, and a unit vector towards who stands there, shape (3,) each."""

    point: Array
    outward: Array


def goal_of(world: RoomWorld, name: str) -> Goal | None:
    """Where to stand for an area, space, front, button or thing, or None if there is none."""
    if name in world.shapes:
        return _goal_of_thing(world, name)
    front = world.fronts.get(name)
    if front is not None:
        value = world.front_value(name)
        point = front.point(front.handle, value) if not front.turns else front.face
        return Goal(point, front.outward)
    spaces = [space for space in world.spaces.values() if name in (space.name, space.area)]
    if not spaces:
        return _goal_of_button(world, name)
    middle = []
    for space in spaces:
        value = 0.0 if space.front is None else world.front_value(space.front)
        near = np.array([(space.low[0] + space.high[0]) / 2, space.low[1], 0.0])
        middle.append(space.at(value) + space.rotation @ near)
    return Goal(np.mean(middle, axis=0), spaces[0].outward)


def _goal_of_button(world: RoomWorld, name: str) -> Goal | None:
    for button in world.buttons.values():
        if name in (button.name, button.area):
            return Goal(button.face, button.outward)
    return None


def _goal_of_thing(world: RoomWorld, thing: str) -> Goal:
    point = world.thing(thing).position
    for name, space in world.spaces.items():
        if thing in world.things_in(name):
            return Goal(point, space.outward)
    away = world.reading().joints[:2] - point[:2]
    unit = away / max(1e-6, float(np.linalg.norm(away)))
    return Goal(point, np.array([unit[0], unit[1], 0.0]))


def go_to(mover: Mover, name: str) -> None:
    """Go and stand before something, the arm tucked. Raises Failed."""
    goal = goal_of(mover.world, name)
    if goal is None:
        raise Failed(Reason.UNKNOWN, name)
    if not mover.tucked:
        mover.tuck()
    mover.world.sync()
    if _is_there(mover.motion.target, goal):
        return
    blame = Blame()
    last: Failed | None = None
    places = _places(mover, goal, blame, NEAR, SIDE) or _places(mover, goal, blame, _FAR, _FAR_SIDE)
    for base in places[:_TRIED]:
        try:
            mover.drive(base)
        except Failed as failed:
            last = failed
            continue
        return
    raise last or blame.failure(mover.world, name)


def _is_there(joints: Array, goal: Goal) -> bool:
    ahead, aside = _apart(joints[None, :2], goal)
    facing = np.arctan2(goal.point[1] - joints[1], goal.point[0] - joints[0])
    turned = abs(turned_near(float(facing), float(joints[2])) - joints[2])
    return bool(NEAR[0] <= ahead[0] <= NEAR[1] and abs(aside[0]) <= SIDE and turned <= _TURN)


def _apart(places: Array, goal: Goal) -> tuple[Array, Array]:
    """How far places, shape (n, 2), are before a goal and beside it, shape (n,) each, in m."""
    away = goal.outward[:2] / np.linalg.norm(goal.outward[:2])
    apart = places - goal.point[:2]
    return apart @ away, apart @ np.array([-away[1], away[0]])


def _places(
    mover: Mover, goal: Goal, blame: Blame, near: tuple[float, float], side: float
) -> list[Array]:
    """Places of the base before a goal, x y and yaw, where the tucked robot is free; best first.

    near, side: how far before the goal, and to the side, in m.
    """
    draw = mover.generator
    away = goal.outward[:2] / np.linalg.norm(goal.outward[:2])
    across = np.array([-away[1], away[0]])
    points = goal.point[:2] + away * draw.uniform(*near, (_PLACES, 1))
    points = points + across * draw.uniform(-side, side, (_PLACES, 1))
    yaws = np.arctan2(goal.point[1] - points[:, 1], goal.point[0] - points[:, 0])
    yaws = yaws + draw.uniform(-_TURN, _TURN, _PLACES)
    clear = mover.world.base_free(points, BASE_NEED)
    blame.tried, blame.solved = blame.tried + _PLACES, blame.solved + int(clear.sum())
    here, clearance = mover.motion.target, mover.clearance(TRANSIT)
    found = []
    for point, yaw, is_clear in zip(points, yaws, clear, strict=True):
        joints = here.copy()
        joints[BASE] = (*point, yaw)
        if not mover.tucked:
            joints[ARM], joints[LIFT] = TUCK, LIFT_DRIVING
        met = mover.paths.obstacle(joints, clearance)
        blame.count(met)
        if met is None and is_clear:
            _, aside = _apart(point[None], goal)
            cost = float(np.linalg.norm(point - here[:2]) + _SIDEWAYS * abs(aside[0]))
            found.append((cost, joints[BASE]))
    return [base for _, base in sorted(found, key=lambda entry: entry[0])]

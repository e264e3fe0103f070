"""Opening and closing drawers and doors, and turning knobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .body import Body, Failed
from .grasps import Grasp, find_grasps, hand_hits
from .motion import OPEN, SHUT, Pose
from .points import UP, Array, rotation_about

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .scene import Thing

#: A handle is what lies this near to the front of a drawer or door, in m.
_HANDLE = {"slide": 0.018, "hinge": 0.022}
_TILTS = (20, 35, 50, 65, 80, 0)
_MOST_GRASPS = 14
_BACK = 0.08
#: The handle slips out of the fingers when it is pulled faster, in rad/s.
_PULL_SPEED = 0.15
#: How far closed fingertips reach behind a handle's edge to hook it, at which tilts, and how far
#: below that they are sent to press on it. From the grip site to the tips' end and side.
_HOOKED, _HOOK_TILTS, _PRESS = (0.008, 0.006, 0.004), (50, 55, 60, 65, 70, 75), 0.006
#: A drawer is pulled to this part of its way; more might push the arm against its stop.
_PULLED = 0.96
_TIP, _TIP_SIDE = 0.009, 0.0115
#: A joint counts as open from this part of its way, as a door and as a drawer.
OPENED = {"slide": 0.88, "hinge": 0.63}
#: A joint counts as shut within this part of its way.
SHUT_PART = 0.004
#: A door may lag so far, in rad, behind the fingers that push it.
_LAG = 0.5
#: How far the hand rises from a door that it pushed: the first of these that it can.
_CLEAR_OF_DOOR = (0.12, 0.08, 0.05)
#: The parts of its way to which a door is swept, and how near its end, in rad, it goes slowly.
_SWEPT_OPEN, _SWEPT_SHUT, _SPRINGS = 0.75, 0.001, 0.2
#: Turn of a knob to switch on, and beyond off, in rad.
_ON_TURN, _OFF_BEYOND, KNOB_ON = 0.85, 0.15, 0.5


@dataclass(frozen=True)
class Moving:
    """A drawer, door or knob and its joint, as they stand now.

    axis, anchor: of the joint in the world. opening: +1 or -1, the sign of the opening motion.
    way: between shut and wholly open, in m or rad. value: of the joint, 0 if shut.
    """

    name: str
    kind: str
    axis: Array
    anchor: Array
    opening: float
    way: float
    value: float
    geoms: list[int]
    points: Array

    @property
    def part(self) -> float:
        """How far it is open: 0 shut, 1 wholly open."""
        return self.value * self.opening / self.way

    def outward(self) -> Array:
        """The direction in which the front moves when it opens."""
        if self.kind == "slide":
            return self.axis * self.opening
        arm = self.arm()
        out: Array = np.cross(self.axis * self.opening, arm / np.linalg.norm(arm))
        return out

    def arm(self) -> Array:
        """From the hinge to the middle of the door, across the axis."""
        arm = self.points.mean(0) - self.anchor
        across: Array = arm - self.axis * (self.axis @ arm)
        return across

    def turned(self, pose: Pose, angle: float, follow: float = 1.0) -> Pose:
        """A pose carried along with a turn towards open; follow: the part of the hand's turn."""
        turn = rotation_about(self.axis * self.opening, angle)
        hand = rotation_about(self.axis * self.opening, angle * follow)
        position = self.anchor + turn @ (pose.position - self.anchor)
        return Pose(position, hand @ pose.rotation)


def moving_of(body: Body, thing: Thing) -> Moving:
    scene = body.scene
    model, data, joint = scene.model, scene.data, thing.joint
    assert joint is not None
    shut, wide = scene.opening(thing)
    slides = int(model.jnt_type[joint]) == 2
    kind = "knob" if scene.is_knob(thing) else "slide" if slides else "hinge"
    moved = scene.under(int(model.jnt_bodyid[joint]))
    geoms = [
        geom
        for geom in range(model.ngeom)
        if moved[model.geom_bodyid[geom]] and scene.collides(geom)
    ]
    return Moving(
        name=thing.name,
        kind=kind,
        axis=data.xaxis[joint].copy(),
        anchor=data.xanchor[joint].copy(),
        opening=1.0 if wide > shut else -1.0,
        way=abs(wide - shut),
        value=scene.joint_value(thing),
        geoms=geoms,
        points=body.surfaces.world(data, geoms),
    )


def tilted(outward: Array, degrees: Sequence[float]) -> list[Array]:
    """Directions from above (0 degrees) to from the front (90 degrees)."""
    return [-np.cos(angle) * UP - np.sin(angle) * outward for angle in np.radians(degrees)]


# Opening


def open_(body: Body, thing: Thing, variation: int) -> None:
    """Pull a drawer or a door open by its handle. Raises Failed."""
    moving = moving_of(body, thing)
    begun = moving.part
    body.measured["joint_before"] = moving.value
    body.arm.grip(OPEN, 0.05)
    try:
        if moving.kind == "slide":
            _pull_open(body, moving, variation)
        else:
            _swing(body, moving, _hold_handle(body, moving, variation))
            _let_go(body)
    except Failed:
        if moving.kind != "hinge" or begun < 0.12:
            body.arm.go_home()
            raise
    moving = moving_of(body, thing)
    if moving.kind == "hinge" and 0.12 < moving.part < OPENED["hinge"]:
        sweep(body, moving, towards_open=True)
    body.arm.go_home()
    body.refresh()
    moving = moving_of(body, thing)
    body.measured["joint_after"] = moving.value
    if moving.part < OPENED[moving.kind]:
        told = f"the joint came from {begun:.0%} to {moving.part:.0%} of its way"
        raise Failed("slipped", thing.name, told)


def _pull_open(body: Body, moving: Moving, variation: int) -> None:
    """Pull a drawer by its handle: gripped, or where the hand has no room for that, hooked.

    Raises Failed.
    """
    try:
        pose = _hold_handle(body, moving, variation)
    except Failed:
        hook = _hook(body, moving)
        if hook is None:
            raise
        _pull_hooked(body, moving, hook)
        return
    _pull(body, moving, pose)
    _let_go(body)


def _hold_handle(body: Body, moving: Moving, variation: int) -> Pose:
    """Grasp the handle with a pose from which the way out exists. Raises Failed."""
    chosen: list[Pose] = []
    blocked_by: list[int] = []
    for _, pose in _handle_poses(body, moving, blocked_by):
        chosen.append(pose)
        if len(chosen) > variation:
            break
    if not chosen:
        name = body.name_of_geom(blocked_by[0]) if blocked_by else None
        reason = "blocked" if blocked_by else "unreachable"
        raise Failed(reason, name or moving.name, f"no grasp of the handle of {moving.name}")
    pose = chosen[-1]
    body.travel(pose.backed(_BACK))
    if not body.arm.move(pose, 0.5):
        raise Failed("unreachable", moving.name, "no straight line to the handle")
    body.arm.grip(SHUT, 0.4)
    body.measured["handle_width"] = body.arm.width()
    return pose


def _handle_poses(
    body: Body, moving: Moving, blocked_by: list[int]
) -> Iterator[tuple[Grasp, Pose]]:
    checked = 0
    for grasp in _handle_grasps(body, moving):
        checked += 1
        if checked > _MOST_GRASPS:
            return
        pose = Pose(grasp.position, grasp.rotation)
        found = body.approach_path(pose, -_BACK * pose.approach)
        if found is None:
            continue
        turned, before, path = found
        if moving.kind == "slide":
            out = turned.moved(moving.outward() * (moving.way * (1 - moving.part) + 0.01))
            if body.arm.line(out, path[-1]) is None:
                continue
        hit = body.arm.hit([before, *path], opening=OPEN, ignored=moving.geoms)
        if hit is not None:
            blocked_by.append(hit)
            continue
        yield grasp, turned


def _handle_grasps(body: Body, moving: Moving) -> Iterator[Grasp]:
    out = moving.outward()
    depth = moving.points @ out
    front = depth > depth.max() - _HANDLE[moving.kind]
    handle = moving.points[front]
    rest = np.concatenate([body.points_without(moving.geoms), moving.points[~front]])
    closings = [out, UP] if moving.kind == "slide" else [out, np.cross(out, UP)]
    centre = handle.mean(0)
    shallow = (0.006, 0.012, 0.018)
    yield from find_grasps(handle, rest, tilted(out, _TILTS), centre, closings, shallow)
    # Past a neighbouring handle: shallower, steeper, and with less room.
    steep, edge = tilted(out, (40, 55, 60, 65, 70, 75)), (0.002, 0.004, 0.006, 0.009)
    yield from find_grasps(handle, rest, steep, centre, closings, edge, slack=0.003)


def _pull(body: Body, moving: Moving, pose: Pose) -> None:
    left = moving.way * (1 - moving.part)
    for distance in (left * 0.33, left * 0.66, left + 0.005):
        body.arm.move(pose.moved(moving.outward() * distance), _PULL_SPEED)


def _hook(body: Body, moving: Moving) -> Pose | None:
    """A pose of the closed hand with its fingertips behind the upper edge of a handle.

    The hand is beside itself level, as a gripping one is not: that needs little height.
    """
    out = moving.outward()
    across = np.cross(out, UP)
    depth = moving.points @ out
    handle = moving.points[depth > depth.max() - _HANDLE["slide"]]
    top = handle[handle[:, 2] > handle[:, 2].max() - 0.004]
    side = top @ across
    middle = (side.min() + side.max()) / 2
    bar = top[np.abs(side - middle) < 0.02]
    edge = np.array([*(out[:2] * (bar @ out).min() + across[:2] * middle), bar[:, 2].max()])
    everything = body.points_without([])
    near = everything[np.linalg.norm(everything - edge, axis=1) < 0.3]
    way = out * (moving.way * (1 - moving.part) + 0.003) - _PRESS * UP
    for behind in _HOOKED:
        for degrees, approach in zip(_HOOK_TILTS, tilted(out, _HOOK_TILTS), strict=True):
            rotation = np.c_[across, np.cross(approach, across), approach]
            outer = np.cos(np.radians(degrees)) * out - np.sin(np.radians(degrees)) * UP
            corner = edge + behind * approach
            pose = Pose(corner - _TIP * approach - (_TIP_SIDE + 0.001) * outer, rotation)
            if hand_hits(near, pose.position, rotation, 0.0):
                continue
            found = body.approach_path(pose, -_BACK * approach)
            if found is None:
                continue
            turned, before, path = found
            if body.arm.line(turned.moved(way), path[-1]) is None:
                continue
            if body.arm.hit([before, *path], opening=SHUT, ignored=moving.geoms) is None:
                return turned
    return None


def _pull_hooked(body: Body, moving: Moving, hook: Pose) -> None:
    """Pull with closed fingertips behind a handle, pressing on it. Raises Failed."""
    arm, out = body.arm, moving.outward()
    arm.grip(SHUT, 0.3)
    body.travel(hook.backed(_BACK))
    if not arm.move(hook, 0.4):
        raise Failed("unreachable", moving.name, "no straight line to the handle")
    body.measured["hooked"] = True
    address = _address(body, moving)
    for distance in np.arange(0.02, moving.way * (1 - moving.part) + 0.04, 0.02):
        there = hook.moved(out * distance - _PRESS * UP)
        if not arm.move(there, _PULL_SPEED, arrive=False):
            break
        part = float(body.scene.data.qpos[address]) * moving.opening / moving.way
        if part > _PULLED:
            break
    arm.wait(0.3)
    arm.move(arm.tip().moved(0.02 * UP), 0.5)
    _let_go(body)


def _swing(body: Body, moving: Moving, pose: Pose) -> None:
    """Carry the handle along its arc, the hand turning with it as far as the joints allow."""
    arm = body.arm
    for angle in np.arange(0.1, moving.way * 0.85, 0.1):
        for follow in (0.6, 0.3, 1.0, 0.0):
            if arm.move(moving.turned(pose, angle, follow), 0.6, arrive=False):
                break
        else:
            break
        value = abs(float(body.scene.data.qpos[_address(body, moving)]) - moving.value)
        if value < angle - 0.35:
            body.measured["slipped_at"] = value
            break
    arm.wait(0.2)


def _address(body: Body, moving: Moving) -> int:
    joint = body.scene.things[moving.name].joint
    return int(body.scene.model.jnt_qposadr[joint])


def _let_go(body: Body) -> None:
    arm = body.arm
    arm.grip(OPEN, 0.3)
    if not arm.move(arm.tip().backed(0.07), 0.5):
        arm.move(arm.tip().moved(0.06 * UP), 0.5)


def sweep(body: Body, moving: Moving, towards_open: bool) -> None:
    """Push a door with closed fingertips, from inside to open it, from outside to close it.

    Raises Failed.
    """
    arm = body.arm
    arm.grip(SHUT, 0.1)
    sign = 1.0 if towards_open else -1.0
    edge = moving.arm()
    length = float(np.linalg.norm(edge))
    outward = moving.outward()
    for reach in (1.75, 1.4, 1.05):
        start = _beside_door(moving, edge / length * length * reach, outward, sign)
        for rotation in _push_rotations(outward):
            pose = Pose(start, rotation)
            before = pose.moved(-0.03 * sign * outward)
            if hand_hits(body.points_without([]), before.position, rotation, 0.0):
                continue
            if arm.joints_at(before, arm.home, 120) is None:
                continue
            body.travel(before.moved(0.08 * UP))
            if arm.move(before, 0.6):
                _push_along(body, moving, pose, sign)
                return
    raise Failed("blocked", moving.name, f"no free place to push {moving.name} from")


def _beside_door(moving: Moving, along: Array, outward: Array, sign: float) -> Array:
    """Where closed fingertips touch a door, 28 mm under its top edge."""
    depth = moving.points @ outward
    face = depth.min() if sign > 0 else depth.max()
    near = moving.anchor + along
    start: Array = near + outward * (face - near @ outward - sign * 0.034)
    start[2] = moving.points[:, 2].max() - 0.028
    return start


def _push_rotations(outward: Array) -> Iterator[Array]:
    for yaw in (0.0, np.pi / 2, np.pi, -np.pi / 2):
        closing = rotation_about(UP, yaw) @ outward
        yield np.c_[closing, np.cross(-UP, closing), -UP]


def _push_along(body: Body, moving: Moving, pose: Pose, sign: float) -> None:
    arm = body.arm
    total = moving.way * 0.85 - moving.part * moving.way if sign > 0 else moving.part * moving.way
    address = _address(body, moving)

    def part() -> float:
        return float(body.scene.data.qpos[address]) * moving.opening / moving.way

    def there() -> bool:
        return part() > _SWEPT_OPEN if sign > 0 else part() < _SWEPT_SHUT

    for angle in np.arange(0.08, total + _LAG, 0.08):
        for follow in (1.0, 0.5, 0.0):
            path = arm.line(moving.turned(pose, sign * angle, follow))
            if path is not None:
                break
        else:
            break
        # A door that comes fast to its end springs back.
        slow = sign < 0 and part() * moving.way < _SPRINGS
        if arm.follow(path, 0.2 if slow else 0.7, there):
            break
    arm.wait(0.3)
    if not arm.move(arm.tip().moved(_CLEAR_OF_DOOR[0] * UP), 1.0):
        body.lift(_CLEAR_OF_DOOR)
    arm.grip(OPEN, 0.05)


# Closing


def close(body: Body, thing: Thing, variation: int) -> None:
    """Push a drawer or a door shut with closed fingertips. Raises Failed."""
    moving = moving_of(body, thing)
    body.measured["joint_before"] = moving.value
    if moving.kind == "hinge":
        sweep(body, moving, towards_open=False)
    else:
        _push_drawer(body, moving, variation)
    body.arm.go_home()
    body.refresh()
    after = moving_of(body, thing)
    body.measured["joint_after"] = after.value
    if after.part > SHUT_PART:
        told = f"the joint came from {moving.part:.0%} to {after.part:.0%} of its way"
        raise Failed("blocked", thing.name, told)


def _push_drawer(body: Body, moving: Moving, variation: int) -> None:
    arm = body.arm
    arm.grip(SHUT, 0.1)
    out = moving.outward()
    done = 0
    for front, rotation, gap in _fronts(moving, out):
        way = moving.value * moving.opening
        begin = Pose(front + out * (0.012 + gap), rotation)
        if hand_hits(body.points_without([]), begin.position, rotation, 0.0):
            continue
        found = body.approach_path(begin, -_BACK * begin.approach)
        if found is None:
            continue
        begin, _, path = found
        end = Pose(front + out * (0.012 - way - 0.01), begin.rotation)
        push = arm.line(end, path[-1])
        if push is None or arm.hit(path, ignored=moving.geoms) is not None:
            continue
        if done < variation:
            done += 1
            continue
        body.travel(begin.backed(_BACK))
        arm.move(begin, 0.6)
        for part in np.linspace(0, 1, 6):
            arm.move(Pose(front + out * (0.012 - part * (way + 0.03)), begin.rotation), 0.6, False)
        arm.wait(0.3)
        arm.move(arm.tip().moved(0.06 * out), 0.8)
        arm.grip(OPEN, 0.05)
        return
    arm.grip(OPEN, 0.05)
    raise Failed("blocked", moving.name, f"no free place to push {moving.name} from")


def _fronts(moving: Moving, out: Array) -> Iterator[tuple[Array, Array, float]]:
    """Places on a drawer's front to push at: a point, the hand's rotation, the distance before."""
    points = moving.points
    across = np.cross(out, UP)
    side, depth = points @ across, points @ out
    middle = (side.min() + side.max()) / 2
    level = points[depth > depth.max() - 0.018][:, 2].mean()
    for gap in (0.04, 0.022):
        for lateral in (0.0, -0.055, 0.055, -0.085, 0.085):
            near = (np.abs(side - middle - lateral) < 0.02) & (np.abs(points[:, 2] - level) < 0.02)
            if not near.any():
                continue
            front = out * depth[near].max() + across * (middle + lateral) + UP * level
            for approach in tilted(out, (60, 45, 75, 30, 15, 0)):
                yield front, np.c_[across, np.cross(approach, across), approach], gap


# Knobs


def turn_knob(body: Body, thing: Thing, on: bool, variation: int) -> None:
    """Grasp a knob's lever from above and turn it. Raises Failed."""
    arm = body.arm
    arm.grip(OPEN, 0.05)
    moving = moving_of(body, thing)
    body.measured["joint_before"] = moving.value
    turn = _ON_TURN if on else -moving.value - _OFF_BEYOND
    pose, path = _knob_grasp(body, moving, turn, variation)
    body.travel(pose.backed(_BACK))
    arm.move(pose, 0.5)
    arm.grip(SHUT, 0.4)
    body.measured["handle_width"] = arm.width()
    arm.follow(path, 0.6)
    arm.wait(0.3)
    arm.grip(OPEN, 0.2)
    arm.move(arm.tip().moved(0.1 * UP), 0.8)
    arm.go_home()
    body.refresh()
    after = body.scene.joint_value(thing)
    body.measured["joint_after"] = after
    if (after < KNOB_ON) if on else (after >= 0.0):
        told = f"the knob came from {moving.value:.2f} to {after:.2f} rad"
        raise Failed("slipped", thing.name, told)


def _knob_grasp(
    body: Body, moving: Moving, turn: float, variation: int
) -> tuple[Pose, list[Array]]:
    points = moving.points
    high = points[:, 2] > points[:, 2].max() - 0.035
    lever = points[high]
    rest = np.concatenate([body.points_without(moving.geoms), points[~high]])
    centre = np.array([*moving.anchor[:2], lever[:, 2].mean()])
    found: list[tuple[Pose, list[Array]]] = []
    depths = (0.008, 0.014, 0.02)
    for number, grasp in enumerate(find_grasps(lever, rest, [-UP], centre, depths=depths)):
        if number > 20 or len(found) > variation:
            break
        for flip in (1.0, -1.0):
            pose = Pose(grasp.position, grasp.rotation @ np.diag([flip, flip, 1.0]))
            path = _turning_path(body, moving, pose, turn)
            if path is not None:
                found.append((pose, path))
                break
    if not found:
        raise Failed("unreachable", moving.name, "no grasp of the knob from which it can be turned")
    return found[min(variation, len(found) - 1)]


def _turning_path(body: Body, moving: Moving, pose: Pose, turn: float) -> list[Array] | None:
    arm = body.arm
    before = arm.joints_at(pose.backed(_BACK), arm.home, 120)
    line = arm.line(pose, before) if before is not None else None
    if line is None:
        return None
    joints, path = line[-1], []
    for angle in np.linspace(0, turn, 8)[1:]:
        found = arm.joints_at(moving.turned(pose, angle * moving.opening), joints)
        if found is None:
            return None
        path.append(found)
        joints = found
    return path

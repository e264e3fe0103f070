"""Putting down what is held, if need be with another grasp or lying.

A placement is accepted if the hand and the arm are free there and if a short rehearsal in the
physics brings the thing to its place.
"""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from . import picking
from .body import Body, Failed
from .grasps import find_grasps, hand_hits
from .motion import OPEN, Carried, Pose
from .placing import Placement, Spot, distinct, placements
from .points import UP, Array, rotation_about, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .grasps import Grasp
    from .scene import Thing

#: How far over its support a thing may be let go of, and in a covered place.
_RAISES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.09, 0.12)
_COVERED_RAISES = (0.0, 0.01, 0.02)
_MOST_PLACEMENTS, _MOST_GRASPS = 14, 24
#: How many costly checks one try may use; together they take about 4 s of a processor.
_MOST_HAND_CHECKS, _MOST_ARM_CHECKS, _MOST_REHEARSALS = 150, 28, 20
_MOST_GOALS = 6
#: A thing that came to its place in none of so many rehearsals does not stand there.
_ENOUGH_REHEARSALS = 10
#: The least of a hand's direction at a place that is downwards, and into a mouth.
_LEAST_DOWN, _LEAST_IN = 0.2, 0.3
#: The hand opens by this much a finger to let go, in narrow places too.
_LET_GO = 0.012
#: The most that the hand corrects of how a thing slid in it, in m and rad.
_MOST_SLID, _MOST_TURNED = 0.04, 0.3
#: How often the way to a place is planned for a thing that turns in the hand on it.
_ROUNDS = 3
#: Grasps with a higher score are of corners and edges, and slip.
_FIRM, _MOST_FIRM = 0.12, 16
#: The most of a mouth's direction that may be along the closing of the fingers.
_MOST_ACROSS = 0.4
_IN_FRONT = 0.045
_CLEAR_OF_PLACE = (0.12, 0.06)
#: Placements are looked at if they are by at most this worse than the best.
_WINDOW = 0.06
#: A thing should come to its place from this far beside a pose too, in m and rad: what keeps it
#: on edges only falls when the hand lets go.
_BESIDE, _TWIST = np.array([0.003, 0.003, 0.0]), 0.12
#: For a drawer the lowest of so many poses is taken.
_CHOICE = 4
#: How far under its cover a thing must stay in a covered place, in m.
_UNDER_COVER = 0.004
#: A thing may lean by this angle, in rad, against the walls of its place.
_LEAN = 0.2
#: From where a thing comes down, and into a covered place.
_ABOVE, _MOST_ABOVE, _BEFORE = 0.08, 0.16, 0.14


class _Task:
    """A thing, where it shall go, and what is around."""

    def __init__(self, body: Body, thing: Thing, place: Thing, relation: str) -> None:
        self.body, self.thing, self.place, self.relation = body, thing, place, relation
        self.geoms = body.scene.geoms_of(thing)
        self.rest = body.points_without(self.geoms)
        self.spot = spot_of(body, place, self.rest)
        around = np.linalg.norm(self.rest[:, :2] - self.spot.centre[:2], axis=1) < 0.4
        self.near = thinned(self.rest[around], 0.005)
        self.reset_counts()
        self._above = self._height_before()
        self._rehearsals: dict[tuple[float, ...], float | None] = {}

    def _height_before(self) -> float:
        """How far above its place a thing begins to go down: over what stands around it."""
        level = np.linalg.norm(self.near[:, :2] - self.spot.centre[:2], axis=1)
        around = self.near[level < 0.1]
        if len(around) == 0 or self.place.site is None:
            return _ABOVE
        floor = float(self.body.scene.region_box(self.place)[0][2])
        return float(np.clip(around[:, 2].max() - floor + 0.03, _ABOVE, _MOST_ABOVE))

    def reset_counts(self) -> None:
        """Allow the costly checks of another search."""
        self._hand_checks = self._arm_checks = self.rehearsed = 0

    def spent(self) -> bool:
        """Whether this search has used all its checks."""
        return (
            self._hand_checks >= _MOST_HAND_CHECKS
            or self._arm_checks >= _MOST_ARM_CHECKS
            or self.rehearsed >= _MOST_REHEARSALS
        )

    def placements(self, bases: Sequence[tuple[Array, float]]) -> list[Placement]:
        """Poses of the thing over its place, best first."""
        body = self.body
        rotation, origin = body.rotation_of(self.thing), body.position_of(self.thing)
        shape = thinned((body.points_of(self.thing) - origin) @ rotation, 0.002)
        mass = (body.scene.data.xipos[self.thing.body] - origin) @ rotation
        aligned = [(self._aligned(shape, base), cost) for base, cost in bases]
        found = placements(shape, mass, aligned, self.rest, self.spot)
        if self.spot.mouth is not None:
            tops = {id(each): float((each.rotation[2] @ shape.T).max()) for each in found}
            cover = self._cover() - _UNDER_COVER
            found = [each for each in found if each.position[2] + tops[id(each)] < cover]
        return distinct(found, 80, _WINDOW)

    def _aligned(self, shape: Array, base: Array) -> Array:
        """A rotation turned by at most 45 degrees, so that its sides are along the place's."""
        data, site = self.body.scene.data, self.place.site
        if site is None:
            return base
        along = data.site_xmat[site].reshape(3, 3)[:2, 0]
        along = self.spot.mouth[:2] if self.spot.mouth is not None else along
        side = _sides(shape @ base.T)[0]
        angle = np.arctan2(along[1], along[0]) - np.arctan2(side[1], side[0])
        quarter = np.pi / 2
        aligned: Array = rotation_about(UP, angle - quarter * round(angle / quarter)) @ base
        return aligned

    def _cover(self) -> float:
        """The height of what is over a covered place."""
        level = np.abs(self.near[:, :2] - self.spot.centre[:2])
        over = np.all(level < 0.03, axis=1)
        over &= self.near[:, 2] > self.spot.ceiling
        return float(self.near[over, 2].min(initial=np.inf))

    def before(self, pose: Pose) -> Pose:
        """The pose of the hand from which it goes to a pose over or in the place."""
        if self.spot.mouth is None:
            return pose.moved(self._above * UP)
        return pose.moved(_BEFORE * self.spot.mouth + 0.002 * UP)

    def hand_at(self, placement: Placement, carried: Carried, opening: float) -> Pose | None:
        """The hand's pose with the thing at a placement, raised until the hand and arm are free."""
        rotation = placement.rotation @ carried.rotation.T
        hand = Pose(placement.position - rotation @ carried.position, rotation)
        mouth = self.spot.mouth
        if mouth is not None and abs(float(mouth @ rotation[:, 0])) > _MOST_ACROSS:
            return None  # one finger would be between the thing and the way out
        raises = _RAISES if mouth is None else _COVERED_RAISES
        self._hand_checks += 1
        if self._hand_checks > _MOST_HAND_CHECKS:
            return None
        for raised in raises:
            pose = hand.moved(raised * UP)
            if hand_hits(self.near, pose.position, pose.rotation, opening):
                continue
            return pose if self._arm_free(pose, carried) else None
        return None

    def _arm_free(self, pose: Pose, carried: Carried) -> bool:
        arm = self.body.arm
        self._arm_checks += 1
        if self._arm_checks > _MOST_ARM_CHECKS:
            return False
        before = arm.joints_at(self.before(pose), arm.home, 100)
        path = arm.line(pose, before) if before is not None else None
        if before is None or path is None:
            return False
        return arm.hit([before, *path], carried, self.geoms) is None

    def comes(self, hand: Pose, carried: Carried) -> float | None:
        """How high the thing reaches at its place, let go of by a hand at a pose or just beside.

        In m; None if it does not come there.
        """
        position = hand.position + hand.rotation @ carried.position
        rotation = hand.rotation @ carried.rotation
        top = self._comes_exactly(Pose(position, rotation))
        if top is None:
            return None
        for sign in (1.0, -1.0):
            beside = Pose(position + sign * _BESIDE, rotation_about(UP, sign * _TWIST) @ rotation)
            if self._comes_exactly(beside) is None:
                return None
        return top

    def _comes_exactly(self, pose: Pose) -> float | None:
        key = tuple(np.r_[pose.position, pose.rotation.ravel()].round(3).tolist())
        if key not in self._rehearsals:
            self.rehearsed += 1
            if self.rehearsed > _MOST_REHEARSALS:
                return None
            top = self.body.rehearsed(self.thing, pose, self.place, self.relation)
            self._rehearsals[key] = top
        return self._rehearsals[key]


def put(body: Body, thing: Thing, place: Thing, relation: str, variation: int) -> None:
    """Put what is held on or inside a place. Raises Failed."""
    place = _region_for(body, place, relation)
    task = _Task(body, thing, place, relation)
    carried, _ = body.carried()
    assert carried is not None
    hand = _choose(task, carried, variation)
    if hand is None:
        hand = _with_other_grasp(task, variation)
        carried, _ = body.carried()
        assert carried is not None
    _lower(task, hand, carried)
    body.arm.go_home()
    body.refresh()
    if not body.at_place(thing, place, relation):
        raise Failed("misplaced", thing.name, f"it did not come to rest {relation} {place.name}")


def _region_for(body: Body, place: Thing, relation: str) -> Thing:
    """The region of a fixture or an object that "on" or "inside" it means."""
    if place.site is not None or place.kind == "table":
        return place
    flat = relation == "on"
    for each in body.scene.things.values():
        if each.parent == place.name and body.scene.surface_only(each) == flat:
            return each
    return place


def spot_of(body: Body, place: Thing, rest: Array) -> Spot:
    """Where the origin of a thing may rest on or inside a place."""
    data = body.scene.data
    if place.kind == "table":
        return Spot(np.array([0.0, 0.0, data.xpos[place.body][2]]), np.array([0.2, 0.25]))
    if place.site is None:
        return Spot(data.xpos[place.body].copy(), np.full(2, 0.012))
    low, high = body.scene.region_box(place)
    centre, half = (low + high) / 2, np.maximum((high - low)[:2] / 2 - 0.012, 0.0)
    if body.scene.surface_only(place):
        # On a leaning surface, as a rack's, things rest in front of it, not in its plane.
        front = data.site_xmat[place.site].reshape(3, 3)[:2, 2] * _IN_FRONT
        centre, half = centre + np.array([*front, 0.0]), half + np.abs(front)
    mouth = _mouth(body, place, centre)
    if mouth is None:
        return Spot(centre, half)
    return Spot(centre, half, ceiling=centre[2] + 0.02, mouth=mouth)


def _mouth(body: Body, place: Thing, centre: Array) -> Array | None:
    """The direction out of a covered region of a fixture; None if it is open above."""
    owner = body.scene.things.get(place.parent or "")
    if owner is None or owner.kind != "fixture" or place.kind == "part":
        return None
    local = body.points_of(owner) - centre
    over = (np.abs(local[:, :2]).max(1) < 0.03) & (local[:, 2] > 0.03)
    if not over.any():
        return None
    base = body.scene.data.xpos[int(body.scene.model.body("robot0_base").id)] - centre
    best: tuple[float, Array] | None = None
    for angle in np.arange(4) * np.pi / 2:
        out = (rotation_about(UP, angle) @ body.rotation_of(owner))[:, 0]
        out = np.array([out[0], out[1], 0.0]) / np.linalg.norm(out[:2])
        beside = np.abs(local @ np.cross(UP, out)) < 0.05
        if ((local @ out > 0.02) & beside & (np.abs(local[:, 2]) < 0.03)).any():
            continue
        facing = float(out @ base)
        if best is None or facing > best[0]:
            best = (facing, out)
    return best[1] if best else None


def _choose(task: _Task, carried: Carried, variation: int) -> Pose | None:
    """A pose of the hand, with its present grasp, at which the thing comes to its place."""
    body = task.body
    opening = body.arm.width() / 2 + 0.008
    standing = [(body.stood, 0.0), (body.rotation_of(task.thing), 0.003)]
    feasible: list[tuple[float, Pose]] = []
    wanted = variation + (_CHOICE if task.place.kind == "part" else 1)
    for placement in task.placements(standing)[:_MOST_PLACEMENTS]:
        pose = task.hand_at(placement, carried, opening)
        top = task.comes(pose, carried) if pose is not None else None
        if pose is not None and top is not None:
            feasible.append((top, pose))
            if len(feasible) == wanted:
                break
        if not feasible and task.rehearsed >= _ENOUGH_REHEARSALS:
            break
    if task.place.kind == "part":  # what stands out of a drawer keeps it from shutting
        feasible.sort(key=lambda each: round(each[0], 2))
    return feasible[min(variation, len(feasible) - 1)][1] if feasible else None


def _with_other_grasp(task: _Task, variation: int) -> Pose:
    """Put the thing back where it stood, and pick it up so that it can be put; the hand's pose.

    Raises Failed.
    """
    body, thing = task.body, task.thing
    carried, _ = body.carried()
    assert carried is not None
    _put_back(task, carried)
    body.arm.go_home()
    body.refresh()
    found = None
    falls = task.rehearsed >= _ENOUGH_REHEARSALS  # standing it never stayed, whatever the grasp
    ways = (_turned(body, thing),) if falls else (_standing(body, thing), _turned(body, thing))
    for bases in ways:
        found = _transfer(task, bases, variation)
        if found is not None:
            break
    if found is None:
        raise Failed("no_free_spot", task.place.name, f"{thing.name} fits no free pose there")
    grasp, hand = found
    body.measured["other_grasp"] = True
    picking.grasp_at(body, thing, grasp)
    return hand


def _put_back(task: _Task, carried: Carried) -> None:
    """Let a thing go where it stood: as it stood, or else as it hangs. Raises Failed."""
    body, arm = task.body, task.body.arm
    tip = arm.tip()
    hangs = body.rotation_of(task.thing)
    shape = (body.points_of(task.thing) - body.position_of(task.thing)) @ hangs
    sunk = float((shape @ body.stood.T)[:, 2].min() - (shape @ hangs.T)[:, 2].min())
    failure: Failed | None = None
    for rotation, raised in ((body.stood @ carried.rotation.T, 0.0), (tip.rotation, sunk)):
        above = body.stood_at + (0.004 + raised) * UP
        hand = Pose(above - rotation @ carried.position, rotation)
        try:
            body.travel(hand.moved(_ABOVE * UP))
        except Failed as error:
            failure = error
            continue
        arm.move(hand, 0.3)
        release(body, None)
        return
    assert failure is not None
    raise failure


def _standing(body: Body, thing: Thing) -> list[tuple[Array, float]]:
    return [(body.rotation_of(thing), 0.0)]


def _turned(body: Body, thing: Thing) -> list[tuple[Array, float]]:
    """The thing lying or leaning: turned by a quarter or a little about its sides' axes."""
    now = body.rotation_of(thing)
    return [
        (rotation_about(axis, angle) @ now, 0.0)
        for angle in (np.pi / 2, _LEAN)
        for axis in _sides(body.points_of(thing))
    ]


def _transfer(
    task: _Task, bases: Sequence[tuple[Array, float]], variation: int
) -> tuple[Pose, Pose] | None:
    """A grasp of the standing thing and the hand's pose at its place, both free."""
    body, thing = task.body, task.thing
    task.reset_counts()
    goals = task.placements(bases)
    failed: set[int] = set()
    considered = found = 0
    for grasp in _wide_grasps(task):
        fitting = [
            (number, goal)
            for number, goal in enumerate(goals)
            if number not in failed and _suits(task, grasp, goal)
        ]
        if not fitting:
            continue
        considered += 1
        if considered > _MOST_GRASPS or task.spent():
            break
        pose = picking.reachable(body, thing, grasp, [])
        if pose is None:
            continue
        turn = pose.rotation.T
        offset = turn @ (body.position_of(thing) - pose.position)
        address, _ = body.scene.free_joint(thing)
        carried = Carried(address, offset, turn @ body.rotation_of(thing))
        for number, goal in fitting[:_MOST_GOALS]:
            hand = task.hand_at(goal, carried, grasp.width / 2 + 0.012)
            if hand is None:
                continue
            if task.comes(hand, carried) is None:
                failed.add(number)
                continue
            found += 1
            if found > variation:
                return pose, hand
            break
    return None


def _suits(task: _Task, grasp: Grasp, goal: Placement) -> bool:
    """Whether a grasp has the hand come from above, or out of the mouth, with a thing at a goal."""
    rotation = goal.rotation @ task.body.rotation_of(task.thing).T @ grasp.rotation
    mouth = task.spot.mouth
    if mouth is None:
        return bool(rotation[2, 2] < -_LEAST_DOWN)
    across = abs(float(mouth @ rotation[:, 0])) < _MOST_ACROSS
    return across and bool(mouth @ rotation[:, 2] < -_LEAST_IN)


def _wide_grasps(task: _Task) -> Iterator[Grasp]:
    """Grasps from above, and leaning along the thing's own sides, which then go into a mouth."""
    body = task.body
    points = thinned(body.points_of(task.thing), 0.002)
    centre = picking.centre_of(body, task.thing, points)
    tilts = (75, 60, 88) if task.spot.mouth is None else (50, 65, 35, 80)
    toward = centre - body.scene.data.xpos[int(body.scene.model.body("robot0_base").id)]
    sides = sorted(_sides(points), key=lambda side: float(side @ toward))
    beside = [islice(find_grasps(points, task.rest, _between(s, tilts), centre), 8) for s in sides]
    above = picking.grasps_of(body, task.thing)
    if task.spot.mouth is None:
        yield from _in_turn([above, *beside])
        return
    leaning = _between(task.spot.mouth, (35, 50, 65, 80))
    across = [np.cross(task.spot.mouth, UP)]
    inwards = find_grasps(points, task.rest, leaning, centre, across)
    firm = (grasp for grasp in inwards if grasp.score < _FIRM)
    yield from islice(firm, _MOST_FIRM)
    # From above for what is turned on its way, to lie in the place.
    yield from _in_turn([islice(above, 8), *beside])


def _in_turn(sources: Sequence[Iterator[Grasp]]) -> Iterator[Grasp]:
    """The first of each, the second of each, and so on, until all have ended."""
    for row in zip_longest(*sources):
        yield from (grasp for grasp in row if grasp is not None)


def _sides(points: Array) -> list[Array]:
    """The four level directions of a thing's own sides."""
    level = points[:, :2] - points[:, :2].mean(0)
    _, axes = np.linalg.eigh(level.T @ level)
    return [np.array([*(sign * axis), 0.0]) for axis in axes.T for sign in (1.0, -1.0)]


def _between(outward: Array, degrees: Sequence[float]) -> list[Array]:
    """Directions of the hand from above (0 degrees) to from outside (90 degrees)."""
    return [-np.cos(angle) * UP - np.sin(angle) * outward for angle in np.radians(degrees)]


def _lower(task: _Task, hand: Pose, carried: Carried) -> None:
    """Carry a thing before its place, correct how it slid in the hand, go there and let go.

    A thing that turned much in the hand gets another pose for how it hangs now. Raises Failed.
    """
    body, arm = task.body, task.body.arm
    for _ in range(_ROUNDS):
        body.travel(task.before(hand))
        corrected = _corrected(task, hand, carried)
        if corrected is not None:
            break
        body.lift(_CLEAR_OF_PLACE)
        now, _geoms = body.carried()
        assert now is not None
        again = _choose(task, now, 0)
        if again is None:
            break
        hand, carried = again, now
    for pose in (corrected, hand):
        if pose is not None and arm.move(task.before(pose), 0.5) and arm.move(pose, 0.3):
            release(body, task.spot.mouth)
            return
    raise Failed("unreachable", task.thing.name, "no straight line to the place")


def _corrected(task: _Task, hand: Pose, carried: Carried) -> Pose | None:
    """The hand's pose that brings the thing to its aim, as it sits in the hand now.

    None if it slid or turned too far.
    """
    body = task.body
    now, _ = body.carried()
    assert now is not None
    aim = hand.position + hand.rotation @ carried.position
    rotation = hand.rotation @ carried.rotation @ now.rotation.T
    position = aim - rotation @ now.position
    turned = float(np.arccos(np.clip((np.trace(rotation @ hand.rotation.T) - 1) / 2, -1, 1)))
    slid = float(np.linalg.norm(position - hand.position))
    body.measured["turned_in_hand"], body.measured["slid"] = turned, slid
    if turned > _MOST_TURNED or slid > _MOST_SLID:
        return None
    return Pose(position, rotation)


def release(body: Body, mouth: Array | None) -> None:
    """Open a little, draw the hand back, and go up."""
    arm = body.arm
    arm.grip(min(OPEN, arm.width() / 2 + _LET_GO), 0.4)
    body.held = None
    tip = arm.tip()
    if mouth is not None:
        closing = tip.rotation[:, 0]
        arm.move(tip.moved(0.12 * (mouth - closing * (closing @ mouth))), 0.4)
    elif tip.approach[2] < -0.7:
        arm.move(tip.backed(0.06), 0.5)
    else:
        arm.move(tip.moved(0.06 * UP), 0.5)
    arm.move(arm.tip().moved(0.08 * UP), 1.0)
    arm.grip(OPEN, 0.2)

"""The mobile arm opens, closes, presses and drives in contact physics."""

import hashlib

import numpy as np
import pytest

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.scenes import scene_of
from peephole.adapters.mujoco.kitchens import scene
from peephole.adapters.mujoco.kitchens.adapter import KitchenPhysicsAdapter
from peephole.adapters.mujoco.kitchens.settings import VARIABLE
from peephole.adapters.mujoco.kitchens.world import furnished_world
from peephole.errors import BadInput
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task
from peephole.skills.arm.mobile import certificate
from peephole.skills.arm.mobile.failures import Failed
from peephole.skills.arm.mobile.going import goal_of
from peephole.skills.arm.mobile.motion import FORCE_LIMIT, Motion
from peephole.skills.arm.mobile.robot import MobileArm
from peephole.skills.arm.mobile.world import FrontKind, Obstacle
from peephole.skills.outcomes import Reason

_SEED = 200


@pytest.fixture(scope="module")
def kept():
    kitchen = draw_kitchen(_SEED)
    world = furnished_world(kitchen, scatter(kitchen, ["can", "mug", "apple"], _SEED))
    return world, world.snapshot()


@pytest.fixture
def world(kept):
    world, start = kept
    world.restore(start)
    world.sync()
    return world


def first(world, kind):
    return next(name for name in sorted(world.fronts) if world.fronts[name].kind is kind)


def digest(world):
    return hashlib.sha1(world.data.qpos.tobytes()).hexdigest()


def test_a_drawer_opens_and_closes_without_a_push_and_in_the_same_bits(world):
    name = first(world, FrontKind.DRAWER)
    front, arm = world.fronts[name], MobileArm(world, 1)
    before = world.snapshot(), arm.snapshot()
    opened = arm.open(name)
    assert opened.failed is None
    assert world.front_value(name) >= front.opened_at
    assert opened.push[0] < FORCE_LIMIT
    bits = digest(world)
    closed = arm.close(name)
    assert closed.failed is None
    assert world.front_value(name) <= front.closed_at
    assert closed.push[0] < FORCE_LIMIT
    world.restore(before[0])
    arm.restore(before[1])
    arm.open(name)
    assert digest(world) == bits


@pytest.mark.parametrize(
    "kind", [FrontKind.DOOR, pytest.param(FrontKind.DROP, marks=pytest.mark.slow)]
)
def test_doors_open_and_close(world, kind):
    name = first(world, kind)
    front, arm = world.fronts[name], MobileArm(world, 1)
    assert arm.open(name).failed is None
    assert world.front_value(name) >= front.opened_at
    assert arm.open(name).failed.reason is Reason.ALREADY_OPEN
    assert arm.close(name).failed is None
    assert world.front_value(name) <= front.closed_at
    assert arm.close(name).failed.reason is Reason.ALREADY_CLOSED


def test_nothing_opens_with_an_open_gripper(world, monkeypatch):
    monkeypatch.setattr(Motion, "grip", lambda motion, opening, seconds=0.5: motion.hold(seconds))
    name = first(world, FrontKind.DRAWER)
    failed = MobileArm(world, 1).open(name).failed
    assert failed.reason is Reason.SLIPPED
    assert world.front_value(name) <= world.fronts[name].closed_at


def test_a_jammed_drawer_is_stuck(world):
    name = first(world, FrontKind.DRAWER)
    joint = world.model.joint(name)
    usual = float(joint.frictionloss[0])
    joint.frictionloss[0] = 400.0
    try:
        failed = MobileArm(world, 1).open(name).failed
    finally:
        joint.frictionloss[0] = usual
    assert failed.reason is Reason.IMMOVABLE
    assert "stuck" in failed.message


def test_a_drawer_that_does_not_yield_is_not_pushed_on(world):
    name = first(world, FrontKind.DRAWER)
    joint, arm = world.model.joint(name), MobileArm(world, 1)
    world.data.qpos[joint.qposadr[0]] = 0.4
    world.step()
    joint.range[0] = 0.15
    try:
        result = arm.close(name)
    finally:
        joint.range[0] = 0.0
    assert result.failed.reason is Reason.IMMOVABLE
    assert world.front_value(name) == pytest.approx(0.15, abs=0.03)


def test_a_button_is_pressed_and_comes_back(world):
    button = world.buttons[sorted(world.buttons)[0]]
    deepest = 0.0

    def watch():
        nonlocal deepest
        deepest = max(deepest, world.button_value(button.name))

    world.on_step = watch
    try:
        assert MobileArm(world, 1).press(button.name).failed is None
    finally:
        world.on_step = None
    assert deepest >= button.pressed_at
    assert world.button_value(button.name) < button.pressed_at / 2


def test_it_goes_before_what_it_is_told(world):
    arm = MobileArm(world, 1)
    for name in (sorted(world.shapes)[0], "sink_1", sorted(world.fronts)[0]):
        result = arm.go_to(name)
        assert result.failed is None
        assert result.push[0] == 0.0
        goal = goal_of(world, name)
        apart = world.reading().joints[:2] - goal.point[:2]
        assert 0.4 < float(apart @ goal.outward[:2]) < 1.1


def test_it_drives_around_a_long_island():
    world = furnished_world(draw_kitchen(21018, areas=30), [])
    behind = "drawer_11_front"
    assert world.fronts[behind].outward[1] < -0.9
    assert MobileArm(world, 1).open(behind).failed is None


def test_it_stands_beside_a_drop_door_that_is_open_in_an_aisle():
    kitchen = draw_kitchen(11002)
    assert kitchen.layout == "galley"
    world = furnished_world(kitchen)
    front = world.fronts[str(kitchen.areas["dishwasher_1"].front)]
    world.data.qpos[world.model.joint(front.name).qposadr[0]] = front.open_value
    world.sync()
    result = MobileArm(world, 1).go_to("dishwasher_1")
    assert result.failed is None
    assert result.push[0] == 0.0
    apart = world.reading().joints[:2] - front.face[:2]
    assert float(np.hypot(*apart)) < 1.6


def test_a_motion_that_hits_something_stops_says_what_and_goes_back(world):
    arm = MobileArm(world, 1)
    arm.go_to("sink_1")
    motion = Motion(world)
    ahead = motion.target.copy()
    ahead[:2] -= 0.8 * goal_of(world, "sink_1").outward[:2]
    with pytest.raises(Failed) as caught:
        motion.follow([ahead], 0.15)
    assert caught.value.reason is Reason.BLOCKED
    areas = {space.area for space in world.spaces.values()}
    assert caught.value.other in {*areas, *world.fronts}
    motion.hold(0.1)
    assert not motion.touches


def test_what_lies_in_the_way_after_planning_is_not_hit(world, monkeypatch):
    arm, follow, dropped = MobileArm(world, 1), Motion.follow, []

    def surprised(motion, path, *rest, **more):
        way = path[-1][:2] - motion.target[:2]
        if not dropped and np.linalg.norm(way) > 0.9:
            at = int(world.model.joint("can_1").qposadr[0])
            world.data.qpos[at : at + 2] = motion.target[:2] + 0.6 * way
            world.data.qpos[at + 2] = 0.08
            dropped.append(tuple(world.data.qpos[at : at + 2]))
        follow(motion, path, *rest, **more)

    monkeypatch.setattr(Motion, "follow", surprised)
    for name in ("sink_1", "fridge_1", "oven_1"):
        result = arm.go_to(name)
        assert result.push[0] == 0.0
        assert result.failed is None or result.failed.other == "can_1"
    assert dropped
    assert np.linalg.norm(world.thing("can_1").position[:2] - dropped[0]) < 0.02


def test_bad_names_are_refused(world):
    arm = MobileArm(world, 1)
    assert arm.open("drawer_99").failed.reason is Reason.NOT_OPENABLE
    assert arm.press("drawer_99").failed.reason is Reason.NOT_SWITCHABLE
    assert arm.go_to("drawer_99").failed.reason is Reason.UNKNOWN


def test_a_door_beside_an_inner_corner_opens_as_far_as_the_hand_has_room():
    kitchen = draw_kitchen(11069)
    world = furnished_world(kitchen)
    name = str(kitchen.areas["cabinet_5"].front)
    front = world.fronts[name]
    assert MobileArm(world, 1).open(name).failed is None
    assert front.opened_at <= world.front_value(name) < front.open_value - 0.1


def test_a_front_is_certified_without_a_motion(world):
    before = digest(world)
    door = world.fronts[first(world, FrontKind.DOOR)]
    assert certificate.opening(world, door, searches=1) is not None
    assert digest(world) == before


def test_fronts_alike_are_certified_by_known_ways(world):
    """No way is searched for, and one that the world blocks does not count."""
    front = world.fronts[first(world, FrontKind.DRAWER)]
    known = certificate.known_ways()
    assert certificate.opening(world, front, known=known, searches=0) is not None
    assert certificate.opening(world, front, searches=0) is None

    class Walled:
        def __getattr__(self, name):
            return getattr(world, name)

        def obstacle(self, *_, **__):
            return Obstacle("hand", "wall")

    assert certificate.opening(Walled(), front, known=known, searches=1) is None


def test_a_kitchen_with_a_front_that_cannot_be_opened_is_refused_on_request(monkeypatch):
    """`certify=yes` names the front; without it the scene is loaded."""
    monkeypatch.setattr(scene, "uncertified", lambda _: ("oven_1",))
    adapter = KitchenPhysicsAdapter()
    task = Task("t", "", And(()), scene_of(1, {}))
    monkeypatch.setenv(VARIABLE, "certify=yes")
    with pytest.raises(BadInput, match="no way to open oven_1; draw another one"):
        adapter.reset(task, 0)
    monkeypatch.delenv(VARIABLE)
    adapter.reset(task, 0)
    adapter.close()


def test_robots_are_free_where_they_say(world):
    arm = MobileArm(world, 1)
    joints = world.reading().joints
    assert world.obstacle(joints, 0.01, fingers=0.04) is None
    assert arm.go_to("sink_1").failed is None
    here = world.reading().joints
    assert world.base_free(np.array([here[:2]]), 0.0)[0]

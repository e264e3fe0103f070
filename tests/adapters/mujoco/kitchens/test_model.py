"""The model of a kitchen agrees with what the skills know of it, and rests."""

import mujoco
import numpy as np
import pytest

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.plans import LAYOUTS, draw_kitchen
from peephole.adapters.kitchens.furnished.things import kinds
from peephole.adapters.mujoco.kitchens.model import MARK, model_of, start_of
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.skills.arm.mobile.world import Reach, handle_of, owner

_NUDGE = 1e-6


def built(seed, layout=None, count=0):
    kitchen = draw_kitchen(seed, layout)
    names = [name for name in kinds() if name != "big_plate"]
    chosen = [names[(7 * seed + 3 * i) % len(names)] for i in range(count)]
    things = scatter(kitchen, chosen, seed)
    return kitchen, things, model_of(kitchen, things).compile()


@pytest.fixture(scope="module", params=LAYOUTS)
def kitchen_at(request):
    kitchen, _, model = built(LAYOUTS.index(request.param), request.param)
    return kitchen, model, mujoco.MjData(model)


def test_fronts_move_as_the_skills_are_told(kitchen_at):
    kitchen, model, data = kitchen_at
    for front in kitchen.fronts.values():
        joint = model.joint(front.name)
        body = model.body(front.name).id
        assert joint.range[1] == pytest.approx(front.limit)
        data.qpos[joint.qposadr[0]] = 0.0
        mujoco.mj_kinematics(model, data)
        closed = [data.xpos[body] + data.xmat[body].reshape(3, 3) @ p for p in _CORNERS]
        for value in (0.0, 0.3 * front.open_value, front.open_value, front.limit):
            data.qpos[joint.qposadr[0]] = value
            mujoco.mj_kinematics(model, data)
            turned = data.xmat[body].reshape(3, 3)
            for local, point in zip(_CORNERS, closed, strict=True):
                there = data.xpos[body] + turned @ local
                np.testing.assert_allclose(front.point(point, value), there, atol=1e-9)
            bars = [g for g in range(model.ngeom) if _owner(model, g) == handle_of(front.name)]
            np.testing.assert_allclose(
                front.point(front.handle, value), data.geom_xpos[bars[0]], atol=1e-9
            )
        data.qpos[joint.qposadr[0]] = 0.0


_CORNERS = [np.zeros(3), np.array([0.3, 0.1, 0.2])]


def test_things_stand_on_what_a_space_says(kitchen_at):
    """Right under every space something solid begins, at the height that it says."""
    kitchen, model, data = kitchen_at
    mujoco.mj_forward(model, data)
    for space in kitchen.spaces.values():
        middle = (space.low + space.high) / 2
        for value in (0.0, 0.2) if space.reach is Reach.DRAWER else (0.0,):
            if space.front:
                data.qpos[model.joint(space.front).qposadr[0]] = value
                mujoco.mj_kinematics(model, data)
            point = space.at(value) + space.rotation @ np.array(
                [middle[0], middle[1], space.low[2]]
            )
            hit = np.zeros(1, np.int32)
            start = point + np.array([0, 0, 0.02])
            groups = np.array([1, 0, 0, 0, 0, 0], np.uint8)
            far = mujoco.mj_ray(
                model, data, start, np.array([0.0, 0, -1]), groups, 1, -1, hit, None
            )
            assert far == pytest.approx(0.02, abs=2e-4), space.name
            assert owner(_owner(model, hit[0])) in (space.area, space.front), space.name
        if space.front:
            data.qpos[model.joint(space.front).qposadr[0]] = 0.0


def test_every_geom_has_an_owner_that_planners_know(kitchen_at):
    kitchen, model, _ = kitchen_at
    links = {model.body(b).name for b in range(model.nbody)}
    known = {*kitchen.areas, *kitchen.fronts, *kitchen.buttons, "floor", "wall", *links}
    for geom in range(model.ngeom):
        assert owner(_owner(model, geom)) in known


def test_buttons_slide_in_and_come_back(kitchen_at):
    kitchen, model, data = kitchen_at
    mujoco.mj_resetData(model, data)
    for button in kitchen.buttons.values():
        body = model.body(button.name).id
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.xpos[body], button.face, atol=1e-9)
        data.qpos[model.joint(button.name).qposadr[0]] = button.travel
    mujoco.mj_kinematics(model, data)
    for button in kitchen.buttons.values():
        there = data.xpos[model.body(button.name).id]
        np.testing.assert_allclose(there, button.face - button.travel * button.outward, atol=1e-9)
    mujoco.mj_step(model, data, 250)
    for button in kitchen.buttons.values():
        assert data.qpos[model.joint(button.name).qposadr[0]] < 0.1 * button.travel


@pytest.mark.parametrize("seed", [3, 4])
def test_all_is_at_rest(seed):
    """20 things drift less than 1 mm in 2 s, with fewer than 100 contacts; nothing opens."""
    kitchen, things, model = built(seed, count=20)
    assert len(things) == 20
    shapes = {thing.name: kinds()[thing.kind] for thing in things}
    world = MujocoRoom(model, kitchen.fronts, kitchen.spaces, shapes, kitchen.buttons)
    world.start(start_of(kitchen))
    for _ in range(20):
        world.step()
    before = {name: world.thing(name).position for name in shapes}
    for _ in range(167):
        touches = world.step()
        assert not touches
    for name, position in before.items():
        assert np.linalg.norm(world.thing(name).position - position) < 1e-3
    for thing in things:
        assert thing.name in world.things_in(thing.space), thing
    assert max(world.front_value(front) for front in kitchen.fronts) < 1e-3
    model.opt.enableflags = 0
    awake = mujoco.MjData(model)
    awake.qpos[:] = world.data.qpos
    mujoco.mj_forward(model, awake)
    assert awake.ncon < 100


def _owner(model, geom):
    return model.geom(geom).name.partition(MARK)[0]

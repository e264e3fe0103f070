"""Visibility by rays against what an image shows: recall, precision, milliseconds, coverage.

MUJOCO_GL=egl python benchmarks/kitchen_physics/sight.py --seeds 3000-3099 [--views 10]

In every kitchen some fronts are open, the robot stands somewhere with its arm tucked, and its head
looks at a random area. A thing counts as shown if at least 20 pixels of a segmented image of
256 x 256 are its own. The second table says how many of the things of an area are seen by its
share of seen points: `COMPLETE` in adapters/mujoco/kitchens/sight.py is chosen by it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from typing import Any, NamedTuple

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.parts import Kitchen
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.things import kinds
from peephole.adapters.mujoco.kitchens.model import model_of
from peephole.adapters.mujoco.kitchens.sight import FIELD, IMAGE, PIXELS, Gaze, Sight
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile.body import LIFT_HIGH, TUCK, head

THINGS = 20


class Seen(NamedTuple):
    """What one view shows: pixels by thing, and by rays."""

    pixels: dict[str, int]
    rays: dict[str, float]
    shares: dict[str, float]
    seconds: float


def views(seed: int, count: int) -> list[tuple[dict[str, str], Seen]]:
    """Some views of one kitchen, each with the area of every thing."""
    random = np.random.default_rng(seed)
    kitchen = draw_kitchen(seed)
    names = sorted(kinds())
    things = scatter(
        kitchen, [names[int(random.integers(len(names)))] for _ in range(THINGS)], seed
    )
    model = model_of(kitchen, things).compile()
    shapes = {thing.name: kinds()[thing.kind] for thing in things}
    world = MujocoRoom(model, kitchen.fronts, kitchen.spaces, shapes, kitchen.buttons)
    _open_some(world, {thing.name: thing.space or "" for thing in things}, random)
    bodies = {thing.name: int(model.body(thing.name).id) for thing in things}
    sight = Sight(model, bodies, list(kitchen.spaces.values()), kitchen.fronts)
    model.vis.global_.fovy = math.degrees(FIELD)
    area_of = {t.name: kitchen.spaces[t.space].area for t in things if t.space}
    found = []
    with mujoco.Renderer(model, IMAGE, IMAGE) as renderer:
        renderer.enable_segmentation_rendering()
        for _ in range(count):
            gaze = _stand(world, kitchen, random)
            if gaze is not None:
                found.append((area_of, _seen(world, sight, gaze, renderer, bodies)))
    return found


def _open_some(world: MujocoRoom, spaces: dict[str, str], random: np.random.Generator) -> None:
    """Open half of the fronts; drawers take their things along."""
    positions = world.data.qpos
    for name, front in world.fronts.items():
        if random.random() < 0.5:
            continue
        positions[world.model.joint(name).qposadr[0]] = front.open_value
        for thing, space in spaces.items():
            if world.spaces[space].slides and world.spaces[space].front == name:
                at = world.model.joint(thing).qposadr[0]
                positions[at : at + 3] += front.axis * front.open_value
    mujoco.mj_forward(world.model, world.data)
    mujoco.mj_step(world.model, world.data, 50)


def _stand(world: MujocoRoom, kitchen: Kitchen, random: np.random.Generator) -> Gaze | None:
    """Put the robot before a random space, where it is free, and look at that."""
    spaces = list(kitchen.spaces.values())
    for _ in range(40):
        space = spaces[int(random.integers(len(spaces)))]
        value = 0.0 if space.front is None else world.front_value(space.front)
        local = np.array([*((space.low + space.high) / 2)[:2], space.low[2] + 0.05])
        aim = space.at(value) + space.rotation @ local
        place = aim + space.outward * random.uniform(0.5, 1.6)
        place = place + space.rotation[:, 0] * random.uniform(-0.5, 0.5)
        facing = math.atan2(aim[1] - place[1], aim[0] - place[0]) + random.uniform(-0.6, 0.6)
        joints = np.array([*place[:2], facing, random.uniform(0, LIFT_HIGH), *TUCK])
        world.sync()
        if world.obstacle(joints, 0.01, fingers=0.04) is None:
            world.start(joints)
            return Gaze(head(world.reading().joints), aim)
    return None


def _seen(
    world: MujocoRoom, sight: Sight, gaze: Gaze, renderer: Any, bodies: dict[str, int]
) -> Seen:
    values = {name: world.front_value(name) for name in world.fronts}
    began = time.process_time()
    glimpse = sight.look(world.data, gaze, values)
    seconds = time.process_time() - began
    camera, ahead = mujoco.MjvCamera(), gaze.axes[2]
    camera.lookat, camera.distance = gaze.eye + ahead, 1
    camera.azimuth = math.degrees(math.atan2(ahead[1], ahead[0]))
    camera.elevation = math.degrees(math.asin(ahead[2]))
    options = mujoco.MjvOption()
    options.geomgroup[:] = (1, 1, 1, 0, 0, 0)
    renderer.update_scene(world.data, camera, options)
    image = renderer.render()
    geoms = np.where(image[..., 1] == int(mujoco.mjtObj.mjOBJ_GEOM), image[..., 0], -1)
    owners = np.where(geoms >= 0, world.model.geom_bodyid[geoms], -1)
    pixels = {name: int((owners == body).sum()) for name, body in bodies.items()}
    return Seen(pixels, dict(glimpse.things), sight.shares(glimpse.points), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="3000-3099", help="FIRST-LAST")
    parser.add_argument("--views", type=int, default=10, help="of each kitchen")
    parser.add_argument("--wrong", action="store_true", help="print what the rays get wrong")
    asked = parser.parse_args()
    first, last = map(int, asked.seeds.split("-"))
    told: Counter[tuple[bool, bool]] = Counter()
    inside: Counter[tuple[int, bool]] = Counter()
    seconds = []
    for seed in range(first, last + 1):
        for number, (area_of, seen) in enumerate(views(seed, asked.views)):
            seconds.append(seen.seconds)
            for name, pixels in seen.pixels.items():
                shown, by_rays = pixels >= PIXELS, name in seen.rays
                told[shown, by_rays] += 1
                inside[int(seen.shares[area_of[name]] * 10 + 1e-9), shown] += 1
                if asked.wrong and shown != by_rays:
                    print(seed, number, name, pixels, seen.rays.get(name))
    right, missed, wrong = told[True, True], told[True, False], told[False, True]
    print(f"{len(seconds)} views of {last - first + 1} kitchens with {THINGS} things each")
    print(f"recall    {_rate(right, right + missed)}")
    print(f"precision {_rate(right, right + wrong)}")
    print(f"ms a view: mean {np.mean(seconds) * 1e3:.2f}, largest {np.max(seconds) * 1e3:.2f}")
    print("share of the area's points seen: things of it shown")
    for tenth in range(11):
        yes, no = inside[tenth, True], inside[tenth, False]
        if yes + no:
            print(f"  from {tenth / 10:.1f}: {_rate(yes, yes + no)}")


def _rate(right: int, of: int) -> str:
    rate = wilson(right, of)
    return f"{right}/{of} = {rate.mean:.3f} ({rate.low:.3f} to {rate.high:.3f})"


if __name__ == "__main__":
    main()

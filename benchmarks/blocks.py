"""The block world in figures: picks, masses, welds, places, speed, memory, pictures.

    .venv/bin/python benchmarks/blocks.py [--adapter mujoco] [--scenes 250] [--first 80000]

Every figure is of fresh seeds, from the first on, through the adapter's `attempt` and `view` alone;
the truth is read only to score. Each campaign is done twice: with exact sensors, and with noise
(`REALISTIC_NOISE` of adapters/blocks/scenes.py). What an arm tells of itself is all that is used to
tell the heavier block (the force at its wrist) and the welded one (it does not give way).
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean

from peephole.adapters.blocks.adapter import BlockAdapter
from peephole.adapters.blocks.scenes import REALISTIC_NOISE, X, Y, read
from peephole.adapters.registry import connect
from peephole.results.statistics.estimates import wilson
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Kind, Vector
from peephole.scene_graph.task import Task
from peephole.skills.actions import pick_up, place, reset

#: Where a block is let go: so far above the table that it just does not touch, fingers down.
RELEASE_Z = 0.027
APART = 0.12


@dataclass
class Score:
    """What was counted in one campaign."""

    picks: list[bool] = field(default_factory=list)
    heavier: list[bool] = field(default_factory=list)
    mass_errors: list[float] = field(default_factory=list)  # kg
    place_errors: list[float] = field(default_factory=list)  # m
    places: list[bool] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    sim_s: float = 0.0
    cpu_s: float = 0.0


def started(name: str, scene: str, seed: int) -> BlockAdapter:
    adapter = connect(name)
    assert isinstance(adapter, BlockAdapter), f"{name} is no adapter of the block world"
    adapter.reset(Task("measure", "Be measured.", And(()), f"blocks:{scene}"), seed)
    return adapter


def position(adapter: BlockAdapter, block: int) -> Vector:
    """Where a block truly is, in m."""
    pose = adapter.graph()[block].pose
    assert pose is not None
    return pose.position


def masses_and_places(name: str, seeds: Iterable[int], noise: str) -> Score:
    """Both blocks of a scene are picked, weighed and placed somewhere else, then the arm resets."""
    score = Score()
    for seed in seeds:
        chance = random.Random(seed)
        reference = f"seed={seed};tags=mass{noise}"
        scene = read(reference)
        began = time.process_time()
        adapter = started(name, reference, seed)
        weighed: dict[int, float] = {}
        for block, mass in zip(scene.ids, scene.masses, strict=True):
            picked = adapter.attempt(pick_up(block), 0)
            score.sim_s += picked.sim_time_s
            score.picks.append(picked.success)
            if picked.failure is not None:
                score.failures[str(picked.failure.reason)] += 1
                continue
            arm = adapter.view().arm
            assert arm is not None
            weighed[block] = -arm.force[2] / 9.81
            score.mass_errors.append(abs(weighed[block] - mass))
            x, y = free_place(adapter, block, chance)
            angle = chance.uniform(-math.pi / 4, math.pi / 4)
            turn = (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0)
            placed = adapter.attempt(place((x, y, RELEASE_Z, *turn)), 0)
            score.sim_s += placed.sim_time_s
            score.places.append(placed.success)
            if placed.failure is not None:
                score.failures[f"place: {placed.failure.reason}"] += 1
            if placed.success:
                u, v, _ = position(adapter, block)
                score.place_errors.append(math.hypot(u - x, v - y))
        score.sim_s += adapter.attempt(reset(), 0).sim_time_s
        score.cpu_s += time.process_time() - began
        adapter.close()
        if len(weighed) == 2:
            told = max(weighed, key=weighed.__getitem__)
            score.heavier.append(told == scene.ids[scene.masses.index(max(scene.masses))])
        else:
            score.heavier.append(False)
    return score


def free_place(adapter: BlockAdapter, block: int, chance: random.Random) -> tuple[float, float]:
    cubes = [node.id for node in adapter.graph().nodes(Kind.OBJECT)]
    others = [position(adapter, i) for i in cubes if i != block]
    while True:
        x, y = chance.uniform(*X), chance.uniform(*Y)
        if all(math.hypot(x - other[0], y - other[1]) > APART for other in others):
            return x, y


def welds(name: str, seeds: Iterable[int], noise: str) -> tuple[list[bool], list[bool]]:
    """Told right, of welded blocks and of free ones of up to 2 kg, one of each a scene."""
    welded: list[bool] = []
    free: list[bool] = []
    for seed in seeds:
        mass = random.Random(seed).uniform(0.05, 2.0)
        reference = f"seed={seed};tags=fix;masses={mass},{mass}{noise}"
        scene = read(reference)
        adapter = started(name, reference, seed)
        for number, block in enumerate(scene.ids):
            result = adapter.attempt(pick_up(block), 0)
            if number in scene.welded:
                welded.append(result.failure is not None and result.failure.reason == "immovable")
            else:
                free.append(result.success)
                u, v = scene.places[number][:2]
                adapter.attempt(place((u, v, RELEASE_Z, 1.0, 0.0, 0.0, 0.0)), 0)
        adapter.close()
    return welded, free


def rate(name: str, values: list[bool]) -> str:
    found = wilson(sum(values), len(values))
    return f"{name}: {sum(values)}/{len(values)} ({' % '.join(found.lines(100))})"


def spread(name: str, values: list[float], unit: str, digits: int = 2) -> str:
    ordered = sorted(1000 * value for value in values)
    p99 = ordered[math.ceil(0.99 * len(ordered)) - 1]
    return (
        f"{name}: mean {fmean(ordered):.{digits}f}, p99 {p99:.{digits}f}, "
        f"max {ordered[-1]:.{digits}f} {unit} (n {len(ordered)})"
    )


def pictures(count: int) -> str:
    adapter = started("mujoco", "seed=1", 0)
    adapter.image()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        adapter.image()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    adapter.close()
    return f"pictures of 320x240: {count / wall:.0f} a second, {count / cpu:.0f} a CPU-second"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--adapter", default="mujoco", help="mujoco or isaacgym")
    parser.add_argument("--scenes", type=int, default=250, help="scenes a campaign, of two blocks")
    parser.add_argument("--first", type=int, default=80000, help="the first seed")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.scenes)
    for name, noise in (("exact sensors", ""), (REALISTIC_NOISE, f";{REALISTIC_NOISE}")):
        print(f"--- {name}")
        score = masses_and_places(options.adapter, seeds, noise)
        print(rate("picks", score.picks))
        print(rate("heavier of two told (masses 30 g or more apart)", score.heavier))
        print(spread("mass error", score.mass_errors, "g"))
        print(rate("places", score.places))
        print(spread("place error", score.place_errors, "mm"))
        print(f"failures: {dict(score.failures) or 'none'}")
        if options.adapter == "mujoco":  # the others do not run in this process
            speed = score.sim_s / score.cpu_s
            print(f"whole episodes: {speed:.1f} times real time per CPU-second", flush=True)
        welded, free = welds(options.adapter, seeds, noise)
        print(rate("welded blocks told", welded))
        print(rate("free blocks of up to 2 kg told", free), flush=True)
    if options.adapter != "mujoco":
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory, without rendering: {peak:.0f} MB")
    print(pictures(200))


if __name__ == "__main__":
    main()

"""Costs of physics kitchens: made and compiled, at rest, and per second of CPU.

    .venv/bin/python -m benchmarks.kitchen_physics.scenes [--seeds 0-19] [--areas 30]

For each kitchen with 20 things: named areas; CPU milliseconds to draw and arrange it, to make its
model, and to compile that; contacts, the largest drift of a thing in 2 s (mm), steps per second of
CPU with sleep; microseconds of MuJoCo's own copy of the state, of a snapshot and of a restore of
the world; at last the largest memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.things import kind, kinds
from peephole.adapters.mujoco.kitchens.model import model_of, start_of
from peephole.adapters.mujoco.kitchens.world import MujocoRoom

_THINGS = 20
_CALLS = 200
_SETTLE_TICKS, _REST_TICKS, _STEPS_A_TICK = 30, 167, 3


@dataclass
class Costs:
    """Of one kitchen."""

    areas: int
    draw_ms: float
    model_ms: float
    compile_ms: float
    contacts: int
    drift_mm: float
    steps_per_s: float
    copy_us: float
    snapshot_us: float
    restore_us: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--areas", type=int)
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    print(
        "seed  layout       areas  draw ms  model ms  compile ms  contacts  drift mm"
        "  steps/s  copy us  snapshot  restore"
    )
    rows = []
    for seed in range(int(first), int(last or first) + 1):
        layout, costs = measured(seed, arguments.areas)
        rows.append(astuple(costs))
        _print(f"{seed:4}  {layout:11}", costs)
    table = np.array(rows)
    _print("      median     ", Costs(*np.median(table, axis=0)))
    _print("      largest    ", Costs(*table.max(axis=0)))
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def measured(seed: int, areas: int | None) -> tuple[str, Costs]:
    """The layout and the costs of one kitchen."""
    rng = np.random.default_rng([seed, 5])
    names = [name for name in kinds() if kind(name).graspable]
    chosen = [names[int(rng.integers(len(names)))] for _ in range(_THINGS)]
    times = [time.process_time()]
    kitchen = draw_kitchen(seed, areas=areas)
    things = scatter(kitchen, chosen, seed)
    times.append(time.process_time())
    spec = model_of(kitchen, things)
    times.append(time.process_time())
    model = spec.compile()
    times.append(time.process_time())
    shapes = {thing.name: kind(thing.kind).shape for thing in things}
    world = MujocoRoom(model, kitchen.fronts, kitchen.spaces, shapes, kitchen.buttons)
    world.start(start_of(kitchen))
    for _ in range(_SETTLE_TICKS):
        world.step()
    before = np.array([world.thing(name).position for name in shapes])
    begin = time.process_time()
    mujoco.mj_step(model, world.data, _REST_TICKS * _STEPS_A_TICK)
    seconds = time.process_time() - begin
    after = np.array([world.thing(name).position for name in shapes])
    draw, made, compiled = np.diff(times) * 1e3
    room = mujoco.MjData(model)
    kept = world.snapshot()
    return kitchen.layout, Costs(
        len(kitchen.areas),
        float(draw),
        float(made),
        float(compiled),
        _contacts(world),
        float(np.linalg.norm(after - before, axis=1).max() * 1e3),
        _REST_TICKS * _STEPS_A_TICK / seconds,
        _micros(lambda: mujoco.mj_copyData(room, model, world.data)),
        _micros(world.snapshot),
        _micros(lambda: world.restore(kept)),
    )


def _micros(do: Callable[[], object]) -> float:
    """The median CPU microseconds of a call."""
    times = [time.process_time_ns()]
    for _ in range(_CALLS):
        do()
        times.append(time.process_time_ns())
    return float(np.median(np.diff(times))) / 1e3


def _contacts(world: MujocoRoom) -> int:
    """All contacts: those among sleepers are not in the data of a model with sleep."""
    world.model.opt.enableflags = 0
    awake = mujoco.MjData(world.model)
    awake.qpos[:] = world.data.qpos
    mujoco.mj_forward(world.model, awake)
    return int(awake.ncon)


def _print(what: str, costs: Costs) -> None:
    print(
        f"{what}  {costs.areas:5.0f}  {costs.draw_ms:7.1f}  {costs.model_ms:8.1f}"
        f"  {costs.compile_ms:10.1f}  {costs.contacts:8.0f}  {costs.drift_mm:8.4f}"
        f"  {costs.steps_per_s:7.0f}  {costs.copy_us:7.1f}  {costs.snapshot_us:8.1f}"
        f"  {costs.restore_us:7.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()

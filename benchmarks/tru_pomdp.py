"""`tru_pomdp` with a stand-in whose errors are set: success over p and q, and what it costs.

    .venv/bin/python benchmarks/tru_pomdp.py surface --out FOLDER [--tasks 20] [--level hard]
    .venv/bin/python benchmarks/tru_pomdp.py policies

`surface` plays each level with every p and q of 0, 0.5 and 1 (see stand_ins/scripted/asked.py)
and prints a row each; what is in the folder already is not played again. It is a check of the
mechanism: the stand-in knows the goal and where things lie. `policies` compares how fast
kitchens are searched with the built-in rollout policy, with one that is written in the policy
language, and with random actions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from peephole.episodes.recording import episode_files
from peephole.planners.kits.belief.search.compiled.despot import CompiledDespot
from peephole.planners.kits.belief.search.kitchen import RolloutPolicy
from peephole.planners.kits.belief.search.protocol import Limits
from peephole.planners.tru_pomdp.policy import RandomPolicy, WrittenPolicy
from peephole.stand_ins.scripted.answers.kitchens import POLICY

ROOT = Path(__file__).parents[1]
LEVELS = ("easy", "medium", "hard")
VALUES = (0.0, 0.5, 1.0)
SIMULATIONS, DECISIONS = 100, 20


def surface(out: Path, tasks: int, levels: list[str], values: list[float]) -> None:
    """Print a row for each level, p and q."""
    print("| level | p | q | success % | reward | steps | tokens | asked again a step | s a step |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for level in levels:
        for p in values:
            for q in values:
                folder = out / f"{level}-p{p:g}-q{q:g}"
                found = played(folder, level, f"scripted:p={p:g},q={q:g}", tasks)
                print(f"| {level} | {p:g} | {q:g} | {row(found['results'], folder)} |", flush=True)


def played(folder: Path, level: str, model: str, tasks: int) -> dict[str, Any]:
    """What a run says as JSON, continued where it was begun."""
    what = ["--resume"] if (folder / "run.json").exists() else []
    if not what:
        what = ["--suite", f"kitchens:{level}", "--planner", "tru_pomdp", "--model", model]
        what += ["--tasks", str(tasks)]
    command = [sys.executable, "-m", "peephole", "run", *what, "--out", str(folder), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(results: dict[str, Any], folder: Path) -> str:
    """The figures of a run."""
    again, own = [], []
    for path in episode_files(folder):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        notes = list(_beliefs(lines))
        again.append(sum(note["replenished"] for note in notes) / max(1, len(notes)))
        result = lines[-1]["result"]
        own.append(result["planning_s"] / max(1, result["steps"]))
    figures = [
        f"{100 * results['gsr']['mean']:.0f}",
        f"{results['reward']['mean']:.0f}",
        f"{results['limit_steps']['mean']:.1f}",
        f"{results['tokens']['mean']:.0f}",
        f"{statistics.mean(again):.2f}",
        f"{statistics.median(own):.2f}",
    ]
    return " | ".join(figures)


def _beliefs(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for line in lines:
        decision = line.get("decision") or {}
        if decision.get("name") == "belief":
            yield decision["data"]


def policies() -> None:
    """Print simulations a CPU-second by rollout policy."""
    sys.path.insert(0, str(ROOT / "tests" / "planners" / "kits" / "belief" / "search"))
    from kitchens import random_kitchen  # type: ignore[import-not-found]

    builtin = 0.0
    named: list[tuple[str, RolloutPolicy | None]] = [
        ("built-in", None),
        ("written", WrittenPolicy(POLICY)),
        ("random", RandomPolicy()),
    ]
    for name, policy in named:
        kitchen, belief = random_kitchen(0)
        kitchen.policy = policy
        solver = CompiledDespot(kitchen.compiled())
        solver.search(belief, 0, Limits(simulations=1))
        start = time.process_time()
        steps = sum(
            solver.search(belief, seed, Limits(simulations=SIMULATIONS)).steps
            for seed in range(DECISIONS)
        )
        speed = steps / (time.process_time() - start)
        builtin = builtin or speed
        print(f"{name}: {speed:,.0f} steps of the world a CPU-second, {speed / builtin:.2f}")


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("surface", "policies"))
    parser.add_argument("--out", type=Path, help="the folder of the runs of `surface`")
    parser.add_argument("--tasks", type=int, default=20, help="of each level")
    parser.add_argument("--level", action="append", choices=LEVELS, help="all by default")
    parser.add_argument("--value", action="append", type=float, help="of p and q; 0, 0.5 and 1")
    given = parser.parse_args()
    if given.what == "policies":
        policies()
    elif given.out is None:
        parser.error("surface needs --out")
    else:
        values = given.value or list(VALUES)
        surface(given.out, given.tasks, given.level or list(LEVELS), values)


if __name__ == "__main__":
    main()

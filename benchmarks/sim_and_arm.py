"""Plays the recorded pair of docs/howto/simulation_and_reality.md and prints its figures.

    .venv/bin/python benchmarks/sim_and_arm.py --out runs/pair [--as-is]

No real robot is in it: contact physics with coarse sensors (grids/arm_coarse.yaml, MuJoCo) plays
the real arm, and a block world by rules (grids/arm_simulated.yaml) its simulation. The model is the
stand-in `scripted`, so that the pair checks a mechanism. What is there already is not played again.

Under the first seed, the failures that the simulation lacks are counted and written to
OUT/calibration.yaml; the simulation is played with them under other seeds and compared with the arm
under its second seed, in which nothing was counted. Without failures the simulation is the same
under every seed, so that it is played under one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from peephole.episodes.faults import read_faults, write_faults
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import is_run, read_run, run_folders
from peephole.episodes.runner import new_run, play
from peephole.results.compare.calibration import calibration_of
from peephole.results.compare.comparison import Comparison, compare
from peephole.results.compare.page import headlines
from peephole.results.statistics.agreement import Agreement
from peephole.results.statistics.predictions import PredictionPowered

ROOT = Path(__file__).parents[1]
GRIDS = {"sim": "arm_simulated.yaml", "arm": "arm_coarse.yaml"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of all recordings")
    parser.add_argument("--seeds", type=int, default=2, help="of the simulation with failures")
    parser.add_argument("--as-is", action="store_true", help="play no more of the pair itself")
    options = parser.parse_args()
    out = options.out.resolve()
    if not options.as_is:
        for side in GRIDS:
            play_grid(side, out / side)
    sim = run_folders(out / "sim")
    arm = runs_by_seed(out / "arm")
    first, held_out = sorted(arm)[:2]
    calibration = out / "calibration.yaml"
    write_faults(calibration, calibration_of(compare(sim, arm[first])))
    calibrated = [
        play_with_faults(run, arm[held_out][0], calibration, seed, out / "calibrated")
        for seed in range(held_out, held_out + options.seeds)
        for run in sim
        if read_run(run).config.label in {read_run(each).config.label for each in arm[held_out]}
    ]
    tell(f"Seed {first}, the simulation as it is", compare(sim, arm[first]))
    before, after = compare(sim, arm[held_out]), compare(calibrated, arm[held_out])
    tell(f"Seed {held_out}, the simulation as it is", before)
    tell(f"Seed {held_out}, with the failures counted in seed {first}", after)
    gaps = skill_gap(before), skill_gap(after)
    print(
        f"Per-skill gap under the held-out seed: {100 * gaps[0]:.1f} points without and "
        f"{100 * gaps[1]:.1f} with the failures: {1 - gaps[1] / gaps[0]:.0%} less."
    )


def play_grid(side: str, out: Path) -> None:
    """Play, or continue, one side."""
    command = [sys.executable, "-m", "peephole", "run", "--grid", str(ROOT / "grids" / GRIDS[side])]
    command += ["--data", str(ROOT / "grids/coarse_arm.json")]
    subprocess.run([*command, "--out", str(out)], check=True, cwd=ROOT)


def runs_by_seed(folder: Path) -> dict[int, list[Path]]:
    found: dict[int, list[Path]] = {}
    for run in run_folders(folder):
        found.setdefault(read_run(run).config.seed, []).append(run)
    return found


def play_with_faults(source: Path, arm: Path, calibration: Path, seed: int, out: Path) -> Path:
    """The run of `source` with failures put in, on the arm's tasks and under another seed."""
    folder = out / f"{source.name}-with-{seed}"
    faults, tasks = read_faults(calibration), read_run(arm).config.tasks
    run = resolve(replace(read_run(source).config, seed=seed, tasks=tasks, faults=faults))
    with nullcontext() if is_run(folder) else new_run(run, folder):
        for _ in play(run, folder):
            pass
    return folder


def skill_gap(found: Comparison) -> float:
    """The mean distance of skills' success rates, weighted by the real side's tries."""
    both = [each for each in found.skills if each.gap is not None and each.real is not None]
    tries = sum(each.real.tries for each in both if each.real)
    distances = sum(
        abs(each.gap.value) * each.real.tries for each in both if each.gap and each.real
    )
    return distances / tries


def tell(title: str, found: Comparison) -> None:
    print(f"\n{title}")
    for line in headlines(found):
        print(f"  {line}")
    for skill in found.skills:
        rates = [
            f"{side.rate.mean:.1%} of {side.tries}" if side else "-"
            for side in (skill.sim, skill.real)
        ]
        gap = "" if skill.gap is None else f", difference {skill.gap.text(100, 1)} points"
        print(f"  {skill.skill}: {rates[0]} and {rates[1]}{gap}")
    print(f"  agreement: {_agreement(found.agreement)}")
    for name, without in found.without.items():
        print(f"  without {name}: {_agreement(without)}")
    for planner in found.planners:
        print(
            f"  {planner.name}: {planner.sim.success.mean:.1%} and {planner.real.success.mean:.1%} "
            f"of {planner.pairs}; real, prediction-powered: {_powered(planner.powered)}"
        )
    print(f"  mean of all planners, prediction-powered: {_powered(found.powered)}")


def _agreement(found: Agreement | str) -> str:
    if isinstance(found, str):
        return found
    texts: Sequence[str] = [
        "unknown" if each is None else each.text() for each in (found.srcc, found.spearman)
    ]
    return f"SRCC {texts[0]}, Spearman {texts[1]}, MMRV {found.mmrv.text(digits=3)}"


def _powered(found: PredictionPowered | str) -> str:
    if isinstance(found, str):
        return found
    alone = found.alone.text(100, 1)
    return f"{found.interval.text(100, 1)}, alone {alone}, {found.narrower:.0%} narrower"


if __name__ == "__main__":
    main()

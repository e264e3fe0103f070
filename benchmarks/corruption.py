"""How planners bear a model's errors: success over their rate, with the stand-in `scripted`.

    .venv/bin/python benchmarks/corruption.py --out runs/corruption [--tasks 50] [--workers 2]

Every planner of `--planners` (NAME or NAME@DIALECT) plays the same tasks of a suite with every rate
of errors, spread evenly over malformed replies, illegal actions, invented objects, wrong subgoals
and early stops. Runs are kept in the folder and continued there. Printed are the GSR with its 95 %
interval and what must not be: episodes without a result, planners that broke, recordings that are
damaged. The curves are drawn. The stand-in is no language model: this is a mechanism check.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig, read_run
from peephole.episodes.runner import play, results_of, start_run
from peephole.models.config import ModelConfig
from peephole.results.metrics import summarize
from peephole.results.statistics.estimates import Estimate
from peephole.results.tables.rows import run_document
from peephole.suites.registry import load_suite

PLANNERS = (
    "react",
    "reactree",
    "reflexion@llm_state",
    "llm_state",
    "inner_monologue@llm_state",
    "progprompt",
    "zsp",
    "tree_planner",
)
COLOURS = (
    "#c0392b",
    "#2471a3",
    "#1e8449",
    "#7d3c98",
    "#b9770e",
    "#117a65",
    "#566573",
    "#cb4335",
)


@dataclass(frozen=True)
class Point:
    """One planner at one rate. lost: episodes without a result, or damaged. broken: planners'."""

    gsr: Estimate
    episodes: int
    lost: int
    broken: int


def spread(suite: str, count: int) -> tuple[str, ...]:
    """So many tasks of a suite, evenly over its order."""
    tasks = [task.id for task in load_suite(suite).tasks]
    count = min(count, len(tasks))
    return tuple(tasks[i * len(tasks) // count] for i in range(count))


def played(
    suite: str, planner: str, rate: float, tasks: tuple[str, ...], folder: Path, workers: int
) -> Point:
    model = f"scripted:errors={rate:g}" if rate else "scripted"
    models = {"planner": ModelConfig(name=model)}
    if (folder / "run.json").exists():
        run = resolve(read_run(folder).config)
    else:
        name, _, dialect = planner.partition("@")
        run = resolve(
            RunConfig(suite=suite, planner=name, dialect=dialect, tasks=tasks, models=models)
        )
        start_run(run, folder)
    for _ in play(run, folder, workers):
        pass
    results = results_of(folder)
    document = run_document(folder)
    return Point(
        gsr=summarize(results)["gsr"],
        episodes=len(results),
        lost=len(run.config.tasks) - len(results) + len(document["damage"]),
        broken=sum(result.ended == "planner_error" for result in results),
    )


def drawn(curves: dict[str, dict[float, Point]], rates: list[float]) -> str:
    """Success over the rate of errors, a line a planner."""
    width, height, left, right, bottom = 720, 400, 60, 540, 340

    def x(rate: float) -> float:
        return left + (right - left) * rate / max(rates[-1], 1e-9)

    def y(share: float) -> float:
        return bottom - (bottom - 30) * share

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13"><rect width="{width}" height="{height}" '
        f'fill="white"/>'
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(
            f'<line x1="{left}" x2="{right}" y1="{y(share):.0f}" y2="{y(share):.0f}" '
            f'stroke="#ddd"/><text x="{left - 8}" y="{y(share) + 4:.0f}" '
            f'text-anchor="end">{share:.0%}</text>'
        )
    for rate in rates:
        parts.append(
            f'<text x="{x(rate):.0f}" y="{bottom + 18}" text-anchor="middle">{rate:.0%}</text>'
        )
    parts.append(
        f'<text x="{(left + right) / 2:.0f}" y="{bottom + 40}" text-anchor="middle">rate of errors '
        f"in the stand-in's replies; upwards: GSR</text>"
    )
    for row, (planner, points) in enumerate(curves.items()):
        colour = COLOURS[row % len(COLOURS)]
        line = " ".join(f"{x(rate):.1f},{y(p.gsr.mean):.1f}" for rate, p in points.items())
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for rate, point in points.items():
            at = x(rate) + 3 * (row - len(curves) / 2)
            low, high = point.gsr.bounds or (point.gsr.mean, point.gsr.mean)
            parts.append(
                f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(low):.1f}" '
                f'y2="{y(high):.1f}" stroke="{colour}" opacity="0.45"/>'
            )
        parts.append(f'<text x="{right + 16}" y="{44 + 20 * row}" fill="{colour}">{planner}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="household")
    parser.add_argument("--planners", default=",".join(PLANNERS))
    parser.add_argument("--rates", default="0,0.05,0.1,0.2,0.4")
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--picture", type=Path, help="where to draw it, as .svg")
    options = parser.parse_args()
    rates = sorted(float(rate) for rate in options.rates.split(","))
    tasks = spread(options.suite, options.tasks)
    curves: dict[str, dict[float, Point]] = {}
    print(f"{'planner':26}{'rate':>6}{'n':>5}{'GSR %':>8}{'interval':>16}{'lost':>6}{'broken':>8}")
    for planner in options.planners.split(","):
        for rate in rates:
            folder = options.out / planner / f"{rate:g}"
            point = played(options.suite, planner, rate, tasks, folder, options.workers)
            curves.setdefault(planner, {})[rate] = point
            mean, interval = point.gsr.lines(100)
            print(
                f"{planner:26}{rate:6.0%}{point.episodes:5}{mean:>8}"
                f"{interval:>16}{point.lost:6}{point.broken:8}",
                flush=True,
            )
    if options.picture is not None:
        options.picture.write_text(drawn(curves, rates))
        print(f"Drawn: {options.picture}")
    points = [point for each in curves.values() for point in each.values()]
    return int(any(point.lost or point.broken for point in points))


if __name__ == "__main__":
    sys.exit(main())

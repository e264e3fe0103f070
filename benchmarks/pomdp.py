"""The belief search in figures: simulations, particles, steps, times, memory.

    .venv/bin/python benchmarks/pomdp.py [--rounds 5] [--against .venv-pomdp/bin/python]
        [--picture FILE.svg]

Speeds are by CPU-seconds of one process. With `--against`, a Python that has pomdp_py, its POUCT
and ours take turns at RockSample(7, 8): the same map, depth, discount and exploration, random
rollouts, one decision from the first belief each; the figures are medians over the rounds, and of
the ratios within a round. The kitchens are those of the search's tests (`kitchens.py` there): three
goals of three objects, three areas for each of them that is out of sight.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from math import ceil, floor, log10
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "planners" / "kits" / "belief" / "search"))

from kitchens import random_kitchen  # type: ignore[import-not-found]  # noqa: E402
from rocksample import RockSample  # type: ignore[import-not-found]  # noqa: E402

from peephole.planners.kits.belief.search.compiled.despot import CompiledDespot  # noqa: E402
from peephole.planners.kits.belief.search.compiled.pomcp import CompiledPomcp  # noqa: E402
from peephole.planners.kits.belief.search.protocol import (  # noqa: E402  # noqa: E402
    DespotOptions,
    Limits,
    PomcpOptions,
    SearchResult,
)

DEPTH = 20
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#999999")
#: Simulations of one decision: ours, pomdp_py with a Python and with its Cython model.
OURS, PYTHON, CYTHON = 200_000, 3_000, 15_000


def timed(solver: Any, belief: Any, seed: int, limits: Limits) -> tuple[SearchResult, float]:
    """A decision and the CPU-seconds that it took."""
    start = time.process_time()
    result = solver.search(belief, seed, limits)
    return result, time.process_time() - start


def simulations(rounds: int, against: str | None) -> None:
    """POMCP and POUCT by turns."""
    problem = RockSample()
    options = PomcpOptions(depth=DEPTH, rollout=DEPTH, exploration=10, random_rollouts=True)
    solver = CompiledPomcp(problem.compiled(), options)
    belief = problem.first_belief()
    solver.search(belief, 0, Limits(simulations=10))
    ours, python, cython = [], [], []
    for number in range(rounds):
        result, seconds = timed(solver, belief, number, Limits(simulations=OURS))
        ours.append(result.simulations / seconds)
        if against:
            python.append(pouct(against, "python", PYTHON, number))
            cython.append(pouct(against, "cython", CYTHON, number))
    print(f"POMCP on RockSample(7, 8): {median(ours):,.0f} simulations a CPU-second")
    for kind, others in (("a Python model", python), ("its Cython model", cython)):
        if others:
            ratio = median(a / b for a, b in zip(ours, others, strict=True))
            print(f"  pomdp_py's POUCT with {kind}: {median(others):,.0f}; ours {ratio:.1f} times")


def pouct(python: str, kind: str, count: int, seed: int) -> float:
    """pomdp_py's simulations a CPU-second, in a process of its own."""
    script = str(ROOT / "benchmarks" / "pomdp_py_rocksample.py")
    done = subprocess.run(
        [python, script, kind, str(count), str(DEPTH), str(seed)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout.splitlines()[-1])["per_cpu_s"])


def tree_particles(rounds: int) -> None:
    """Particles that DESPOT puts into its tree, with the default bounds of the C++ solver.

    Those are the value of leaving at once, here as a rollout of no steps, and the value with all
    rocks known; 500 scenarios. The C++ solver counts the particles of nodes that were expanded.
    """
    problem = RockSample()
    options = DespotOptions(scenarios=500, depth=90, rollout=0, regularisation=0)
    solver = CompiledDespot(problem.compiled(), options)
    belief = problem.first_belief()
    solver.search(belief, 0, Limits(simulations=2))
    particles, nodes = [], []
    for number in range(rounds):
        result, seconds = timed(solver, belief, number, Limits(simulations=1000))
        particles.append(result.particles / seconds)
        nodes.append(result.nodes / seconds)
    print(
        f"DESPOT on RockSample(7, 8), 500 scenarios: {median(particles) / 1e6:.2f} million tree "
        f"particles and {median(nodes):,.0f} nodes a CPU-second"
    )


def decisions(rounds: int) -> None:
    """Decisions in kitchens of 40 areas, with the paper's search."""
    print("Kitchens, 40 areas, 29 closed, 30 scenarios, depth 20, rollouts of 10:")
    for count in (1, 3, 10, 30, 100):
        results, seconds = [], []
        for number in range(4 * rounds):
            kitchen, belief = random_kitchen(number)
            solver = CompiledDespot(kitchen.compiled())
            solver.search(belief, 0, Limits(simulations=1))
            result, took = timed(solver, belief, number, Limits(simulations=count))
            results.append(result)
            seconds.append(took)
        steps = sum(result.steps for result in results) / sum(seconds) / 1e6
        gap = median((result.upper_bound or 0) - result.value for result in results)
        print(
            f"  {count:4} simulations: median {1000 * median(seconds):.1f} ms, most "
            f"{1000 * max(seconds):.1f} ms, gap {gap:.0f}, {steps:.1f} million steps a CPU-second"
        )


def growth(rounds: int, picture: Path | None) -> None:
    """How a decision of ten simulations grows with areas and with scenarios together."""
    print("Growth of a decision of 10 simulations (ms, CPU):")
    took = {
        areas: {
            scenarios: 1000 * median(grown(n, areas, scenarios) for n in range(rounds))
            for scenarios in (30, 100, 300, 1000, 3000)
        }
        for areas in (40, 100, 200, 400)
    }
    for areas, by_scenarios in took.items():
        times = ", ".join(f"{count}: {ms:.0f}" for count, ms in by_scenarios.items())
        print(f"  {areas} areas, by scenarios: {times}")
    if picture is not None:
        picture.write_text(drawn(took), encoding="utf-8")


def grown(seed: int, areas: int, scenarios: int) -> float:
    """The CPU-seconds of one decision."""
    kitchen, belief = random_kitchen(seed, areas=areas, closed=areas * 29 // 40)
    solver = CompiledDespot(kitchen.compiled(), DespotOptions(scenarios=scenarios))
    solver.search(belief, 0, Limits(simulations=1))
    return timed(solver, belief, seed, Limits(simulations=10))[1]


def drawn(took: dict[int, dict[int, float]]) -> str:
    """The times over the scenarios, both by powers of ten, a line a number of areas."""
    width, height, left, right, top, bottom = 640, 380, 60, 500, 20, 320
    scenarios = list(took[40])
    linear = {count: took[40][scenarios[0]] * count / scenarios[0] for count in scenarios}
    times = [ms for each in (*took.values(), linear) for ms in each.values()]
    low, high = floor(log10(min(times))), ceil(log10(max(times)))
    span = log10(scenarios[-1] / scenarios[0])

    def x(count: int) -> float:
        return left + (right - left) * log10(count / scenarios[0]) / span

    def y(ms: float) -> float:
        return bottom - (bottom - top) * (log10(ms) - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13"><rect width="{width}" height="{height}" '
        f'fill="white"/>'
    ]
    for power in range(low, high + 1):
        at = y(10**power)
        parts.append(
            f'<line x1="{left}" x2="{right}" y1="{at:.0f}" y2="{at:.0f}" stroke="#ddd"/>'
            f'<text x="{left - 8}" y="{at + 4:.0f}" text-anchor="end">{10**power:,}</text>'
        )
    for count in scenarios:
        parts.append(
            f'<text x="{x(count):.0f}" y="{bottom + 18}" text-anchor="middle">{count:,}</text>'
        )
    parts.append(
        f'<text x="{(left + right) / 2:.0f}" y="{bottom + 42}" text-anchor="middle">scenarios; '
        f"upwards: CPU-milliseconds of a decision of 10 simulations</text>"
    )
    lines = {f"{areas} areas": each for areas, each in took.items()} | {"linear": linear}
    for row, (name, each) in enumerate(lines.items()):
        colour = COLOURS[row]
        points = " ".join(f"{x(count):.1f},{y(ms):.1f}" for count, ms in each.items())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        parts.append(f'<text x="{right + 16}" y="{40 + 20 * row}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", help="a Python that has pomdp_py")
    parser.add_argument("--picture", type=Path, help="where to plot the growth, as .svg")
    given = parser.parse_args()
    simulations(given.rounds, given.against)
    tree_particles(given.rounds)
    decisions(given.rounds)
    growth(given.rounds, given.picture)
    # In KiB on Linux.
    print(f"Memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

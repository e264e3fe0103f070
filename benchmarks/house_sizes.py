"""What a step costs in houses of 100 to 10,000 nodes.

    .venv/bin/python benchmarks/house_sizes.py

The house `house:1` with ever more rooms. A step is an errand of `steps.py`, with the view under the
profile `near` and its text; beside it stands the copy of the true state that an episode also takes
after each step, for its score. Medians of rounds, which go through all houses in turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from math import log2
from pathlib import Path

from steps import errands, ours

from peephole.adapters.scenes import load_scene
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.graph import SceneGraph

ROOMS = (3, 6, 12, 25, 50, 100, 200, 375)
STEPS = 400
LINES = {
    "step, view and text": "#1f6f8b",
    "copy of the true state": "#c0603a",
    "visible nodes": "#777777",
}


def copying(house: SceneGraph) -> float:
    """Seconds for one copy, as the caller of `Adapter.graph` gets it."""
    began = time.process_time()
    for _ in range(50):
        house.copy()
    return (time.process_time() - began) / 50


def drawn(nodes: list[int], lines: dict[str, list[float]]) -> str:
    """The picture: nodes of the house to the right, microseconds (or nodes) upwards, both log."""
    width, height, left, bottom = 640, 400, 60, 350

    def x(value: float) -> float:
        return left + (log2(value) - log2(100)) / (log2(10_000) - log2(100)) * (width - left - 30)

    def y(value: float) -> float:
        return bottom - log2(value) / log2(10_000) * (bottom - 50)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for value in (1, 10, 100, 1000, 10_000):
        parts.append(
            f'<line x1="{left}" x2="{width - 30}" y1="{y(value):.1f}" y2="{y(value):.1f}" '
            f'stroke="#ddd"/><text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">'
            f"{value:,}</text>"
        )
    for value in (100, 1000, 10_000):
        parts.append(
            f'<text x="{x(value):.1f}" y="{bottom + 18}" text-anchor="middle">{value:,}</text>'
        )
    parts.append(
        f'<text x="{(left + width) / 2:.0f}" y="{bottom + 38}" text-anchor="middle">'
        f"nodes of the house</text>"
    )
    for row, (name, values) in enumerate(lines.items()):
        points = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in zip(nodes, values, strict=True))
        unit = "" if name == "visible nodes" else ", us"
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{LINES[name]}" stroke-width="2"/>'
            f'<text x="{left + 10 + row * 180}" y="28" fill="{LINES[name]}">{name}{unit}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--picture", type=Path, help="where to draw it, as .svg")
    options = parser.parse_args()
    houses = [load_scene(f"house:1?rooms={rooms}") for rooms in ROOMS]
    scripts = [errands(house, STEPS) for house in houses]
    measured: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in houses])
    for _ in range(options.rounds):
        for i, (house, script) in enumerate(zip(houses, scripts, strict=True)):
            measured["step, view and text"][i].append(1e6 * ours(house, script) / STEPS)
            measured["copy of the true state"][i].append(1e6 * copying(house))
    lines = {
        name: [statistics.median(times) for times in found] for name, found in measured.items()
    }
    lines["visible nodes"] = [len(visible(house, Visibility.NEAR).graph) for house in houses]
    nodes = [len(house) for house in houses]
    print(f"{'nodes':>7}{'rooms':>7}" + "".join(f"{name:>25}" for name in lines))
    for i, count in enumerate(nodes):
        row = "".join(f"{values[i]:25,.1f}" for values in lines.values())
        print(f"{count:7,}{ROOMS[i]:7}{row}")
    if options.picture is not None:
        options.picture.write_text(drawn(nodes, lines))
        print(f"Drawn: {options.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Time, decisions and tokens of runs over the tasks that all solved (ReAcTree's Tables 5 and 6).

    .venv/bin/python benchmarks/cost.py RUN RUN … [--picture FILE.svg] [--model FILE.gguf]

Tokens are counted again by a real tokenizer, that of SmolLM2-135M without --model, because a
stand-in tells only about how many it read. Seconds are those of planner, model and simulator
together; of a stand-in they say nothing. Drawn is the longest input of each solved task over its
decisions.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from prompt_tokens import Tokenizer, questions

from peephole.episodes.events import result_among
from peephole.episodes.recording import episode_path, read_episode
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import read_run
from peephole.models import local
from peephole.models.served_model import ServeOptions

COLOURS = ("#c0392b", "#2471a3", "#1e8449", "#7d3c98", "#b9770e")


@dataclass(frozen=True)
class Cost:
    """What one episode took. inputs, outputs: tokens of each question."""

    result: EpisodeResult
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def seconds(self) -> float:
        return self.result.planning_s + self.result.model_s + self.result.duration_s

    @property
    def peak(self) -> int:
        return max(self.inputs, default=0)


def solved(folder: Path) -> dict[str, Path]:
    """The files of the episodes that succeeded, by task and repeat."""
    found = {}
    for episode in read_run(folder).config.episodes:
        path = episode_path(folder, episode.number, episode.task)
        result = result_among(read_episode(path)) if path.exists() else None
        if result is not None and result.success:
            found[f"{episode.task} {episode.repeat}"] = path
    return found


def cost_of(path: Path, tokenizer: Tokenizer) -> Cost:
    asked = list(questions(path))
    result = result_among(read_episode(path))
    assert result is not None
    return Cost(
        result,
        tuple(len(tokenizer.prompt(messages)) for _, messages, _ in asked),
        tuple(len(tokenizer.tokens(reply)) for _, _, reply in asked),
    )


def spread(values: Sequence[float]) -> str:
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):,.1f} (± {deviation:,.1f})"


def drawn(costs: dict[str, list[Cost]]) -> str:
    """A point an episode: its longest input over its decisions."""
    width, height, left, bottom = 640, 380, 70, 330
    all_costs = [cost for each in costs.values() for cost in each]
    most = max(cost.result.decisions for cost in all_costs) * 1.05
    peak = max(cost.peak for cost in all_costs) * 1.05
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13"><rect width="{width}" height="{height}" '
        f'fill="white"/>'
    ]
    for part in range(5):
        tokens, y = peak * part / 4, bottom - (bottom - 50) * part / 4
        parts.append(
            f'<line x1="{left}" x2="{width - 20}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>'
            f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{tokens:,.0f}</text>'
        )
        decisions, x = most * part / 4, left + (width - 20 - left) * part / 4
        parts.append(
            f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{decisions:.0f}</text>'
        )
    parts.append(
        f'<text x="{(left + width) / 2:.0f}" y="{bottom + 38}" text-anchor="middle">decisions of '
        f"the episode; upwards: tokens of its longest input</text>"
    )
    for row, (name, each) in enumerate(costs.items()):
        colour = COLOURS[row % len(COLOURS)]
        parts.append(f'<text x="{left + 10 + row * 180}" y="28" fill="{colour}">{name}</text>')
        for cost in each:
            x = left + (width - 20 - left) * cost.result.decisions / most
            y = bottom - (bottom - 50) * cost.peak / peak
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}" opacity="0.7"/>'
            )
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--model", default="", help="a GGUF file; its tokenizer is used")
    parser.add_argument("--picture", type=Path, help="where to draw it, as .svg")
    options = parser.parse_args()
    files = {run: solved(run) for run in options.runs}
    tasks = sorted(set.intersection(*(set(found) for found in files.values())))
    if not tasks:
        print("No task was solved in all of these runs.", file=sys.stderr)
        return 1
    costs: dict[str, list[Cost]] = {}
    with local.serve(ServeOptions(argument=options.model)) as endpoint:
        tokenizer = Tokenizer(endpoint)
        for run, found in files.items():
            costs[run.name] = [cost_of(found[task], tokenizer) for task in tasks]
    print(f"{len(tasks)} tasks that all runs solved\n")
    for label, each in costs.items():
        inputs = [tokens for cost in each for tokens in cost.inputs]
        outputs = [tokens for cost in each for tokens in cost.outputs]
        print(label)
        print(f"  seconds          {statistics.mean(c.seconds for c in each):10,.1f}")
        print(f"  decisions        {statistics.mean(c.result.decisions for c in each):10,.1f}")
        print(f"  input, most      {max(inputs):10,}")
        print(f"  input, a question     {spread(inputs)}")
        print(f"  output, a question    {spread(outputs)}")
    if options.picture is not None:
        options.picture.write_text(drawn(costs))
        print(f"\nDrawn: {options.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

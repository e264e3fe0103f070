"""How fast the embedded server answers the episodes of one and of two workers.

    .venv/bin/python benchmarks/local_model.py [--model local] [--threads 1,2] [--tasks 4]

Plays the first steps of the same tasks with `react` on the local model, and prints replies a second
(of the whole run, without the loading of the model), uncached input tokens a step, and how long the
model took to start. The settings take turns, for other work on the machine changes all of them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel

from peephole.episodes.recording import read_events
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.episodes.runner import play, results_of, start_run
from peephole.models.config import ModelConfig
from peephole.models.events import ModelReplied
from peephole.models.serving import ModelStart
from peephole.planners.contract import Brief, Decisions, Done, Percept, Planner
from peephole.planners.react.planner import plan as react


class Options(BaseModel):
    """steps: actions of an episode."""

    steps: int = 4


def first_steps(brief: Brief, percept: Percept) -> Decisions:
    """What react does until it has acted often enough."""
    turns = react(replace(brief, options=None), percept)
    decision = next(turns)
    steps = brief.options_of(Options).steps
    while percept.step < steps and not isinstance(decision, Done):
        percept = yield decision
        decision = turns.send(percept)


FIRST_STEPS = Planner(
    "first_steps",
    "react, cut short",
    first_steps,
    dialects=("reactree",),
    models=("planner",),
    options=Options,
)


@dataclass(frozen=True)
class Measured:
    """What came of one run. fresh: uncached input tokens."""

    replies: int
    seconds: float
    fresh: int
    steps: int
    start_s: float


def measured(
    suite: str, model: ModelConfig, tasks: int, steps: int, workers: int, folder: Path
) -> Measured:
    """Play some tasks of a suite in a folder."""
    config = RunConfig(
        suite=suite,
        planner=f"{__file__}:FIRST_STEPS",
        options={"steps": str(steps)},
        models={"planner": model},
    )
    run = resolve(config, str(tasks))
    starts: list[ModelStart] = []
    start_run(run, folder)
    began = time.monotonic()
    for _ in play(run, folder, workers, on_model_start=starts.append):
        pass
    seconds = time.monotonic() - began
    start_s = starts[-1].seconds or 0.0
    replies = [
        event
        for path in (folder / "episodes").glob("*.jsonl")
        for event in read_events(path)
        if isinstance(event, ModelReplied)
    ]
    return Measured(
        replies=len(replies),
        seconds=seconds - start_s,
        fresh=sum(reply.usage.tokens_in - reply.usage.cached for reply in replies),
        steps=sum(result.steps for result in results_of(folder)),
        start_s=start_s,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="local", help="as --model of `peephole run`")
    parser.add_argument("--suite", default="behavior")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--tasks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=12, help="of an episode at most")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=96, help="of a reply at most")
    options = parser.parse_args()
    threads = [int(text) for text in options.threads.split(",")]
    workers = [int(text) for text in options.workers.split(",")]
    print(
        f"{'threads':>7} {'workers':>7} {'replies':>7} {'a second':>8} {'fresh/step':>10} start s"
    )
    for _ in range(options.rounds):
        for of_threads in threads:
            for of_workers in workers:
                model = ModelConfig(
                    options.model, max_tokens=options.tokens, threads=of_threads, attempts=2
                )
                with tempfile.TemporaryDirectory() as folder:
                    found = measured(
                        options.suite,
                        model,
                        options.tasks,
                        options.steps,
                        of_workers,
                        Path(folder) / "run",
                    )
                print(
                    f"{of_threads:7} {of_workers:7} {found.replies:7} "
                    f"{found.replies / found.seconds:8.2f} "
                    f"{found.fresh / max(found.steps, 1):10.0f} {found.start_s:7.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

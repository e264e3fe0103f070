"""What a decision costs apart from the model: planner, client, memory, recording and simulator.

    .venv/bin/python benchmarks/decision_overhead.py [--tasks 3] PLANNER[:KEY=VALUE,…] …

Each planner plays the first tasks of a suite with the stand-in `scripted`, which is a process of
its own. Printed are CPU milliseconds of this process a decision, the median over the episodes, and
the seconds of the planner's own as results have them (`planning_s`).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.episodes.runner import play, start_run
from peephole.models.config import ModelConfig

PLANNERS = (
    "react",
    "react:working_memory=true",
    "reactree",
    "reactree:working_memory=true",
    "reflexion",
)


def measured(suite: str, planner: str, options: dict[str, str], tasks: int) -> tuple[float, float]:
    """Milliseconds a decision: of CPU time in all, and of the planner's own seconds."""
    config = RunConfig(
        suite=suite,
        planner=planner,
        adapter="symbolic",  # what the evolving graph takes is not ours
        options=options,
        models={"planner": ModelConfig(name="scripted")},
    )
    run = resolve(config, str(tasks))
    all_ms, own_ms = [], []
    with tempfile.TemporaryDirectory() as folder:
        start_run(run, Path(folder))
        before = None
        for result in play(run, Path(folder)):
            now = time.process_time()
            if before is not None and result.decisions:  # the first one loads what all use
                all_ms.append(1000 * (now - before) / result.decisions)
                own_ms.append(1000 * result.planning_s / result.decisions)
            before = time.process_time()
    return statistics.median(all_ms), statistics.median(own_ms)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("planners", nargs="*", default=PLANNERS)
    parser.add_argument("--suite", default="wah")
    parser.add_argument("--tasks", type=int, default=3)
    options = parser.parse_args()
    print(f"{'planner':50}{'CPU ms a decision':>20}{'planner':>10}")
    for named in options.planners:
        planner, _, told = named.partition(":")
        pairs = dict(pair.split("=", 1) for pair in told.split(",") if pair)
        all_ms, own_ms = measured(options.suite, planner, pairs, options.tasks)
        print(f"{named:50}{all_ms:20.2f}{own_ms:10.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

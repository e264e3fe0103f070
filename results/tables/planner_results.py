"""The results of planners on suites, all runs and seeds together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...episodes.recording import episode_path
from ...episodes.result import EpisodeResult
from ...episodes.run_file import read_run
from ...episodes.runner import finished_result
from ...errors import BadInput
from ..statistics.pairs import Key

#: Results by planner, suite, and task with seed.
PlannerResults = dict[str, dict[str, dict[Key, EpisodeResult]]]


def planner_results(runs: Iterable[Path]) -> PlannerResults:
    """The finished episodes of runs, voided ones included.

    Raises BadInput where two runs have the same episode of the same planner.
    """
    found: PlannerResults = {}
    for run in runs:
        content = read_run(run)
        label, suite = content.label, content.config.suite
        together = found.setdefault(label, {}).setdefault(suite, {})
        for episode in content.config.episodes:
            key = episode.task, episode.seed
            result = finished_result(episode_path(run, episode.number, episode.task))
            if result is None:
                continue
            if key in together:
                raise BadInput(
                    f"Two runs of {label} on {suite} have the same tasks and seeds; "
                    f"leave {run} out."
                )
            together[key] = result
    return found

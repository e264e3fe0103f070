"""The order of a grid's episodes."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path

from peephole.episodes.run_file import RunConfig
from peephole.grids.stopping import interleaved
from peephole.results.papers import Grid, runs_of

GRID = Grid.model_validate(
    {
        "title": "",
        "suites": ["houses", "robothow"],
        "planners": [{"planner": "explore"}, {"planner": "random"}],
        "seeds": [0, 10],
        "repeats": 2,
    }
)
TASKS = {"houses": 4, "robothow": 8}


def _played() -> list[tuple[str, str, str, int]]:
    """Suite, task, row and seed of the episodes in their order."""
    runs = list(runs_of(GRID, Path("out")))
    configs = [
        RunConfig(
            run.suite,
            run.row.planner.planner,
            tuple(f"{run.suite}-{n}" for n in range(TASKS[run.suite])),
            seed=run.seed,
            repeats=2,
        )
        for run in runs
    ]
    return [
        (runs[t.run].suite, t.episode.task, runs[t.run].row.name, t.episode.seed)
        for t in interleaved(runs, configs, draw=0)
    ]


def test_each_task_is_played_by_all_rows_with_all_seeds_before_the_next() -> None:
    played = _played()
    assert len(played) == len(set(played)) == 2 * 2 * 2 * 12
    for _, part in groupby(played, key=lambda each: each[1]):
        rows = [(row, seed) for _, _, row, seed in part]
        assert sorted(rows) == [(r, s) for r in ("explore", "random") for s in (0, 1, 10, 11)]


def test_suites_come_on_in_step_with_their_lengths() -> None:
    half = Counter(suite for suite, *_ in _played()[:48])
    assert half == {"houses": 16, "robothow": 32}


def test_tasks_come_in_a_random_order() -> None:
    tasks = list(dict.fromkeys(task for suite, task, *_ in _played() if suite == "robothow"))
    assert tasks != sorted(tasks)

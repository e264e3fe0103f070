"""Runs that play each task several times."""

from __future__ import annotations

from pathlib import Path

import pytest

import peephole
from peephole.episodes.recording import episode_path, read_episode, without_times
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.results.tables.rows import run_document

TASKS = ("turn_on_light/11_1", "wash_clothes/27_2")


def recorded(folder: Path) -> dict[tuple[str, int], object]:
    """What was recorded, without times, by task and seed."""
    return {
        (each.task, each.seed): without_times(
            read_episode(episode_path(folder, each.number, each.task))
        )
        for each in read_run(folder).config.episodes
    }


@pytest.mark.slow
def test_repeats_are_the_runs_with_the_next_seeds(tmp_path: Path) -> None:
    peephole.run("random", "robothow", tasks=TASKS, seed=5, repeats=2, out=tmp_path / "both")
    both = recorded(tmp_path / "both")
    apart = {}
    for seed in (5, 6):
        peephole.run("random", "robothow", tasks=TASKS, seed=seed, out=tmp_path / str(seed))
        apart |= recorded(tmp_path / str(seed))
    assert both == apart
    assert both[TASKS[0], 5] != both[TASKS[0], 6]


def test_rows_tell_repeat_and_seed_and_a_cut_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = peephole.run("explore", "robothow", tasks=TASKS, seed=3, repeats=2, out=folder)
    assert len(run.results) == 4
    rows = run_document(folder)["rows"]
    assert [(row["task"], row["repeat"], row["seed"]) for row in rows] == [
        (task, repeat, 3 + repeat) for repeat in (0, 1) for task in TASKS
    ]
    before = recorded(folder)
    episode_path(folder, 3, TASKS[0]).unlink()
    assert [result.success for result in peephole.resume(folder).results] == [True] * 4
    assert recorded(folder) == before


def test_no_repeat_at_all_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    peephole.run("explore", "robothow", tasks=1, out=folder)
    path = folder / "run.json"
    path.write_text(path.read_text().replace('"repeats": 1', '"repeats": 0'))
    with pytest.raises(BadInput, match=r"run.json: The number of repeats is not from 1 to 200000"):
        peephole.resume(folder)

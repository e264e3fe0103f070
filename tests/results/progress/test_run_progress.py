"""How a run that is played tells what it is doing."""

from __future__ import annotations

import io
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import peephole
from peephole.episodes.recording import episode_files
from peephole.episodes.result import EpisodeResult
from peephole.results.progress import EpisodeStatus, EpisodeStatusReader, RunProgress

RESULT = EpisodeResult(
    task="a",
    success=True,
    progress=1.0,
    ended="goal_reached",
    steps=10,
    decisions=12,
    planning_s=0.5,
    duration_s=0.1,
)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def plain() -> Console:
    return Console(file=io.StringIO(), width=80)


def lines(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_the_time_left_is_right_straight_after_a_run_is_continued(clock: Clock) -> None:
    """Episodes that had ended before are read in no time, which says nothing of the others."""
    console = plain()
    progress = RunProgress(console, 100, clock=clock)
    for _ in range(90):
        progress.add(RESULT, before=True)
        clock.now += 0.01
    clock.now += 60
    progress.add(RESULT)
    assert lines(console) == [
        "91/100 episodes, success 100% of 91, 1.0/min, about 9 min left",
    ]


def test_a_bar_tells_the_same_time_left(clock: Clock) -> None:
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    progress = RunProgress(console, 100, clock=clock)
    with progress:
        for _ in range(90):
            progress.add(RESULT, before=True)
        clock.now += 60
        progress.add(RESULT)
    assert isinstance(console.file, io.StringIO)
    assert "about 9 min left" in console.file.getvalue()


def test_voided_episodes_are_told_beside_the_success(clock: Clock) -> None:
    console = plain()
    progress = RunProgress(console, 3, clock=clock)
    clock.now += 60
    progress.add(RESULT)
    progress.add(replace(RESULT, success=None, ended="voided"))
    clock.now += 60
    progress.add(replace(RESULT, success=False, ended="steps"))
    assert lines(console)[-1] == "3/3 episodes, success 50% of 2, 1 voided, 1.5/min"


@pytest.mark.parametrize(
    ("activity", "asks_model", "told"),
    [
        (
            EpisodeStatus(3, 12, False, 40.4),
            True,
            "waiting for the model, 40 s, episode 3, step 12",
        ),
        (
            EpisodeStatus(3, 12, False, 400),
            False,
            "waiting for the planner, 7 min, episode 3, step 12",
        ),
        (
            EpisodeStatus(3, 12, True, 40),
            True,
            "waiting for the simulator, 40 s, episode 3, step 12",
        ),
        (EpisodeStatus(3, 12, False, 1), True, "episode 3, step 12"),
        (
            EpisodeStatus(1, 0, False, 30, asked_again=True),
            True,
            "waiting for the model after an error of its endpoint, 30 s, episode 1, step 0",
        ),
        (
            EpisodeStatus(0, 0, False, 30),
            True,
            "waiting for the model, 30 s, before the first episode",
        ),
        (EpisodeStatus(0, 0, False, 1), True, "the planner prepares the run"),
    ],
)
def test_what_is_waited_for_is_told_where_nothing_ends(
    clock: Clock, activity: EpisodeStatus, asks_model: bool, told: str
) -> None:
    console = plain()
    seen = [EpisodeStatus(9, 1, True, 0.0), activity] if activity.silent_s > 5 else [activity]
    progress = RunProgress(console, 20, clock=clock, asks_model=asks_model, activities=lambda: seen)
    clock.now += 29
    progress.look()
    assert lines(console) == []  # now and then, not every second
    clock.now += 2
    progress.look()
    progress.look()
    assert lines(console) == [f"0/20 episodes, {told}"]


def test_only_what_is_waited_for_is_said_where_every_step_is_printed_anyway(clock: Clock) -> None:
    console = plain()
    silent_s = [1.0]

    def doing() -> list[EpisodeStatus]:
        return [EpisodeStatus(1, 4, False, silent_s[0])]

    progress = RunProgress(console, 1, clock=clock, watched=True, asks_model=True, activities=doing)
    clock.now += 100
    progress.look()
    assert lines(console) == []
    silent_s[0] = 32.0
    progress.look()
    progress.look()
    progress.add(RESULT)
    assert lines(console) == ["waiting for the model, 32 s, episode 1, step 4"]


# --- what recordings tell ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return peephole.run(
        "explore", "houses", tasks=2, out=tmp_path_factory.mktemp("activity") / "run"
    ).folder


@pytest.mark.parametrize(
    ("last", "in_simulator"), [(b'"event":"stepped"', False), (b'"kind":"act"', True)]
)
def test_what_an_episode_waits_for_follows_its_last_event(
    played: Path, tmp_path: Path, last: bytes, in_simulator: bool
) -> None:
    first, second = episode_files(played)
    folder = tmp_path / "episodes"
    folder.mkdir()
    (folder / first.name).write_bytes(first.read_bytes())  # it has ended
    written = second.read_bytes().splitlines(keepends=True)
    until = [number for number, line in enumerate(written) if last in line][2]
    path = folder / second.name
    path.write_bytes(b"".join(written[: until + 1]) + b'{"event":"torn')
    now = time.time()
    os.utime(path, (now - 40, now - 40))
    reader = EpisodeStatusReader(tmp_path, since=now - 60)
    (activity,) = reader.now()
    step = 2 if in_simulator else 3
    assert (activity.episode, activity.step, activity.in_simulator) == (2, step, in_simulator)
    assert 40 <= activity.silent_s < 50
    assert EpisodeStatusReader(tmp_path, since=now - 30).now() == []  # of an earlier session
    path.write_bytes(second.read_bytes())
    assert reader.now() == []

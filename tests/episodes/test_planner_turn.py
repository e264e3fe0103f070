"""A planner's turn ends in time, and its code ends neither the run nor the process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

import peephole
from peephole.episodes.planner_turn import TurnTooLong, take_turn
from peephole.planners.contract import Brief, Decisions, GiveUp, Percept, Planner


def _spins() -> None:
    while True:
        pass


def _sleeps_in_steps() -> None:
    while True:
        time.sleep(0.05)


def _catches() -> None:
    while True:
        with suppress(Exception):  # a planner that goes on whatever happens
            time.sleep(0.05)


@pytest.mark.parametrize("code", [_spins, _sleeps_in_steps, _catches])
def test_a_turn_that_is_late_is_ended_in_any_thread(code: Callable[[], None]) -> None:
    ended = []

    def turn() -> None:
        began = time.monotonic()
        with pytest.raises(TurnTooLong):
            take_turn(code, lambda: time.monotonic() - began > 0.1)
        ended.append(time.monotonic() - began)

    turn()
    thread = threading.Thread(target=turn)
    thread.start()
    thread.join()
    assert len(ended) == 2


def test_a_turn_that_waits_is_ended_in_the_main_thread() -> None:
    lock = threading.Lock()
    lock.acquire()
    for wait in (lambda: time.sleep(100), lock.acquire):
        with pytest.raises(TurnTooLong):
            take_turn(wait, lambda: True)


def test_nothing_is_raised_after_a_turn() -> None:
    """Turns that end about when they are found late: the code after them is left alone."""

    def play() -> None:
        for number in range(0, 40, 10):
            with suppress(TurnTooLong):
                take_turn(partial(time.sleep, 0.48 + number / 1000), lambda: True)
            sum(range(20_000))
        done.append(True)

    done: list[bool] = []
    play()
    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert done == [True, True]


def test_a_turn_gives_its_result_and_its_errors() -> None:
    assert take_turn(lambda: 3) == 3
    with pytest.raises(KeyError):
        take_turn(lambda: {}["no"])
    with pytest.raises(SystemExit, match="would have ended the run"):
        take_turn(lambda: os._exit(9))


def test_a_process_that_a_planner_forks_may_end() -> None:
    def forks() -> int:
        child = os.fork()
        if not child:
            os._exit(7)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert take_turn(forks) == 7


@pytest.mark.parametrize("cleans_up", [False, True])
def test_a_planner_that_never_yields_ends_by_its_planning_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cleans_up: bool
) -> None:
    monkeypatch.setattr("peephole.episodes.episode._GRACE_S", 0.2)

    def plan(brief: Brief, percept: Percept) -> Decisions:
        try:
            if cleans_up:
                yield GiveUp("enough")
            _spins()
        finally:
            if cleans_up:
                _spins()

    planner = Planner("endless", "never yields", plan, dialects=("reactree",))
    run = peephole.run(
        planner, "houses", tasks=["gather/house-1-1"], planning_s=0.2, out=tmp_path / "run"
    )
    (result,) = run.results
    assert result.ended == ("gave_up" if cleans_up else "planning_time")

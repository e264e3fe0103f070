"""Runs of planners that search: after kill and resume they act the same and ask nothing twice."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.asked import Chances

from .killed_runs import CountingModel, KilledRun

TASKS = ["hard/one_wall-1", "hard/one_wall_large-1"]
MODEL = ("--suite", "kitchens:hard", "--model", "stand-in", "--planner")
#: Searches that the clock ends, so that each has its own number of simulations.
BY_CLOCK = ("--set", "seconds=0.02", "--set", "simulations=100000")
BELIEF = ("--suite", "kitchens:hard", "--planner", "belief", "--tasks", "3", *BY_CLOCK)
TRU_POMDP = (*MODEL, "tru_pomdp", "--tasks", "2", "--set", "seconds=0.02")
LLM_MCTS = (*MODEL, "llm_mcts", "--tasks", "1", "--set", "simulations=8", "--set", "samples=2")


@pytest.fixture(scope="module")
def model():
    return CountingModel("kitchens:hard", TASKS, Chances(0.5, 0.5))


def check(run, planner):
    run.check(episodes={"belief": 3, "tru_pomdp": 2, "llm_mcts": 1}[planner])
    if planner != "llm_mcts":
        assert len(set(run.simulations())) > 5, "the clock ended no search"


@pytest.mark.slow
def test_belief_goes_on_with_the_same_decisions(tmp_path):
    run = KilledRun(tmp_path / "run", BELIEF)
    for lines in (7, 12, 17):
        assert run.play(lines=lines)
    assert not run.play()
    check(run, "belief")


@pytest.mark.slow
def test_tru_pomdp_goes_on_with_the_same_decisions_and_asks_nothing_twice(tmp_path, model):
    run = KilledRun(tmp_path / "run", (*TRU_POMDP, "--set", "simulations=100000"), model)
    assert run.play(request=1)  # while it waits for the policy
    assert run.play(request=4)  # among the questions of one level
    assert run.play(lines=25)
    assert not run.play()
    check(run, "tru_pomdp")


@pytest.mark.slow
def test_llm_mcts_does_as_if_it_had_not_been_killed(tmp_path, model):
    whole = KilledRun(tmp_path / "whole", LLM_MCTS, model)
    assert not whole.play()
    run = KilledRun(tmp_path / "run", LLM_MCTS, model)
    assert run.play(request=1)  # while it waits for the hypothesis
    assert run.play(request=20)  # within a search
    assert run.play(lines=30)
    assert not run.play()
    check(run, "llm_mcts")
    assert run.actions() == whole.actions()
    assert run.simulations() == whole.simulations()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planner", "options"),
    [
        ("belief", BELIEF),
        ("tru_pomdp", (*TRU_POMDP, "--set", "simulations=100000")),
        ("llm_mcts", LLM_MCTS),
    ],
)
def test_two_hundred_kills(tmp_path, model, planner, options):
    kills = 0
    for number in range(100):
        asks = None if planner == "belief" else model
        run = KilledRun(tmp_path / f"run{number}", options, asks)
        while run.kills < min(20, 200 - kills):
            by_request = asks is not None and run.kills % 3 == 0
            point = {"request": 1 + number % 5} if by_request else {"lines": 7 + run.kills % 4 * 5}
            if not run.play(**point):
                break
        else:
            assert not run.play()
        check(run, planner)
        kills += run.kills
        if kills >= 200:
            return
    pytest.fail(f"the runs were over after {kills} kills")

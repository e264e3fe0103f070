"""An agent outside plays an episode from a seat, whatever its habits."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.recording import episode_files, read_episode
from peephole.planners.external.seat import Reply, Seat
from peephole.scene_graph.rules import Budgets, Ends, Feedback, RefusedText, Rules
from peephole.scene_graph.task import Task

from ..seats import WORDS, Held


@pytest.fixture
def held(task: Task, tmp_path: Path) -> Held:
    return Held(task, tmp_path / "run")


def acts(seat: Seat, *words: str) -> list[Reply]:
    return [seat.call("act", each) for each in words]


def test_an_episode_is_played_to_its_goal(held: Held) -> None:
    told = held.seat.call("task").text
    assert "Put apple 1 on table 1" in told
    assert "put down thing 1 on place 1" in told
    assert "fridge 1" in held.seat.call("look").text
    assert "go to fridge 1" in held.seat.call("menu").text.splitlines()
    *before, last = acts(held.seat, *WORDS)
    assert all(reply.ok and not reply.over for reply in before)
    assert last.ok
    assert last.over
    assert last.text.startswith("You put down apple 1 on table 1."), last.text
    assert last.text.endswith("The episode is over: the task is fulfilled.")
    result = held.result()
    assert (result.success, result.steps, result.decisions) == (True, 7, 7)


def test_no_call_tells_a_score_the_goal_or_the_folder(held: Held) -> None:
    calls = ("task", "look", "menu", "status", "done", "status", "task")
    told = "\n".join(held.seat.call(name).text for name in calls).lower()
    held.result()
    for word in ("score", "progress", "subgoal", "success", "failed the", str(held.folder)):
        assert word not in told


def test_after_the_end_every_call_says_how_it_ended(held: Held) -> None:
    assert held.seat.call("done", "I think so").over
    assert held.result().ended == "done"
    for name in ("task", "look", "menu", "act", "status", "done", "give_up"):
        assert held.seat.call(name, "open fridge 1") == Reply(
            "The episode is over: you said that the task is fulfilled.", ok=False, over=True
        )


def test_what_is_no_call_costs_nothing(held: Held) -> None:
    for name, argument in [("act", ""), ("act", " \n"), ("act", "x" * 10_000), ("fly", "home")]:
        reply = held.seat.call(name, argument)
        assert not reply.ok
        assert not reply.over
        assert len(reply.text) < 200
    assert held.seat.call("status").text.startswith("You have used 0 of 200 actions.")
    assert not held.seat.call("act", "open \x00 \ud800 \x1b[2J fridge 1").ok
    held.seat.call("give_up", "\ud800")
    result = held.result()
    assert (result.ended, result.steps, result.decisions) == ("gave_up", 0, 2)


def test_calls_before_the_start_wait_for_it(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_start = threading.Event()
    reset = SymbolicAdapter.reset

    def slow(self: SymbolicAdapter, *given: object) -> None:
        may_start.wait(10)
        reset(self, *given)

    monkeypatch.setattr(SymbolicAdapter, "reset", slow)
    held = Held(task, tmp_path / "run")
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(held.seat.call, "act", "go to fridge 1")
        assert not reply.done()
        may_start.set()
        assert reply.result(10).text.startswith("You go to fridge 1.")
    held.seat.leave()
    assert held.result().ended == "gave_up"


def test_an_agent_that_is_silent_ends_its_episode(task: Task, tmp_path: Path) -> None:
    held = Held(task, tmp_path / "run", silence_s=0.2)
    assert held.result().detail == "The agent was silent for 0.2 s."
    assert held.seat.call("act", "wait").text == "The episode is over: you gave up."


def test_an_agent_that_uses_its_time_ends_its_episode(task: Task, tmp_path: Path) -> None:
    held = Held(task, tmp_path / "run", time_s=0.2)
    while not held.seat.call("look").over:
        threading.Event().wait(0.05)
    assert held.result().ended == "planning_time"
    assert held.seat.call("look").text == "The episode is over: your time is used."


def test_an_agent_that_floods_ends_its_episode(task: Task, tmp_path: Path) -> None:
    held = Held(task, tmp_path / "run", calls=50)
    replies = [held.seat.call("look") for _ in range(60)]
    assert [reply.over for reply in replies] == [False] * 50 + [True] * 10
    assert held.result().detail == "The agent made more than 50 calls."


def test_nonsense_uses_the_decisions(task: Task, tmp_path: Path) -> None:
    held = Held(task, tmp_path / "run", budgets=Budgets(decisions=5))
    replies = acts(held.seat, *["fly"] * 7)
    assert [reply.over for reply in replies] == [False] * 5 + [True] * 2
    assert held.result().ended == "decisions"


def test_many_calls_at_once_are_answered_one_after_the_other(held: Held) -> None:
    held.seat.call("task")
    with ThreadPoolExecutor(40) as pool:
        replies = list(pool.map(held.seat.call, ["act"] * 40, ["wait"] * 40))
    done = [reply for reply in replies if reply.ok]
    assert {reply.text for reply in replies if not reply.ok} <= {
        "Too many calls at once: wait for an answer, then call again."
    }
    assert held.seat.call("status").text.startswith(f"You have used {len(done)} of 200")
    held.seat.leave()
    assert held.result().steps == len(done)


def test_an_agent_that_leaves_in_the_midst_ends_its_episode(held: Held) -> None:
    acts(held.seat, *WORDS[:3])
    held.seat.leave()
    result = held.result()
    assert (result.ended, result.detail, result.steps) == ("gave_up", "The agent has left.", 3)


def test_a_last_word_is_asked_for_where_it_counts(task: Task, tmp_path: Path) -> None:
    rules, budgets = Rules(ends=Ends.PLANNER_DONE), Budgets(steps=2)
    held = Held(task, tmp_path / "run", rules=rules, budgets=budgets)
    _, second, third = acts(held.seat, *WORDS[:3])
    assert second.text.endswith("All your actions are used: call done or give_up.")
    assert third == Reply("All your actions are used: call done or give_up.", ok=False)
    assert held.seat.call("done").over
    assert (held.result().ended, held.result().steps) == ("done", 2)


def test_done_that_is_checked_lets_the_agent_go_on(task: Task, tmp_path: Path) -> None:
    rules = Rules(feedback=Feedback.GOAL_CHECK, refused=RefusedText.STEP)
    held = Held(task, tmp_path / "run", rules=rules)
    assert "you go on" in held.seat.call("task").text
    assert held.seat.call("done") == Reply("The task is not done yet.")
    assert acts(held.seat, *WORDS)[-1].over
    assert held.result().success


def test_an_episode_that_was_cut_off_goes_on_where_it_was(task: Task, tmp_path: Path) -> None:
    whole = Held(task, tmp_path / "whole")
    seen = acts(whole.seat, *WORDS)
    whole.result()
    folder = tmp_path / "whole"
    (path,) = episode_files(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:20])  # killed while it wrote
    again = Held(task, folder)
    steps = int(again.seat.call("status").text.split()[3])
    assert 0 < steps < len(WORDS)
    assert acts(again.seat, *WORDS[steps:]) == seen[steps:]
    assert again.result().success
    events = [event.event for event in read_episode(path)]
    assert events == ["started", *["decided", "stepped"] * 7, "ended"]


def test_a_simulator_that_dies_begins_the_episode_again(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from peephole.skills.executor import EpisodeVoided

    held = Held(task, tmp_path / "run")
    acts(held.seat, *WORDS[:2])
    attempt = SymbolicAdapter.attempt

    def dies(self: SymbolicAdapter, *given: object) -> object:
        monkeypatch.setattr(SymbolicAdapter, "attempt", attempt)
        raise EpisodeVoided("The simulator is gone.")

    monkeypatch.setattr(SymbolicAdapter, "attempt", dies)
    reply = held.seat.call("act", WORDS[2])
    assert reply.text.startswith("The simulator failed; the episode begins again."), reply.text
    assert held.seat.call("status").text.startswith("You have used 0 of 200")
    assert acts(held.seat, *WORDS)[-1].over
    assert (held.result().success, held.result().voided) == (True, 1)


def test_an_agent_that_calls_on_after_the_end_is_not_waited_for_without_end(held: Held) -> None:
    held.seat.call("done")
    held.result()
    began, quiet = time.monotonic(), threading.Event()

    def calls() -> None:
        while not quiet.wait(0.01):
            held.seat.call("status")

    caller = threading.Thread(target=calls)
    caller.start()
    held.seat.quiet(0.2, at_most_s=0.5)
    quiet.set()
    caller.join()
    assert 0.4 < time.monotonic() - began < 5

"""Grids that are played, cut off, and gone on with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.recording import InUse, run_lock
from peephole.errors import BadInput
from peephole.models.config import ModelConfig
from peephole.models.failures import BudgetUsed
from peephole.results.papers import Grid, rows_of
from peephole.results.run_episodes import ended_result


def test_a_grid_that_is_cut_off_has_compared_its_rows_on_the_same_tasks(
    session: Any, play: Any
) -> None:
    opened = session()
    play(opened, 4)
    done = {(opened.runs[t.run].suite, t.episode.task) for t in opened.results}
    rows = Counter(opened.runs[ticket.run].row.name for ticket in opened.results)
    assert rows == {"explore": 2, "idle": 2}
    assert {suite for suite, _ in done} == {"robothow", "houses"}
    assert len(done) == 2


def test_the_same_grid_goes_on_and_plays_nothing_twice(session: Any, play: Any) -> None:
    first = session()
    play(first, 3)
    kept = {ticket: first.path_of(ticket).read_bytes() for ticket in first.results}
    second = session()
    assert len(play(second)) == 5
    assert (second.total, second.before, second.open) == (8, 3, 0)
    assert {ticket: second.path_of(ticket).read_bytes() for ticket in kept} == kept
    assert play(session()) == []


def test_an_episode_whose_recording_is_damaged_is_played_anew(session: Any, play: Any) -> None:
    opened = session()
    play(opened)
    path = opened.path_of(next(iter(opened.results)))
    path.write_bytes(path.read_bytes() + b"{damaged\n")
    again = session()
    assert len(play(again)) == 1
    assert ended_result(path) is not None
    assert path.with_name(f"{path.name}.damaged").exists()


def test_two_processes_do_not_play_the_same_grid(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peephole.episodes.recording._LOCK_PATIENCE_S", 0.0)
    with (
        run_lock(tmp_path / "out"),
        pytest.raises(InUse, match="Another process is writing"),
        session(),
    ):
        pass
    with session() as opened, pytest.raises(InUse), run_lock(opened.runs[0].folder):
        pass


def test_what_is_refused_leaves_nothing(session: Any, tmp_path: Path) -> None:
    for changes, told in (
        ({"planners": [{"planner": "explore"}, {"planner": "explroe"}]}, "no planner 'explroe'"),
        ({"suites": ["robothow", "robothw"]}, "no suite 'robothw'"),
        ({"planners": [{"planner": "explore", "options": {"luck": 1}}]}, "luck"),
        ({"adapter": "mujoco"}, "explore"),
        ({"planners": [{"planner": "react"}]}, "asks a language model"),
    ):
        with pytest.raises(BadInput, match=told), session(**changes):
            pass
        assert not (tmp_path / "out").exists()


def test_a_grid_that_wants_another_run_is_refused_once_something_was_played(
    session: Any, play: Any
) -> None:
    play(session(repeats=2), 0)
    play(session(), 1)  # nothing had been played
    for changes, told in (
        ({"repeats": 2}, "with the repeats 1, and the grid wants 2"),
        ({"tasks": "3"}, "was run with 2 tasks from .* give the same --tasks again"),
        (
            {"planners": [{"planner": "random", "label": "explore"}]},
            "with the planner explore, and the grid wants random",
        ),
        ({"adapter": "virtualhome"}, "with the adapter symbolic, and the grid wants virtualhome"),
    ):
        with pytest.raises(BadInput, match=told):
            play(session(**changes))


def test_it_ends_once_the_rows_are_told_apart(session: Any, play: Any) -> None:
    changes = {"suites": ["robothow"], "tasks": "30", "stop_when": "decided"}
    opened = session(**changes)
    played = play(opened)
    assert len(played) + opened.spared == 60
    assert opened.spared > 30
    assert opened.open == 0
    (sentence,) = opened.stopping.sentences()
    assert sentence.startswith("robothow: explore is better than idle after ")
    again = session(**changes)  # it is as decided as before
    assert play(again) == []
    assert again.open == 0


def test_a_stopping_rule_needs_two_rows(session: Any) -> None:
    with (
        pytest.raises(BadInput, match="compares the grid's first row with the others"),
        session(planners=[{"planner": "explore"}], stop_when="decided"),
    ):
        pass


def test_one_budget_ends_all_runs_and_more_goes_on(
    session: Any, play: Any, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    endpoint.pick = lambda body, menu: "done" if "done" in menu else menu[0]
    changes = {
        "planners": [{"planner": "react"}, {"planner": "react", "label": "again"}],
        "models": ["stand-in"],
    }
    with pytest.raises(BudgetUsed, match="budget of 4000 tokens is used up"):
        play(session(**changes, budget={"tokens": 4000}))
    assert endpoint.requests
    opened = session(**changes, budget={"tokens": 4000})
    with pytest.raises(BudgetUsed):  # what was taken is known from the recordings
        play(opened)
    left = opened.open
    assert left
    assert len(play(session(**changes, budget={"tokens": 10_000_000}))) == left


def test_a_budget_of_money_needs_prices(session: Any, endpoint: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    changes = {"planners": [{"planner": "react"}], "budget": {"money": 1.0}}
    opened = session(asked={"planner": ModelConfig("stand-in")}, **changes)
    with pytest.raises(BadInput, match="stand-in has none: give price_in"), opened:
        pass


def test_a_model_that_cannot_be_asked_leaves_the_others_to_go_on(
    session: Any, play: Any, endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    endpoint.pick = lambda body, menu: "done" if "done" in menu else menu[0]
    endpoint.always = lambda body: "404" if body["model"] == "gone" else None
    opened = session(
        suites=["houses"],
        planners=[{"planner": "explore"}, {"planner": "react"}],
        models=["gone", "there"],
    )
    rows = Counter(opened.runs[each.ticket.run].row.name for each in play(opened))
    assert rows == {"explore": 2, "react, there": 2}
    assert opened.left_out.keys() == {"gone"}
    assert opened.open == 2


def test_rows_are_planners_with_each_model_that_they_ask() -> None:
    grid = Grid.model_validate(
        {
            "title": "",
            "suites": ["robothow"],
            "planners": [
                {"planner": "explore"},
                {"planner": "react", "label": "ReAct"},
                {"planner": "reactree", "models": ["small"]},
            ],
            "models": ["big", {"model": "file.gguf", "label": "small"}],
        }
    )
    assert [row.name for row in rows_of(grid)] == [
        "explore",
        "ReAct, big",
        "ReAct, small",
        "reactree",
    ]

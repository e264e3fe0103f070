"""Trials, goal checks, preparation and the counting of decisions, by small planners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import MAX_STARTS, EpisodeContext, run_episode
from peephole.episodes.events import (
    Decided,
    Ended,
    GoalChecked,
    Prepared,
    TextRefused,
    TrialStarted,
)
from peephole.episodes.recording import EpisodeLog, read_events, without_times
from peephole.episodes.result import EpisodeResult
from peephole.episodes.runner import finished_result
from peephole.errors import PeepholeError
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import (
    Act,
    Brief,
    Decisions,
    Done,
    GiveUp,
    Internal,
    NewTrial,
    Note,
    Percept,
    Planner,
    Preparation,
    Think,
    counts,
)
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Budgets, Ends, Feedback, RefusedText, Rules
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.executor import SimulatorDied
from peephole.suites.contract import Suite

Plan = Callable[[Brief, Percept], Decisions]
RULES = Rules(ends=Ends.PLANNER_DONE, feedback=Feedback.GOAL_CHECK, trials=3)


def play(
    plan: Plan,
    task: Task,
    path: Path,
    rules: Rules | None = None,
    budgets: Budgets | None = None,
    **more: Any,
) -> EpisodeResult:
    planner = Planner("small", "of a test", plan)
    context = EpisodeContext(
        more.pop("adapter", None) or SymbolicAdapter(),
        planner,
        DIALECT,
        rules=rules or Rules(),
        budgets=budgets or Budgets(),
        **more,
    )
    with EpisodeLog(path) as log:
        return run_episode(context, task, log)


def reflexion(brief: Brief, percept: Percept) -> Decisions:
    """Thinks, says what is refused, fails, learns where the apple is, begins again, and checks."""
    yield Think("The apple may be on the table.")
    percept = yield Act("go to the living room")  # is refused
    assert percept.refused
    percept = yield Act("go to living room 1")
    percept = yield Done("there is none")
    assert percept.feedback == "The task is not done yet."
    percept = yield Act(actions.open_(2))  # too far away
    assert percept.outcome is not None
    assert not percept.outcome.success
    yield Note("memory", "look into the fridge", {"tried": ["table"]})
    start = yield NewTrial("the fridge was not looked into")
    assert start.text.startswith("You are in the house")
    assert start.outcome is None
    assert start.step == percept.step
    yield Internal("recall", "look into the fridge")
    for words in ("go to fridge 1", "open fridge 1", "pick up apple 1", "shut fridge 1"):
        percept = yield Act(words)
    yield Act(actions.close(2), thought="It has to be closed again.")
    for action in (actions.go_to(5), actions.go_to(3), actions.put(1, Relation.ON, 3)):
        percept = yield Act(action, continued=True)
    percept = yield Done("the apple is there")
    raise AssertionError("the episode has ended")


def test_another_trial_goes_on_with_what_was_learnt(task: Task, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    result = play(reflexion, task, path, RULES)
    assert (result.ended, result.success, result.trials) == ("done", True, 2)
    assert result.detail == "the apple is there"
    assert (result.steps, result.failures) == (9, {"not_close": 1})
    events = read_events(path)
    (begun,) = [event for event in events if isinstance(event, TrialStarted)]
    assert (begun.trial, begun.step, begun.progress) == (2, 2, 0.5)
    checks = [(e.step, e.reached) for e in events if isinstance(e, GoalChecked)]
    assert checks == [(1, False), (9, True)]
    assert [e.said for e in events if isinstance(e, TextRefused)] == [
        "go to the living room",
        "shut fridge 1",
    ]


@pytest.mark.parametrize("refused", list(RefusedText))
def test_an_episode_with_trials_is_continued_wherever_it_was_cut(
    task: Task, tmp_path: Path, refused: RefusedText
) -> None:
    rules = replace(RULES, refused=refused)
    whole = tmp_path / "whole.jsonl"
    play(reflexion, task, whole, rules)
    lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) > 20
    undisturbed = without_times(read_events(whole))
    for kept in range(len(lines)):
        path = tmp_path / f"{kept}.jsonl"
        torn = lines[kept][: len(lines[kept]) // 2]
        path.write_bytes(b"".join(lines[:kept]) + torn)
        play(reflexion, task, path, rules)
        assert without_times(read_events(path)) == undisturbed, f"cut in line {kept + 1}"


def test_a_trial_too_many_ends_the_episode(task: Task, tmp_path: Path) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        while True:
            yield NewTrial("again")

    result = play(plan, task, tmp_path / "e.jsonl", RULES)
    assert (result.ended, result.trials, result.detail) == ("gave_up", 3, "again")
    result = play(plan, task, tmp_path / "f.jsonl")
    assert (result.ended, result.trials) == ("gave_up", 1)


def test_a_planner_that_returns_has_said_that_it_is_done(task: Task, tmp_path: Path) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Act("go to fridge 1")

    path = tmp_path / "e.jsonl"
    result = play(plan, task, path, RULES)
    assert (result.ended, result.success, result.decisions) == ("done", False, 2)
    assert [event.reached for event in read_events(path) if isinstance(event, GoalChecked)] == [
        False
    ]


# --- counting ------------------------------------------------------------------------------------

COUNTED = [
    (Act("go to fridge 1"), 1),
    (Act("go to fridge 1", thought="It is closed."), 1),
    (Act("go to fridge 1", continued=True), 0),
    (Act("no such words"), 1),
    (Think("Hm."), 1),
    (Internal("expand", "the fridge"), 1),
    (Note("plan", "the fridge"), 0),
    (NewTrial("again"), 1),
    (Done("is it?"), 1),
]


@pytest.mark.parametrize(("decision", "number"), COUNTED, ids=str)
def test_decisions_are_counted_by_one_rule_up_to_the_cap(
    task: Task, tmp_path: Path, decision: Any, number: int
) -> None:
    assert counts(decision) == bool(number)
    rules, cap = replace(RULES, trials=99), 4

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for _ in range(cap):
            yield decision
        yield GiveUp("all were allowed")

    path = tmp_path / "e.jsonl"
    result = play(plan, task, path, rules, Budgets(decisions=number * cap + 1))
    assert (result.ended, result.decisions) == ("gave_up", number * cap + 1)
    result = play(plan, task, tmp_path / "f.jsonl", rules, Budgets(decisions=number * cap))
    assert (result.ended, result.detail) == ("decisions", f"{number * cap} decisions allowed")
    decided = [event for event in read_events(tmp_path / "f.jsonl") if isinstance(event, Decided)]
    assert len(decided) == cap
    assert result.decisions == number * cap


def test_a_task_has_budgets_of_its_own(task: Task, tmp_path: Path) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        assert brief.budgets.decisions == 2
        while True:
            yield Think("Hm.")

    own = replace(task, budgets=Budgets(decisions=2))
    result = play(plan, own, tmp_path / "e.jsonl", budgets=Budgets(decisions=50))
    assert (result.ended, result.decisions) == ("decisions", 2)


# --- planners that break the contract ------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (Act(actions.Action(actions.Verb.OPEN)), "The action open has no 'target'"),
        (Act(17), "A step takes an action or a text in the dialect, not 17."),  # type: ignore[arg-type]
        ("go to fridge 1", "a planner yields decisions, not 'go to fridge 1'"),
        (Note("plan", "", {"graph": object()}), "Unable to serialize unknown type"),
    ],
)
def test_what_is_no_decision_ends_the_episode_and_not_the_run(
    task: Task, tmp_path: Path, decision: Any, told: str
) -> None:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        yield Act("go to fridge 1")
        yield decision

    path = tmp_path / "e.jsonl"
    result = play(plan, task, path)
    assert (result.ended, result.steps) == ("planner_error", 1)
    assert told in result.detail
    assert finished_result(path) == result


def test_an_episode_whose_simulator_never_begins_ends_voided(task: Task, tmp_path: Path) -> None:
    class Dead(SymbolicAdapter):
        def reset(self, task: Task, seed: int) -> None:
            raise SimulatorDied("no answer")

    path = tmp_path / "e.jsonl"
    result = play(reflexion, task, path, adapter=Dead())
    assert (result.ended, result.success, result.voided) == ("voided", None, MAX_STARTS)
    assert (result.steps, result.detail) == (0, "no answer")
    assert finished_result(path) == result  # a resumed run does not begin it again


# --- preparation ---------------------------------------------------------------------------------


class Prepares:
    """A planner that prepares the run, as it may be loaded once in every process."""

    def __init__(self) -> None:
        self.asked: list[Preparation] = []
        self.given: list[Mapping[str, Any] | None] = []
        self.interrupt_at = 0
        self.planner = Planner("prepares", "of a test", self.plan, prepare=self.prepare)

    def prepare(self, given: Preparation) -> Mapping[str, Any]:
        self.asked.append(given)
        return {"policy": ("go to fridge 1", "open fridge 1"), "by": {1: "one"}}

    def plan(self, brief: Brief, percept: Percept) -> Decisions:
        self.given.append(brief.prepared)
        if len(self.given) == self.interrupt_at:
            raise KeyboardInterrupt
        assert brief.prepared is not None
        for words in brief.prepared["policy"]:
            yield Act(words)


def suite_of(task: Task) -> Suite:
    tasks = tuple(replace(task, id=f"apple/{number}") for number in (1, 2, 3))
    return Suite("apples", "the same task thrice", tasks, "symbolic")


def test_a_run_is_prepared_once_and_every_episode_is_given_it(task: Task, tmp_path: Path) -> None:
    prepares = Prepares()
    run = peephole.run(prepares.planner, suite_of(task), out=tmp_path / "run")
    assert [result.ended for result in run.results] == ["done"] * 3
    (asked,) = prepares.asked
    assert (asked.suite, asked.dialect, asked.seed) == ("apples", "reactree_plain", 0)
    # As it is read back: lists, and keys that are text.
    expected = {"policy": ["go to fridge 1", "open fridge 1"], "by": {"1": "one"}}
    assert prepares.given == [expected] * 3
    (recorded,) = read_events(run.folder / "prepared.jsonl")
    assert isinstance(recorded, Prepared)
    assert recorded.data == expected


def test_what_was_prepared_is_not_asked_again_when_a_run_is_resumed(
    task: Task, tmp_path: Path
) -> None:
    prepares = Prepares()
    prepares.interrupt_at = 2
    suite = suite_of(task)
    with pytest.raises(KeyboardInterrupt):
        peephole.run(prepares.planner, suite, out=tmp_path / "run")
    run = peephole.resume(tmp_path / "run", planner=prepares.planner, suite=suite)
    assert len(run.results) == 3
    assert len(prepares.asked) == 1
    assert len({str(given) for given in prepares.given}) == 1
    assert len(prepares.given) == 4


def test_a_planner_that_fails_to_prepare_is_told_in_a_sentence(task: Task, tmp_path: Path) -> None:
    def prepare(given: Preparation) -> Mapping[str, Any]:
        raise ZeroDivisionError("division by zero")

    for wrong, told in (
        (prepare, "ZeroDivisionError: division by zero"),
        (lambda given: {"policy": object()}, "Unable to serialize unknown type"),
    ):
        planner = replace(Prepares().planner, prepare=wrong)
        out = tmp_path / told[:3]
        with pytest.raises(PeepholeError) as caught:
            peephole.run(planner, suite_of(task), out=out)
        assert str(caught.value).startswith("The planner prepares failed to prepare the run: ")
        assert f"(in {__file__}, line " in str(caught.value)
        assert told in str(caught.value)
        assert str(caught.value).endswith("correct it, then continue with --resume.")
        resumed = peephole.resume(out, planner=Prepares().planner, suite=suite_of(task))
        assert len(resumed.results) == 3


def test_a_run_of_a_planner_object_is_not_resumed_with_another(task: Task, tmp_path: Path) -> None:
    prepares = Prepares()
    suite = suite_of(task)
    peephole.run(prepares.planner, suite, tasks=1, out=tmp_path / "run")
    for other in (replace(prepares.planner, name="other"), None):
        with pytest.raises(PeepholeError, match="prepares"):
            peephole.resume(tmp_path / "run", planner=other, suite=suite)
    assert any(
        isinstance(e, Ended) for e in read_events(next((tmp_path / "run/episodes").iterdir()))
    )

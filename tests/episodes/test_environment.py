"""The world of one episode, stepped without a planner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.journal import Diverged, Journal
from peephole.episodes.recording import EpisodeLog
from peephole.errors import BadInput
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.scene_graph.goal_evaluation import Progress, Subgoal
from peephole.scene_graph.goals import EventOccurred, Related
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.actions import Action, Verb
from peephole.skills.outcomes import Reason

from .small_house import SOLUTION, WORDS, begun


def test_an_environment_is_stepped_by_typed_actions(task: Task) -> None:
    environment = begun(task)
    assert environment.instruction == "Put apple 1 on table 1 and leave fridge 1 closed."
    assert environment.text.startswith("You are in the house")
    assert environment.score().success is False
    for action in SOLUTION[:-1]:
        percept = environment.step(action)
        assert percept.ended is None
        assert percept.outcome is not None
        assert percept.outcome.success
        assert percept.text == environment.text
    percept = environment.step(SOLUTION[-1])
    assert (percept.ended, percept.step) == ("goal_reached", 7)
    score = environment.score()
    assert (score.success, score.progress, score.steps, score.reward) == (True, 1.0, 7, 1.0)
    assert all(subgoal.done for subgoal in score.subgoals)
    assert score.failures == {}


def test_an_environment_is_stepped_by_words(task: Task) -> None:
    typed, said = begun(task), begun(task)
    for action, words in zip(SOLUTION, WORDS, strict=True):
        if action == actions.go_to(2):
            assert words in said.menu()
        assert said.step(words).text == typed.step(action).text
    assert said.score() == replace(typed.score(), duration_s=said.score().duration_s)
    assert said.score().success


def test_words_that_are_no_action_cost_nothing(task: Task) -> None:
    environment = begun(task)
    percept = environment.step("make breakfast")
    assert percept.refused == percept.text
    assert percept.refused
    assert percept.outcome is None
    assert (percept.step, percept.ended) == (0, None)
    assert environment.step("go to fridge 1").refused is None


def test_an_environment_begins_anew(task: Task) -> None:
    environment = begun(task)
    first = environment.text
    for action in SOLUTION[:3]:
        environment.step(action)
    assert environment.reset().text == first
    assert environment.score() == begun(task).score()
    assert environment.steps == 0


@pytest.mark.parametrize("ask", ["step", "menu", "text", "score", "check_goal", "new_trial"])
def test_an_environment_that_has_not_begun_says_so(task: Task, ask: str) -> None:
    environment = Environment(SymbolicAdapter(), task, DIALECT)

    def asked() -> Any:
        found = getattr(environment, ask)
        return found if isinstance(found, str) else found(*(["look"] if ask == "step" else []))

    with pytest.raises(BadInput, match=r"^The episode has not begun; call reset\(\) first\.$"):
        asked()
    with environment:
        environment.reset()
    with pytest.raises(BadInput, match="has not begun"):  # closed
        asked()


def test_an_environment_that_has_ended_says_so(task: Task) -> None:
    environment = begun(task)
    for action in SOLUTION:
        environment.step(action)
    for late in (SOLUTION[0], "go to fridge 1", "nonsense"):
        with pytest.raises(BadInput) as caught:
            environment.step(late)
        assert str(caught.value) == (
            "The episode has ended (goal_reached); begin another with reset()."
        )
    assert environment.steps == 7
    assert environment.reset().ended is None


def test_a_goal_about_what_the_scene_does_not_have_is_never_reached(task: Task) -> None:
    environment = begun(replace(task, goal=Related(1, Relation.ON, 17)))
    (subgoal,) = environment.score().subgoals
    assert (subgoal.text, subgoal.done) == ("apple 1 is on #17", False)
    assert environment.step(SOLUTION[0]).ended is None


def test_an_adapter_with_its_own_judgement_comes_before_the_true_state(task: Task) -> None:
    class Judging(SymbolicAdapter):
        spec = replace(
            SymbolicAdapter.spec,
            capabilities=SymbolicAdapter.spec.capabilities | {Capability.JUDGE},
        )
        said = Progress(0.5, (Subgoal("half of it", 0.5, 1.0),))

        def judge(self, task: Task) -> Progress:
            return self.said

    adapter = Judging()
    with Environment(adapter, task, DIALECT) as environment:
        environment.reset()
        for action in SOLUTION:
            environment.step(action)
        assert (environment.score().success, environment.score().progress) == (False, 0.5)
        assert [part.text for part in environment.score().subgoals] == ["half of it"]
        adapter.said = Progress(1.0, ())
        environment.step(actions.wait())
        assert environment.score().success


def test_only_what_succeeded_counts_towards_a_goal_about_events(task: Task) -> None:
    environment = begun(replace(task, goal=EventOccurred(("open",), (2,))))
    percept = environment.step("open fridge 1")  # from across the room
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.NOT_CLOSE
    assert percept.ended is None
    assert environment.score().progress == 0.0
    environment.step("go to fridge 1")
    assert environment.step("open fridge 1").ended == "goal_reached"


@pytest.mark.parametrize(
    ("malformed", "sentence"),
    [
        (Action(Verb.OPEN), "The action open has no 'target'; expected a node id."),
        (Action(Verb.PUT, 1, Relation.ON), "The action put has no 'place'; expected a node id."),
        (Action(Verb.PICK_UP, 6.5), "The 'target' of pick_up is 6.5; expected a node id"),
        (None, "A step takes an action or a text in the dialect, not None."),
    ],
)
def test_what_is_no_action_is_refused(task: Task, malformed: Any, sentence: str) -> None:
    environment = begun(task)
    with pytest.raises(BadInput) as caught:
        environment.step(malformed)
    assert str(caught.value).startswith(sentence)
    assert environment.steps == 0


# --- continued from a recording ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("otherwise", "field"),
    [(actions.go_to(4), "action"), (WORDS[0], "said")],
    ids=["another", "in words"],
)
def test_what_is_done_otherwise_than_recorded_is_told(
    task: Task, tmp_path: Path, otherwise: Action | str, field: str
) -> None:
    for action in (SOLUTION[0], otherwise):
        with EpisodeLog(tmp_path / "e.jsonl") as log:
            environment = begun(task, journal=Journal(log))
            if action is SOLUTION[0]:
                environment.step(action)
                continue
            with pytest.raises(Diverged) as caught:
                environment.step(action)
    assert str(caught.value) == f"At step 1 '{field}' of 'stepped' differs from the recording."

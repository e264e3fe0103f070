"""The planner `reflexion`: trials, what ends them, and later prompts with reflections."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import peephole
from peephole.models.config import ModelConfig, ModelEndpoint
from peephole.models.connection import ModelConnection
from peephole.observation_text.view import View
from peephole.planners.contract import (
    Act,
    Brief,
    Done,
    GiveUp,
    Internal,
    NewTrial,
    Note,
    Percept,
    Think,
    counts,
)
from peephole.planners.kits.prompting.menus import MenuForm
from peephole.planners.reflexion.planner import PLANNER, Options
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.rules import Budgets, Ends, Feedback, Rules
from peephole.skills.actions import Verb, go_to
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason
from peephole.suites.registry import load_suite

VIEW = View(SceneGraph(), {})
LESSON = "The cup is not here; I look in the kitchen."
Play = Callable[..., list[Any]]


def percept(text: str, **fields: Any) -> Percept:
    offers = [(f"go to place {number}", go_to(number)) for number in range(1, 30)]
    return Percept(text, VIEW, {}, 0, menu=lambda: offers, **fields)


def succeeded(text: str = "You arrive.") -> Percept:
    return percept(text, outcome=Outcome(None))


def failed(text: str = "It is not here.") -> Percept:
    return percept(text, outcome=Outcome(Failure(Reason.NOT_CLOSE)))


@pytest.fixture
def play(endpoint: Any) -> Iterator[Play]:
    """Play with these actions and their outcomes; returns all decisions."""
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(
            actions: list[str],
            *percepts: Percept,
            rules: Rules = Rules(),  # noqa: B008
            dialect: str = "reactree_plain",
            **options: Any,
        ) -> list[Any]:
            left = list(actions)

            def reply(body: Any) -> str:
                if "You reflect on" in body["messages"][0]["content"]:
                    return LESSON
                action = left.pop(0) if left else "give up"
                return json.dumps({"thought": f"Next: {action}.", "action": action})

            endpoint.text = reply
            brief = Brief(
                instruction="Find the cup.",
                agent=1,
                rooms=(),
                embodiment=Embodiment(1, frozenset({Verb.OPEN}), {"toaster": 1}),
                actions=frozenset({Verb.GO_TO, Verb.OPEN}),
                budgets=Budgets(),
                dialect=dialect,
                seed=0,
                rules=rules,
                models={"planner": connection.for_episode("planner", lambda event: None)},
                options=Options(menu=MenuForm.FULL, **options),
                forms=("go to place 1", "wait"),
            )
            turns, to_come = PLANNER.plan(brief, percept("You are here.")), list(percepts)
            found = [next(turns)]
            while True:
                asks = isinstance(found[-1], Act | Done | NewTrial)
                try:
                    sent = to_come.pop(0) if asks and to_come else percept("")
                    found.append(turns.send(sent))
                except StopIteration:
                    return found

        yield played


def tasks_of(endpoint: Any) -> list[str]:
    """The user's first message of every question, without those for reflections."""
    found = [body["messages"] for body in endpoint.requests]
    return [m[1]["content"] for m in found if m[1]["content"].startswith("Task: Find")]


def test_three_infeasible_actions_in_a_row_end_a_trial(play: Play, endpoint: Any) -> None:
    acts = [f"go to place {number}" for number in range(1, 6)]
    found = play(acts, failed(), succeeded(), failed(), failed(), failed())
    why = "3 actions in a row were not possible."
    assert [type(each) for each in found] == [Act] * 5 + [Internal, Note, GiveUp]
    assert found[5] == Internal("reflect", LESSON, {"why": why})
    assert counts(found[5])
    assert LESSON not in endpoint.requests[4]["messages"][1]["content"]
    assert f"reflected:\n- {LESSON}" in endpoint.requests[-1]["messages"][1]["content"]


def test_three_thoughts_in_a_row_end_a_trial(play: Play, endpoint: Any) -> None:
    found = play(["think", "think", "go to place 1", "think", "think", "think"], succeeded())
    kinds = [Think, Think, Act, Think, Think, Think, Internal, Note, GiveUp]
    assert [type(each) for each in found] == kinds
    assert found[0] == Think("Next: think.")
    assert endpoint.requests[1]["messages"][-1]["content"].startswith("OK.")


def test_without_further_trials_it_goes_on_where_the_world_is(play: Play, endpoint: Any) -> None:
    acts = [f"go to place {number}" for number in range(1, 5)]
    found = play(acts, failed(), failed(), failed("It is gone."), succeeded())
    assert not [each for each in found if isinstance(each, NewTrial)]
    after = endpoint.requests[4]["messages"]
    assert [message["role"] for message in after[2:]] == ["assistant", "user"] * 3
    assert after[-1]["content"].startswith("It is gone.")


def test_with_further_trials_the_task_is_begun_anew(play: Play, endpoint: Any) -> None:
    acts = [f"go to place {number}" for number in range(1, 5)]
    again = percept("You are here again.")
    found = play(acts, failed(), failed(), failed(), again, succeeded(), rules=Rules(trials=2))
    kinds = [Act, Act, Act, Internal, Note, NewTrial, Act, GiveUp]
    assert [type(each) for each in found] == kinds
    after = endpoint.requests[4]["messages"]
    assert len(after) == 2
    assert after[1]["content"].startswith("Task: Find the cup.\nYou are here again.\n")
    assert LESSON in after[1]["content"]


def test_giving_up_ends_a_trial_and_in_the_last_the_episode(play: Play) -> None:
    found = play(["give up", "give up"], percept("You are here."), rules=Rules(trials=2))
    assert [type(each) for each in found] == [Internal, Note, NewTrial, GiveUp]
    assert found[0].data["why"] == "You saw no way. Next: give up."


def test_a_goal_check_that_fails_ends_a_trial(play: Play) -> None:
    rules = Rules(Ends.PLANNER_DONE, feedback=Feedback.GOAL_CHECK, trials=2)
    not_yet = percept("", feedback="The task is not done yet.")
    found = play(["done"], not_yet, percept("You are here."), rules=rules)
    assert [type(each) for each in found] == [Done, Internal, Note, NewTrial, GiveUp]
    assert found[1].data["why"] == "The task is not done yet."


def test_the_last_ten_steps_are_shown(play: Play, endpoint: Any) -> None:
    acts = [f"go to place {number}" for number in range(1, 14)]
    play(acts, *(succeeded(f"You arrive at {number}.") for number in range(1, 14)))
    last = endpoint.requests[-1]["messages"]
    assert len(last) == 2 + 2 * 10
    assert "You arrive at 4." in last[3]["content"]


def test_the_latest_three_reflections_are_kept(play: Play, endpoint: Any) -> None:
    acts = ["think"] * 12
    play(acts)
    assert tasks_of(endpoint)[-1].count(LESSON) == 3


def test_the_domain_is_described_where_it_is_wanted(play: Play, endpoint: Any) -> None:
    play(["done"], domain=True, rules=Rules(infeasible_in_a_row=5, infeasible_fails=True))
    told = endpoint.requests[0]["messages"][0]["content"]
    assert "# Actions\n- go to: needs" in told
    assert "- open: needs" in told
    assert "pick up: needs" not in told
    assert "You hold one thing at a time.\n- An empty hand is needed to open." in told
    assert "A toaster takes 1 thing at a time." in told
    assert "After 5 failed actions in a row all is over." in told
    assert "An action that cannot be done fails the task, whatever else is achieved." in told
    play(["done"])
    assert "# Actions" not in endpoint.requests[-1]["messages"][0]["content"]


def test_actions_on_lists_are_said_freely(play: Play, endpoint: Any) -> None:
    found = play(["move(guess1)"], failed("(Fail)\nObject List: []"), dialect="llm_state")
    assert found[0] == Act("move(guess1)", "Next: move(guess1).")
    first = endpoint.requests[0]
    assert "The actions are: move(a), open(a)." in first["messages"][0]["content"]
    shape = first["response_format"]["json_schema"]["schema"]["properties"]["action"]
    assert "enum" not in shape


def test_actions_are_said_freely_beside_a_menu(play: Play, endpoint: Any) -> None:
    """What fails counts, also words that are no action; then it reflects."""
    refused = percept("There is no such action.", refused="There is no such action.")
    acts = ["open place 1", "dance", "Go to place 77"]
    found = play(acts, failed("The place 1 is already open."), refused, failed("It is gone."))
    assert [each.action for each in found[:3]] == acts
    assert found[3] == Internal("reflect", LESSON, {"why": "3 actions in a row were not possible."})
    first, second = endpoint.requests[:2]
    assert "enum" not in str(first["response_format"])
    assert "Possible actions: go to place 1; " in first["messages"][-1]["content"]
    assert "The place 1 is already open." in second["messages"][-1]["content"]


@pytest.mark.parametrize("said", ["Done", "done.", "done()"])
def test_the_ends_are_understood_in_any_spelling(play: Play, said: str) -> None:
    assert isinstance(play([said])[0], Done)


@pytest.mark.parametrize(("dialect", "window"), [("llm_state", 10), ("reactree_plain", 100)])
def test_it_reaches_goals_with_the_stand_in(tmp_path: Any, dialect: str, window: int) -> None:
    """Lists repeat all that was seen; in other dialects it has to be in the window."""
    tasks = tuple(task.id for task in load_suite("houses").tasks[:16:8])
    run = peephole.run(
        "reflexion",
        "houses",
        tasks=tasks,
        model="scripted",
        dialect=dialect,
        options={"window": window},
        out=tmp_path / "run",
    )
    assert [result.task for result in run.results if not result.success] == []

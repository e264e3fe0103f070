"""The planner `llm_state`: attention, estimation and plans (Algorithm 1), and their ablations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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
    Note,
    Percept,
    counts,
)
from peephole.planners.llm_state.planner import PLANNER, Options
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node, State
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.skills.actions import HOUSEHOLD_VERBS, open_
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason
from peephole.suites.registry import load_suite

SCENE = """\
Object List: ['lightswitch1 IN bathroom1']
Container List: []
Surface List: []
Room List: ['bathroom1', 'bedroom1']
Current Holding: []
You are close to: []
Current Room: bathroom1"""
LATER = SCENE.replace("'lightswitch1 IN bathroom1'", "'lightswitch2 IN bedroom1'")
ATTEND = 'add_related_objects("lightswitch1")'
ESTIMATE = 'update_reasoning("Nothing was done.")\nupdate_state("lightswitch1", "on | far")'
MOVE = "1. move(bedroom1)"
PLAN = "Low-level Action Plan:\n1. move(lightswitch1)\n2. switchoff(lightswitch1)"
Play = Callable[..., list[Any]]


def succeeded(text: str = SCENE) -> Percept:
    return _percept(f"(Success)\n{text}", outcome=Outcome(None))


def failed(text: str = SCENE) -> Percept:
    return _percept(f"(Fail)\n{text}", outcome=Outcome(Failure(Reason.NOT_CLOSE)))


def refused() -> Percept:
    unknown = Outcome(Failure(Reason.UNKNOWN))
    return _percept("No such thing.", outcome=unknown, refused="No such thing.")


def _percept(text: str, **fields: Any) -> Percept:
    view: Any = None
    return Percept(text, view, {}, 0, **fields)


@pytest.fixture
def play(endpoint: Any) -> Iterator[Play]:
    """Play with these replies and percepts until either is used up; returns the decisions."""
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(
            replies: Sequence[str],
            *percepts: Percept,
            rules: Rules = Rules(),  # noqa: B008
            forms: tuple[str, ...] = (),
            **options: Any,
        ) -> list[Any]:
            left = list(replies)
            endpoint.text = lambda body: left.pop(0) if left else "move(end1)"
            brief = Brief(
                instruction="Switch off all lights.",
                agent=1,
                rooms=(),
                embodiment=Embodiment(),
                actions=HOUSEHOLD_VERBS,
                budgets=Budgets(),
                dialect="llm_state",
                seed=0,
                rules=rules,
                models={"planner": connection.for_episode("planner", lambda event: None)},
                options=Options(**options),
                forms=forms,
            )
            turns, to_come = PLANNER.plan(brief, _percept(SCENE)), list(percepts)
            found = [next(turns)]
            while not isinstance(found[-1], GiveUp):
                acts = isinstance(found[-1], Act | Done)
                if acts and not to_come:
                    break
                try:
                    found.append(turns.send(to_come.pop(0) if acts else _percept("")))
                except StopIteration:
                    break
            return found

        yield played


def prompts(endpoint: Any) -> list[str]:
    return ["\n".join(m["content"] for m in body["messages"]) for body in endpoint.requests]


def test_a_round_is_three_samples_and_its_actions(play: Play, endpoint: Any) -> None:
    found = play([ATTEND, MOVE, ATTEND, ESTIMATE, PLAN], succeeded(), succeeded())
    assert found == [
        Internal("attend", "lightswitch1", {"added": ["lightswitch1"], "dropped": []}),
        Note("plan", "1. move(bedroom1)", {"actions": ["move(bedroom1)"], "dropped": []}),
        Act("move(bedroom1)"),
        Internal("attend", "nothing to add", {"added": [], "dropped": []}),
        Internal("estimate_state", found[4].text, {"calls": 2, "dropped": []}),
        Note("memory", found[4].text, found[5].data),
        Note("plan", found[6].text, found[6].data),
        Act("move(lightswitch1)"),
        Act("switchoff(lightswitch1)", continued=True),
    ]
    assert found[4].text == "lightswitch1: on | far\n\nReasoning: Nothing was done."
    assert found[5].data == {
        "objects": {"lightswitch1": "on | far"},
        "summary": "Nothing was done.",
    }
    assert sum(map(counts, found)) == len(endpoint.requests) == 5


def test_each_question_has_data_on_what_it_is_about(play: Play, endpoint: Any) -> None:
    play([ATTEND, MOVE, "nothing", ESTIMATE, PLAN], succeeded())
    attention, _, _, estimator, policy = prompts(endpoint)
    assert SCENE in attention
    assert "Task goal: Switch off all lights." in attention
    assert "Object List" not in estimator
    assert "lightswitch1: []\n" in estimator
    assert "Current Room: bathroom1" in estimator
    assert "Task goal" not in estimator
    assert SCENE in policy
    assert "lightswitch1: on | far\n\nReasoning: Nothing was done." in policy


def test_nothing_is_estimated_before_there_was_an_action(play: Play, endpoint: Any) -> None:
    play([ATTEND, PLAN])
    attention, policy = prompts(endpoint)
    assert "lightswitch1: []\n" in policy
    assert all("state estimator" not in prompt for prompt in (attention, policy))


@pytest.mark.parametrize("option", ["done", "failed"])
def test_what_is_so_already_is_told_and_the_plan_goes_on(
    play: Play, endpoint: Any, option: str
) -> None:
    shut = SceneGraph(
        [Node(1, "robot", Kind.AGENT, 1), Node(2, "fridge", Kind.FIXTURE, 2, {State.OPEN})], []
    )
    again = Outcome(Failure(Reason.ALREADY_OPEN, 2))
    opened = replace(failed(), view=View(shut, {}), action=open_(2), outcome=again)
    plan = "open(fridge1)\npickup(milk1)"
    found = play([ATTEND, plan, "nothing", "nothing", PLAN], opened, failed(), already_so=option)
    acts = [act.action for act in found if isinstance(act, Act)]
    told = "\n".join(prompts(endpoint))
    if option == "done":
        assert acts[:2] == ["open(fridge1)", "pickup(milk1)"]
        assert "\nopen(fridge1) (Fail: it is so already)\npickup(milk1) (Fail)\n" in told
    else:
        assert acts[:2] == ["open(fridge1)", "move(lightswitch1)"]
        assert "\nopen(fridge1) (Fail)\n" in told
        assert "so already" not in told


def test_a_plan_is_given_up_with_the_first_action_that_fails(play: Play, endpoint: Any) -> None:
    replies = [ATTEND, PLAN, 'add_related_objects("lightswitch2")', "nothing", PLAN]
    found = play(replies, failed(LATER))
    acts = [decision for decision in found if isinstance(decision, Act)]
    assert acts == [Act("move(lightswitch1)")] * 2
    attention, estimator, policy = prompts(endpoint)[2:]
    assert LATER in attention
    assert "lightswitch1: []\nlightswitch2: []" in estimator, "attributes are estimated each time"
    for prompt in (estimator, policy):
        assert "\nmove(lightswitch1) (Fail)\n" in prompt
    assert "lightswitch1: []\nlightswitch2: []" in policy, "so is what nothing was said of"
    assert "Reasoning" not in policy


def test_after_the_last_action_of_a_plan_all_begins_anew(play: Play, endpoint: Any) -> None:
    replies = [ATTEND, PLAN, "nothing", ESTIMATE, PLAN]
    play(replies, succeeded(), succeeded(LATER))
    *_, estimator, policy = prompts(endpoint)
    done = "\nmove(lightswitch1) (Success)\nswitchoff(lightswitch1) (Success)\n"
    assert done in estimator
    assert done in policy
    assert LATER in policy


def test_a_guessed_name_is_tried_and_its_failure_reported(play: Play, endpoint: Any) -> None:
    guess = "1. move(lightswitch3) (assuming there is one)\n2. switchoff(lightswitch3)"
    found = play([ATTEND, guess, "nothing", ESTIMATE, PLAN], refused())
    assert Act("move(lightswitch3)") in found
    policy = prompts(endpoint)[-1]
    assert "move(lightswitch3) (Fail)" in policy
    assert SCENE in policy, "the observation is still what it was"
    assert "No such thing." not in policy


def test_key_objects_are_only_added(play: Play, endpoint: Any) -> None:
    play([ATTEND, "move(a1)", 'add_related_objects("b1")'], succeeded())
    assert "lightswitch1: []\nb1: []" in prompts(endpoint)[3]
    assert "lightswitch1: []\n" in prompts(endpoint)[2]


def test_malformed_calls_are_dropped_counted_and_recorded(play: Play) -> None:
    attend = f"{ATTEND}\nadd_related_objects(a1, b1)\nadd_related_objects("
    estimate = 'update_state("a1")\nupdate_reasoning(\'So.\')\nforget("a1")'
    policy = "fly(moon1)\nmove(a1)\nmove(a1, b1)\nplacein(a1)\nimport os"
    found = play([attend, MOVE, "nothing", estimate, policy], succeeded())
    assert found[0].data["dropped"] == ["add_related_objects(a1, b1)", "add_related_objects("]
    assert found[4].data == {"calls": 1, "dropped": ['update_state("a1")', 'forget("a1")']}
    assert found[6].data == {
        "actions": ["move(a1)"],
        "dropped": ["fly(moon1)", "move(a1, b1)", "placein(a1)"],
    }


def test_an_empty_plan_is_asked_for_again_and_then_it_gives_up(play: Play, endpoint: Any) -> None:
    found = play([ATTEND, "I do not know.", PLAN])
    assert found[-1] == Act("move(lightswitch1)")
    assert "There is no action in the plan" in prompts(endpoint)[-1]
    endpoint.requests.clear()
    found = play([ATTEND, *["I do not know."] * 20])
    assert isinstance(found[-1], GiveUp)
    assert "no action in the plan" in found[-1].reason
    assert len(endpoint.requests) < 12


def test_a_plan_has_so_many_actions_at_most(play: Play, endpoint: Any) -> None:
    plan = "\n".join(f"{n}. move(place{n})" for n in range(1, 6))
    found = play([ATTEND, plan], *[succeeded()] * 2, plan_length=3)
    assert found[1].data["actions"] == ["move(place1)", "move(place2)", "move(place3)"]
    assert found[1].data["dropped"] == ["move(place4)", "move(place5)"]
    assert "3 actions at most" in prompts(endpoint)[-1]


ABLATIONS = {
    "state": (["policy"], ("Reasoning", "current state", "Heed what the state says")),
    "summary": (["attention", "estimator", "policy"], ("update_reasoning", "Reasoning")),
    "objects": (["estimator", "policy"], ("update_state", "lightswitch1: ")),
}


@pytest.mark.parametrize("option", ABLATIONS)
def test_an_ablation_asks_and_tells_less(play: Play, endpoint: Any, option: str) -> None:
    asked, missing = ABLATIONS[option]
    reply = {"attention": ATTEND, "estimator": ESTIMATE, "policy": PLAN}
    first = [reply[name] for name in asked if name == "attention"]
    play([*first, MOVE, *[reply[name] for name in asked]], succeeded(), **{option: False})
    assert len(endpoint.requests) == len(first) + 1 + len(asked)
    policy = prompts(endpoint)[-1]
    assert "Give the plan" in policy
    for text in missing:
        assert all(text not in prompt for prompt in prompts(endpoint)), text


def test_the_nine_actions_are_offered_or_all(play: Play, endpoint: Any) -> None:
    play([ATTEND, "sit(bed1)\nmove(bed1)"])
    assert "switchoff(a), wait()\n" in prompts(endpoint)[-1]
    forms = ("move(a)", "sit(a)", "look(a)", "look()")
    found = play(
        [ATTEND, "sit(bed1)\nlook()\nlook(bed1)"],
        *[succeeded()] * 2,
        actions="all",
        forms=forms,
    )
    assert [act.action for act in found if isinstance(act, Act)] == [
        "sit(bed1)",
        "look()",
        "look(bed1)",
    ]


def test_where_the_planner_has_to_say_so_it_is_done_by_a_call(play: Play, endpoint: Any) -> None:
    rules = Rules(ends=Ends.PLANNER_DONE)
    found = play([ATTEND, "1. done()"], _percept(""), rules=rules)
    assert found[-1] == Done()
    assert "done()" in prompts(endpoint)[-1]
    play([ATTEND, PLAN])
    assert "done()" not in prompts(endpoint)[-1]


def test_a_goal_check_that_fails_is_no_end(play: Play, endpoint: Any) -> None:
    rules = Rules(ends=Ends.PLANNER_DONE)
    checked = _percept("", feedback="The task is not done yet.")
    found = play([ATTEND, "done()", "nothing", ESTIMATE, PLAN], checked, rules=rules)
    assert found[-1] == Act("move(lightswitch1)")
    assert "\ndone() (Fail: The task is not done yet.)\n" in prompts(endpoint)[-1]


def test_a_model_that_cannot_be_used_makes_it_give_up(play: Play, endpoint: Any) -> None:
    endpoint.always = lambda body: "context"
    assert isinstance(play([])[-1], GiveUp)


def test_it_reaches_goals_with_the_stand_in(tmp_path: Any) -> None:
    tasks = tuple(task.id for task in load_suite("houses").tasks[:16:8])
    run = peephole.run("llm_state", "houses", tasks=tasks, model="scripted", out=tmp_path / "run")
    assert [result.task for result in run.results if not result.success] == []
    assert set(run.results[0].purposes) == {"attention", "estimator", "policy"}

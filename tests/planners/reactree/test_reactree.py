"""The agents of `reactree`: their decisions, their prompts, and the counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.events import Decided
from peephole.episodes.recording import EpisodeLog, read_episode
from peephole.models.answers import read_answer, schema_of
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.contract import Request, Unusable
from peephole.models.served_model import ModelEndpoint
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Act, Done, GiveUp, Internal, Think, counts
from peephole.planners.kits.agent_tree import choices_of, shape_of
from peephole.planners.react.planner import PLANNER as REACT
from peephole.planners.reactree.agents import THOUGHT_TAKEN
from peephole.planners.reactree.planner import PLANNER
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task

GOAL = "Bring the pen to the armchair."
FIND, PUT = "find and pick up the pen", "put down the pen on armchair 1"


def think(text: str) -> Mapping[str, Any]:
    return {"think": text}


def act(action: str) -> Mapping[str, Any]:
    return {"act": action}


def expand(control_flow: str, *subgoals: str) -> Mapping[str, Any]:
    return {"expand": {"control_flow": control_flow, "subgoals": list(subgoals)}}


def states(played: Any) -> dict[str, str]:
    return {node["goal"]: node["state"] for node in played.nodes.values()}


# --- agents --------------------------------------------------------------------------------------


def test_every_sample_is_one_decision_and_the_last_end_is_that_of_the_task(play: Any) -> None:
    played = play(
        GOAL,
        think("First the pen."),
        expand("sequence", FIND, PUT),
        {"recall": "pen"},
        act("go to study 1"),
        act("done"),
        act("failure"),
        working_memory=True,
    )
    assert [type(decision) for decision in played.counted] == [
        Think,
        Internal,
        Internal,
        Act,
        Internal,
        GiveUp,
    ]
    assert [d.name for d in played.counted if isinstance(d, Internal)] == [
        "expand",
        "recall",
        "subtask_end",
    ]
    assert len(played.counted) == len(played.model.asked)
    assert states(played) == {GOAL: "expand", "": "failure", FIND: "success", PUT: "failure"}
    assert [node["decisions"] for node in played.agents] == [2, 3, 1]


def test_what_comes_of_the_control_flow_comes_of_the_node_that_expanded(play: Any) -> None:
    played = play(
        GOAL,
        expand("parallel", "one", "two", "three"),
        act("failure"),
        expand("fallback", "two a", "two b"),
        act("failure"),
        act("done"),
        act("done"),
    )
    assert isinstance(played.counted[-1], Done)
    flows = {n["kind"]: n["state"] for n in played.nodes.values() if n["kind"] != "agent"}
    assert flows == {"parallel": "success", "fallback": "success"}


def test_a_child_begins_at_the_present_place_with_what_is_around_its_task(play: Any) -> None:
    played = play(
        GOAL,
        expand("sequence", FIND, PUT),
        act("go to study 1"),
        act("go to writing desk 1"),
        act("pick up pen 1"),
        act("done"),
        act("done"),
    )
    system, task = played.model.asked[-1]
    assert task["content"].splitlines() == [
        f"This task is part of: {GOAL}",
        f"Its parts, done in sequence: {FIND}; {PUT}",
        f"Your task is to: {PUT}",
        "You are in the house, and there are 2 rooms: hall (1), study (1). You are in the middle "
        "of a study (1). Looking quickly around the room, you see writing desk (1). "
        "You hold pen (1).",
    ]
    assert system == played.model.asked[0][0]


def test_a_child_is_told_what_those_before_it_saw_out_of_its_sight(play: Any) -> None:
    decisions = (
        expand("sequence", FIND, PUT),
        act("go to wardrobe 1"),
        act("open wardrobe 1"),
        act("go to study 1"),
        act("go to writing desk 1"),
        act("pick up pen 1"),
        act("go to hall 1"),
        act("done"),
        act("done"),
    )
    told = (
        " Seen before in hall 1: nothing in or on wardrobe 1."
        " Seen before in study 1: newspaper 1 on writing desk 1."
    )
    root, *_, task = (asked[1]["content"] for asked in play(GOAL, *decisions).model.asked)
    assert task.endswith(told)
    assert "Seen before" not in root
    *_, task = (asked[1]["content"] for asked in play(GOAL, *decisions, briefing=False).model.asked)
    assert task.endswith("You hold pen (1).")


def test_a_child_is_told_which_rooms_nobody_entered(play: Any) -> None:
    played = play(GOAL, expand("sequence", FIND, PUT), act("failure"))
    assert played.model.asked[-1][1]["content"].endswith(" Not entered yet: study 1.")


def test_the_papers_actions_alone_are_told_and_offered(play: Any) -> None:
    for actions, more in (("all", True), ("paper", False)):
        played = play(GOAL, act("go to armchair 1"), act("done"), actions=actions)
        system = played.model.asked[0][0]["content"]
        assert ("look around" in system) == more
        assert ("eat thing 1" in system) == more
        verbs = {text.split(" ")[0] for text in played.model.offered[-1]}
        assert verbs >= {"go", "done", "failure"}
        assert ("look" in verbs) == more


def test_messages_are_only_added_and_a_thought_is_answered_by_a_word(play: Any) -> None:
    played = play(GOAL, think("Hm."), act("go to study 1"), act("failure"))
    first, second, third = played.model.asked
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert json.loads(second[-2]["content"]) == {"decision": {"think": "Hm."}}
    assert second[-1]["content"] == THOUGHT_TAKEN
    assert third[-1]["content"].startswith("You move to the study (1).")


def test_recalls_are_answered_from_what_other_nodes_saw(play: Any) -> None:
    played = play(
        GOAL,
        expand("fallback", "one", "two"),
        {"recall": "pen"},
        act("go to study 1"),
        act("go to writing desk 1"),
        act("failure"),
        {"recall": "pen"},
        act("done"),
        working_memory=True,
    )
    recalls = [d for d in played.counted if isinstance(d, Internal) and d.name == "recall"]
    assert [recall.data["answer"] for recall in recalls] == [
        "You have not seen pen before.",
        "You saw pen 1 near writing desk 1 in study 1.",
    ]
    assert "Act: recall location of pen\nYou saw pen 1" in played.agents[-1]["text"]


def test_a_node_whose_model_gives_no_answer_fails_and_the_tree_goes_on(play: Any) -> None:
    played = play(GOAL, expand("fallback", "one", "two"), None, act("done"))
    assert states(played)["one"] == "failure"
    assert isinstance(played.counted[-1], Done)
    assert len(played.counted) == 2  # a missing answer decides nothing
    alone = play(GOAL, None)
    assert alone.counted == [GiveUp("The reply is not JSON.")]


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subgoals", "reason"),
    [
        ((), "at least one subgoal"),
        (("", " "), "at least one subgoal"),
        (("a", "b", "c", "d"), "3 subgoals at most"),
        (("find the pen", "bring  the pen to the ARMCHAIR"), "is the task itself"),
    ],
)
def test_an_impossible_expansion_is_answered_counted_and_recorded(
    play: Any, subgoals: tuple[str, ...], reason: str
) -> None:
    bad = expand("sequence", *subgoals)
    played = play(GOAL, bad, act("done"), max_subgoals=3)
    refused, _ = played.counted
    assert isinstance(refused, Internal)
    assert reason in refused.text
    assert refused.data["refused"] == "subgoals"
    assert refused.data["subgoals"] == list(subgoals)
    assert played.model.asked[1][-1]["content"] == refused.text
    assert list(played.nodes) == [0]


def test_nesting_ends_at_the_depth_that_is_allowed(play: Any) -> None:
    nested = [expand("sequence", f"part {i}") for i in range(3)]
    played = play(GOAL, *nested, act("done"), max_depth=3)
    *_, refused, done = played.counted
    assert "too many others" in refused.text
    assert isinstance(done, Done)
    assert [node["goal"] for node in played.agents] == [GOAL, "part 0", "part 1"]
    again = play(GOAL, nested[0], expand("sequence", f" {GOAL.upper()}"), act("done"))
    assert "or one above it" in again.counted[1].text


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        ({"expand": {"control_flow": "loop", "subgoals": ["a"]}}, "'sequence' or 'fallback'"),
        ({"expand": {"control_flow": "sequence"}}, "Field required"),
        ({"act": 1}, "Input should be a valid string"),
        ({"recall": "pen"}, "one of act, think, expand"),
        ({"think": "a", "act": "done"}, "Extra inputs"),
        ({}, "one of act, think, expand"),
        ("done", "one of act, think, expand"),
    ],
)
def test_a_reply_of_another_shape_is_answered_with_the_error(decision: Any, told: str) -> None:
    shape = shape_of(("sequence", "fallback"), 300, False)
    with pytest.raises(ValidationError) as error:
        shape.model_validate({"decision": decision})
    assert told in str(error.value)


def test_an_action_that_is_not_on_offer_is_no_answer() -> None:
    shape = shape_of(("sequence", "fallback"), 300, False)
    request = Request([], shape=shape, choices=choices_of(["go to hall 1"]))
    with pytest.raises(Unusable, match=r'"decision\.act" is "go to hall 2".* Near to it: go'):
        read_answer(request, '{"decision": {"act": "go to hall 2"}}')
    for decision in ({"act": "go to hall 1"}, {"act": "done"}, {"think": "go to hall 2"}):
        read_answer(request, json.dumps({"decision": decision}))


def test_the_schema_holds_decisions_to_what_is_on_offer() -> None:
    shape = shape_of(("sequence",), 20, True)
    first = schema_of(Request([], shape=shape, choices=choices_of(["open box 1"])), lengths=False)
    choices = choices_of(["go to hall 1", "wait"])
    schema = schema_of(Request([], shape=shape, choices=choices), lengths=False)
    assert schema is not None
    assert "open box 1" in json.dumps(first)
    assert "open box 1" not in json.dumps(schema)
    text = json.dumps(schema)
    assert '"enum": ["go to hall 1", "wait", "done", "failure"]' in text
    assert '"const": "sequence"' in text
    assert "oneOf" not in text
    assert "discriminator" not in text
    cut: Any = shape.model_validate({"decision": {"think": "so " * 50}})
    assert len(cut.decision.think) == 20


@pytest.mark.parametrize(
    ("dialect", "option", "offered"),
    [
        ("reactree", "auto", ["sequence", "fallback", "parallel"]),
        ("reactree_plain", "seq_fallback", ["sequence", "fallback"]),
        ("reactree", "seq", ["sequence"]),
        ("reactree_thor", "auto", ["sequence", "fallback"]),
        ("reactree_thor", "all", ["sequence", "fallback", "parallel"]),
    ],
)
def test_control_flow_is_offered_by_the_option_and_the_dialect(
    play: Any, dialect: str, option: str, offered: list[str]
) -> None:
    played = play(GOAL, act("done"), dialect=dialect, control_flow=option)
    rules = played.model.asked[0][0]["content"]
    told = rules.partition("The control flow is ")[2].partition("\n")[0]
    schema = json.dumps(played.model.shapes[0].model_json_schema()["$defs"]["Expansion"])
    every = ("sequence", "fallback", "parallel")
    assert [flow for flow in every if f'"{flow}" (' in told] == offered
    assert [flow for flow in every if f'"{flow}"' in schema] == offered


# --- the cap -------------------------------------------------------------------------------------


@pytest.mark.parametrize("planner", [PLANNER, REACT], ids=lambda planner: planner.name)
@pytest.mark.parametrize("cap", [1, 4, 5])
def test_with_a_cap_of_k_exactly_k_decisions_are_made(
    planner: Any, cap: int, endpoint: Any, example_house: SceneGraph, tmp_path: Path
) -> None:
    turn = {"thought": "Hm.", "action": "look around"}
    begin = [think("Hm."), expand("fallback", "one", "two"), act("look around"), act("failure")]

    def text(body: Mapping[str, Any]) -> str:
        asked = len(endpoint.requests)
        decision = begin[asked - 1] if asked <= len(begin) else think("Hm.")
        return json.dumps(turn if planner is REACT else {"decision": decision})

    endpoint.text = text
    house, episode = tmp_path / "house.json", tmp_path / "episode.jsonl"
    write_graph(example_house, house)
    task = Task("house", GOAL, And(()), f"json:{house}")
    with ModelConnection(ModelConfig("m"), ModelEndpoint(endpoint.url, "m")) as connection:
        context = EpisodeContext(
            SymbolicAdapter(),
            planner,
            DIALECT,
            rules=Rules(ends=Ends.PLANNER_DONE),
            budgets=Budgets(decisions=cap),
            options=planner.options(menu="none"),
            models={"planner": connection},
        )
        with EpisodeLog(episode) as log:
            result = run_episode(context, task, log)
    decided = [event.decision for event in read_episode(episode) if isinstance(event, Decided)]
    assert (result.ended, result.decisions) == ("decisions", cap)
    assert sum(map(counts, decided)) == cap

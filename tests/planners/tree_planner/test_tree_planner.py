"""The planner `tree_planner`: the action tree, the path down it, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.environment import Environment
from peephole.episodes.events import Decided
from peephole.episodes.recording import episode_files, read_events
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Act, Done, GiveUp, Internal, Note, Percept, counts
from peephole.planners.kits.written_plans.skills import DONE, Skill
from peephole.planners.tree_planner.planner import PLANNER, ActionNode, ActionTree, Options
from peephole.results.notes import tree_lines
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Relation
from peephole.scene_graph.node import Node as Thing
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task

SURFACE, GRASP = frozenset({Affordance.SURFACE}), frozenset({Affordance.GRASPABLE})
#: A hall with a bench, a desk, a shelf and a scarf on the shelf.
HOUSE = SceneGraph(
    [
        Thing(1, "character", Kind.AGENT, 1),
        Thing(2, "hall", Kind.ROOM, 2),
        *(Thing(i, name, Kind.FIXTURE, i, affordances=SURFACE) for i, name in [(3, "bench")]),
        Thing(4, "desk", Kind.FIXTURE, 4, affordances=SURFACE),
        Thing(5, "shelf", Kind.FIXTURE, 5, affordances=SURFACE),
        Thing(6, "scarf", Kind.OBJECT, 6, affordances=GRASP),
    ],
    [*(Edge(i, Relation.INSIDE, 2) for i in (1, 3, 4, 5)), Edge(6, Relation.ON, 5)],
)
FROM_DESK = "go to desk 1\npick up scarf\ngo to bench 1\nput down scarf\ndone"
FROM_SHELF = FROM_DESK.replace("desk", "shelf")
GIVE = "go to desk 1\ngo to bench 1\ndone"
Play = Callable[..., list[Any]]

skills = st.sampled_from([Skill(f"go to place {number}") for number in range(3)])
plan_lists = st.lists(st.lists(skills, max_size=5), min_size=1, max_size=8)


@pytest.fixture
def play(endpoint: Any, tmp_path: Path) -> Iterator[Play]:
    """Play with these sampled plans and choices; returns decisions and percepts in order."""
    path = tmp_path / "house.json"
    write_graph(HOUSE, path)
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(plans: Sequence[str], choices: Sequence[str] = (), **options: Any) -> list[Any]:
            left = list(choices)

            def text(body: Any) -> str:
                if "response_format" not in body:
                    return plans[body["seed"] % 1000]
                return f'{{"choice": "{left.pop(0)}"}}'

            endpoint.text = text
            task = Task("example", "", And(()), f"json:{path}")
            rules = Rules(ends=Ends.PLANNER_DONE)
            world = Environment(
                SymbolicAdapter(), task, DIALECT, rules=rules, grants=PLANNER.grants
            )
            percept = world.reset()
            model = connection.for_episode("planner", lambda event: None)
            brief = replace(
                world.brief(),
                instruction="Put the scarf on the bench.",
                models={"planner": model},
                options=Options(plans=len(plans), **options),
            )
            turns = PLANNER.plan(brief, percept)
            found: list[Any] = [next(turns)]
            while not isinstance(found[-1], Done | GiveUp):
                if isinstance(found[-1], Act):
                    percept = world.step(found[-1].action)
                    found.append(percept)
                found.append(turns.send(percept))
            return found

        yield played


def questions(endpoint: Any) -> list[Any]:
    """The requests on the way down."""
    return [body for body in endpoint.requests if "response_format" in body]


def offered(body: Any) -> list[str]:
    options: list[str] = body["response_format"]["json_schema"]["schema"]["properties"]["choice"][
        "enum"
    ]
    return options


def actions(found: Sequence[Any]) -> list[Any]:
    return [each.action for each in found if isinstance(each, Act)]


def paths(node: ActionNode) -> Iterator[tuple[Skill, ...]]:
    """The plans of a tree from a node on."""
    for skill, child in node.children.items():
        for path in paths(child) if child.children else [()]:
            yield (skill, *path)


@given(plan_lists)
def test_a_tree_has_the_plans_that_it_is_made_of_and_no_others(plans: list[list[Skill]]) -> None:
    whole = [(*plan, DONE) for plan in plans]
    tree = ActionTree("", whole)
    assert sorted(paths(tree.root), key=str) == sorted(set(whole), key=str)
    prefixes = {plan[:length] for plan in whole for length in range(1, len(plan) + 1)}
    assert len(tree) == len(prefixes)
    assert tree.root.plans == len(plans)


@given(plan_lists)
def test_cutting_every_action_tries_every_fork_and_comes_to_an_end(
    plans: list[list[Skill]],
) -> None:
    """An adversary fails each action in turn: every first action is tried, and none twice."""
    tree = ActionTree("", [(*plan, DONE) for plan in plans])
    tried: list[Skill | None] = []
    node: ActionNode | None = tree.root
    while node is not None:
        chosen = node.choices()[0]
        tried.append(chosen.skill)
        node = tree.cut(chosen)
    assert sorted(map(str, tried)) == sorted(map(str, tree.root.children))


def test_plans_are_sampled_as_in_the_paper_and_each_is_a_decision(
    play: Play, endpoint: Any
) -> None:
    found = play([FROM_SHELF, FROM_SHELF, FROM_SHELF])
    sampled = [body for body in endpoint.requests if "response_format" not in body]
    assert {(body["temperature"], body["top_p"]) for body in sampled} == {(0.8, 0.95)}
    assert len({body["seed"] for body in sampled}) == 3
    decided = [each for each in found if isinstance(each, Internal | Act | Done) and counts(each)]
    assert [type(each).__name__ for each in decided] == ["Internal"] * 3 + ["Done"]
    assert Options().plans == 25


def test_where_all_plans_agree_nothing_is_asked(play: Play, endpoint: Any) -> None:
    found = play([FROM_SHELF])
    assert questions(endpoint) == []
    assert actions(found) == [
        "go to shelf 1",
        "pick up scarf 1",
        "go to bench 1",
        "put down scarf 1",
    ]


def test_what_has_just_failed_is_not_done_again_as_the_last_option(play: Play) -> None:
    plans = ["go to desk 1\nopen bench 1\ndone", "open bench 1\ndone"]
    found = play(plans, ["go to desk 1"])
    assert actions(found) == ["go to desk 1", "open bench 1"]
    assert found[-1] == GiveUp("No plan is left.")


def test_after_another_action_what_failed_is_tried_again(play: Play) -> None:
    plans = ["pick up scarf\ndone", "go to shelf 1\npick up scarf\ndone"]
    found = play(plans, ["pick up scarf"])
    assert actions(found) == ["pick up scarf 1", "go to shelf 1", "pick up scarf 1"]
    assert isinstance(found[-1], Done)


def test_an_action_whose_effect_holds_already_counts_as_done(play: Play) -> None:
    twice = FROM_SHELF.replace("pick up scarf", "pick up scarf\npick up scarf")
    found = play([twice])
    results = [each.outcome.success for each in found if isinstance(each, Percept)]
    assert results == [True, True, False, True, True]
    assert actions(found)[-1] == "put down scarf 1"
    assert isinstance(found[-1], Done)


def test_at_a_fork_it_chooses_among_what_the_plans_go_on_with(play: Play, endpoint: Any) -> None:
    found = play([FROM_DESK, FROM_SHELF, FROM_DESK], ["go to shelf 1"])
    (asked,) = questions(endpoint)
    assert offered(asked) == ["go to desk 1", "go to shelf 1"]
    assert asked["messages"][-1]["content"].endswith(
        "Choose one of these:\ngo to desk 1\ngo to shelf 1"
    )
    assert actions(found)[0] == "go to shelf 1"
    acts = [each for each in found if isinstance(each, Act)]
    assert [each.continued for each in acts] == [False, True, True, True]


def test_after_a_failure_it_reads_why_and_chooses_again_at_the_fork_above(
    play: Play, endpoint: Any
) -> None:
    plans = [FROM_DESK, FROM_SHELF, GIVE, GIVE.replace("bench", "shelf")]
    choices = ["go to desk 1", "pick up scarf", "go to bench 1"]
    found = play(plans, choices)
    first, second, third = questions(endpoint)
    assert offered(first) == ["go to desk 1", "go to shelf 1"]
    assert offered(second) == ["pick up scarf", "go to bench 1", "go to shelf 1"]
    assert offered(third) == ["go to bench 1", "go to shelf 1"]
    told = third["messages"][-1]["content"]
    assert told.startswith("Failed: pick up scarf 1\nYou have not seen the scarf yet.")
    assert isinstance(found[-1], Done)


def test_it_goes_back_to_the_root_where_nothing_is_left_below(play: Play) -> None:
    found = play([FROM_DESK, FROM_SHELF], ["go to desk 1"])
    assert actions(found) == [
        "go to desk 1",
        "pick up scarf 1",
        "go to shelf 1",
        "pick up scarf 1",
        "go to bench 1",
        "put down scarf 1",
    ]


def test_it_gives_up_where_no_plan_is_left(play: Play) -> None:
    found = play([FROM_DESK])
    assert isinstance(found[-1], GiveUp)
    assert actions(found) == ["go to desk 1", "pick up scarf 1"]


def test_samples_that_are_no_plan_are_left_out(play: Play) -> None:
    found = play(["…", FROM_SHELF, "…"])
    assert sum(isinstance(each, Internal) for each in found) == 1
    assert isinstance(found[-1], Done)
    assert isinstance(play(["…"])[-1], GiveUp)


def test_the_tree_is_drawn_from_its_notes(play: Play) -> None:
    found = play([FROM_DESK, FROM_SHELF], ["go to desk 1"])
    notes = [each for each in found if isinstance(each, Note)]
    lines = tree_lines(Decided(step=0, decision=note, planning_s=0.0) for note in notes)
    below = FROM_SHELF.replace("\n", "; ")
    assert [(line.depth, line.goal, line.mark) for line in lines] == [
        (0, "Put the scarf on the bench.", "✓"),
        (1, FROM_DESK.replace("\n", "; "), "✗"),
        (1, below, "✓"),
    ]


def test_with_the_stand_in_it_reaches_goals_where_it_knows_the_places(tmp_path: Path) -> None:
    options = {"plans": 3, "map": "true"}
    played = peephole.run(
        "tree_planner", "wah", tasks=2, model="scripted", options=options, out=tmp_path / "run"
    )
    assert [result.success for result in played.results] == [True, True]


def test_samples_of_the_stand_in_differ(tmp_path: Path) -> None:
    peephole.run("tree_planner", "wah", tasks=1, model="scripted", out=tmp_path / "run")
    (path,) = episode_files(tmp_path / "run")
    plans = [
        event.decision.text
        for event in read_events(path)
        if isinstance(event, Decided) and isinstance(event.decision, Internal)
    ]
    assert len(plans) == 25
    assert len(set(plans)) > 10

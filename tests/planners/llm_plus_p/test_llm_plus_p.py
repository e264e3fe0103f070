"""The planner `llm_plus_p`: problem files of a model, their repair, plans, and looking."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.models.contract import NoAnswer
from peephole.planners.contract import Act, Brief, Decisions, GiveUp, Internal, Percept, counts
from peephole.planners.kits.pddl.checking import read_problem, scene_of
from peephole.planners.llm_plus_p.planner import PLANNER, Options
from peephole.scene_graph.goals import Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.hierarchical_codec import from_hierarchy
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb, go_to, open_, pick_up, put

FILE = """\
(define (problem task) (:domain instruction-following)
  (:objects kitchen-1 - room table-1 fridge-1 counter-1 cabinet-1 apple-1 - thing)
  (:init (robot-in kitchen-1) (hand-empty)
    (surface table-1) (object-room table-1 kitchen-1)
    (surface counter-1) (object-room counter-1 kitchen-1)
    (container fridge-1) (openable fridge-1) (closed fridge-1) (object-room fridge-1 kitchen-1)
    (container cabinet-1) (openable cabinet-1) (closed cabinet-1)
    (object-room cabinet-1 kitchen-1)
    (graspable apple-1) (inside apple-1 fridge-1))
  (:goal (ontop apple-1 table-1)))
"""


@dataclass
class Replies:
    """A model that gives listed replies. asked: the messages of each question."""

    listed: list[str]
    asked: list[Sequence[Any]] = field(default_factory=list)
    sampling: list[dict[str, Any]] = field(default_factory=list)

    def complete(self, messages: Sequence[Any], **sampling: Any) -> str:
        self.asked.append([*messages])
        self.sampling.append(sampling)
        if not self.listed:
            raise NoAnswer("The model says nothing.")
        return self.listed.pop(0)


@dataclass
class Kitchen:
    """A kitchen with an apple in the closed fridge."""

    truth: SceneGraph
    """The true graph."""
    map: SceneGraph
    """The graph with the former place of the apple."""
    table: int
    """The table."""
    counter: int
    """The counter."""
    fridge: int
    """The closed fridge."""
    cabinet: int
    """The closed cabinet."""
    apple: int
    """The apple."""


@pytest.fixture
def kitchen(house) -> Kitchen:
    room = house.room("kitchen")
    table, counter = house.fixture("table", room), house.fixture("counter", room)
    fridge = house.fixture("fridge", room, State.CLOSED)
    cabinet = house.fixture("cabinet", room, State.CLOSED)
    apple = house.thing("apple", inside=fridge)
    house.agent(room)
    return Kitchen(house.graph, house.graph.copy(), table, counter, fridge, cabinet, apple)


@pytest.fixture
def played(play, kitchen: Kitchen) -> Callable[..., Any]:
    """Play llm_plus_p in the kitchen, by its map, with these replies of a model."""

    def run(replies: Sequence[str], *, stuck: int = 0, **options: Any) -> tuple[Any, Replies]:
        model = Replies([*replies])
        chosen = Options(**{"cache": False, **options})

        def plan(brief: Brief, percept: Percept) -> Decisions:
            assert brief.map is not None
            ids = {name: node_id for node_id, name in percept.names.items()}
            known = brief.map.copy()
            known.detach(ids["apple 1"])
            for relation, place in kitchen.map.places(kitchen.apple):
                name = f"{kitchen.map[place].category} 1"
                known.add_edge(ids["apple 1"], relation, ids[name])
            given = replace(brief, map=known, models={"planner": model}, options=chosen)
            return PLANNER.plan(given, percept)

        goal = Related(kitchen.apple, Relation.ON, kitchen.table)
        planner = replace(PLANNER, plan=plan)
        broken = open_(stuck).__eq__
        return play(planner, kitchen.truth, goal, until_done=True, steps=60, broken=broken), model

    return run


def test_the_plan_of_the_written_problem_is_carried_out_as_a_whole(played, kitchen) -> None:
    episode, model = played([FILE])
    assert episode.success
    assert episode.actions == [
        go_to(kitchen.fridge),
        open_(kitchen.fridge),
        pick_up(kitchen.apple),
        go_to(kitchen.table),
        put(kitchen.apple, Relation.ON, kitchen.table),
    ]
    assert all(d.continued for d in episode.decisions if isinstance(d, Act))
    assert sum(map(counts, episode.decisions)) == 2  # the file, and that it is done
    (note,) = episode.notes("plan")
    assert note.data["steps"] == [
        "(open fridge-1)", "(pick_up apple-1 fridge-1)", "(put_on apple-1 table-1)",
    ]  # fmt: skip
    assert model.sampling[0]["purpose"] == "plan"


def test_the_prompt_has_the_domain_the_task_and_the_scene(played) -> None:
    _, model = played([FILE])
    system, task = (message["content"] for message in model.asked[0])
    assert "(ontop ?a - thing ?b - thing)" in system
    graph = json.loads(re.search("^Scene graph: (.*)$", task, re.MULTILINE)[1])
    (apple,) = graph["nodes"]["objects"]
    assert apple["related_to"] == "fridge-1"
    assert not re.search(r"ontop_of.*table-1|goal", task)


def test_the_example_of_the_prompt_is_a_problem_of_its_scene(played) -> None:
    _, model = played([FILE])
    system = model.asked[0][0]["content"]
    graph = from_hierarchy(json.loads(re.search("^Scene graph: (.*)$", system, re.MULTILINE)[1]))
    names = {node.id: str(node.native_id) for node in graph.nodes()}
    scene = scene_of(graph, names.__getitem__, graph.agent().id)
    problem = read_problem(system.partition("The problem file:\n")[2], scene)
    assert problem.goal == [
        "and", ["inside", "water_glass-1", "recycling_bin-1"], ["closed", "recycling_bin-1"],
    ]  # fmt: skip


def test_a_file_that_cannot_be_used_is_repaired_once(played) -> None:
    wrong = FILE.replace("(ontop apple-1 table-1)", "(on apple-1 table-1)")
    episode, model = played([wrong, FILE])
    assert episode.success
    told = model.asked[1][-1]["content"]
    assert "- The domain has no predicate on ((on apple-1 table-1) in :goal)" in told
    assert model.asked[1][-2] == {"role": "assistant", "content": wrong}
    refused, used = (d for d in episode.decisions if isinstance(d, Internal))
    assert (refused.name, used.name) == ("refused", "formalise")
    assert len(refused.data["mistakes"]) == 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (FILE.replace("apple-1 table-1", "apple-1 chair-1"), "There is no chair-1"),
        ("I cannot do this.", "expected exactly one"),
        (FILE.replace("(container fridge-1)", "(surface fridge-1)"), "not so by the scene"),
    ],
)
def test_a_second_file_that_cannot_be_used_ends_the_episode(
    played, wrong: str, reason: str
) -> None:
    episode, model = played([wrong, wrong, FILE])
    assert not episode.success
    assert isinstance(episode.decisions[-1], GiveUp)
    assert reason in episode.ended
    assert len(model.asked) == 2
    assert not episode.actions


def test_a_problem_without_a_plan_is_repaired_as_well(played) -> None:
    shut = FILE.replace("(openable fridge-1) ", "")
    episode, model = played([shut, FILE])
    assert episode.success
    assert "no plan reaches the goal" in model.asked[1][-1]["content"]
    episode, _ = played([shut, shut])
    assert episode.ended.startswith("GiveUp: There is no plan.")


def test_repairs_are_an_option(played) -> None:
    episode, model = played(["no", FILE], repairs=0)
    assert len(model.asked) == 1
    assert not episode.success
    assert played(["no", "no", FILE], repairs=2)[0].success


def test_a_model_without_an_answer_ends_the_episode(played) -> None:
    episode, _ = played([])
    assert episode.ended == "GiveUp: The model says nothing."


def test_the_paper_s_planner_trusts_the_map(played, kitchen) -> None:
    kitchen.truth.detach(kitchen.apple)
    kitchen.truth.add_edge(kitchen.apple, Relation.ON, kitchen.counter)
    episode, _ = played([FILE])
    assert not episode.success
    assert episode.failures


@pytest.mark.parametrize("slicing", [True, False])
def test_slicing_changes_nothing_but_the_problem(played, slicing: bool) -> None:
    episode, _ = played([FILE], slicing=slicing)
    assert episode.success
    (note,) = episode.notes("plan")
    assert note.data["things"] == (4 if slicing else 5)


# --- looking -------------------------------------------------------------------------------------


def test_partial_looks_for_what_is_not_where_the_map_has_it(played, kitchen) -> None:
    kitchen.truth.detach(kitchen.apple)
    kitchen.truth.add_edge(kitchen.apple, Relation.ON, kitchen.counter)
    episode, model = played([FILE], partial=True)
    assert episode.success
    assert len(model.asked) == 1
    assert not episode.unperceived
    assert open_(kitchen.fridge) in episode.actions
    assert go_to(kitchen.counter) in episode.actions


def test_partial_plans_on_what_is_known_and_takes_only_the_goal(played) -> None:
    """A fact that the model left out or invented does no harm."""
    wrong = FILE.replace("(closed fridge-1) ", "").replace(
        "(inside apple-1 fridge-1)", "(ontop apple-1 counter-1)"
    )
    assert played([wrong], partial=True)[0].success
    assert not played([wrong])[0].success


def test_partial_gives_up_where_everything_was_looked_at(played, kitchen) -> None:
    kitchen.truth.detach(kitchen.apple)
    kitchen.truth.add_edge(kitchen.apple, Relation.INSIDE, kitchen.cabinet)
    assert played([FILE], partial=True)[0].success
    kitchen.truth.set_state(kitchen.cabinet, State.CLOSED)
    episode, _ = played([FILE], partial=True, stuck=kitchen.cabinet)
    assert episode.ended.startswith("GiveUp: I have looked everywhere and did not find apple-1")


def test_partial_confirms_what_only_the_map_says(played, kitchen) -> None:
    """The map has the apple on the table already; it is in the fridge."""
    kitchen.map.detach(kitchen.apple)
    kitchen.map.add_edge(kitchen.apple, Relation.ON, kitchen.table)
    episode, _ = played([FILE], partial=True)
    assert episode.success
    assert Verb.PICK_UP in [action.verb for action in episode.actions]


# --- with the stand-in ---------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"partial": "true"}])
def test_the_stand_in_writes_problems_that_are_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    played = peephole.run(
        "llm_plus_p", "houses", tasks=3, model="scripted", options=options, out=tmp_path / "run"
    )
    assert [result.success for result in played.results] == [True] * 3
    assert any((tmp_path / "peephole" / "plans").rglob("*.json"))


def test_faulty_files_of_the_stand_in_are_counted_and_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    played = peephole.run(
        "llm_plus_p", "houses", tasks=6, model="scripted:illegal=0.5", out=tmp_path / "run"
    )
    repaired = []
    for file, result in zip(
        sorted((tmp_path / "run" / "episodes").glob("*.jsonl")), played.results, strict=True
    ):
        events = [json.loads(line) for line in file.read_text().splitlines()]
        decided = [event["decision"] for event in events if event["event"] == "decided"]
        refused = sum(d.get("name") == "refused" for d in decided)
        repaired.append((refused, result.success))
    assert (1, True) in repaired
    assert {(0, False), (1, False)}.isdisjoint(repaired)

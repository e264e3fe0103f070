"""The suites wah and wah:train: tasks and instructions, and that the tasks can be done."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import peephole
from peephole import plugins
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.arranged import parse
from peephole.planners.kits.household.prior import Prior
from peephole.scene_graph.goal_codec import goal_to_data
from peephole.scene_graph.goal_evaluation import progress, satisfied
from peephole.scene_graph.goals import And, AtLeast, Exists, HasState, Related
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.scene_graph.rules import Ends
from peephole.suites.registry import load_suite

from ..commands import command

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

KINDS = {"put_fridge", "put_dishwasher", "setup_table", "prepare_food", "prepare_snack"}
SUITES = ("wah", "wah:train")
LIVED_IN = "wah:lived_in"
FOR_FOOD = {
    *("fridge", "freezer", "oven", "kitchen cabinet", "cupboard"),
    *("kitchen counter", "table", "coffee table", "desk"),
}
_NUMBERS = {"one": 1, "a": 1, "an": 1, "the": 1, "two": 2, "three": 3}


@pytest.fixture(scope="module", params=(*SUITES, LIVED_IN))
def suite(request):
    return load_suite(request.param)


@pytest.fixture(scope="module")
def graphs(suite):
    """The worlds of some forty tasks, evenly over the suite."""
    return {task.id: load_scene(task.scene) for task in suite.tasks[:: len(suite.tasks) // 40]}


@pytest.fixture(scope="module")
def tasks(suite, graphs):
    """Those tasks."""
    return [task for task in suite.tasks if task.id in graphs]


def house_of(task):
    return task.scene.split(";")[0]


def conditions(task):
    """The category of the target, {category: count}, the relation, and whether it is turned on."""
    assert isinstance(task.goal, Exists)
    assert isinstance(task.goal.body, And)
    (target,) = task.goal.domain.categories
    counts, relations, turned_on = {}, set(), False
    for part in task.goal.body.parts:
        if isinstance(part, HasState):
            assert part == HasState(task.goal.variable, State.ON)
            turned_on = True
        else:
            assert isinstance(part, AtLeast)
            assert isinstance(part.body, Related)
            assert part.body.target == task.goal.variable
            (category,) = part.domain.categories
            counts[category] = part.count
            relations.add(part.body.relation)
    (relation,) = relations
    return target, counts, relation, turned_on


@pytest.mark.parametrize(("name", "count"), [("wah", 100), ("wah:train", 250), (LIVED_IN, 100)])
def test_there_are_as_many_tasks_as_in_wah_nl_of_five_kinds_alike(name, count):
    tasks = load_suite(name).tasks
    assert len(tasks) == len({task.id for task in tasks}) == count
    kinds = Counter(task.labels["category"] for task in tasks)
    assert kinds == dict.fromkeys(KINDS, count // 5)
    houses = {house_of(task) for task in tasks}
    first = tasks[: len(houses)]
    assert {house_of(task) for task in first} == houses
    assert {task.labels["category"] for task in first} == KINDS


def test_no_house_of_the_test_tasks_is_one_of_the_training_tasks():
    test, train, lived_in = (
        {house_of(t) for t in load_suite(n).tasks} for n in (*SUITES, LIVED_IN)
    )
    assert not test & train
    assert all(house.endswith("?lived_in") for house in lived_in)
    assert any(":virtualhome-eval:" in house for house in test)
    assert any(":house:" in house for house in test)
    assert not any(":virtualhome-eval:" in house for house in train), "there is one real house"
    for name in ("houses", "houses:lived_in"):
        played = {f"arranged:{t.scene}" for t in load_suite(name).tasks}
        assert not played & (test | train | lived_in)


@pytest.mark.parametrize("name", [*SUITES, LIVED_IN])
def test_every_process_draws_the_same_tasks(name):
    code = (
        "import hashlib, json, sys\n"
        "from peephole.suites.registry import load_suite\n"
        "from peephole.scene_graph.goal_codec import goal_to_data\n"
        "tasks = load_suite(sys.argv[1]).tasks\n"
        "rows = [[t.id, t.instruction, t.scene, goal_to_data(t.goal)] for t in tasks]\n"
        "print(hashlib.sha256(json.dumps(rows).encode()).hexdigest())"
    )
    command = [sys.executable, "-c", code, name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    tasks = load_suite(name).tasks
    rows = [[t.id, t.instruction, t.scene, goal_to_data(t.goal)] for t in tasks]
    assert done.stdout.strip() == hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def test_no_scene_is_loaded_to_make_the_suites(monkeypatch):
    """Every command that names a suite makes it."""
    from peephole.suites.wah import suites

    def fail(*_):
        raise AssertionError("a scene graph was made")

    monkeypatch.setattr("peephole.adapters.virtualhome.scenes.to_scene_graph", fail)
    monkeypatch.setattr("peephole.adapters.virtualhome.houses.scenes.to_scene_graph", fail)
    suites.load.cache_clear()
    assert len(suites.load().tasks) == 100


def test_the_prior_of_the_planners_counts_nothing_of_it(suite):
    assert suite.sources
    assert suite.sources >= {house_of(task).split(":")[1] for task in suite.tasks}
    assert not suite.sources & Prior.sources


def test_an_episode_is_scored_when_the_planner_says_that_it_is_done(suite):
    assert suite.rules.ends is Ends.PLANNER_DONE
    assert suite.budgets.steps == 200
    assert suite.adapter == "virtualhome"
    assert "arranged" in plugins.load("adapter", "virtualhome").spec.loaders


def test_two_to_six_things_are_asked_for(suite):
    seen = Counter()
    for task in suite.tasks:
        _, counts, relation, turned_on = conditions(task)
        total = sum(counts.values()) + turned_on
        assert 2 <= total <= 6, task.id
        assert max(counts.values()) <= 3
        kind = task.labels["category"]
        assert turned_on == (kind == "put_dishwasher")
        assert (relation is Relation.INSIDE) == kind.startswith("put_")
        seen[total] += 1
    assert set(seen) == {2, 3, 4, 5, 6}


def test_nothing_of_it_is_done_yet_and_all_of_it_can_be(tasks, graphs):
    for task in tasks:
        graph = graphs[task.id]
        target, counts, relation, turned_on = conditions(task)
        assert progress(task.goal, graph).value == 0, task.id
        targets = [n for n in graph.nodes() if n.category == target]
        needed = Affordance.SURFACE if relation is Relation.ON else Affordance.CONTAINER
        assert targets
        assert all(needed in node.affordances for node in targets)
        assert not turned_on or all(Affordance.SWITCHABLE in node.affordances for node in targets)
        for category, count in counts.items():
            usable = [
                n
                for n in graph.nodes(Kind.OBJECT)
                if n.category == category and Affordance.GRASPABLE in n.affordances
            ]
            assert len(usable) >= count, task.id


def test_what_is_asked_for_lies_about_in_the_house_and_none_of_it_is_out_of_reach(
    suite, tasks, graphs
):
    closed = 0
    for task in tasks:
        graph, (_, counts, _, _) = graphs[task.id], conditions(task)
        things = [n.id for n in graph.nodes(Kind.OBJECT) if n.category in counts]
        rooms = {graph.room_of(thing) for thing in things}
        assert None not in rooms
        spread = 2 if sum(counts.values()) < 4 else 3
        assert len(rooms) >= (1 if suite.name == LIVED_IN else spread), task.id
        doors = [door for thing in things if (door := graph.closed_around(thing)) is not None]
        closed += bool(doors)
        for door in doors:
            assert Affordance.OPENABLE in graph[door].affordances
    assert closed > len(tasks) / 2


def test_a_goal_holds_once_everything_is_at_one_place_and_not_before(tasks, graphs):
    for task in tasks[:40]:
        graph = graphs[task.id].copy()
        target, counts, relation, turned_on = conditions(task)
        place = next(n.id for n in graph.nodes() if n.category == target)
        total = sum(counts.values()) + turned_on
        done = 0
        if turned_on:
            graph.set_state(place, State.ON)
            done += 1
        for category, count in counts.items():
            chosen = [n.id for n in graph.nodes(Kind.OBJECT) if n.category == category][:count]
            for thing in chosen:
                assert not satisfied(task.goal, graph)
                for before, keeper in graph.places(thing):
                    graph.remove_edge(thing, before, keeper)
                graph.add_edge(thing, relation, place)
                done += 1
                assert progress(task.goal, graph).value == pytest.approx(done / total)
        assert satisfied(task.goal, graph), task.id


def test_where_people_live_used_dishes_lie_about_and_clean_ones_are_put_away():
    """And food lies where food may lie."""
    several, scene_of = 0, cache(load_scene)
    for task in load_suite(LIVED_IN).tasks:
        base, changes = parse(task.scene.removeprefix("arranged:"))
        house = scene_of(base)
        targets = {p.place: house[p.place].category for p in changes}
        several += len({house.room_of(place) for place in targets}) > 1
        match task.labels["category"]:
            case "put_dishwasher":
                assert not {"kitchen cabinet", "cupboard"} & set(targets.values()), task.id
            case "setup_table":
                assert set(targets.values()) <= {"kitchen cabinet", "cupboard", "kitchen counter"}
            case _:
                assert set(targets.values()) <= FOR_FOOD, task.id
    assert several > 40, "that many tasks have things in several rooms"


# --- words ---------------------------------------------------------------------------------------


def _said(text, category):
    """The count that an instruction gives for a category, or None."""
    last = category.split()[-1]
    plural = {"knife": "knives", "mug": "mugs"}.get(last, last)
    for word in (category, f"{category}s", f"{category}es", category[: -len(last)] + plural):
        found = re.search(
            rf"\b(one|an?|the|two|three) (?:(?:carton|piece|jar|box|loaf|bottle|packet|cartons|"
            rf"pieces|jars|boxes|loaves|bottles|packets) of )?{word}\b",
            text,
            re.IGNORECASE,
        )
        if found:
            return _NUMBERS[found[1].lower()]
    return None


def test_every_instruction_says_all_that_is_asked_for(tasks, graphs):
    for task in tasks:
        text = task.instruction
        target, counts, _, turned_on = conditions(task)
        for category, count in counts.items():
            assert _said(text, category) == count, (text, category)
        places = sum(node.category == target for node in graphs[task.id].nodes())
        assert f"{'the' if places == 1 else 'one'} {target}" in text, text
        switched = re.search(r"turn it on|switch it on|start it|running", text)
        assert bool(switched) == turned_on, text


def test_only_what_is_the_only_one_of_its_kind_is_called_the_one(tasks, graphs):
    for task in tasks:
        _, counts, _, _ = conditions(task)
        for category in counts:
            if re.search(rf"\bthe (\w+ of )?{category}\b", task.instruction, re.IGNORECASE):
                there = sum(n.category == category for n in graphs[task.id].nodes(Kind.OBJECT))
                assert there == 1, task.instruction


def test_instructions_are_worded_in_many_ways_and_read_as_sentences(suite):
    openings: dict[str, set[str]] = {}
    for task in suite.tasks:
        text = task.instruction
        assert re.fullmatch(r"[A-Z][a-zA-Z ,:;.']+[.?]", text), text
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", text), text
        openings.setdefault(task.labels["category"], set()).add(" ".join(text.split()[:2]))
    assert all(len(ways) >= 5 for ways in openings.values())


# --- played --------------------------------------------------------------------------------------


def results_of(suite_name, planner, folder: Path, step=1, adapter=""):
    tasks = tuple(task.id for task in load_suite(suite_name).tasks[::step])
    return peephole.run(planner, suite_name, tasks=tasks, adapter=adapter, out=folder).results


@pytest.mark.parametrize(
    ("name", "adapter", "step"),
    [
        pytest.param("wah", "virtualhome", 3, marks=pytest.mark.slow),
        ("wah", "virtualhome", 17),
        ("wah", "symbolic", 7),
        (LIVED_IN, "virtualhome", 17),
    ],
)
def test_the_expert_does_what_it_is_asked(tmp_path, name, adapter, step):
    results = results_of(name, "expert", tmp_path / "run", step, adapter)
    assert [result.task for result in results if not result.success] == []


@pytest.mark.slow
def test_explore_finds_what_it_needs(tmp_path):
    results = results_of("wah", "explore", tmp_path / "run", 13)
    assert sum(result.success for result in results) >= 0.9 * len(results)
    assert all(result.steps <= 200 for result in results)
    assert all(result.success == (result.progress == 1) for result in results)


@pytest.mark.slow
@pytest.mark.parametrize(("planner", "least"), [("expert", 0.97), ("explore", 0.9)])
def test_the_measured_rates_hold_on_all_test_tasks(tmp_path, planner, least):
    results = results_of("wah", planner, tmp_path / "run")
    assert len(results) == 100
    assert sum(result.success for result in results) >= least * 100


def test_the_command_line_tells_of_both_suites():
    done = command("suites", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["wah"]["tasks"] == 100
    assert rows["wah:train"]["tasks"] == 250

"""The suites behavior and behavior:dynamic: their tasks, which can be done."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

import peephole
from peephole.adapters.omnigibson import package, scenes
from peephole.adapters.omnigibson.bddl_files import parse
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput
from peephole.observation_text.names import Names
from peephole.planners.contract import Brief, Decisions, Done, Grant, Percept, Planner
from peephole.scene_graph.goal_codec import goal_from_data, goal_to_data
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import named_ids
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node, Relation
from peephole.suites.behavior.suites import load
from peephole.suites.behavior.wording import instruction
from peephole.suites.registry import load_suite

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


@pytest.fixture(scope="module")
def suite():
    return load()


def _worded(task) -> str:
    return _in_words(task.instruction, load_scene(task.scene))


def _in_words(instruction: str, graph: SceneGraph) -> str:
    mentioned = {int(number) for number in re.findall(r"\{(\d+)\}", instruction)}
    names = Names(graph[thing] for thing in mentioned)
    return re.sub(r"\{(\d+)\}", lambda match: names(int(match[1])), instruction)


def test_the_suites_are_registered_and_take_no_data():
    for name in ("behavior", "behavior:dynamic"):
        assert load_suite(name).name == name
        with pytest.raises(BadInput, match=f"{name} takes no --data"):
            load_suite(name, Path("x"))


def test_it_has_every_activity_that_is_playable_and_counts_the_others(suite):
    assert len({task.id for task in suite.tasks}) == len(suite.tasks) == 187
    assert sum(suite.skipped.values()) == 1016 - 187
    categories = [task.labels["category"] for task in suite.tasks]
    assert set(categories) == {"states", "one_room", "several_rooms"}


def test_instructions_name_what_the_goal_names_in_whole_sentences(suite):
    for task in suite.tasks:
        spoken = {int(number) for number in re.findall(r"\{(\d+)\}", task.instruction)}
        assert spoken <= named_ids(task.goal), task.id
        text = _worded(task)
        assert re.fullmatch(r"[A-Z][a-z].*\.", text), text
        assert not re.search(r"__|\.n\.|\{|\}|  |nothing is asked", text), text
        assert goal_from_data(goal_to_data(task.goal)) == task.goal


@pytest.mark.parametrize(
    ("activity", "text"),
    [
        ("picking_up_trash", "Put every can of soda in ashcan 1."),
        ("unloading_the_car", "See to it that no bag is in car 1."),
        ("installing_alarms", "Put a different alarm on every table. Switch on every alarm."),
        ("bringing_in_mail", "Put mail 1 on coffee table 1. Close mailbox 1."),
        (
            "putting_dishes_away_after_cleaning",
            "Put every plate in the same one of cabinet 2 or cabinet 1. "
            "Close cabinet 2 and cabinet 1.",
        ),
    ],
)
def test_instructions_say_what_the_goal_asks_for(suite, activity, text):
    task = next(task for task in suite.tasks if task.id == activity)
    assert _worded(task) == text


SORTED = """
(define (problem sorted)
    (:objects
        cup.n.01_1 cup.n.01_2 - cup.n.01
        tray.n.01_1 tray.n.01_2 - tray.n.01
        lid.n.01_1 - lid.n.01)
    (:init)
    (:goal {goal}))
"""


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        (
            "(exists (?t - tray.n.01) (forall (?c - cup.n.01) (ontop ?c ?t)))",
            "Put every cup on the same tray.",
        ),
        (
            "(forall (?c - cup.n.01) (exists (?t - tray.n.01) (ontop ?c ?t)))",
            "Put every cup on a tray.",
        ),
        (
            "(exists (?t - tray.n.01) (forall (?l - lid.n.01) (ontop ?l ?t)))",
            "Put lid 1 on a tray.",
        ),
        (
            "(forall (?c - cup.n.01) (not (ontop ?c tray.n.01_1)))",
            "See to it that no cup is on tray 1.",
        ),
        (
            "(forall (?l - lid.n.01) (not (ontop ?l tray.n.01_1)))",
            "See to it that lid 1 is not on tray 1.",
        ),
    ],
)
def test_instructions_tell_goals_apart_that_differ_in_quantifiers(goal, text):
    activity = parse("sorted", SORTED.format(goal=goal), "sorted.bddl")
    nodes = [
        Node(number, name.partition(".")[0], Kind.OBJECT, name)
        for number, name in enumerate(chain(*activity.objects.values()))
    ]
    graph = SceneGraph(nodes)
    said = instruction(activity, graph, scenes.ids_of(graph))
    assert _in_words(said, graph) == text


def test_what_a_map_shows_was_moved_in_half_of_the_dynamic_tasks():
    suite = load("dynamic")
    assert len({task.id for task in suite.tasks}) == len(suite.tasks) == 50
    moved = [task for task in suite.tasks if task.labels["category"] == "moved"]
    assert len(moved) == 25
    for task in suite.tasks:
        now, then = load_scene(task.scene), load_scene(task.map)
        assert (now != then) == (task in moved), task.id
        assert list(now.nodes()) == list(then.nodes())
        assert not satisfied(task.goal, now)


APPLIANCES = {"stove", "dishwasher", "oven", "washer", "microwave"}
INDOORS = {"childs room", "bedroom", "bathroom", "living room", "kitchen", "dining room"}


def test_things_are_moved_to_where_a_person_may_have_put_them():
    """No bin stands on a refrigerator, and no weed lies in a child's bookcase."""
    for task in load("dynamic").tasks:
        now, then = load_scene(task.scene), load_scene(task.map)
        for thing in now.nodes(Kind.OBJECT):
            if now.places(thing.id) == then.places(thing.id):
                continue
            ((how, place),) = now.places(thing.id)
            room = now[now.room_of(place)].category
            where = (task.id, thing.category, how, now[place].category, room)
            assert now[place].category not in APPLIANCES, where
            assert (how, now[place].category) != (Relation.ON, "electric refrigerator"), where
            if thing.category in {"recycling bin", "ashcan", "booth", "carton", "backpack"}:
                assert now[place].category == "floor", where
            if thing.category in {"weed", "log", "ashcan"}:
                assert room not in INDOORS, where
            if thing.category in {"pizza", "burrito", "pickle", "egg", "bratwurst", "bok choy"}:
                assert room in {"kitchen", "dining room", "grocery store"}, where
            if thing.category in {"doll", "teddy", "soccer ball"}:
                assert room in {"childs room", "playroom", "living room", "bedroom"}, where


def test_a_planner_that_is_granted_a_map_gets_the_one_recorded_before(tmp_path):
    task = next(t for t in load("dynamic").tasks if t.labels["category"] == "moved")
    briefs: list[Brief] = []

    def plan(brief: Brief, percept: Percept) -> Decisions:
        briefs.append(brief)
        yield Done()

    for number, grants in enumerate([frozenset({Grant.MAP}), frozenset[Grant]()]):
        reader = Planner("reader", "reads its brief", plan, grants=grants)
        peephole.run(reader, "behavior:dynamic", tasks=[task.id], out=tmp_path / f"{number}")
    with_map, without = briefs
    assert _kept(with_map.map) == _kept(load_scene(task.map))
    assert _kept(with_map.map) != _kept(load_scene(task.scene))
    assert without.map is None


def _kept(graph: SceneGraph | None) -> list[tuple[str, str, str]]:
    """The places of things, without ids."""
    assert graph is not None
    return sorted(
        (graph[edge.source].category, edge.relation, graph[edge.target].category)
        for edge in graph.edges()
    )


@pytest.mark.parametrize(
    ("suite", "tasks"),
    [
        (
            "behavior",
            "picking_up_trash,installing_alarms,putting_out_condiments,bringing_in_mail",
        ),
        ("behavior:dynamic", ""),
    ],
)
def test_the_expert_does_them(suite, tasks, tmp_path):
    known = tuple(tasks.split(",")) if tasks else tuple(t.id for t in load("dynamic").tasks[1:8:2])
    results = peephole.run("expert", suite, tasks=known, out=tmp_path / "run").results
    assert [result.task for result in results if not result.success] == []
    assert len(results) == 4

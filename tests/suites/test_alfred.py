"""ALFRED's tasks as a suite, the conditions that it counts, and the generated suite `ithor`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from peephole.adapters.ai2thor import objects
from peephole.adapters.ai2thor.alfred_files import TaskType
from peephole.adapters.ai2thor.graph import graph_of
from peephole.adapters.ai2thor.initial_state import matched_poses
from peephole.adapters.ai2thor.object_types import category_of
from peephole.adapters.ai2thor.scenes import initial_state_of
from peephole.episodes.instruction_table import instruction_table
from peephole.errors import BadInput
from peephole.scene_graph.events import Event
from peephole.scene_graph.goal_codec import goal_from_data, goal_to_data
from peephole.scene_graph.goal_evaluation import progress, satisfied
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.rules import Ends
from peephole.scene_graph.task import Task
from peephole.suites.alfred.goals import TaskParameters, goal_of
from peephole.suites.alfred.suites import load, load_ithor
from peephole.suites.registry import load_suite

IN, ON = Relation.INSIDE, Relation.ON
needs_procthor = pytest.mark.skipif(objects.missing() is not None, reason=str(objects.missing()))

ME, FRIDGE, SHELF, OTHER_SHELF, LAMP, APPLE, OTHER_APPLE, BOWL, SLICE = range(2, 11)


@pytest.fixture
def kitchen() -> SceneGraph:
    """Two apples and a bowl on a shelf, another shelf, a fridge, a lamp; an apple is cut."""
    fixtures = {FRIDGE: "fridge", SHELF: "shelf", OTHER_SHELF: "shelf", LAMP: "desk lamp"}
    things = {APPLE: "apple", OTHER_APPLE: "apple", BOWL: "bowl", SLICE: "apple"}
    graph = SceneGraph(
        [
            Node(1, "kitchen", Kind.ROOM, 1),
            Node(ME, "agent", Kind.AGENT, ME),
            *(Node(i, name, Kind.FIXTURE, i) for i, name in fixtures.items()),
            *(
                Node(i, name, Kind.OBJECT, i, affordances=frozenset({Affordance.GRASPABLE}))
                for i, name in things.items()
            ),
        ],
        [Edge(i, IN, 1) for i in (ME, *fixtures)] + [Edge(i, ON, SHELF) for i in things],
    )
    graph.set_state(SLICE, State.SLICED)
    return graph


def _put(graph, thing, relation, place):
    graph.detach(thing)
    graph.add_edge(thing, relation, place)


def _share(asked, graph, *events):
    """Conditions fulfilled, and all."""
    found = progress(goal_of(asked), graph, events)
    assert satisfied(goal_of(asked), graph, events) == (found.value == 1.0)
    return sum(part.earned for part in found.subgoals), sum(part.total for part in found.subgoals)


def _happened(name, thing):
    return Event(name, (thing,), 1)


def test_simple_counts_one_condition(kitchen):
    asked = TaskParameters(TaskType.SIMPLE, "Apple", "Fridge")
    assert _share(asked, kitchen) == (0, 1)
    _put(kitchen, APPLE, IN, FRIDGE)
    assert _share(asked, kitchen) == (1, 1)


def test_two_have_to_be_at_one_parent(kitchen):
    asked = TaskParameters(TaskType.TWO, "Bowl", "Shelf")
    assert _share(asked, kitchen) == (1, 2)
    asked = TaskParameters(TaskType.TWO, "Apple", "Shelf")
    assert _share(asked, kitchen) == (2, 2)
    for thing in (APPLE, SLICE):
        _put(kitchen, thing, IN, FRIDGE)
    _put(kitchen, APPLE, ON, OTHER_SHELF)
    assert _share(asked, kitchen) == (1, 2)


def test_light_wants_the_thing_in_hand_and_a_lamp_on_that_one_is_at(kitchen):
    asked = TaskParameters(TaskType.LIGHT, "Bowl", toggle="DeskLamp")
    assert _share(asked, kitchen) == (0, 2)
    kitchen.set_state(LAMP, State.ON)
    assert _share(asked, kitchen) == (0, 2), "it is not in sight"
    kitchen.add_edge(ME, Relation.CLOSE, LAMP)
    assert _share(asked, kitchen) == (1, 2)
    kitchen.detach(BOWL)
    kitchen.add_edge(ME, Relation.HOLDS, BOWL)
    assert _share(asked, kitchen) == (2, 2)


@pytest.mark.parametrize(
    ("kind", "event"),
    [(TaskType.HEAT, "heated"), (TaskType.COOL, "cooled"), (TaskType.CLEAN, "cleaned")],
)
def test_what_was_treated_has_to_be_what_lies_there(kitchen, kind, event):
    asked = TaskParameters(kind, "Apple", "Fridge")
    assert _share(asked, kitchen) == (0, 3)
    _put(kitchen, APPLE, IN, FRIDGE)
    assert _share(asked, kitchen) == (1, 3)
    assert _share(asked, kitchen, _happened(event, OTHER_APPLE)) == (2, 3), "each by another"
    assert _share(asked, kitchen, _happened(event, APPLE)) == (3, 3)
    assert _share(asked, kitchen, _happened("turn_on", APPLE)) == (1, 3)


def test_a_slice_is_one_condition_more(kitchen):
    asked = TaskParameters(TaskType.HEAT, "Apple", "Fridge", sliced=True)
    assert _share(asked, kitchen) == (1, 4)
    _put(kitchen, APPLE, IN, FRIDGE)
    assert _share(asked, kitchen, _happened("heated", APPLE)) == (1, 4), "that is a whole one"
    _put(kitchen, SLICE, IN, FRIDGE)
    assert _share(asked, kitchen, _happened("heated", SLICE)) == (4, 4)


def test_two_slices_are_two_conditions_more(kitchen):
    """As ALFRED counts them: that there are two, and where they are."""
    asked = TaskParameters(TaskType.TWO, "Apple", "Fridge", sliced=True)
    assert _share(asked, kitchen) == (1, 4)
    kitchen.set_state(OTHER_APPLE, State.SLICED)
    assert _share(asked, kitchen) == (2, 4)
    _put(kitchen, SLICE, IN, FRIDGE)
    assert _share(asked, kitchen) == (3, 4)
    _put(kitchen, APPLE, IN, FRIDGE)
    assert _share(asked, kitchen) == (3, 4), "that is a whole one"
    _put(kitchen, OTHER_APPLE, IN, FRIDGE)
    assert _share(asked, kitchen) == (4, 4)


def test_movable_wants_one_stack(kitchen):
    asked = TaskParameters(TaskType.MOVABLE, "Apple", "Fridge", movable="Bowl")
    assert _share(asked, kitchen) == (0, 3)
    _put(kitchen, APPLE, IN, BOWL)
    assert _share(asked, kitchen) == (1, 3)
    _put(kitchen, BOWL, IN, FRIDGE)
    assert _share(asked, kitchen) == (3, 3)


def test_what_is_in_something_there_is_not_itself_there(kitchen):
    """Only what the engine lists at the parent is."""
    _put(kitchen, APPLE, IN, BOWL)
    _put(kitchen, BOWL, IN, FRIDGE)
    assert _share(TaskParameters(TaskType.SIMPLE, "Bowl", "Fridge"), kitchen) == (1, 1)
    asked = TaskParameters(TaskType.SIMPLE, "Apple", "Fridge")
    assert _share(asked, kitchen) == (0, 1)
    kitchen.add_edge(APPLE, IN, FRIDGE)
    assert _share(asked, kitchen) == (1, 1)
    kitchen.detach(OTHER_APPLE)
    kitchen.add_edge(OTHER_APPLE, IN, BOWL)
    assert _share(TaskParameters(TaskType.TWO, "Apple", "Fridge"), kitchen) == (1, 2)


def test_what_was_heated_before_it_was_cut_is_no_heated_slice(kitchen):
    asked = TaskParameters(TaskType.HEAT, "Apple", "Fridge", sliced=True)
    node = kitchen[APPLE]
    kitchen.replace_node(replace(node, affordances=frozenset()).having(State.SLICED))
    assert _share(asked, kitchen, _happened("heated", APPLE)) == (1, 4), "that there is a slice"


@pytest.mark.parametrize(
    ("asked_for", "there"),
    [
        ("Knife", "butter knife"),
        ("Pen", "pencil"),
        ("Box", "tissue box"),
        ("Glassbottle", "bottle"),
    ],
)
def test_types_count_by_their_names_where_alfred_judges(kitchen, asked_for, there):
    """And nothing the other way round; the tasks of `ithor` ask for what they say."""
    things = frozenset({Affordance.GRASPABLE})
    kitchen.add_node(Node(20, there, Kind.OBJECT, 20, affordances=things))
    kitchen.add_edge(20, IN, FRIDGE)
    asked = TaskParameters(TaskType.SIMPLE, asked_for, "Fridge")
    assert satisfied(goal_of(asked, as_judged_by_alfred=True), kitchen)
    assert satisfied(goal_of(asked), kitchen) == (asked_for == "Glassbottle"), "renamed"
    longer = TaskParameters(TaskType.SIMPLE, "SoapBottle", "Fridge")
    assert not satisfied(goal_of(longer, as_judged_by_alfred=True), kitchen)


def test_what_counts_too_is_not_what_the_instruction_asks_for(kitchen):
    asked = TaskParameters(TaskType.MOVABLE, "Knife", "Fridge", "Box")
    goal = goal_of(asked, as_judged_by_alfred=True)
    task = Task("t", "Put a knife in a box in the fridge.", goal, "")
    (entries,) = instruction_table([task], lambda _: kitchen).values()
    assert {name for entry in entries for name in (entry["thing"], entry["place"])} == {
        "knife",
        "box",
        "fridge",
    }
    assert goal_from_data(goal_to_data(goal)) == goal


@needs_procthor
def test_the_types_that_count_are_those_of_the_build():
    """Every type whose name is in the id of another that a task may ask for as well."""
    kinds: dict[str, set[str]] = {"pickupable": set(), "receptacle": set()}
    for scene in objects.SCENES:
        for thing in objects.objects(scene):
            for kind in kinds:
                if thing[kind]:
                    kinds[kind].add(thing["objectType"])

    def counted(name: str, movable: bool) -> frozenset[str]:
        asked = TaskParameters(TaskType.SIMPLE, name, "Fridge")
        if not movable:
            asked = TaskParameters(TaskType.SIMPLE, "Apple", name)
        goal = goal_of(asked, as_judged_by_alfred=True)
        thing = next(iter(goal.parts))
        domain = thing.domain if movable else thing.body.domain
        return domain.categories | domain.also

    for kind, types in kinds.items():
        # Types that have another name in ALFRED.
        for name in types - {"Bottle", "Bathtub"}:
            expected = {category_of(other) for other in types if name in other}
            assert counted(name, kind == "pickupable") == expected, name


def test_the_instruction_is_understood_in_categories(kitchen):
    asked = TaskParameters(TaskType.CLEAN, "Apple", "Fridge", sliced=True)
    task = Task("t", "Clean it.", goal_of(asked), "")
    (entries,) = instruction_table([task], lambda _: kitchen).values()
    assert entries == [
        {"relation": "state", "thing": "apple", "state": "sliced"},
        {"relation": "inside", "thing": "apple", "place": "fridge"},
        {"relation": "treated", "thing": "apple", "state": "cleaned"},
    ]


# --- alfred --------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path) -> Path:
    task = {
        "task_type": "pick_and_place_simple",
        "scene": {
            "floor_plan": "FloorPlan10",
            "init_action": {"x": 0, "y": 0.9, "z": 0, "rotation": 0, "horizon": 30},
            "object_poses": [],
            "object_toggles": [],
        },
        "pddl_params": {
            "object_target": "Apple",
            "parent_target": "Fridge",
            "mrecep_target": "",
            "toggle_target": "",
            "object_sliced": False,
        },
    }
    tasks = [
        task | {"task_id": "trial_a", "instructions": ["one", "two", "three"]},
        task | {"task_id": "trial_b", "instructions": ["uno", "due"]},
    ]
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks)))
    return path


def test_the_first_annotation_is_the_instruction(data):
    suite = load(data)
    name = "pick_and_place_simple-Apple-None-Fridge-10"
    assert {task.id: task.instruction for task in suite.tasks} == {
        f"{name}/trial_a": "one",
        f"{name}/trial_b": "uno",
    }
    assert (suite.adapter, suite.rules.ends) == ("ai2thor", Ends.PLANNER_DONE)
    assert initial_state_of(suite.tasks[1].scene).floor_plan == "FloorPlan10"


def test_another_annotation_is_chosen_after_the_path(data):
    suite = load(data.with_name(f"{data.name}#2"))
    assert [task.instruction for task in suite.tasks] == ["three"]
    assert suite.skipped == {"has no annotation 2: trial_b": 1}
    every = load(data.with_name(f"{data.name}#all"))
    assert [task.instruction for task in every.tasks] == ["one", "two", "three", "uno", "due"]
    assert len({task.id for task in every.tasks}) == 5


@pytest.fixture
def changed(data) -> Path:
    """Of two tasks, one asks for a cart; both name two bottles and a harp."""
    pose = {"position": {"x": 0, "y": 1, "z": 0}, "rotation": {"x": 0, "y": 0, "z": 0}}
    names = ("Glassbottle_1a", "Glassbottle_2b", "Harp_3c", "Apple_4d")
    tasks = [json.loads(line) for line in data.read_text().splitlines()]
    for task in tasks:
        task["scene"]["object_poses"] = [pose | {"objectName": name} for name in names]
    tasks[1]["pddl_params"]["parent_target"] = "Cart"
    data.write_text("\n".join(map(json.dumps, tasks)))
    return data


@needs_procthor
def test_what_this_build_lacks_is_told(changed):
    suite = load(changed)
    assert [task.id.partition("/")[2] for task in suite.tasks] == ["trial_a"]
    assert suite.skipped == {"FloorPlan10 has no Cart in this build: trial_b": 1}
    assert suite.notes == (
        "2 object poses in 1 tasks are of Glassbottle, which this build calls Bottle",
        "1 object poses in 1 tasks are of Harp and left out: FloorPlan10 has none in this build",
    )
    assert suite.omissions[0] == "left out: 1 (FloorPlan10 has no Cart in this build: trial_b)"


@needs_procthor
def test_renamed_objects_are_placed_where_the_task_has_them(changed):
    poses = initial_state_of(load(changed).tasks[0].scene).object_poses
    things = objects.objects("FloorPlan10")
    placed = [pose["objectName"] for pose in matched_poses(poses, things)]
    bottles = {thing["name"] for thing in things if thing["objectType"] == "Bottle"}
    assert len([name for name in placed if name in bottles]) == 2


def test_a_build_that_nothing_is_known_of_is_not_compared(changed, monkeypatch):
    monkeypatch.setattr("peephole.suites.alfred.suites.missing", lambda: "Get procthor.")
    suite = load(changed)
    assert len(suite.tasks) == 2
    assert suite.omissions == ["not compared with this build's scenes. Get procthor."]


@pytest.mark.parametrize(
    ("suffix", "said"),
    [
        ("#9", "has no annotation 9: trial_a, trial_b"),
        ("#x", "neither an index"),
        ("#-1", "neither an index"),
    ],
)
def test_an_annotation_that_is_none_is_refused(data, suffix, said):
    with pytest.raises(BadInput, match=said):
        load(data.with_name(data.name + suffix))


def test_without_data_the_suite_says_what_it_needs():
    with pytest.raises(BadInput, match="--data"):
        load()


def test_the_whole_sample_is_loaded_and_nothing_is_done_yet():
    sample = Path(__file__).parents[3] / "shared/data/alfred/valid_unseen_sample.jsonl.gz"
    if not sample.is_file():
        pytest.skip("the sample of ALFRED's tasks is not there")
    suite = load(sample)
    assert len(suite.tasks) == 75
    assert set(Counter(task.labels["category"] for task in suite.tasks)) == set(TaskType)


# --- ithor ---------------------------------------------------------------------------------------


@needs_procthor
def test_ithor_has_200_tasks_of_all_types_in_all_scenes():
    suite = load_ithor()
    assert len({task.id for task in suite.tasks}) == 200
    assert {task.labels["scene"] for task in suite.tasks} == set(objects.SCENES)
    kinds = Counter(task.labels["category"] for task in suite.tasks)
    assert set(kinds) == set(TaskType)
    assert min(kinds.values()) >= 20
    assert all(task.instruction[0].isupper() for task in suite.tasks)
    assert not any("{" in task.instruction for task in suite.tasks)


@needs_procthor
def test_no_task_of_ithor_is_done_at_its_start():
    for task in load_ithor().tasks:
        start = initial_state_of(task.scene)
        things = objects.objects(start.floor_plan)
        off = {toggle["objectType"] for toggle in start.object_toggles}
        for thing in things:
            thing["isToggled"] = thing["isToggled"] and thing["objectType"] not in off
        metadata = {"objects": things, "inventoryObjects": [], "sceneName": start.floor_plan}
        assert not satisfied(task.goal, graph_of(metadata)), task.id


@needs_procthor
def test_ithor_is_the_same_every_time():
    from peephole.suites.alfred.generate import generated

    assert list(generated()) == list(load_ithor().tasks)


def test_ithor_takes_no_data(tmp_path):
    with pytest.raises(BadInput, match="takes no --data"):
        load_suite("ithor", tmp_path)

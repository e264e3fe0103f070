"""WAH-NL tasks in the user's own files: read, played, scored as WAH-NL does, refused in words."""

from __future__ import annotations

import copy
import json
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peephole
from peephole.adapters.scenes import load_scene
from peephole.adapters.virtualhome import package
from peephole.cli.main import main
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import progress, satisfied
from peephole.scene_graph.goals import And, HasState
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills.outcomes import Reason
from peephole.suites.registry import load_suite

needs_package = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

KITCHEN, BEDROOM = 11, 12
FRIDGES, DISHWASHER, TABLES = (21, 22), 23, (24, 25)


def _node(node_id, name, category, properties="", states=""):
    return {
        "id": node_id,
        "class_name": name,
        "category": category,
        "properties": properties.split(),
        "states": states.split(),
    }


def _edges(*triples):
    return [{"from_id": a, "relation_type": r, "to_id": b} for a, r, b in triples]


def house():
    """A kitchen and a bedroom in the words of the Unity scenes, no character yet."""
    nodes = [
        _node(KITCHEN, "kitchen", "Rooms"),
        _node(BEDROOM, "bedroom", "Rooms"),
        _node(21, "fridge", "Appliances", "CAN_OPEN CONTAINERS HAS_SWITCH", "CLOSED"),
        _node(22, "fridge", "Appliances", "CAN_OPEN CONTAINERS HAS_SWITCH", "OPEN"),
        _node(23, "dishwasher", "Appliances", "CAN_OPEN CONTAINERS HAS_SWITCH", "CLOSED OFF"),
        _node(24, "kitchentable", "Furniture", "SURFACES"),
        _node(25, "kitchentable", "Furniture", "SURFACES"),
        _node(31, "cupcake", "Food", "GRABBABLE EATABLE"),
        _node(32, "cupcake", "Food", "GRABBABLE EATABLE"),
        _node(33, "waterglass", "Props", "GRABBABLE"),
        _node(34, "plate", "Props", "GRABBABLE SURFACES"),
        _node(35, "cutleryfork", "Props", "GRABBABLE"),
    ]
    rooms = [(i, "INSIDE", KITCHEN) for i in (21, 22, 23, 24)] + [(25, "INSIDE", BEDROOM)]
    things = [(31, "ON", 24), (32, "ON", 25), (33, "INSIDE", 21), (34, "ON", 24), (35, "ON", 25)]
    within = [(31, "INSIDE", KITCHEN), (33, "INSIDE", KITCHEN), (34, "INSIDE", KITCHEN)]
    within += [(32, "INSIDE", BEDROOM), (35, "INSIDE", BEDROOM)]
    return {"nodes": nodes, "edges": _edges(*rooms, *things, *within)}


def task(task_id=0, name="put_fridge", goal=None, **changes):
    document = {
        "task_id": task_id,
        "task_name": name,
        "env_id": 3,
        "init_room": "bedroom",
        "init_graph": house(),
        "task_goal": goal or {"inside_cupcake_fridge": 2},
        "nl_instructions": ["Put both cupcakes\nin the fridge.", "Cupcakes into the fridge!"],
        "task_plan": ["find a fridge"],
    }
    return {**document, **changes}


DISHES = {
    "inside_waterglass_dishwasher": 1,
    "inside_plate_dishwasher": 1,
    "inside_cutleryfork_dishwasher": 1,
    "turnOn_dishwasher": 1,
}
TASKS = (
    task(0),
    task(7, "put_dishwasher", DISHES, nl_instructions=["Wash the glass, the plate and the fork."]),
    task(9, "setup_table", {"on_plate_kitchentable": 1, "on_cutleryfork_kitchentable": 1}),
)


@pytest.fixture
def write(tmp_path: Path):
    """Writes a document to a file of its own."""
    numbers = count()

    def write(document, name: str = "") -> Path:
        path = tmp_path / (name or f"tasks{next(numbers)}.json")
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return write


# --- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["wah", "wah:train"])
def test_a_file_gives_its_tasks_in_their_order(write, name):
    path = write(list(TASKS))
    suite = load_suite(name, path)
    assert [t.id for t in suite.tasks] == ["put_fridge/0", "put_dishwasher/7", "setup_table/9"]
    assert [t.scene for t in suite.tasks] == [f"wah:{path}#{i}" for i in (0, 7, 9)]
    assert suite.tasks[1].instruction == "Wash the glass, the plate and the fork."
    assert suite.tasks[0].instruction == "Put both cupcakes in the fridge.", (
        "the first, as ReAcTree"
    )
    assert suite.tasks[1].labels == {"category": "put_dishwasher"}
    assert suite.rules.ends == load_suite(name, path).rules.ends


def test_instructions_that_do_not_fit_their_goals_are_asked_as_the_paper_corrects_them(write):
    goal = {"on_wine_coffeetable": 1, "on_juice_coffeetable": 1}
    asked = "Make sure there is a wine and a\njuice on the kitchen table."
    graph = house()
    graph["nodes"] += [
        _node(26, "coffeetable", "Furniture", "SURFACES"),
        _node(37, "wine", "Food", "GRABBABLE"),
        _node(38, "juice", "Food", "GRABBABLE"),
    ]
    graph["edges"] += _edges(*((i, "INSIDE", BEDROOM) for i in (26, 37, 38)))
    given = {"nl_instructions": [asked], "init_graph": graph}
    path = write(
        [
            task(4, "prepare_snack", goal, **given),
            task(5, "prepare_snack", {"on_wine_coffeetable": 1}, **given),
        ]
    )
    suite = load_suite("wah", path)
    corrected, other = suite.tasks
    assert corrected.instruction == "Make sure there is a wine and a juice on the coffee table."
    assert other.instruction.endswith("on the kitchen table."), "another goal, another task"
    assert [note for note in suite.omissions if "prepare_snack/4" in note]
    assert not [note for note in suite.omissions if "prepare_snack/5" in note]


def test_a_folder_gives_the_tasks_of_all_its_files(write, tmp_path):
    write([TASKS[1]], "b.json")
    write([TASKS[0]], "a.json")
    (tmp_path / "notes.txt").write_text("no task")
    assert [t.id for t in load_suite("wah", tmp_path).tasks] == ["put_fridge/0", "put_dishwasher/7"]


def test_the_character_stands_in_the_room_that_the_task_begins_in(write):
    other = copy.deepcopy(house())
    other["nodes"].append(_node(1, "character", "Characters"))
    other["edges"] += _edges((1, "INSIDE", KITCHEN), (1, "CLOSE", 24))
    path = write([task(0), task(1, init_graph=other), task(2, init_room="kitchen")])
    for task_id, room in ((0, BEDROOM), (1, BEDROOM), (2, KITCHEN)):
        graph = load_scene(f"wah:{path}#{task_id}")
        assert [graph.room_of(agent.id) for agent in graph.nodes(Kind.AGENT)] == [room]
        assert {node["id"] for node in house()["nodes"]} < {node.id for node in graph.nodes()}


@needs_package
@pytest.mark.parametrize("adapter", ["virtualhome", "symbolic"])
def test_the_tasks_are_played_and_resumed_by_their_file(write, tmp_path, adapter):
    path = write(list(TASKS))
    ids = tuple(t.id for t in load_suite("wah", path).tasks)
    for planner in ("expert", "explore"):
        folder = tmp_path / f"{planner}-{adapter}"
        played = peephole.run(planner, "wah", adapter=adapter, data=path, out=folder)
        assert [result.task for result in played.results if not result.success] == []
        again = peephole.resume(folder)
        assert [result.task for result in again.results] == list(ids), "read again, not run"


@needs_package
def test_a_drawer_that_is_closed_without_opening_shows_its_things_and_refuses_the_pick(write):
    """As in ReAcTree's environment, which looks at the state alone when something is taken."""
    graph = house()
    graph["nodes"] += [
        _node(26, "closetdrawer", "Furniture", "CONTAINERS", "CLOSED"),
        _node(36, "apple", "Food", "GRABBABLE EATABLE"),
    ]
    graph["edges"] += _edges((26, "INSIDE", BEDROOM), (36, "INSIDE", 26), (36, "INSIDE", BEDROOM))
    path = write([task(0, init_graph=graph)])
    with peephole.make(
        "wah", task="put_fridge/0", adapter="virtualhome", dialect="reactree", data=path
    ) as world:
        world.reset()
        assert world.step("go to closet drawer 1").text == (
            "You arrive at the closet drawer (1). You see apple (1), closet drawer (1)"
        )
        refused = world.step("pick up apple 1")
        assert refused.text == "The apple is inside closed closet drawer."
        assert refused.outcome is not None
        failure = refused.outcome.failure
        assert failure is not None
        assert failure.reason is Reason.ENCLOSED
        assert refused.names[failure.thing or 0] == "closet drawer 1"


# --- scoring -------------------------------------------------------------------------------------

_THINGS = {31: "cupcake", 32: "cupcake", 33: "waterglass", 34: "plate", 35: "cutleryfork"}
_CLASSES = sorted(set(_THINGS.values()))


@st.composite
def scored(draw):
    """A house with its things anywhere, and a goal at one of its classes of furniture."""
    graph = house()
    places = (*FRIDGES, DISHWASHER, *TABLES)
    surfaces = set(TABLES)
    edges = [e for e in graph["edges"] if e["from_id"] not in _THINGS]
    for thing in _THINGS:
        place = draw(st.sampled_from((*places, KITCHEN)))
        edges += _edges((thing, "ON" if place in surfaces else "INSIDE", place))
    graph["edges"] = edges
    dishwasher = next(node for node in graph["nodes"] if node["id"] == DISHWASHER)
    dishwasher["states"] = draw(st.sampled_from((["CLOSED", "ON"], ["CLOSED", "OFF"])))
    target = draw(st.sampled_from(("fridge", "dishwasher", "kitchentable")))
    relation = "on" if target == "kitchentable" else "inside"
    wanted = draw(
        st.dictionaries(st.sampled_from(_CLASSES), st.integers(1, 3), min_size=1, max_size=4)
    )
    there = Counter(_THINGS.values())
    goal = {f"{relation}_{name}_{target}": min(n, there[name]) for name, n in wanted.items()}
    if target == "dishwasher" and draw(st.booleans()):
        goal["turnOn_dishwasher"] = 1
    return graph, goal


def rates(graph, goal):
    """sum(min(count, n)) / sum(n) at each instance of the target, by the edges of the file."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    target = next(iter(goal)).split("_")[-1]
    found = []
    for place in (i for i, node in nodes.items() if node["class_name"] == target):
        earned = 0
        for key, number in goal.items():
            relation, *thing, _ = key.split("_")
            if relation == "turnOn":
                there = int("ON" in nodes[place]["states"])
            else:
                there = sum(
                    edge["to_id"] == place
                    and edge["relation_type"] == relation.upper()
                    and nodes[edge["from_id"]]["class_name"] == thing[0]
                    for edge in graph["edges"]
                )
            earned += min(there, number)
        found.append(earned / sum(goal.values()))
    return found


@given(world=scored())
def test_progress_is_the_subgoal_success_rate_at_the_best_instance(world, tmp_path_factory):
    graph, goal = world
    path = tmp_path_factory.mktemp("scored") / "task.json"
    path.write_text(json.dumps([task(goal=goal, init_graph=graph)]), encoding="utf-8")
    (loaded,) = load_suite("wah", path).tasks
    truth = load_scene(loaded.scene)
    best = max(rates(graph, goal))
    assert progress(loaded.goal, truth).value == pytest.approx(best)
    assert satisfied(loaded.goal, truth) == (best == 1)


def test_half_at_each_of_two_places_is_half(write):
    graph = house()
    graph["edges"] = [e for e in graph["edges"] if e["from_id"] not in (31, 32)]
    graph["edges"] += _edges((31, "INSIDE", 21), (32, "INSIDE", 22))
    path = write([task(init_graph=graph)])
    (loaded,) = load_suite("wah", path).tasks
    assert progress(loaded.goal, load_scene(loaded.scene)).value == 0.5


def test_what_stands_on_a_thing_inside_is_inside_as_well(write):
    graph = house()
    graph["edges"] = [e for e in graph["edges"] if e["from_id"] not in (31, 34)]
    graph["edges"] += _edges((34, "INSIDE", 21), (31, "ON", 34))
    path = write([task(init_graph=graph)])
    (loaded,) = load_suite("wah", path).tasks
    truth = load_scene(loaded.scene)
    assert truth.places(31) == [(Relation.ON, 34)]
    assert progress(loaded.goal, truth).value == 0.5


IMPOSSIBLE = (
    {"inside_cupcake_99": 1},
    {"on_cupcake_coffeetable": 1},
    {"inside_cupcake_fridge": 3},
)


def test_a_goal_may_name_its_furniture_by_id(write):
    path = write([task(goal={"inside_cupcake_22": 1}), task(1, goal={"turnOn_23": 1})])
    loaded, switched = load_suite("wah", path).tasks
    truth = load_scene(loaded.scene)
    for fridge, reached in ((21, False), (22, True)):
        truth.detach(31)
        truth.add_edge(31, Relation.INSIDE, fridge)
        assert satisfied(loaded.goal, truth) == reached
    assert switched.goal == And((HasState(23, State.ON),))


def test_what_its_house_cannot_fulfil_is_told_and_not_played(write):
    tasks = [task(0), *(task(n, goal=goal) for n, goal in enumerate(IMPOSSIBLE, start=1))]
    suite = load_suite("wah", write(tasks))
    assert [each.id for each in suite.tasks] == ["put_fridge/0"]
    assert suite.skipped == {
        "its house lacks the furniture of the goal": 2,
        "its house has fewer things than the goal asks for": 1,
    }
    with pytest.raises(BadInput, match="can be fulfilled in its house"):
        load_suite("wah", write(tasks[1:]))


# --- refused in words ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"tasks": []}, "tasks0.json, the document is .*; expected a list"),
        ([], "expected at least one task"),
        ([{k: v for k, v in task().items() if k != "task_goal"}], "'task_goal'.* is missing"),
        ([task(task_id=None)], "task_id is None; expected a whole number or text"),
        ([task(3), task(3)], "task_id is 3; expected an id that no earlier task has"),
        ([task(5, name="")], "tasks0.json, task 5, task_name is ''; expected text"),
        ([task(5, goal={"near_plate_fridge": 1})], "task 5, task_goal.near_plate_fridge .* on_X_Y"),
        ([task(5, goal={"inside_plate_fridge": 0})], "whole number from 1"),
        ([task(5, goal={"inside_plate_fridge": "1"})], "expected a whole number"),
        (
            [task(5, goal={"inside_plate_fridge": 1, "on_plate_kitchentable": 1})],
            "task 5, task_goal.on_plate_kitchentable .* ends with fridge",
        ),
        ([task(5, task_goal={})], "expected at least one condition"),
        ([task(5, task_goal=["on_plate_kitchentable"])], "task 5, task_goal .* an object"),
        ([task(5, nl_instructions=[])], "task 5, nl_instructions .* at least one instruction"),
        ([task(5, nl_instructions="Put it.")], "task 5, nl_instructions .* a list"),
        ([task(5, nl_instructions=[3])], r"nl_instructions\[0\] is 3; expected text"),
    ],
)
def test_a_file_with_a_mistake_is_refused_by_task_and_field(write, document, sentence):
    with pytest.raises(BadInput, match=sentence):
        load_suite("wah", write(document))


def _spoiled(change):
    graph = house()
    change(graph)
    return graph


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"init_room": "cellar"}, "task 5, init_room is 'cellar'; .* kitchen, bedroom"),
        ({"init_room": 3}, "task 5, init_room is 3; expected text"),
        ({"init_graph": {"nodes": []}}, "task 5, init_graph, the field 'edges' is missing"),
        (
            {"init_graph": _spoiled(lambda g: g["nodes"][2].update(states=["AJAR"]))},
            r"task 5, init_graph, nodes\[2\].states\[0\] is 'AJAR'",
        ),
        (
            {"init_graph": _spoiled(lambda g: g["edges"].extend(_edges((31, "ON", 99))))},
            r"task 5, init_graph, edges\[15\].to_id is 99",
        ),
    ],
)
def test_a_house_with_a_mistake_is_refused_when_it_is_played(write, changes, sentence):
    path = write([task(5, **changes)])
    assert len(load_suite("wah", path).tasks) == 1
    with pytest.raises(BadInput, match=sentence):
        load_scene(f"wah:{path}#5")


def test_what_is_not_there_is_told_with_what_is(write, tmp_path):
    with pytest.raises(BadInput, match=r"has no \.json file"):
        load_suite("wah", tmp_path)
    path = write(list(TASKS))
    with pytest.raises(BadInput, match=r"Choose one of: 0, 7, 9"):
        load_scene(f"wah:{path}#8x")
    with pytest.raises(BadInput, match="names no task; give the file and the task's id"):
        load_scene("wah:test.json")
    with pytest.raises(BadInput, match="There is no file"):
        load_suite("wah", tmp_path / "nowhere.json")
    write([TASKS[0]], "again.json")
    with pytest.raises(BadInput, match="task_id is 0; expected an id that no task of another file"):
        load_suite("wah", tmp_path)


def test_the_command_line_says_it_in_one_sentence(write, monkeypatch, capsys):
    path = write([task(5, goal={"near_plate_fridge": 1})])
    monkeypatch.setattr("sys.argv", ["peephole", "tasks", "wah", "--data", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    sentence = capsys.readouterr().err
    assert sentence.count("\n") == 1
    assert f"{path}, task 5, task_goal.near_plate_fridge" in sentence

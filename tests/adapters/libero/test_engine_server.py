"""LIBERO's real engine in a process of its own; needs PEEPHOLE_LIBERO_PYTHON."""

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest

import peephole
from peephole.adapters.libero.engine.household_tasks import TASKS
from peephole.adapters.process.supervisor import Supervisor
from peephole.errors import BadInput

PYTHON = os.environ.get("PEEPHOLE_LIBERO_PYTHON")
SERVER = Path(peephole.__file__).parent / "adapters" / "libero" / "engine" / "server.py"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="PEEPHOLE_LIBERO_PYTHON is not set"),
]
BOWL, STOVE = "akita_black_bowl_1", "flat_stove_1_cook_region"
TASK = {"suite": "libero_goal", "task": 1, "start": 0, "seed": 0}
OURS = {**TASK, "suite": "libero_household"}


@pytest.fixture(scope="module")
def server():
    engine = Supervisor("libero", [str(PYTHON), str(SERVER)])
    engine.start()
    yield lambda name, **arguments: engine.call(name, arguments, 120.0)
    engine.stop()


def printed_by(script, *words):
    """What a script beside this one prints in LIBERO's interpreter, of its lines of JSON."""
    command = [str(PYTHON), str(Path(__file__).with_name(script)), str(SERVER.parent), *words]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def named(state, name):
    return next(thing for thing in state["things"] if thing["name"] == name)


def play(server):
    server("begin", **TASK)
    picked = server("attempt", verb="pick_up", target=BOWL)
    put = server("attempt", verb="put", target=BOWL, place=STOVE, relation="on")
    return picked, put


def test_a_task_is_solved_and_the_same_again(server):
    picked, put = play(server)
    assert picked["failure"] is None
    assert picked["state"]["held"] == BOWL
    assert put["failure"] is None
    assert put["state"]["success"]
    assert [BOWL, "on", STOVE] in put["state"]["relations"]
    assert play(server)[1]["state"]["digest"] == put["state"]["digest"]


@pytest.mark.parametrize(
    ("suite", "task", "table"),
    [("libero_object", 0, "floor"), ("libero_90", 65, "living_room_table")],
)
def test_things_stand_on_the_table_at_the_start(server, suite, task, table):
    """Stored starts have some in the air or in the floor; one table has its contacts elsewhere."""
    state = server("begin", suite=suite, task=task, start=0, seed=0)["state"]
    objects = [thing["name"] for thing in state["things"] if thing["kind"] == "object"]
    assert objects
    for name in objects:
        assert [name, "on", table] in state["relations"]
    after = server("attempt", verb="pick_up", target=objects[0])["state"]
    for name in objects[1:]:
        before = named(state, name)["position"]
        assert named(after, name)["position"] == pytest.approx(before, abs=5e-4), "at rest"


def test_the_start_tells_what_there_is(server):
    begun = server("begin", **TASK)
    assert begun["instruction"] == "put the bowl on the stove"
    assert begun["goal"] == [["on", BOWL, STOVE]]
    state = begun["state"]
    assert (state["goal"], state["success"], state["held"]) == ([False], False, None)
    drawer = named(state, "wooden_cabinet_1_top_region")
    assert (drawer["kind"], drawer["parent"]) == ("part", "wooden_cabinet_1")
    assert (drawer["container"], drawer["surface"]) == (True, False)
    joint = drawer["joint"]
    assert joint["kind"] == "slide"
    assert (joint["shut"], joint["open"]) == (0.0, -0.16)
    assert joint["value"] == pytest.approx(0.0, abs=1e-3)
    stove = named(state, "flat_stove_1")
    assert (stove["kind"], stove["joint"]["kind"]) == ("fixture", "knob")
    burner = named(state, STOVE)
    assert (burner["kind"], burner["surface"], burner["container"]) == ("region", True, False)
    bowl = named(state, BOWL)
    assert (bowl["kind"], bowl["category"], bowl["joint"]) == ("object", "akita_black_bowl", None)
    low, high = bowl["box"]
    assert all(0.03 < b - a < 0.2 for a, b in zip(low, high, strict=True))
    assert named(state, "main_table")["kind"] == "table"
    attached = [each for each in state["relations"] if each[1] == "attached"]
    assert ["wooden_cabinet_1_top_region", "attached", "wooden_cabinet_1"] in attached
    assert [each for each in state["relations"] if each not in attached] == [
        [name, "on", "main_table"] for name in (BOWL, "cream_cheese_1", "plate_1", "wine_bottle_1")
    ]


def test_a_bowl_is_in_one_drawer_or_on_the_cabinet_and_nowhere_else(server):
    other, cabinet = "akita_black_bowl_2", "wooden_cabinet_1"
    state = server("begin", suite="libero_spatial", task=4, start=0, seed=0)["state"]
    assert [each for each in state["relations"] if each[0] in (BOWL, other)] == [
        [BOWL, "inside", f"{cabinet}_top_region"],
        [BOWL, "on", cabinet],
        [other, "on", cabinet],
        [other, "on", f"{cabinet}_top_side"],
    ]


def test_fixtures_stand_where_the_seed_says_and_things_where_the_start_says(server):
    states = [server("begin", **{**TASK, **c})["state"] for c in ({}, {"seed": 7}, {"start": 1})]
    cabinets = [named(state, "wooden_cabinet_1")["position"] for state in states]
    bowls = [named(state, BOWL)["position"] for state in states]
    assert cabinets[0] == cabinets[2] != cabinets[1]
    assert bowls[0] == pytest.approx(bowls[1], abs=0.002)
    assert bowls[0] != pytest.approx(bowls[2], abs=0.002)
    assert len({state["digest"] for state in states}) == 3


def test_a_restored_snapshot_goes_on_as_before(server):
    server("begin", **TASK)
    picked = server("attempt", verb="pick_up", target=BOWL)["state"]
    assert not [each for each in picked["relations"] if each[0] == BOWL]
    kept = server("snapshot")["data"]
    put = {"verb": "put", "target": BOWL, "place": STOVE, "relation": "on"}
    first = server("attempt", **put)["state"]
    restored = server("restore", data=kept)
    assert (restored["held"], restored["digest"]) == (BOWL, picked["digest"])
    assert server("attempt", **put)["state"]["digest"] == first["digest"]
    server("begin", **{**TASK, "start": 1})
    with pytest.raises(BadInput, match="another task, start or seed"):
        server("restore", data=kept)


def test_what_cannot_be_tried_has_its_reason(server):
    drawer, knob = "wooden_cabinet_1_top_region", "flat_stove_1"

    def reason(*words):
        call = dict(zip(("verb", "target", "place", "relation"), words, strict=False))
        failure = server("attempt", **call)["failure"]
        return failure and failure["reason"]

    server("begin", **TASK)
    assert reason("put", BOWL, STOVE, "on") == "not_held"
    assert reason("open", BOWL) == "not_openable"
    assert reason("open", knob) == "not_openable"
    assert reason("turn_on", "wooden_cabinet_1") == "not_switchable"
    assert reason("pick_up", BOWL) is None
    assert reason("pick_up", "plate_1") == "hands_full"
    assert reason("pick_up", BOWL) == "held"
    assert reason("open", drawer) == "hands_full"
    assert reason("turn_on", knob) == "hands_full"
    assert reason("put", BOWL, BOWL, "on") == "into_itself"


def test_what_physics_denies_is_a_failure():
    """Without friction or with a stuck drawer, see hard_physics.py."""
    rows = {row["case"]: row for row in printed_by("hard_physics.py")}
    slipped, stuck, slid = (rows[case] for case in ("slippery", "stiff", "sliding"))
    assert (slipped["failure"]["reason"], slipped["held"]) == ("slipped", None)
    assert slipped["failure"]["thing"] == BOWL
    assert stuck["failure"]["reason"] == "slipped"
    assert stuck["failure"]["thing"] == "wooden_cabinet_1_top_region"
    assert stuck["drawer"] == pytest.approx(0.0, abs=0.001)
    assert (slid["failure"]["reason"], slid["goal"], slid["held"]) == ("misplaced", [False], None)


def test_a_shut_drawer_hides_what_is_in_it(server):
    drawer = "wooden_cabinet_1_top_region"
    state = server("begin", suite="libero_spatial", task=4, start=0, seed=0)["state"]
    assert [BOWL, "inside", drawer] in state["relations"]
    assert server("view")["seen"][BOWL] > 300
    shut = server("attempt", verb="close", target=drawer)
    assert shut["failure"] is None
    assert abs(named(shut["state"], drawer)["joint"]["value"]) < 0.01
    assert server("view")["seen"].get(BOWL, 0) == 0


def test_starts_and_views_are_those_of_libero_itself():
    """One task of each suite, of four kinds of rooms, with drawn doors, drawers and a burner."""
    tasks = ["goal/3/1/7", "spatial/4/0/0", "object/2/0/0", "90/5/0/3", "10/8/2/0"]
    rows = printed_by("against_libero.py", *(f"libero_{task}" for task in tasks))
    assert len(rows) == len(tasks)
    for row in rows:
        assert row["arrays"] > 500
        assert row["different"] == [], row["task"]
        assert row["seen"] == row["pixels"], row["task"]
        assert row["idle"], "some geoms are not drawn"


def test_a_second_camera_looks_only_for_what_the_first_does_not_show_enough(server):
    server("begin", **TASK)
    one, both = server("view", enough=20)["seen"], server("view", enough=10**9)["seen"]
    assert one[BOWL] >= 20
    assert both[BOWL] > one[BOWL]


def test_a_picture_is_a_png(server):
    server("begin", **TASK)
    data = base64.b64decode(server("image", camera="agentview", width=64, height=48)["png"])
    assert data.startswith(b"\x89PNG")


@pytest.mark.parametrize("number", range(len(TASKS)), ids=[task.name for task in TASKS])
@pytest.mark.parametrize("start", [0, 19])
def test_a_task_of_ours_begins_with_its_hidden_things_out_of_sight(server, number, start):
    begun = server("begin", **{**OURS, "task": number, "start": start})
    assert begun["instruction"] == TASKS[number].instruction
    state, seen = begun["state"], server("view")["seen"]
    for thing, places in TASKS[number].hidden.items():
        inside = [
            place for name, word, place in state["relations"] if (name, word) == (thing, "inside")
        ]
        assert {*inside} & {*places}
        assert seen.get(thing, 0) == 0
    for thing in TASKS[number].standing:
        assert seen[thing] > 100
    held = {tuple(part) for part, holds in zip(begun["goal"], state["goal"], strict=True) if holds}
    assert held == {part for part in map(tuple, begun["goal"]) if part[0] == "close"}


def test_starts_of_ours_differ_and_repeat(server):
    first, other, again = (
        server("begin", **{**OURS, "start": start})["state"]["digest"] for start in (4, 5, 4)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("call", "arguments", "words"),
    [
        ("begin", {**TASK, "suite": "libero_moon"}, "no suite 'libero_moon'"),
        ("begin", {**TASK, "task": 10}, "tasks 0 to 9"),
        ("begin", {**TASK, "start": 50}, "starts 0 to 49"),
        ("begin", {**OURS, "task": 99}, "tasks 0 to"),
        ("begin", {**OURS, "start": 20}, "starts 0 to 19"),
        ("attempt", {"verb": "pick_up", "target": "moon"}, "no 'moon'"),
        ("attempt", {"verb": "fly", "target": BOWL}, "no verb 'fly'"),
        ("attempt", {"verb": "put", "target": BOWL}, "needs a place and the relation"),
        ("restore", {"data": "AAAA"}, "no snapshot"),
        ("image", {"camera": "moon", "width": 8, "height": 8}, "no camera 'moon'; .*agentview"),
        ("image", {"camera": "agentview", "width": 0, "height": 8}, "1 to 2048 pixels"),
    ],
)
def test_what_does_not_exist_is_one_sentence_and_loses_nothing(server, call, arguments, words):
    server("begin", **TASK)
    with pytest.raises(BadInput, match=words):
        server(call, **arguments)
    assert server("attempt", verb="pick_up", target="flat_stove_1")["failure"]["reason"] == (
        "not_graspable"
    )

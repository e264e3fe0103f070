"""LIBERO's real engine in a process of its own; needs PEEPHOLE_LIBERO_PYTHON."""

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest

import peephole
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


@pytest.fixture(scope="module")
def server():
    engine = Supervisor("libero", [str(PYTHON), str(SERVER)])
    engine.start()
    yield lambda name, **arguments: engine.call(name, arguments, 120.0)
    engine.stop()


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


def test_a_restored_snapshot_goes_on_as_before(server):
    begun = server("begin", **TASK)["state"]
    kept = server("snapshot")["data"]
    first = server("attempt", verb="pick_up", target=BOWL)["state"]["digest"]
    assert server("restore", data=kept)["digest"] == begun["digest"]
    assert server("attempt", verb="pick_up", target=BOWL)["state"]["digest"] == first


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
    script = Path(__file__).with_name("against_libero.py")
    command = [str(PYTHON), str(script), str(SERVER.parent), *(f"libero_{task}" for task in tasks)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
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


@pytest.mark.parametrize(
    ("call", "arguments", "words"),
    [
        ("begin", {**TASK, "suite": "libero_moon"}, "no suite 'libero_moon'"),
        ("begin", {**TASK, "task": 10}, "tasks 0 to 9"),
        ("begin", {**TASK, "start": 50}, "starts 0 to 49"),
        ("attempt", {"verb": "pick_up", "target": "moon"}, "no 'moon'"),
        ("attempt", {"verb": "fly", "target": BOWL}, "no verb 'fly'"),
        ("restore", {"data": "AAAA"}, "no snapshot"),
    ],
)
def test_what_does_not_exist_is_one_sentence_and_loses_nothing(server, call, arguments, words):
    server("begin", **TASK)
    with pytest.raises(BadInput, match=words):
        server(call, **arguments)
    assert server("attempt", verb="pick_up", target="flat_stove_1")["failure"]["reason"] == (
        "not_graspable"
    )

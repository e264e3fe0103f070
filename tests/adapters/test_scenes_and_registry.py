"""Scenes by reference, the built-in world, and which adapters are ready."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from peephole import plugins
from peephole.adapters.contract import Capability
from peephole.adapters.registry import adapter_status, connect, require
from peephole.adapters.scenes import load_scene
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.graph_import import to_scene_graph
from peephole.errors import BadInput
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import HOUSEHOLD_VERBS, Verb, go_to, open_, pick_up, put, slice_
from peephole.skills.outcomes import Failure, Reason

KITCHEN, FRIDGE, TABLE, PLATE, CUPCAKE, KNIFE, POT = 11, 22, 26, 31, 32, 33, 35


@pytest.fixture
def scene(unity_house, tmp_path):
    """A scene reference to a small house in our own JSON."""
    path = tmp_path / "house.json"
    write_graph(to_scene_graph(unity_house, "house"), path)
    return f"json:{path}"


def test_a_scene_is_loaded_by_the_loader_that_its_reference_names(scene, unity_house):
    assert load_scene(scene) == to_scene_graph(unity_house, "house")


def test_scenes_of_virtualhome_eval_are_loaded_by_their_programs_name(play):
    assert load_scene("virtualhome-eval:1004_2") == play("1004_2").graph()


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("house.json", "give LOADER:REFERENCE"),
        (":house.json", "give LOADER:REFERENCE"),
        ("json:", "give LOADER:REFERENCE"),
        ("jsn:house.json", "Did you mean json"),
        ("json:/nowhere/house.json", "/nowhere/house.json"),
    ],
)
def test_a_scene_that_cannot_be_loaded_is_refused_in_words(reference, told):
    with pytest.raises(BadInput, match=told):
        load_scene(reference)


def test_the_built_in_world_plays_a_scene(scene, task):
    world = connect("symbolic")
    world.reset(task(scene), 0)
    assert world.attempt(pick_up(PLATE), 0).success, "the agent stands at the table"
    assert world.attempt(pick_up(KNIFE), 0).failure == Failure(Reason.HANDS_FULL)
    assert world.attempt(put(PLATE, Relation.ON, TABLE), 0).success
    assert world.attempt(go_to(KNIFE), 0).success
    assert world.attempt(pick_up(KNIFE), 0).success
    assert world.attempt(go_to(FRIDGE), 0).success
    assert POT not in world.view().graph
    assert world.attempt(open_(FRIDGE), 0).success, "full hands open doors in this world"
    assert POT in world.view().graph
    assert world.attempt(slice_(POT), 0).failure == Failure(Reason.NOT_SLICEABLE, POT)
    assert world.attempt(go_to(CUPCAKE), 0).success
    assert world.attempt(slice_(CUPCAKE), 0).success
    truth = world.graph()
    assert truth is not None
    assert State.SLICED in truth[CUPCAKE].states
    assert world.spec.actions == HOUSEHOLD_VERBS


def test_an_episode_leaves_nothing_to_the_next_one(scene, task):
    world, other = SymbolicAdapter(), SymbolicAdapter()
    world.reset(task(scene), 0)
    start = world.graph()
    assert world.attempt(pick_up(PLATE), 0).success
    other.reset(task(scene), 1)
    assert other.graph() == start
    world.graph().remove_node(KITCHEN)
    assert KITCHEN in world.graph()
    world.close()
    world.reset(task(scene), 0)
    assert world.graph() == start


def test_a_snapshot_is_gone_back_to(scene, task):
    world = SymbolicAdapter()
    assert Capability.SNAPSHOT in world.spec.capabilities
    world.reset(task(scene), 0)
    snapshot = world.graph()
    assert world.attempt(pick_up(PLATE), 0).success
    assert world.graph() != snapshot
    world.restore(snapshot)
    assert world.graph() == snapshot
    assert world.attempt(pick_up(PLATE), 0).success
    assert world.graph() != snapshot, "the snapshot stays as it was"


def test_a_status_tells_what_an_adapter_is_and_can(task):
    lines = {line.name: line for line in adapter_status()}
    assert set(lines) == set(plugins.names("adapter"))
    symbolic = lines["symbolic"]
    assert symbolic.ready
    assert symbolic.missing is None
    assert symbolic.visibility == "near"
    assert "graph" in symbolic.capabilities
    assert "slice" in symbolic.actions
    assert json.loads(json.dumps(symbolic.to_data()))["actions"] == list(symbolic.actions)
    virtualhome = lines["virtualhome"]
    assert virtualhome.ready == (package.missing() is None)
    assert "never the Unity executable" in virtualhome.tested_on


def test_what_a_run_needs_and_an_adapter_lacks_is_reported_with_adapters_that_have_it():
    require(SymbolicAdapter.spec, {Capability.GRAPH: "the suite"})
    require(SymbolicAdapter.spec, {})
    needed = {Capability.GRAPH: "the suite", Capability.WRENCH: "the planner llm_pop feels forces"}
    with pytest.raises(BadInput) as told:
        require(SymbolicAdapter.spec, needed)
    assert str(told.value) == (
        "The adapter symbolic does not offer wrench (the planner llm_pop feels forces); "
        "choose one that does: isaacgym, mujoco, symbolic_blocks."
    )
    with pytest.raises(BadInput, match=r"offer wrench and judge \(a; b\); none here does\."):
        require(SymbolicAdapter.spec, {Capability.WRENCH: "a", Capability.JUDGE: "b"})


#: Adapters of real rooms, in which nothing is replayed.
REAL_ROOMS = ("operator", "rosbridge")


def test_every_simulator_of_ours_can_be_replayed_and_says_what_it_is_without_being_there():
    code = (
        "import sys\n"
        "for name in ('mujoco', 'ai2thor', 'virtualhome', 'isaacgym', 'omnigibson', 'numpy',\n"
        "             'imageio_ffmpeg', 'bddl', 'torch'): sys.modules[name] = None\n"
        "from peephole import plugins\n"
        "for name in plugins.names('adapter'):\n"
        "    spec = plugins.load('adapter', name).configured_spec()\n"
        "    print(name, spec.name, 'replayable' in spec.capabilities)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == [
        f"{name} {name} {name not in REAL_ROOMS}" for name in plugins.names("adapter")
    ]


def test_the_dialects_that_an_adapter_names_have_words_for_its_actions():
    for line in adapter_status():
        for dialect in line.dialects:
            verbs = frozenset(Verb(verb) for verb in line.actions)
            assert plugins.load("dialect", dialect).supports(verbs)
    lines = {line.name: line.dialects for line in adapter_status()}
    assert lines["mujoco"] == ("blocks",)
    assert lines["ai2thor"] == ("reactree_thor_plain", "reactree_thor", "alfworld")
    assert lines["symbolic"] == ()


def test_an_unknown_adapter_offers_the_nearest():
    with pytest.raises(BadInput, match="Did you mean virtualhome"):
        connect("virtual-home")


BROKEN = """
class Adapter: pass

from peephole.adapters.symbolic import SymbolicAdapter
class Failing(SymbolicAdapter):
    @classmethod
    def missing(cls):
        raise RuntimeError("no such device")
"""


@pytest.fixture
def with_strangers(tmp_path):
    """Runs Python where another package has registered adapters that are broken."""
    (tmp_path / "strangers.py").write_text(BROKEN)
    info = tmp_path / "strangers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[peephole.adapters]\n"
        "absent = nowhere_to_be_found:Adapter\n"
        "failing = strangers:Failing\n"
        "nameless = strangers:Missing\n"
        "unrelated = strangers:Adapter\n"
    )

    def run(code: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        ).stdout

    return run


def test_a_broken_plugin_is_a_line_and_never_a_traceback(with_strangers):
    code = (
        "import json; from peephole.adapters.registry import adapter_status\n"
        "print(json.dumps([line.to_data() for line in adapter_status()]))"
    )
    lines = {line["name"]: line for line in json.loads(with_strangers(code))}
    assert lines["symbolic"]["ready"]
    told = {
        "absent": "No module named 'nowhere_to_be_found'",
        "failing": "RuntimeError: no such device",
        "nameless": "has no attribute 'Missing'",
        "unrelated": "expected a subclass of peephole.adapters.contract.Adapter",
    }
    for name, words in told.items():
        assert not lines[name]["ready"]
        assert words in lines[name]["missing"]
        assert name in lines[name]["missing"]


def test_connecting_to_a_broken_plugin_is_refused_in_words(with_strangers):
    code = (
        "from peephole.adapters.registry import connect; from peephole.errors import Missing\n"
        "for name in ('absent', 'nameless', 'unrelated'):\n"
        "    try: connect(name)\n"
        "    except Missing as error: print(error)"
    )
    assert len(with_strangers(code).splitlines()) == 3

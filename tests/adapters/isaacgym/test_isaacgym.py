"""The same arm skills in IsaacGym: its server, run against the stand-in of gymapi on MuJoCo."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from peephole.adapters.blocks.scenes import read
from peephole.adapters.isaacgym import server, stand_in
from peephole.adapters.isaacgym.blocks import ASSETS_VARIABLE, PYTHON_VARIABLE, IsaacGymAdapter
from peephole.adapters.isaacgym.world import IsaacGymDeadlines
from peephole.adapters.process.messages import view_from_data, view_to_data
from peephole.adapters.registry import adapter_status, connect
from peephole.errors import BadInput, Missing
from peephole.scene_graph.node import Edge, Relation
from peephole.skills.actions import Action, Verb
from peephole.skills.arm.blocks.block_graph import ARM, FIRST_BLOCK, TABLE
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Reason

A, B = FIRST_BLOCK, FIRST_BLOCK + 1
FAULT = "PEEPHOLE_ISAACGYM_STAND_IN_FAULT"
FOLDER = Path(stand_in.__file__).parent


def pick(block: int) -> Action:
    return Action(Verb.PICK_UP, block)


def place(x: float, y: float, z: float = 0.026) -> Action:
    return Action(Verb.PLACE, pose=(x, y, z, 1, 0, 0, 0))


def weighed(adapter: IsaacGymAdapter, block: int, x: float, y: float) -> float:
    """The mass of a block in kg, by lifting it, and putting it down elsewhere."""
    lifted = adapter.attempt(pick(block), 0)
    assert lifted.success, lifted.message
    assert Edge(ARM, Relation.HOLDS, block) in adapter.graph().edges()
    reading = adapter.view().arm
    assert reading is not None
    down = adapter.attempt(place(x, y), 0)
    assert down.success, down.message
    pose = adapter.graph().get(block).pose
    assert pose is not None
    assert pose.position[:2] == pytest.approx((x, y), abs=0.002)
    return -reading.force[2] / 9.81


def heavier_is_found(adapter: IsaacGymAdapter, task, scene: str) -> None:
    masses = read(scene).masses
    adapter.reset(task(f"blocks:{scene}"), 0)
    felt = [weighed(adapter, A, 0.5, -0.28), weighed(adapter, B, 0.5, 0.28)]
    assert felt == pytest.approx(masses, abs=0.005)
    assert (felt[0] > felt[1]) == (masses[0] > masses[1])


@pytest.mark.slow
def test_the_heavier_of_two_blocks_is_found_by_lifting_both(make, task):
    heavier_is_found(make(), task, "seed=8;n=2;tags=mass")


def test_a_welded_block_does_not_move_and_a_free_one_does(make, task):
    adapter = make()
    adapter.reset(task("blocks:n=2;masses=0.3,0.3;welded=A;at=0.45,-0.15,0|0.45,0.15,0.4"), 0)
    before = adapter.graph().get(A).pose
    stuck = adapter.attempt(pick(A), 0)
    assert stuck.failure is not None
    assert (stuck.failure.reason, stuck.failure.thing) == (Reason.IMMOVABLE, A)
    assert adapter.graph().get(A).pose == before
    assert adapter.attempt(pick(B), 0).success


def test_what_cannot_be_done_is_refused_in_one_sentence_and_nothing_moves(make, task):
    adapter = make()
    adapter.reset(task("blocks:seed=1;n=2"), 0)
    before, reading = adapter.graph(), adapter.view().arm
    for action, reason in (
        (Action(Verb.REACH, pose=(2.0, 0, 0.3, 1, 0, 0, 0)), Reason.OUT_OF_BOUNDS),
        (Action(Verb.REACH, pose=(0.5, 0, 0.3, 1, 0, 0)), Reason.BAD_POSE),
        (Action(Verb.REACH, pose=(0.5, float("nan"), 0.3, 1, 0, 0, 0)), Reason.BAD_POSE),
        (pick(99), Reason.UNKNOWN),
        (place(0.5, 0.0), Reason.EMPTY_HANDED),
    ):
        refused = adapter.attempt(action, 0)
        assert refused.failure is not None
        assert refused.failure.reason is reason
        assert refused.message.count(". ") == 0
        assert refused.sim_time_s == 0
    assert adapter.graph() == before
    assert adapter.view().arm == reading


def test_the_arm_goes_to_the_pose_given_and_comes_home(make, task):
    adapter = make()
    adapter.reset(task("blocks:seed=1;n=1"), 0)
    home = adapter.view().arm.pose
    pose = (0.45, 0.1, 0.35, 1, 0, 0, 0)
    assert adapter.attempt(Action(Verb.REACH, pose=pose), 0).success
    assert adapter.view().arm.pose == pytest.approx(pose, abs=0.002)
    assert adapter.attempt(Action(Verb.WAIT, seconds=0.5), 0).sim_time_s == pytest.approx(0.5)
    assert adapter.attempt(Action(Verb.RESET), 0).success
    assert adapter.view().arm.pose == pytest.approx(home, abs=0.002)


def test_a_start_is_as_the_scene_says_and_noise_is_the_seeds(make, task):
    adapter = make()
    scene = "seed=4;n=3;pose_noise=0.002;angle_noise=0.02;force_noise=0.2"
    views = []
    for seed in (0, 0, 1):
        adapter.reset(task(f"blocks:{scene}"), seed)
        truth = adapter.graph()
        for block, (x, y, _) in zip(read(scene).ids, read(scene).places, strict=True):
            assert truth.get(block).pose.position == pytest.approx((x, y, 0.025), abs=0.001)
            assert Edge(block, Relation.ON, TABLE) in truth.edges()
        views.append(adapter.view())
        assert adapter.view() == views[-1]
        assert view_from_data(view_to_data(views[-1]), "a test") == views[-1]
    assert views[0] == views[1]
    assert views[0] != views[2]


# --- its process ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "says"), [("dies:30", "exited with code 9"), ("hangs:30", "gave no answer to 'step'")]
)
def test_a_simulator_that_is_lost_in_a_call_is_reported_and_started_again(
    make, task, monkeypatch, fault, says
):
    adapter = make(IsaacGymDeadlines(step_s=3.0))
    monkeypatch.setenv(FAULT, fault)
    with pytest.raises(SimulatorDied, match=says):
        adapter.reset(task("blocks:seed=1;n=1"), 0)
    monkeypatch.delenv(FAULT)
    adapter.reset(task("blocks:seed=1;n=1"), 0)
    assert adapter.attempt(pick(A), 0).success


@pytest.mark.slow
def test_what_is_done_again_after_a_death_comes_out_the_same(make, task, monkeypatch):
    """As the executor restores an episode."""
    adapter = make()
    scene = task("blocks:seed=1;n=2;tags=mass")
    adapter.reset(scene, 0)
    assert adapter.attempt(pick(A), 0).success
    held = adapter.graph()
    again = make()
    monkeypatch.setenv(FAULT, "dies:600")
    again.reset(scene, 0)
    with pytest.raises(SimulatorDied, match="during 'step'"):
        again.attempt(pick(A), 0)
    monkeypatch.delenv(FAULT)
    again.reset(scene, 0)
    assert again.attempt(pick(A), 0).success
    assert again.graph() == held


def test_every_scene_has_a_process_and_none_is_left(make, task):
    adapter = make()
    for _ in range(2):
        adapter.reset(task("blocks:seed=1;n=1"), 0)
        mine = children()
        assert len(mine) == 1
    adapter.close()
    assert not children()


def children() -> list[str]:
    """The living processes of ours that run the server."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "ppid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = (line.split(None, 2) for line in listed.stdout.splitlines())
    return [
        args
        for parent, state, args in rows
        if int(parent) == os.getpid() and state[0] != "Z" and server.__file__ in args
    ]


# --- settings ------------------------------------------------------------------------------


def test_what_is_not_set_is_reported_in_one_sentence(at_stand_in, monkeypatch, tmp_path):
    assert IsaacGymAdapter.missing() is None
    monkeypatch.setenv(ASSETS_VARIABLE, str(tmp_path))
    assert f"{tmp_path}, where there is no {server.FRANKA}" in str(IsaacGymAdapter.missing())
    monkeypatch.delenv(ASSETS_VARIABLE)
    assert f"{ASSETS_VARIABLE} is not set" in str(IsaacGymAdapter.missing())
    monkeypatch.setenv(PYTHON_VARIABLE, "/nowhere/python3.8")
    assert "/nowhere/python3.8, which is no program" in str(IsaacGymAdapter.missing())
    monkeypatch.delenv(PYTHON_VARIABLE)
    with pytest.raises(Missing, match=f"{PYTHON_VARIABLE} is not set") as told:
        connect("isaacgym")
    assert str(told.value).count(". ") == 0


def test_an_interpreter_without_isaacgym_is_reported_with_the_command(make, task, monkeypatch):
    monkeypatch.delenv("PYTHONPATH")
    with pytest.raises(Missing, match=r"cannot import isaacgym .* -m pip install -e"):
        make().reset(task("blocks:seed=1"), 0)


def test_other_scenes_are_refused(make, task):
    with pytest.raises(BadInput, match="takes scenes of blocks only"):
        make().reset(task("house:3"), 0)


def test_it_is_reported_that_it_never_ran_against_isaacgym(make):
    (status,) = (told for told in adapter_status() if told.name == "isaacgym")
    assert "stand-in" in status.tested_on
    assert "never IsaacGym itself" in status.tested_on
    assert "stand-in" in make().facts()["about"]


def test_the_stand_in_tells_the_settings_with_which_it_is_used(tmp_path):
    command = [sys.executable, "-m", stand_in.__name__]
    done = subprocess.run([*command, str(tmp_path / "a")], capture_output=True, text=True)
    told = dict(line.removeprefix("export ").split("=", 1) for line in done.stdout.splitlines())
    assert (Path(told[ASSETS_VARIABLE]) / server.FRANKA).is_file()
    for own, path in (("", f"{FOLDER}"), ("/own", f"{FOLDER}:/own")):
        script = f'{done.stdout}\necho "$PYTHONPATH"'
        shell = subprocess.run(
            ["bash", "-c", script], env={"PYTHONPATH": own}, capture_output=True, text=True
        )
        assert shell.stdout == f"{path}\n"
    assert subprocess.run(command, capture_output=True).returncode == BadInput.exit_code
    (tmp_path / "file").touch()
    done = subprocess.run([*command, str(tmp_path / "file")], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (BadInput.exit_code, 1)


# --- an old interpreter --------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [Path(server.__file__), *sorted((FOLDER / "isaacgym").glob("*.py"))],
    ids=lambda path: path.name,
)
def test_what_the_old_interpreter_runs_is_python_3_8(path):
    ast.parse(path.read_text(), feature_version=(3, 8))


@pytest.mark.slow
def test_the_heavier_block_is_found_under_python_3_8(make, task, monkeypatch, request, tmp_path):
    """PEEPHOLE_TEST_PYTHON38 names one with numpy and mujoco 3.2; else pip makes one."""
    python = os.environ.get("PEEPHOLE_TEST_PYTHON38")
    if python is None:
        bare = request.getfixturevalue("python38")
        subprocess.run([bare, "-m", "venv", tmp_path / "venv"], check=True)
        python = str(tmp_path / "venv" / "bin" / "python")
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "numpy", "mujoco<3.3"],
            capture_output=True,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
        if done.returncode != 0:
            pytest.skip(f"pip could not install mujoco: {done.stderr.strip()[-200:]}")
    monkeypatch.setenv(PYTHON_VARIABLE, python)
    adapter = make()
    assert adapter.facts()["interpreter"].startswith("3.8")
    heavier_is_found(adapter, task, "seed=1;n=2;tags=mass")

"""The adapter: skills by contact on the graph's nodes, failures, snapshots, pictures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from peephole.adapters.contract import Capability
from peephole.adapters.kitchens.furnished.scenes import scene_of
from peephole.adapters.mujoco.kitchens.adapter import KitchenPhysicsAdapter
from peephole.adapters.registry import adapter_specs, connect
from peephole.adapters.symbolic import GripperAdapter
from peephole.episodes.resolve import load_dialect
from peephole.errors import BadInput
from peephole.observation_text.names import Names
from peephole.scene_graph.goals import And
from peephole.scene_graph.json_codec import graph_to_data
from peephole.scene_graph.node import Relation, State
from peephole.scene_graph.task import Task
from peephole.skills.actions import (
    close,
    go_to,
    look,
    open_,
    pick_up,
    put,
    slice_,
    turn_on,
    wait,
)
from peephole.skills.executor import Executor, SimulatorDied
from peephole.skills.outcomes import Failure, Reason
from peephole.suites.kitchens.suites import load as load_published

from .conftest import task_of


def reason(outcome):
    return None if outcome.failure is None else outcome.failure.reason


def children():
    """The processes that this one has started and that live."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return {int(pid) for pid, state, what in rows if state[0] != "Z" and what != "ps"}


def state_of(played):
    """All that the same actions must lead to again, to the last bit."""
    graph = json.dumps(graph_to_data(played.adapter.graph()))
    view = json.dumps(graph_to_data(played.adapter.view().graph))
    return graph, view, played.episode.world.data.qpos.tobytes()


def test_it_is_registered_beside_its_rules():
    physics, rules = (adapter_specs()[name] for name in ("mujoco_kitchen", "symbolic_gripper"))
    assert physics.actions == rules.actions
    assert physics.embodiment == rules.embodiment
    assert set(physics.loaders) <= set(rules.loaders)
    assert Capability.SNAPSHOT in physics.capabilities


def test_a_can_is_fetched_from_a_drawer(played):
    """Opened by its handle, looked into, taken, put on the worktop, closed: all by contact."""
    drawer, counter, can = (played.id(name) for name in ("drawer_1", "counter_1", "can_1"))
    assert reason(played.do(go_to(drawer))) is None
    assert reason(played.do(open_(drawer))) is None
    assert played.covered("drawer_1") is True
    assert played.known()["can_1"] == [("inside", "drawer_1")]
    snapshot = played.adapter.snapshot()
    states = []
    for _ in range(2):
        played.adapter.restore(snapshot)
        assert reason(played.do(pick_up(can))) is None
        states.append(state_of(played))
    assert states[0] == states[1]
    assert played.adapter.view().graph.held(played.adapter.view().agent().id) == [can]
    assert reason(played.do(open_(drawer))) is Reason.ALREADY_OPEN
    assert reason(played.do(close(drawer))) is Reason.HANDS_FULL
    assert reason(played.do(put(can, Relation.ON, counter))) is None
    assert played.known()["can_1"] == [("on", "counter_1")]


def test_snapshots_use_room_again_and_keep_what_sleeps(played, monkeypatch):
    """To make room takes fifty times as long as to copy; a wait from a copy gives the same bits."""
    import mujoco

    played.do(wait())
    kept, before = played.adapter.snapshot(), state_of(played)
    played.adapter.snapshot()
    monkeypatch.setattr(mujoco, "MjData", None)
    for _ in range(5):
        played.adapter.snapshot()
    ends = []
    for _ in range(2):
        played.adapter.restore(kept)
        assert state_of(played) == before
        asleep = played.episode.world.data.tree_asleep.tobytes()
        played.do(wait())
        ends.append((asleep, state_of(played), played.episode.world.data.qvel.tobytes()))
    assert ends[0] == ends[1]


def test_after_a_restore_plans_know_where_everything_is(played):
    """Without a look of theirs: a place where a bowl stood meanwhile is free again."""
    world = played.episode.world
    x, y = world.reading().joints[:2]
    places = np.array([[x + a, y + b] for a in (-0.7, 0.0, 0.7) for b in (-0.7, 0.7)])
    spot = places[world.base_free(places, 0.05)][:1]
    snapshot = played.adapter.snapshot()
    played.move("bowl_1", (*spot[0], 0.05))
    assert not world.base_free(spot, 0.01)
    played.adapter.restore(snapshot)
    assert world.base_free(spot, 0.01)


@pytest.mark.parametrize(
    ("at", "action", "expected"),
    [
        ("counter_1", lambda of: slice_(of("mug_1")), Reason.NOT_SUPPORTED),
        (
            "counter_1",
            lambda of: put(of("mug_1"), Relation.UNDER, of("counter_1")),
            Reason.NOT_SUPPORTED,
        ),
        (None, lambda of: pick_up(of("mug_1")), Reason.NOT_CLOSE),
        ("drawer_1", lambda of: pick_up(of("can_1")), Reason.ENCLOSED),
        ("counter_1", lambda of: put(of("mug_1"), Relation.ON, of("counter_1")), Reason.NOT_HELD),
        ("drawer_1", lambda of: close(of("drawer_1")), Reason.ALREADY_CLOSED),
        ("counter_1", lambda of: open_(of("counter_1")), Reason.NOT_OPENABLE),
        ("counter_1", lambda of: pick_up(of("counter_1")), Reason.NOT_GRASPABLE),
        ("drawer_1", lambda of: turn_on(of("drawer_1")), Reason.NOT_SWITCHABLE),
        ("drawer_1", lambda of: pick_up(999), Reason.UNKNOWN),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_moves(played, at, action, expected):
    played.episode.at = at
    before = state_of(played)
    assert reason(played.do(action(played.id))) is expected
    assert state_of(played) == before


def test_waiting_and_looking_around_change_nothing_but_time(played):
    assert reason(played.do(wait())) is None
    assert reason(played.do(look())) is None
    assert played.known().keys() == {"mug_1", "bowl_1"}


def test_going_to_a_worktop_shows_all_of_it(played):
    assert reason(played.do(go_to(played.id("counter_1")))) is None
    assert played.covered("counter_1") is True


def test_a_switch_is_pressed(played):
    button = next(iter(played.episode.kitchen.buttons.values()))
    area = played.id(button.area)
    played.episode.at = button.area
    outcome = played.do(turn_on(area))
    if reason(outcome) is None:
        assert State.ON in played.adapter.graph()[area].states
    else:  # out of reach here; then nothing is switched
        assert State.OFF in played.adapter.graph()[area].states


def test_a_microwave_runs_only_while_closed_by_rules_and_in_contact(played):
    microwave = played.id("microwave_1")
    rules = GripperAdapter()
    rules.reset(task_of(opened=["microwave_1"]), 0)
    assert rules.attempt(go_to(microwave), 0).success
    assert rules.attempt(turn_on(microwave), 0).failure == Failure(Reason.STILL_OPEN, microwave)
    played.set_open("microwave_1", 1.7)
    played.episode.at = "microwave_1"
    assert played.do(turn_on(microwave)).failure == Failure(Reason.STILL_OPEN, microwave)
    episode = played.episode
    button = next(b for b in episode.kitchen.buttons.values() if b.area == "microwave_1")
    at = int(episode.world.model.joint(button.name).qposadr[0])
    for door, runs in ((1.7, False), (0.0, True), (0.5, False)):
        played.set_open("microwave_1", door)
        for pressed in (0.0, button.travel, 0.0) if door != 0.5 else (0.0,):
            episode.world.data.qpos[at] = pressed
            episode.switches.tick()
        assert episode.switches.running["microwave_1"] is runs


def test_a_diverging_simulation_is_a_dead_simulator(played, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snapshot = played.adapter.snapshot()
    for broken in (np.nan, 1e12):
        played.episode.world.data.qvel[-1] = broken
        began = played.episode.world.data.time
        with pytest.raises(SimulatorDied, match="diverged"):
            played.adapter.attempt(wait(), 0)
        assert played.episode.world.data.time < began + 0.1, "it is seen at once"
        played.adapter.restore(snapshot)
    assert not list(tmp_path.iterdir())  # no log of MuJoCo's


@pytest.mark.parametrize("isolated", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_episode_goes_on_after_its_simulation_is_lost(isolated):
    """It diverges, or its process is killed: restored by replay, told, and with the same end."""
    ends = []
    for lost in (False, True):
        before = children()
        adapter = connect("mujoco_kitchen", isolated=isolated)

        def restart(adapter=adapter):
            adapter.close()
            adapter.reset(task_of(), 0)

        adapter.reset(task_of(), 0)
        executor = Executor(adapter, restart, state=adapter.graph(), bounded=True)
        drawer = next(n.id for n in adapter.graph().nodes() if n.native_id == "drawer_1")
        assert executor.execute(go_to(drawer)).success
        if lost and isolated:
            (process,) = children() - before
            os.kill(process, signal.SIGKILL)
        elif lost:
            adapter.episode.world.data.qvel[-1] = 1e12
        outcome = executor.execute(wait())
        assert outcome.success
        reasons = [attempt.failure and attempt.failure.reason for attempt in outcome.attempts]
        assert reasons == ([Reason.CRASHED, None] if lost else [None])
        assert outcome.attempts[-1].restored is lost
        ends.append([graph_to_data(adapter.graph()), graph_to_data(adapter.view().graph)])
        adapter.close()
    assert ends[0] == ends[1]


def test_scenes_that_cannot_be_are_refused():
    adapter = KitchenPhysicsAdapter()
    for scene, words in (
        ('furnished_kitchen:{"seed":1,"objects":{"can_1":"shed_1"}}', "shed_1"),
        ("house:1", "mujoco_kitchen cannot load"),
    ):
        with pytest.raises(BadInput, match=words):
            adapter.reset(Task("t", "", And(()), scene), 0)


def test_the_rules_play_the_same_tasks_on_the_same_nodes(played):
    rules = GripperAdapter()
    rules.reset(task_of(), 0)
    can, drawer = played.id("can_1"), played.id("drawer_1")
    counter = played.id("counter_1")
    for action in (
        go_to(drawer),
        open_(drawer),
        pick_up(can),
        go_to(counter),
        put(can, Relation.ON, counter),
    ):
        assert rules.attempt(action, 0).success
    assert rules.graph().places(can) == [(Relation.ON, counter)]
    assert rules.attempt(pick_up(can), 0).success
    assert rules.attempt(go_to(drawer), 0).success
    assert rules.attempt(close(drawer), 0).failure.reason is Reason.HANDS_FULL


def test_pictures_change_nothing(played):
    before = state_of(played)
    image = played.adapter.image()
    assert image.shape == (480, 480, 3)
    assert image.std() > 20
    assert state_of(played) == before


def test_films_change_nothing_and_are_time_lapses(played, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    snapshot = played.adapter.snapshot()
    played.do(wait())
    alone = state_of(played)
    played.adapter.restore(snapshot)
    with played.adapter.film(tmp_path / "kitchen.mp4") as film:
        played.do(wait())
    assert state_of(played) == alone
    reader = ffmpeg.read_frames(str(tmp_path / "kitchen.mp4"))
    assert next(reader)["size"] == (960, 540)
    assert film.speed == 4
    assert len(list(reader)) in (3, 4), "of one simulated second a quarter of the frame rate"


@pytest.mark.parametrize("area", ["drawer_1", "counter_1", "fridge_1"])
def test_the_film_shows_the_robot_and_where_it_works(played, area):
    import mujoco

    from peephole.adapters.mujoco.kitchens.filming import FIELD, HEIGHT, WIDTH, Seat

    world = played.episode.world
    base = world.reading().joints[:2]
    focus = played.episode.middle(area)
    aim, eye = Seat(world).choose(focus)
    wide = np.arctan(np.tan(FIELD / 2) * WIDTH / HEIGHT)
    for point in (focus, np.array([*base, 0.4]), np.array([*base, 0.9])):
        ahead, way = (each / np.linalg.norm(each) for each in (aim - eye, point - eye))
        assert ahead @ way > np.cos(wide), "it is in the picture"
    met = np.zeros(1, np.int32)
    groups = np.array([1, 1, 0, 0, 0, 0], np.uint8)
    mujoco.mj_ray(world.model, world.data, eye, way, groups, 1, -1, met)
    model = world.model
    assert model.body_rootid[model.geom_bodyid[met[0]]] == model.body("base").id, "not hidden"


@pytest.mark.slow
def test_another_process_gives_the_same_bits(played, tmp_path):
    """Open, take, put and close: the same in a process of its own, from the start."""
    script = tmp_path / "play.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from conftest import Played, task_of\n"
        "import hashlib, json\n"
        "from peephole.adapters.mujoco.kitchens.adapter import KitchenPhysicsAdapter\n"
        "from peephole.scene_graph.json_codec import graph_to_data\n"
        "from peephole.scene_graph.node import Relation\n"
        "from peephole.skills.actions import close, go_to, open_, pick_up, put\n"
        "adapter = KitchenPhysicsAdapter()\n"
        "adapter.reset(task_of(), 5)\n"
        "played = Played(adapter)\n"
        "id = played.id\n"
        "played.do(go_to(id('drawer_1')))\n"
        "played.do(open_(id('drawer_1')))\n"
        "played.do(pick_up(id('can_1')))\n"
        "played.do(go_to(id('counter_1')))\n"
        "played.do(put(id('can_1'), Relation.ON, id('counter_1')))\n"
        "played.do(go_to(id('drawer_1')))\n"
        "played.do(close(id('drawer_1')))\n"
        "text = json.dumps([graph_to_data(adapter.graph()), graph_to_data(adapter.view().graph)])\n"
        "bits = text.encode() + played.episode.world.data.qpos.tobytes()\n"
        "print(hashlib.sha256(bits).hexdigest())\n"
    )
    told = {
        subprocess.run(
            [sys.executable, script], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    }
    assert len(told) == 1
    assert len(told.pop()) == 64


def test_one_goes_to_a_place_of_a_published_kitchen_and_handles_its_areas():
    task = next(iter(load_published("").tasks))
    adapter = KitchenPhysicsAdapter()
    adapter.reset(task, 0)
    graph = adapter.graph()
    area = next(node for node in graph.nodes() if State.CLOSED in node.states)
    (place,) = graph.targets(area.id, Relation.ATTACHED)
    assert adapter.attempt(go_to(place), 0).success
    assert adapter.graph().has_edge(graph.agent().id, Relation.CLOSE, place)
    assert adapter.attempt(open_(area.id), 0).success
    adapter.close()


def test_what_is_hidden_changes_no_view_and_no_text():
    """Two things behind closed fronts are swapped; the robot drives, looks and opens elsewhere."""
    dialects = [load_dialect(name) for name in KitchenPhysicsAdapter.spec.dialects]
    seen = []
    for can, jar in (("drawer_1", "drawer_2"), ("drawer_2", "drawer_1")):
        adapter = KitchenPhysicsAdapter()
        objects = {"apple_1": "counter_1", "can_1": can, "jar_1": jar}
        adapter.reset(Task("t", "", And(()), scene_of(3, objects)), 0)
        ids, texts = adapter.episode.ids, []
        fridge = ids["fridge_1"]
        for action in (look(), go_to(ids["counter_1"]), go_to(fridge), open_(fridge)):
            result = adapter.attempt(action, 0)
            assert result.success, result
            view = adapter.view()
            words = [each.overview(Names(view.graph.nodes()), view) for each in dialects]
            texts.append((graph_to_data(view.graph), dict(view.covered), words))
        seen.append(texts)
        adapter.close()
    assert seen[0] == seen[1]

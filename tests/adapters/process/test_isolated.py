"""An adapter in a process of its own is the same adapter, and survives its simulator."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.contract import Adapter
from peephole.adapters.process.isolated import Deadlines, IsolatedAdapter
from peephole.adapters.registry import connect
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.adapters.virtualhome import package
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import Progress, Subgoal
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb, go_to, look, open_, wait
from peephole.skills.dynamics import candidates, legal_actions
from peephole.skills.executor import Executor, SimulatorDied
from peephole.skills.outcomes import Failure, Reason

Make = Callable[..., IsolatedAdapter]

CHARACTER, FRIDGE = 1, 22
KITCHEN = SceneGraph(
    [
        Node(CHARACTER, "character", Kind.AGENT, CHARACTER),
        Node(11, "kitchen", Kind.ROOM, 11),
        Node(
            *(FRIDGE, "fridge", Kind.FIXTURE, FRIDGE),
            frozenset({State.CLOSED}),
            frozenset({Affordance.OPENABLE, Affordance.CONTAINER}),
        ),
        Node(31, "plate", Kind.OBJECT, 31, affordances=frozenset({Affordance.GRASPABLE})),
        Node(32, "cupcake", Kind.OBJECT, 32, affordances=frozenset({Affordance.GRASPABLE})),
    ],
    [
        Edge(CHARACTER, Relation.INSIDE, 11),
        Edge(FRIDGE, Relation.INSIDE, 11),
        Edge(31, Relation.INSIDE, FRIDGE),
        Edge(32, Relation.ON, 31),
    ],
)


def children() -> list[int]:
    """The living processes that this one has started."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = (line.split(maxsplit=3) for line in listed.stdout.splitlines())
    return [
        int(pid)
        for pid, parent, state, arguments in rows
        if int(parent) == os.getpid() and "isolated_server" in arguments and state[0] != "Z"
    ]


@pytest.fixture
def isolated() -> Iterator[Make]:
    """Makes isolated adapters and ends them."""
    made = []

    def make(name: str, **options: Any) -> IsolatedAdapter:
        spec = connect(name).spec if "spec" not in options else options.pop("spec")
        made.append(IsolatedAdapter(name, spec, **options))
        return made[-1]

    yield make
    for adapter in made:
        adapter.close()


@pytest.fixture
def scene(task: Callable[[str], Task], tmp_path: Path) -> Task:
    """A task in a kitchen with a fridge, in which a cupcake is on a plate."""
    write_graph(KITCHEN, tmp_path / "kitchen.json")
    return task(f"json:{tmp_path / 'kitchen.json'}")


# --- the same adapter ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["symbolic", "virtualhome"])
def test_it_does_and_shows_exactly_what_the_adapter_does(isolated, listings, task, name):
    if package.missing() is not None:
        pytest.skip(str(package.missing()))
    here, there = connect(name), isolated(name)
    chance = random.Random(4)
    for program in ("1004_2", "442_2"):
        scene = task(f"virtualhome-eval:{program}")
        here.reset(scene, 0)
        there.reset(scene, 0)
        for _ in range(25):
            truth = here.graph()
            assert truth is not None
            assert listings(there.graph()) == listings(truth)
            view, seen = here.view(), there.view()
            assert listings(seen.graph) == listings(view.graph)
            assert list(seen.covered.items()) == list(view.covered.items())
            pool = legal_actions(truth, here.spec.embodiment)
            if chance.random() < 0.3:
                pool = candidates(truth)
            action = chance.choice([a for a in pool if a.verb in here.spec.actions])
            variation = chance.randrange(2)
            assert there.attempt(action, variation) == here.attempt(action, variation)
        assert listings(there.graph()) == listings(here.graph())
    image, shown = here.image(), there.image()
    assert image is not None
    assert shown is not None
    assert shown.shape == image.shape
    assert shown.tobytes() == image.tobytes()
    assert there.facts().items() >= here.facts().items()
    assert there.facts()["isolated"]["python"].startswith("3.")


def test_a_graph_is_the_callers_to_keep(isolated, scene):
    world = isolated("symbolic")
    world.reset(scene, 0)
    start = world.graph()
    world.graph().remove_node(FRIDGE)
    assert world.graph() == start
    world.attempt(open_(FRIDGE), 0)
    world.attempt(go_to(FRIDGE), 0)
    assert world.attempt(open_(FRIDGE), 0).success
    assert world.graph() != start


def test_what_the_user_can_fix_is_reported_as_by_the_adapter(isolated, task, scene):
    world = isolated("symbolic")
    for bad in ("jsn:house.json", "json:/nowhere/house.json"):
        with pytest.raises(BadInput) as here:
            SymbolicAdapter().reset(task(bad), 0)
        with pytest.raises(BadInput) as there:
            world.reset(task(bad), 0)
        assert str(there.value) == str(here.value)
    world.reset(scene, 0)
    assert world.attempt(look(), 0).success


def test_one_process_serves_many_episodes_and_ends_with_the_adapter(isolated, scene):
    before = set(children())
    world = isolated("symbolic")
    assert set(children()) == before, "nothing runs before it is needed"
    world.reset(scene, 0)
    started = set(children()) - before
    assert len(started) == 1
    start = world.graph()
    world.attempt(go_to(FRIDGE), 0)
    world.reset(scene, 1)
    assert world.graph() == start
    assert set(children()) - before == started
    world.close()
    world.close()
    assert set(children()) == before


def test_it_ends_with_the_process_that_started_it(scene, processes_of):
    """Killed by signal 9, the parent has no time to clean up."""
    code = (
        "import os, subprocess, sys\n"
        "from peephole.adapters.registry import connect\n"
        "from peephole.scene_graph.goals import And\n"
        "from peephole.scene_graph.task import Task\n"
        "world = connect('symbolic', isolated=True)\n"
        f"world.reset(Task('any', 'Do.', And(()), {scene.scene!r}), 0)\n"
        "print(world._process._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    ends = time.monotonic() + 20
    while processes_of(int(done.stdout)) and time.monotonic() < ends:
        time.sleep(0.02)
    assert processes_of(int(done.stdout)) == []


# --- a lost simulator ----------------------------------------------------------------------------


def test_a_new_process_is_told_the_folder_again(isolated, scene, tmp_path, monkeypatch):
    world = isolated("symbolic")
    calls = []
    call = world._process.call

    def recorded(name, *rest):
        calls.append(name)
        return call(name, *rest)

    monkeypatch.setattr(world._process, "call", recorded)
    world.keep(tmp_path / "1")
    world.reset(scene, 0)
    world.reset(scene, 0)
    world.close()
    world.reset(scene, 0)
    assert calls.count("keep") == 2
    assert calls[-2:] == ["keep", "reset"]


def test_after_a_death_every_call_fails_until_a_reset(isolated, scene):
    before = set(children())
    world = isolated("symbolic")
    world.reset(scene, 0)
    start = world.graph()
    (process,) = set(children()) - before
    os.kill(process, signal.SIGKILL)
    with pytest.raises(SimulatorDied, match="was ended by signal 9 during 'attempt'"):
        world.attempt(go_to(FRIDGE), 0)
    for call in (world.graph, world.view, lambda: world.attempt(wait(), 0)):
        with pytest.raises(SimulatorDied, match="is not running"):
            call()
    assert set(children()) == before
    world.reset(scene, 0)
    assert world.graph() == start


def test_a_death_between_two_episodes_goes_unnoticed(isolated, scene):
    before = set(children())
    world = isolated("symbolic")
    world.reset(scene, 0)
    start = world.graph()
    (process,) = set(children()) - before
    os.kill(process, signal.SIGKILL)
    while set(children()) - before:
        time.sleep(0.01)
    world.reset(scene, 0)
    assert world.graph() == start


def test_an_episode_goes_on_after_its_simulator_was_killed(isolated, scene):
    before = set(children())
    world = isolated("symbolic")
    world.reset(scene, 0)

    def restart() -> None:
        world.close()
        world.reset(scene, 0)

    executor = Executor(world, restart, state=world.graph())
    assert executor.execute(go_to(FRIDGE)).success
    reached = world.graph()
    (process,) = set(children()) - before
    os.kill(process, signal.SIGKILL)
    outcome = executor.execute(open_(FRIDGE))
    assert outcome.success
    assert [a.failure and a.failure.reason for a in outcome.attempts] == [Reason.CRASHED, None]
    assert outcome.attempts[1].restored
    (process,) = set(children()) - before
    os.kill(process, signal.SIGKILL)
    opened = executor.read(world.graph)
    assert opened != reached
    assert opened == executor.state


# --- a stranger's adapter ------------------------------------------------------------------------

STRANGER = '''
import os, sys, time
import numpy as np
from dataclasses import replace
from peephole.adapters.contract import Capability
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.observation_text.view import View, Visibility
from peephole.scene_graph.goal_evaluation import Progress, Subgoal
from peephole.scene_graph.graph import SceneGraph
from peephole.skills.actions import Verb, go_to, open_
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Failure, RawResult, Reason

class Adapter(SymbolicAdapter):
    """Shows the agent and the fridge alone, and fails as it is told by the verb."""

    spec = replace(
        SymbolicAdapter.spec,
        name="stranger",
        visibility=Visibility.CAMERA,
        capabilities=frozenset({Capability.GRAPH, Capability.IMAGES}),
    )

    def attempt(self, action, variation):
        if action.verb is Verb.LOOK:
            print("looking around", flush=True)
            os.system("echo looking around")
        if action.verb is Verb.WAIT:
            return RawResult(Failure(Reason.DENIED, 22, "it is hot"), "not\\nnow", 2.5)
        if action.verb is Verb.SLICE:
            return 1 // 0
        if action.verb is Verb.TURN_ON:
            raise SimulatorDied("nothing answers on port 8080")
        if action.verb is Verb.TURN_OFF:
            time.sleep(60)
        return super().attempt(action, variation)

    def view(self):
        graph = self.graph()
        return View(SceneGraph([graph.agent(), graph[22]]), {22: False})

    def resume(self, task, seed):
        self.reset(task, seed)
        for action in (go_to(22), open_(22)):
            super().attempt(action, 0)

    def judge(self, task):
        return Progress(0.5, (Subgoal(task.id, 1, 2),))

    def image(self):
        return np.arange(24, dtype=np.uint8).reshape(2, 4, 3)

    def facts(self):
        return {"engine": "stranger 1"}
'''


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated: Make) -> Make:
    """Makes an isolated adapter that another package has registered."""
    (tmp_path / "stranger.py").write_text(STRANGER)
    info = tmp_path / "stranger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[peephole.adapters]\nstranger = stranger:Adapter\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = importlib.util.spec_from_file_location("stranger", tmp_path / "stranger.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    adapter = module.Adapter

    def make(spec: Mapping[str, Any] = {}, **options: Any) -> IsolatedAdapter:
        return isolated("stranger", spec=replace(adapter.spec, **spec), **options)

    return make


def test_one_try_may_take_as_long_as_the_adapter_says(stranger, scene):
    world: Adapter = stranger({"attempt_s": 0.5})
    world.reset(scene, 0)
    with pytest.raises(SimulatorDied, match=r"gave no answer to 'attempt' within 0\.5 s"):
        world.attempt(Action(Verb.TURN_OFF, FRIDGE), 0)


def test_what_only_the_simulator_sees_is_asked_of_it(stranger, scene):
    world: Adapter = stranger()
    world.reset(scene, 0)
    view = world.view()
    assert [node.id for node in view.graph.nodes()] == [CHARACTER, FRIDGE]
    assert view.covered == {FRIDGE: False}
    image = world.image()
    assert image is not None
    assert image.shape == (2, 4, 3)
    assert image.tolist()[1][3] == [21, 22, 23]
    assert world.facts()["engine"] == "stranger 1"


def test_a_person_in_it_judges_and_an_episode_goes_on_in_the_world_as_it_is(stranger, scene):
    world: Adapter = stranger()
    world.resume(scene, 0)
    truth = world.graph()
    assert truth is not None
    assert State.OPEN in truth[FRIDGE].states
    judged = world.judge(scene)
    assert judged == Progress(0.5, (Subgoal("any", 1, 2),))
    plain: Adapter = connect("symbolic")
    assert plain.judge(scene) is None
    with pytest.raises(BadInput, match="symbolic cannot continue an episode in the world as it is"):
        plain.resume(scene, 0)


def test_it_is_filmed_with_a_frame_a_step(stranger, scene, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    world: Adapter = stranger()
    path = tmp_path / "stranger.mp4"
    with world.film(path):
        world.reset(scene, 0)
        for _ in range(3):
            world.attempt(look(), 0)
    assert imageio_ffmpeg.count_frames_and_secs(str(path)) == (4, 2.0)


def test_what_its_start_may_take_is_what_the_adapter_says():
    assert Deadlines.of(replace(SymbolicAdapter.spec, reset_s=7.0)).reset_s == 7.0


def test_what_it_prints_does_no_harm_and_failures_come_whole(stranger, scene):
    world = stranger()
    world.reset(scene, 0)
    assert world.attempt(look(), 0).success
    result = world.attempt(Action(Verb.WAIT), 0)
    assert result.failure == Failure(Reason.DENIED, FRIDGE, "it is hot")
    assert (result.message, result.sim_time_s) == ("not\nnow", 2.5)


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        (Verb.SLICE, r"failed in 'attempt' \(ZeroDivisionError"),
        (Verb.TURN_ON, r"failed in 'attempt' \(SimulatorDied: nothing answers on port 8080\)"),
        (Verb.TURN_OFF, "gave no answer to 'attempt' within 0.5 s"),
    ],
)
def test_its_exceptions_and_hangs_are_a_lost_simulator(stranger, scene, verb, told):
    world = stranger(deadlines=Deadlines(reset_s=60.0, attempt_s=0.5))
    world.reset(scene, 0)
    with pytest.raises(SimulatorDied, match=told):
        world.attempt(Action(verb, FRIDGE), 0)
    world.reset(scene, 0)
    assert world.attempt(look(), 0).success


# --- a server that talks nonsense ----------------------------------------------------------------

NONSENSE = """
import sys
from peephole.adapters.process.serving import Channel, serve

channel = Channel()
def reset(task, seed): pass
def attempt(action, variation):
    return {"failure": ["bored", None, ""], "message": "", "sim_time_s": 0}
def image(): return {"shape": [2, 2, 3], "rgb": "AAAA"}
def graph(since): return GRAPH
calls = (reset, attempt, image, graph)
serve(channel, {call.__name__: call for call in calls})
"""
WHOLE = (
    "{'whole': True, 'nodes': [{'id': 1, 'category': 'den', 'kind': 'room'}],"
    " 'removed': [], 'out': [], 'in': []}"
)


@pytest.mark.parametrize(
    ("graph", "ask", "told"),
    [
        ("3", lambda world: world.graph(), "answered nonsense"),
        ("{}", lambda world: world.graph(), "answered nonsense"),
        (
            "{'revision': 1, 'changes': {'nodes': 3}, 'digest': None}",
            lambda world: world.graph(),
            "the field 'whole' is missing",
        ),
        (
            f"{{'revision': 1, 'changes': {WHOLE}, 'digest': 'another'}}",
            lambda world: world.graph(),
            "do not add up",
        ),
        ("None", lambda world: world.attempt(wait(), 0), "is 'bored'"),
        ("None", lambda world: world.image(), "does not have its own shape"),
    ],
)
def test_nonsense_is_a_lost_simulator(isolated, scene, tmp_path, graph, ask, told):
    server = tmp_path / "server.py"
    server.write_text(NONSENSE.replace("GRAPH", graph))
    world = isolated("symbolic", command=[sys.executable, str(server)])
    world.reset(scene, 0)
    with pytest.raises(SimulatorDied, match=told):
        ask(world)
    with pytest.raises(SimulatorDied, match="is not running"):
        ask(world)

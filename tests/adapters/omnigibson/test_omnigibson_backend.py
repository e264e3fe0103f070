"""OmniGibson's side of the adapter, on the stand-in world under OmniGibson's own primitives."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import peephole
from peephole.adapters.contract import Capability
from peephole.adapters.omnigibson import activities, settings, simulator
from peephole.adapters.omnigibson.adapter import OmniGibsonAdapter
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput, Missing
from peephole.observation_text.view import Visibility
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.scene_graph.task import Task
from peephole.skills import actions
from peephole.skills.executor import Executor, SimulatorDied
from peephole.skills.outcomes import FailureClass, Reason
from peephole.suites.behavior.suites import load

#: Its cans lie on the floor, and belong into an ashcan.
ACTIVITY = "picking_up_trash"
LINES = ("1.1.1", "current")

Play = Callable[..., tuple[OmniGibsonAdapter, Any]]


@pytest.fixture(params=LINES)
def line(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def play(
    stand_in: ModuleType, bddl: None, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Play:
    """Installs OmniGibson's stand-in with an activity; the adapter at its start, and the world."""

    def start(activity: str = ACTIVITY) -> tuple[OmniGibsonAdapter, Any]:
        graph = load_scene(f"behavior:{activity}")
        scope = {f"n{n.id}": str(n.native_id) for n in graph.nodes() if ".n." in str(n.native_id)}
        world = stand_in.World(graph)
        folder = tmp_path / ("scenes" if line == "1.1.1" else "any/scenes") / "Rs_int" / "json"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"Rs_int_task_{activity}_0_0_template.json").touch()
        modules: dict[str, Any] = {}
        stand_in.install(world, modules, tmp_path, scope, line)
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setenv(settings.VARIABLE, settings.HERE)
        adapter = OmniGibsonAdapter()
        adapter.reset(Task("any", "Do it.", And(()), f"behavior:{activity}"), 0)
        return adapter, world

    return start


def node_of(adapter: OmniGibsonAdapter, native: str) -> int:
    """The node of an activity's object, by its name there."""
    known = load_scene(f"behavior:{ACTIVITY}")
    (found,) = (node.id for node in known.nodes() if node.native_id == native)
    assert found in adapter.graph()
    return found


def test_its_state_is_the_scene_of_the_activity(play: Play) -> None:
    adapter, _ = play()
    graph, known = adapter.graph(), load_scene(f"behavior:{ACTIVITY}")
    own = [node for node in known.nodes() if ".n." in str(node.native_id)]
    for node in own:
        seen = graph[node.id]
        assert (seen.category, seen.kind, seen.affordances) == (
            node.category,
            node.kind,
            node.affordances,
        )
        relations = {(how, at) for how, at in known.places(node.id) if known[at] in own}
        assert relations <= set(graph.places(node.id))
        assert graph.room_of(node.id) == known.room_of(node.id)
    assert {n.category for n in graph.nodes(Kind.ROOM)} == {
        n.category for n in known.nodes(Kind.ROOM)
    }
    assert Visibility.CAMERA is adapter.spec.visibility
    assert Capability.IMAGES in adapter.spec.capabilities
    assert adapter.facts()["backend"] == "omnigibson"
    picture = adapter.image()
    assert picture is not None
    assert picture.shape == (2, 2, 3)
    assert picture.dtype == np.uint8


def test_what_is_far_or_unseen_is_refused_and_what_was_gone_to_is_not(play: Play) -> None:
    adapter, world = play()
    can = node_of(adapter, "can__of__soda.n.01_1")
    failure = adapter.attempt(actions.pick_up(can), 0).failure
    assert failure is not None
    assert failure.reason is Reason.NOT_CLOSE
    assert adapter.view().get(can) is None
    assert world.held() is None, "the primitive was not run, which would have teleported it"
    assert adapter.attempt(actions.go_to(can), 0).success
    assert adapter.view().get(can) is not None
    assert adapter.attempt(actions.pick_up(can), 0).success
    assert adapter.graph().held(adapter.graph().agent().id) == [can]


def test_a_run_of_the_expert_reaches_the_goals(play: Play, tmp_path: Path) -> None:
    play()
    played = peephole.run(
        "expert", "behavior", tasks=[ACTIVITY], adapter="omnigibson", out=tmp_path / "run"
    )
    (result,) = played.results
    assert result.success, result


def test_each_error_becomes_a_failure_of_its_class(play: Play) -> None:
    """Full places and blocked ways are retried with other poses, slipped things grasped again."""
    adapter, world = play()
    can, bin_ = (node_of(adapter, n) for n in ("can__of__soda.n.01_1", "ashcan.n.01_1"))
    executor = Executor(adapter, lambda: None)

    world.full.add(f"n{can}")
    outcome = executor.execute(actions.go_to(can))
    assert outcome.failure is not None
    assert outcome.failure.reason is Reason.UNREACHABLE
    assert len(outcome.attempts) == 3
    world.full.clear()

    assert executor.execute(actions.go_to(can)).success
    world.stuck.add(f"n{can}")
    outcome = executor.execute(actions.pick_up(can))
    assert outcome.failure is not None
    assert outcome.failure.reason is Reason.NOT_CONFIRMED
    assert len(outcome.attempts) == 3
    world.stuck.clear()
    assert executor.execute(actions.pick_up(can)).success
    assert executor.execute(actions.go_to(bin_)).success

    world.full.add(f"n{bin_}")
    outcome = executor.execute(actions.put(can, Relation.INSIDE, bin_))
    assert outcome.failure is not None
    assert outcome.failure.reason is Reason.NO_FREE_SPOT
    assert outcome.failure.kind is FailureClass.GEOMETRY
    world.full.clear()

    world.slippery[f"n{can}"] = 1
    outcome = executor.execute(actions.put(can, Relation.INSIDE, bin_))
    assert outcome.success
    first, second = outcome.attempts
    assert first.failure is not None
    assert first.failure.reason is Reason.SLIPPED
    assert second.failure is None
    assert adapter.graph().has_edge(can, Relation.INSIDE, bin_)

    outcome = executor.execute(actions.put(can, Relation.INSIDE, bin_))
    assert outcome.failure is not None
    assert outcome.failure.reason is Reason.NOT_HELD
    assert len(outcome.attempts) == 1, "a precondition is never tried again"


def test_a_primitive_that_is_not_written_or_breaks_is_a_failure_too(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As opening is in the starter primitives of the current line."""
    adapter, _ = play()
    can = node_of(adapter, "can__of__soda.n.01_1")
    control: Any = vars(sys.modules[simulator.PRIMITIVES])["SymbolicSemanticActionPrimitives"]

    for error, reason in (
        (NotImplementedError, Reason.NOT_SUPPORTED),
        (KeyError, Reason.REFUSED),
        (AssertionError, Reason.REFUSED),
    ):

        def fails(self: Any, *_: Any, attempts: int, error: Any = error) -> Any:
            raise error("so")

        monkeypatch.setattr(control, "apply_ref", fails)
        failure = adapter.attempt(actions.go_to(can), 0).failure
        assert failure is not None
        assert failure.reason is reason

    def dies(self: Any, *_: Any, attempts: int) -> Any:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(control, "apply_ref", dies)
    with pytest.raises(SimulatorDied, match=r"failed in 'apply' \(RuntimeError: CUDA error"):
        adapter.attempt(actions.go_to(can), 0)


def test_another_activity_is_loaded_into_a_cleared_simulator(play: Play, tmp_path: Path) -> None:
    adapter, _ = play()
    (template,) = tmp_path.rglob("*_template.json")
    template.with_name(template.name.replace(ACTIVITY, "composting_waste")).touch()
    for activity in ("composting_waste", ACTIVITY):
        adapter.reset(Task("any", "Do it.", And(()), f"behavior:{activity}"), 0)
        assert adapter.graph().agent() == load_scene(f"behavior:{activity}").agent()
    adapter.close()
    adapter.reset(Task("any", "Do it.", And(()), f"behavior:{ACTIVITY}"), 0)
    assert len(adapter.graph()) > 10


def test_doors_hide_what_is_behind_them_and_the_cut_stay_the_same_thing(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter, _ = play("store_a_quilt" if "store_a_quilt" in activities.names() else ACTIVITY)
    graph = adapter.graph()
    doors = [
        n.id
        for n in graph.nodes(Kind.FIXTURE)
        if {Affordance.OPENABLE, Affordance.CONTAINER} <= n.affordances and State.CLOSED in n.states
    ]
    thing = next(
        n.id
        for n in graph.nodes(Kind.OBJECT)
        if Affordance.GRASPABLE in n.affordances and not graph.contents(n.id)
    )
    assert adapter.attempt(actions.go_to(thing), 0).success
    assert adapter.attempt(actions.pick_up(thing), 0).success
    refused = adapter.attempt(actions.go_to(doors[0]), 0)
    assert refused.success
    failure = adapter.attempt(actions.open_(doors[0]), 0).failure
    assert failure is not None
    assert failure.reason is Reason.HANDS_FULL
    failure = adapter.attempt(actions.put(thing, Relation.INSIDE, doors[0]), 0).failure
    assert failure is not None
    assert failure.reason is Reason.CONTAINER_CLOSED, "the primitive itself would have put it in"
    assert adapter.attempt(actions.drop(thing), 0).success
    assert adapter.attempt(actions.open_(doors[0]), 0).success
    assert adapter.attempt(actions.go_to(thing), 0).success
    assert adapter.attempt(actions.pick_up(thing), 0).success
    assert adapter.attempt(actions.go_to(doors[0]), 0).success
    assert adapter.attempt(actions.put(thing, Relation.INSIDE, doors[0]), 0).success
    assert adapter.view().get(thing) is not None
    assert adapter.attempt(actions.close(doors[0]), 0).success
    assert adapter.view().get(thing) is None
    failure = adapter.attempt(actions.pick_up(thing), 0).failure
    assert failure is not None
    assert failure.reason is Reason.ENCLOSED


def test_an_activity_without_a_scene_in_the_data_is_reported(play: Play, tmp_path: Path) -> None:
    _adapter, _ = play()
    for path in tmp_path.rglob("*_template.json"):
        path.unlink()
    other = OmniGibsonAdapter()
    with pytest.raises(BadInput, match="has no scene for the activity picking_up_trash"):
        other.reset(Task("any", "Do it.", And(()), f"behavior:{ACTIVITY}"), 0)
    with pytest.raises(BadInput, match="takes scenes of behavior only"):
        other.reset(Task("any", "Do it.", And(()), "house:3"), 0)


def test_the_seed_decides_what_chance_does(play: Play) -> None:
    """Poses are sampled with torch's generator and with Python's."""
    adapter, _ = play()
    drawn = []
    for seed in (7, 7, 8):
        adapter.reset(Task("any", "Do it.", And(()), f"behavior:{ACTIVITY}"), seed)
        drawn.append(random.random())
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_scene_without_what_the_goal_names_is_refused(play: Play) -> None:
    """All cans of a scene with two of the three in the bin are not all cans."""
    play()
    scope = sys.modules["omnigibson"].Environment.scope
    (name,) = (name for name, instance in scope.items() if instance == "can__of__soda.n.01_2")
    del scope[name]
    (task,) = (task for task in load().tasks if task.id == ACTIVITY)
    with pytest.raises(BadInput, match=r"lacks can__of__soda\.n\.01_2, which its goal needs"):
        OmniGibsonAdapter().reset(task, 0)


# --- what is missing ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ImportError("No module named 'x'", name="x"), "cannot import what omnigibson needs"),
        (ImportError("No module", name="omnigibson"), "cannot import omnigibson"),
        (RuntimeError("Found no NVIDIA driver"), "needs an NVIDIA GPU"),
        (KeyError("ISAAC_PATH"), "does not find Isaac Sim"),
        (AssertionError("Data path /d does not exist!"), "data is not there"),
    ],
)
def test_what_is_missing_is_reported_in_one_sentence(
    raised: Exception, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(name: str) -> Any:
        raise raised

    monkeypatch.setattr(simulator.importlib, "import_module", fails)
    monkeypatch.setenv(settings.VARIABLE, settings.HERE)
    with pytest.raises(Missing, match=told) as caught:
        OmniGibsonAdapter().facts()
    assert str(caught.value).count(". ") == 0
    assert "\n" not in str(caught.value)


def test_isaac_sim_is_looked_for_only_when_the_scene_is_made(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    play()

    def fails(configs: Any) -> Any:
        raise KeyError("ISAAC_PATH")

    monkeypatch.setattr(sys.modules["omnigibson"], "Environment", fails)
    with pytest.raises(Missing, match="does not find Isaac Sim"):
        OmniGibsonAdapter().reset(Task("any", "Do it.", And(()), f"behavior:{ACTIVITY}"), 0)


def test_the_setting_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert OmniGibsonAdapter.missing() is None
    monkeypatch.setenv(settings.VARIABLE, "/no/such/python")
    missing = OmniGibsonAdapter.missing()
    assert missing is not None
    assert "/no/such/python, which is no program" in missing

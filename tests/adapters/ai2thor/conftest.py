"""The real Controller of the package ai2thor on the stand-in engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.ai2thor import objects
from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, go_to, open_, pick_up
from peephole.skills.executor import Executor
from peephole.skills.outcomes import Failure
from peephole.skills.reach import bases


class Thor:
    """A Controller, and shorter words for what the tests do with it."""

    def __init__(self, controller: Any) -> None:
        self.controller = controller
        self.step = controller.step

    @property
    def metadata(self) -> dict[str, Any]:
        """As of the last step."""
        found: dict[str, Any] = self.controller.last_event.metadata
        return found

    @property
    def held(self) -> list[str]:
        return [inside["objectId"] for inside in self.metadata["inventoryObjects"]]

    def __call__(self, action: str, object_id: str | None = None, **arguments: Any) -> str:
        """Do an action; its error text, empty where it succeeded."""
        if object_id is not None:
            arguments["objectId"] = object_id
        event = self.step(action=action, **arguments)
        assert bool(event) is not bool(event.metadata["errorMessage"])
        return str(event.metadata["errorMessage"])

    def of_type(self, *types: str) -> list[dict[str, Any]]:
        """The objects of these types as they are now."""
        return [o for o in self.metadata["objects"] if o["objectType"] in types]

    def first(self, object_type: str) -> str:
        """The id of the first object of a type."""
        return str(self.of_type(object_type)[0]["objectId"])

    def thing(self, object_id: str) -> dict[str, Any]:
        """An object as it is now."""
        return next(o for o in self.metadata["objects"] if o["objectId"] == object_id)

    def approach(self, object_id: str) -> None:
        """Stand where the object can be seen, at the first pose that lets the hand through."""
        poses = self.step("GetInteractablePoses", objectId=object_id).metadata["actionReturn"]
        for pose in sorted(poses, key=lambda p: (-p["standing"], abs(p["horizon"] - 30))):
            if not self("TeleportFull", **pose) and self.thing(object_id)["visible"]:
                return
        raise AssertionError(f"{object_id} cannot be approached, by {len(poses)} poses")

    def hold(self, object_type: str) -> str:
        """Have the first object of a type in the hand, wherever it is; its id."""
        object_id = self.first(object_type)
        assert self("PickupObject", object_id, forceAction=True) == ""
        return object_id


Start = Callable[..., Thor]


@pytest.fixture(scope="session")
def stand_in_path() -> str:
    """What `local_executable_path` is given."""
    return f"{sys.executable} -m peephole.adapters.ai2thor.stand_in"


@pytest.fixture(scope="session")
def start_thor(stand_in_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts the stand-in with options, and a Controller with arguments; all end with the tests.

    The Controller keeps a folder in the home folder; here it is a temporary one.
    """
    controller = pytest.importorskip("ai2thor.controller")
    missing = objects.missing()
    if missing is not None:
        pytest.skip(missing)
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as running:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("XDG_CACHE_HOME", cache)
        patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

        def start(options: str = "", **arguments: Any) -> Thor:
            settings = {
                "local_executable_path": f"{stand_in_path} {options}",
                "x_display": ":0",
                "scene": "FloorPlan10",
                "server_timeout": 20,
            }
            made = controller.Controller(**{**settings, **arguments})
            running.callback(_stop, made)
            return Thor(made)

        yield start


def _stop(controller: Any) -> None:
    """A Controller whose engine died fails to stop."""
    with suppress(OSError):
        controller.stop()


@pytest.fixture(scope="session")
def shared(start_thor: Start) -> Thor:
    """One Controller for the tests of a process; each resets it to the scene it wants."""
    return start_thor()


@pytest.fixture
def kitchen(shared: Thor) -> Thor:
    """FloorPlan10, just begun."""
    shared.controller.reset("FloorPlan10")
    return shared


# --- the adapter ---------------------------------------------------------------------------------

#: Names the engine that the adapter drives.
EXECUTABLE = "PEEPHOLE_AI2THOR_EXECUTABLE"


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    """The Controller keeps a folder in the home folder; here it is a temporary one."""
    pytest.importorskip("ai2thor.controller")
    missing = objects.missing()
    if missing is not None:
        pytest.skip(missing)
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("XDG_CACHE_HOME", cache)
        patch.setenv(EXECUTABLE, "stand_in")
        yield patch


@pytest.fixture
def adapter_at(
    home: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., ThorAdapter]]:
    """Makes an adapter on a stand-in with options of its own; it ends with the test."""
    with ExitStack() as running:

        def make(options: str = "", **within: float) -> ThorAdapter:
            monkeypatch.setenv(EXECUTABLE, f"stand_in {options}")
            adapter = ThorAdapter(**within)
            running.callback(adapter.close)
            return adapter

        yield make


@pytest.fixture(scope="session")
def shared_adapter(home: pytest.MonkeyPatch) -> Iterator[ThorAdapter]:
    """One adapter for the tests of a process; each resets it to the scene it wants."""
    adapter = ThorAdapter()
    yield adapter
    adapter.close()


class Played:
    """An adapter in an episode, and shorter words for what the tests do with it."""

    def __init__(self, adapter: ThorAdapter, task: Task) -> None:
        def restart() -> None:
            adapter.close()
            adapter.reset(task, 0)

        adapter.reset(task, 0)
        self.adapter = adapter
        self.executor = Executor(adapter, restart, state=adapter.graph())

    def __call__(self, action: Action) -> Failure | None:
        """Do an action, with what the executor does about failures."""
        return self.executor.execute(action).failure

    def do(self, *actions: Action) -> None:
        """Do actions that have to succeed."""
        for action in actions:
            outcome = self.executor.execute(action)
            assert outcome.success, (action, outcome)

    @property
    def graph(self) -> SceneGraph:
        return self.adapter.graph()

    def first(self, category: str) -> int:
        return next(node.id for node in self.graph.nodes() if node.category == category)

    def fetch(self, category: str) -> int:
        """Have the first thing of a category in hand, out of whatever is closed around it."""
        thing = self.first(category)
        around = self.graph.closed_around(thing)
        if around is not None:
            self.do(go_to(around), open_(around))
        else:
            self.do(go_to(next(iter(bases(self.graph, thing)))))
        self.do(pick_up(thing))
        return thing


@pytest.fixture
def begun(adapter_at: Callable[..., ThorAdapter]) -> Callable[..., Played]:
    """Begins an episode in FloorPlan10 on a stand-in with options of its own."""

    def begin(options: str = "", **within: float) -> Played:
        task = Task("any", "", And(()), "ithor:FloorPlan10#1")
        return Played(adapter_at(options, **within), task)

    return begin


@pytest.fixture
def playing(shared_adapter: ThorAdapter) -> Callable[[str], Played]:
    """Begins an episode in a scene of the shared adapter."""
    return lambda scene: Played(shared_adapter, Task("any", "", And(()), scene))


@pytest.fixture
def floor_plan_10(playing: Callable[[str], Played]) -> Played:
    return playing("ithor:FloorPlan10#1")

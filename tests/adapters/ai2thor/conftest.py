"""The real Controller of the package ai2thor on the stand-in engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.ai2thor import objects


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
def standin_path() -> str:
    """What `local_executable_path` is given."""
    return f"{sys.executable} -m peephole.adapters.ai2thor.standin"


@pytest.fixture(scope="session")
def start_thor(standin_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
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
                "local_executable_path": f"{standin_path} {options}",
                "x_display": ":0",
                "scene": "FloorPlan10",
                "server_timeout": 20,
            }
            made = controller.Controller(**{**settings, **arguments})
            running.callback(made.stop)
            return Thor(made)

        yield start


@pytest.fixture(scope="session")
def shared(start_thor: Start) -> Thor:
    """One Controller for the tests of a process; each resets it to the scene it wants."""
    return start_thor()


@pytest.fixture
def kitchen(shared: Thor) -> Thor:
    """FloorPlan10, just begun."""
    shared.controller.reset("FloorPlan10")
    return shared

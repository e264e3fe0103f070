"""One task of LIBERO, loaded: the engine's environment and what its model holds.

Fixture poses are drawn at each reset and are not part of the stored starts, so the seed is set
before the reset, as LIBERO's own evaluation does.
"""

from __future__ import annotations

import contextlib
import os
import pdb
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import mujoco
import numpy as np

from . import household, starts
from .household_tasks import STARTS, SUITES
from .loading import load

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The end of the names of sites that are regions.
_REGION_ENDINGS = ("_region", "_side")
_ROBOT_PREFIXES = ("robot0", "gripper0", "mount0")
_SLIDE, _HINGE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
#: Regions thinner than this are surfaces only, in m (half of their least side).
_FLAT = 0.008


class BadInput(ValueError):
    """A suite, task or start that does not exist."""


@dataclass(frozen=True)
class Thing:
    """Something that an action can be about.

    kind: object (movable), fixture, part (a drawer), region (a site of a fixture or an object, or
    a zone of the table), or table. body: what it belongs to; site: of regions and drawers.
    joint: of drawers, and of fixtures with one door or knob.
    """

    name: str
    category: str
    kind: str
    parent: str | None
    body: int
    site: int | None = None
    joint: int | None = None


def benchmark_of(suite: str) -> Any:
    """LIBERO's benchmark by its name in lower case. Raises BadInput."""
    from libero.libero import benchmark

    known = {
        name: kind
        for name, kind in benchmark.get_benchmark_dict().items()
        if benchmark.task_maps.get(name)
    }
    if suite not in known:
        raise BadInput(f"LIBERO has no suite '{suite}'; its suites: {', '.join(sorted(known))}.")
    return known[suite]()


def bddl_path(task: Any) -> str:
    from libero.libero import get_libero_path

    folder = str(get_libero_path("bddl_files"))
    return os.path.join(folder, str(task.problem_folder), str(task.bddl_file))


def parsed_problem(path: str) -> dict[str, Any]:
    """What a BDDL file says, as LIBERO parses it."""
    from libero.libero.envs import bddl_utils

    found: dict[str, Any] = bddl_utils.robosuite_parse_problem(path)
    return found


def instruction_of(problem: dict[str, Any]) -> str:
    words = problem["language_instruction"]
    return words if isinstance(words, str) else " ".join(words)


def starts_of(benchmark: Any, index: int) -> Any:
    """The stored starts of a task, a row each. Raises BadInput if the package has none."""
    try:
        return benchmark.get_task_init_states(index)
    except FileNotFoundError:
        raise BadInput(f"LIBERO has no stored starts of {benchmark.name}, task {index}.") from None


def find_start(suite: str, index: int, start: int) -> tuple[Any, Any]:
    """A task of a suite and the row of a stored start, None for tasks of ours. Raises BadInput."""
    if suite in SUITES:
        tasks = SUITES[suite]
        _check(suite, index, start, len(tasks), STARTS)
        return tasks[index], None
    benchmark = benchmark_of(suite)
    _check(suite, index, 0, benchmark.n_tasks, 1)
    rows = starts_of(benchmark, index)
    _check(suite, index, start, benchmark.n_tasks, len(rows))
    return benchmark.get_task(index), rows[start]


def _check(suite: str, index: int, start: int, tasks: int, starts: int) -> None:
    """Raise BadInput for a task or start that does not exist."""
    if not 0 <= index < tasks:
        raise BadInput(f"{suite} has the tasks 0 to {tasks - 1}, not {index}.")
    if not 0 <= start < starts:
        raise BadInput(f"Task {index} of {suite} has the starts 0 to {starts - 1}, not {start}.")


@contextlib.contextmanager
def bddl_file(task: Any) -> Iterator[str]:
    """The path of a task's BDDL file: that of the package, or a temporary one of ours."""
    if not isinstance(task, household.HouseholdTask):
        yield bddl_path(task)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{task.name}.bddl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(household.bddl(task))
        yield path


def forbid_debugger() -> None:
    """Replace pdb.set_trace, which LIBERO's sampler calls when it cannot place a thing."""
    pdb.set_trace = _no_debugger


def _no_debugger(*_: Any, **__: Any) -> NoReturn:
    raise BadInput("LIBERO could not place all things of this task; try another seed.")


class Scene:
    """A loaded task at one of its starts. textured: the XML of its model, for pictures."""

    def __init__(self, suite: str, index: int, start: int, seed: int) -> None:
        """Raises BadInput."""
        from robosuite.utils.errors import RandomizationError

        forbid_debugger()
        task, row = find_start(suite, index, start)
        ours = suite in SUITES
        try:
            with bddl_file(task) as path:
                self.env, self.textured = load(path, seed, row)
        except RandomizationError:
            _no_debugger()
        self.key = (suite, index, start, seed)
        self.model: Any = self.env.sim.model._model
        self.data: Any = self.env.sim.data._data
        self.instruction = task.instruction if ours else instruction_of(self.env.parsed_problem)
        self.goal: list[list[str]] = [list(part) for part in self.env.parsed_problem["goal_state"]]
        self.robot_bodies = self._bodies_of_robot()
        self.things = {thing.name: thing for thing in self._find_things()}
        if ours:
            starts.arrange(self, task, np.random.RandomState([seed, index, start]))

    def close(self) -> None:
        self.env.close()

    def holds(self, predicate: list[str]) -> bool:
        """Whether a predicate holds by the engine's own word. Derived values must be fresh."""
        return bool(self.env._eval_predicate(predicate))

    def success(self) -> bool:
        """Whether the engine calls the task solved."""
        return bool(self.env._check_success())

    def under(self, root: int) -> np.ndarray:
        """Which bodies (nbody,) hang on a body, itself included."""
        found = np.zeros(self.model.nbody, dtype=bool)
        found[root] = True
        for body in range(root + 1, self.model.nbody):
            found[body] = found[body] or found[self.model.body_parentid[body]]
        return found

    def geoms_of(self, thing: Thing) -> list[int]:
        """The colliding geoms of a thing: of its body and all bodies on it."""
        bodies = self.under(thing.body)
        return [
            geom
            for geom in range(self.model.ngeom)
            if bodies[self.model.geom_bodyid[geom]] and self.collides(geom)
        ]

    def collides(self, geom: int) -> bool:
        return bool(self.model.geom_contype[geom] or self.model.geom_conaffinity[geom])

    def opening(self, thing: Thing) -> tuple[float, float]:
        """The joint's values of shut (off) and of wholly open (on)."""
        low, high = self.model.jnt_range[thing.joint]
        return (0.0, float(low) if abs(low) > abs(high) else float(high))

    def is_knob(self, thing: Thing) -> bool:
        return thing.joint is not None and thing.category.endswith("stove")

    def owner_of(self, body: int) -> str | None:
        """The name of the object, fixture or table that a body belongs to."""
        return self._owners.get(int(body))

    def _bodies_of_robot(self) -> np.ndarray:
        names = [self.model.body(body).name for body in range(self.model.nbody)]
        return np.array([name.startswith(_ROBOT_PREFIXES) for name in names])

    def _find_things(self) -> list[Thing]:
        found: list[Thing] = []
        self._owners: dict[int, str] = {}
        for kind, members in (
            ("object", self.env.objects_dict),
            ("fixture", self.env.fixtures_dict),
        ):
            for name, engine_object in members.items():
                body = int(self.env.obj_body_id[name])
                own = Thing(name, str(engine_object.category_name), kind, None, body)
                found.extend(self._with_parts(own))
                for each in np.flatnonzero(self.under(body)):
                    self._owners[int(each)] = name
        return [*found, *self._tables()]

    def _with_parts(self, own: Thing) -> list[Thing]:
        """A fixture or object with its drawers and regions."""
        bodies = self.under(own.body)
        joints = [
            joint
            for joint in range(self.model.njnt)
            if bodies[self.model.jnt_bodyid[joint]]
            and int(self.model.jnt_type[joint]) in (_SLIDE, _HINGE)
        ]
        moved = {int(self.model.jnt_bodyid[joint]): joint for joint in joints}
        parts = []
        for site in range(self.model.nsite):
            name, body = self.model.site(site).name, int(self.model.site_bodyid[site])
            if not bodies[body] or not name.endswith(_REGION_ENDINGS):
                continue
            short = name[len(own.name) + 1 :]
            joint = moved.pop(body, None)
            kind = "region" if joint is None else "part"
            parts.append(Thing(name, short, kind, own.name, body, site, joint))
        left = list(moved.values())
        if len(left) == 1:  # a door or a knob: what is opened or switched is the fixture
            own = Thing(own.name, own.category, own.kind, None, own.body, None, left[0])
        return [own, *parts]

    def _tables(self) -> list[Thing]:
        """The table or floor, and the zones on it that the task names."""
        problem = self.env.parsed_problem
        names = [
            (name, category)
            for category, members in problem["fixtures"].items()
            for name in members
            if name not in self.env.obj_body_id
        ]
        named = {word for part in self.goal for word in part[1:]}
        found = []
        for name, category in names:
            sites = [
                site
                for site in range(self.model.nsite)
                if self.model.site(site).name.startswith(name)
                and self.model.site(site).name in self.env.object_sites_dict
            ]
            body = int(self.model.site_bodyid[sites[0]]) if sites else self._body_named(name)
            for each in range(1, self.model.nbody):
                if self.model.body(each).name.startswith(name):  # some have a body for contacts
                    self._owners[each] = name
            self._owners[body] = name
            found.append(Thing(name, category, "table", None, body))
            for site in sites:
                zone = self.model.site(site).name
                if zone in named:
                    short = zone[len(name) + 1 :]
                    found.append(Thing(zone, short, "region", name, body, site))
        return found

    def _body_named(self, name: str) -> int:
        for body in range(1, self.model.nbody):
            if self.model.body(body).name in (name, name.split("_")[-1]):
                return body
        return 0

    def surface_only(self, thing: Thing) -> bool:
        """Whether a region is too flat to hold anything inside."""
        return thing.site is not None and float(self.model.site_size[thing.site].min()) <= _FLAT

    def _half_box(self, thing: Thing) -> np.ndarray:
        """Half the extents (3,) of a region along the world's axes, in m."""
        rotation = self.data.site_xmat[thing.site].reshape(3, 3)
        half: np.ndarray = np.abs(rotation) @ self.model.site_size[thing.site]
        return half

    def region_box(self, thing: Thing) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and highest corners (3,) of a region in the world, in m."""
        centre = self.data.site_xpos[thing.site]
        half = self._half_box(thing)
        return centre - half, centre + half

    def joint_value(self, thing: Thing) -> float:
        return float(self.data.qpos[self.model.jnt_qposadr[thing.joint]])

    def free_joint(self, thing: Thing) -> tuple[int, int]:
        """The first positions in qpos and qvel of a movable object's joint."""
        joint = int(self.model.body_jntadr[thing.body])
        if joint < 0 or int(self.model.jnt_type[joint]) != _FREE:
            raise BadInput(f"{thing.name} cannot be moved.")
        return int(self.model.jnt_qposadr[joint]), int(self.model.jnt_dofadr[joint])

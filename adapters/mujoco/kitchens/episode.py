"""One episode in a kitchen of physics: its world, its robot, and what the robot knows."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from ....errors import BadInput
from ....observation_text.view import View
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Quaternion
from ....skills.arm.mobile.body import head
from ....skills.arm.mobile.looking import LIFT_LOOKING
from ....skills.arm.mobile.robot import Attempted, MobileArm, MobileArmSnapshot
from ....skills.arm.mobile.sightlines import spots
from ....skills.arm.mobile.world import BASE, LIFT
from ....skills.arm.rotation import Array
from ....skills.executor import SimulatorDied
from ...kitchens.furnished.body import closed_to_run
from ...kitchens.furnished.scenes import FurnishedScene, open_values, opened_poses
from ...kitchens.furnished.things import kind_of_thing, kinds
from .model import model_of, start_of
from .noise import Errors, draw
from .perception import Perception, PerceptionSnapshot
from .settings import Settings
from .sight import Gaze, Sight
from .switches import Switches, SwitchesSnapshot
from .truth import Truth
from .world import MujocoRoom, WorldSnapshot

_LOG = logging.getLogger(__name__)
#: Gazes of a look around: so many, so far down, in rad.
_AROUND, _DOWN = 6, 0.35
_BROKEN = tuple(
    int(kind)
    for kind in (
        mujoco.mjtWarning.mjWARN_BADQPOS,
        mujoco.mjtWarning.mjWARN_BADQVEL,
        mujoco.mjtWarning.mjWARN_BADQACC,
    )
)


class EpisodeSnapshot(NamedTuple):
    """The complete state of an episode."""

    world: WorldSnapshot
    arm: MobileArmSnapshot
    switches: SwitchesSnapshot
    perception: PerceptionSnapshot
    acted: int
    aim: Array
    at: str | None


class KitchenEpisode:
    """A scene in physics. Names are those of areas and things.

    world: the physics. arm: the robot. aim: the point that the head looks at, in m. focus: the
    point where the robot works. at: the area or thing that it was driven to last. on_tick: called
    after every tick, for films.
    """

    def __init__(
        self, scene: FurnishedScene, graph: SceneGraph, seed: int, settings: Settings
    ) -> None:
        """graph: of the scene, with ids and categories. Raises BadInput if a thing has no spot."""
        # Otherwise MuJoCo writes its warnings into a file in the present folder.
        mujoco.set_mju_user_warning(_LOG.warning)
        self.kitchen = kitchen = scene.kitchen
        self._seed, self._settings = seed, settings
        things = opened_poses(scene)
        self.world = world = MujocoRoom(
            model_of(kitchen, things).compile(),
            kitchen.fronts,
            kitchen.spaces,
            {thing.name: kind_of_thing(thing.name, thing.kind).shape for thing in things},
            kitchen.buttons,
        )
        for front, value in open_values(scene).items():
            world.data.qpos[world.model.joint(front).qposadr[0]] = value
        joints = start_of(kitchen)
        joints[LIFT] = LIFT_LOOKING
        world.start(joints)
        self.arm = MobileArm(world, seed)
        self.switches = Switches(world, scene.on, closed_to_run(kitchen))
        self.on_tick: Callable[[], None] | None = None
        world.on_step = self._ticked
        fronts = {a.name: a.front for a in kitchen.areas.values() if a.front is not None}
        self.front_of: Mapping[str, str] = fronts
        self._truth = Truth(graph, kitchen.spaces, kitchen.fronts, fronts, world.shapes)
        bodies = {name: int(world.model.body(name).id) for name in world.shapes}
        self._bodies = bodies
        sight = Sight(world.model, bodies, list(kitchen.spaces.values()), kitchen.fronts)
        self.perception = Perception(sight, self._truth.ids)
        self._sight = sight
        self._categories = sorted(name.replace("_", " ") for name in kinds())
        self._acted = 0
        self.at: str | None = None
        self._errors = Errors()
        self._draw_errors()
        self.aim = self.eye + np.array([math.cos(joints[2]), math.sin(joints[2]), -_DOWN])
        self.focus = self.aim
        self.look_around()

    @property
    def looks_by_itself(self) -> bool:
        """Whether the robot looks into what it has opened."""
        return self._settings.look

    # --- the state ---------------------------------------------------------------------------

    @property
    def ids(self) -> Mapping[str, int]:
        """Node ids by name."""
        return self._truth.ids

    def graph(self) -> SceneGraph:
        """The true state."""
        data = self.world.data
        poses: dict[str, tuple[Array, Quaternion]] = {}
        for name, body in self._bodies.items():
            w, x, y, z = (float(part) for part in data.xquat[body])
            poses[name] = (data.xpos[body], (x, y, z, w))
        held = self.arm.held
        return self._truth.graph(
            poses,
            self.values(),
            self.switches.running,
            self.world.reading().joints[BASE],
            None if held is None else held.thing,
            self.at,
        )

    def values(self) -> dict[str, float]:
        """How far each front is open, in rad or m."""
        return {name: self.world.front_value(name) for name in self.kitchen.fronts}

    @property
    def eye(self) -> Array:
        """Where the head camera is, shape (3,)."""
        return head(self.world.reading().joints)

    @property
    def view(self) -> View:
        """What the robot knows."""
        return self.perception.view

    def middle(self, name: str) -> Array:
        """The middle of an area or thing now, shape (3,)."""
        if name in self._bodies:
            found: Array = self.world.data.xpos[self._bodies[name]].copy()
            return found
        area = self.kitchen.areas[name]
        points = [
            spots(space, self.world.front_value(space.front) if space.front else 0.0)
            for space in (self.kitchen.spaces[each] for each in area.spaces)
        ]
        if points:
            middle: Array = np.concatenate(points).mean(axis=0)
            return middle
        faces = [button.face for button in self.kitchen.buttons.values() if button.area == name]
        if area.front is not None:
            faces = [self.kitchen.fronts[area.front].face]
        if faces:
            return faces[0]
        unit = next(unit for unit in self.kitchen.units if unit.name == area.unit)
        return np.array([unit.x, unit.y, 1.0])

    # --- acting and looking ------------------------------------------------------------------

    def begin_try(self, focus: Array | None) -> None:
        """Before a try. focus: where it happens, in m; None to leave it.

        Errors of perception are those of the last view.
        """
        if focus is not None:
            self.focus = focus
        held = self.arm.held
        self.world.errors = {
            name: off
            for name, off in self._errors.offsets.items()
            if held is None or name != held.thing
        }

    def end_try(self, aim: Array | None, thing: str | None = None) -> None:
        """After a try: look at where it was, and after a thing in case it fell.

        Raises SimulatorDied if the simulation diverged.
        """
        self.check()
        self._acted += 1
        self._draw_errors()
        if aim is not None:
            self.aim = aim
        fallen = [] if thing is None else [Gaze(self.eye, self.middle(thing))]
        self.look([Gaze(self.eye, self.aim), *fallen])

    def look_into(self, area: str, variation: int = 0) -> Attempted:
        """Take stands until the area is seen completely, or none shows more."""
        space_names = self.kitchen.areas[area].spaces

        def seen() -> dict[str, Array]:
            self.aim = self.middle(area)
            self.look([Gaze(self.eye, self.aim)])
            left = self.perception.unseen(area, self.values())
            done = self.perception.sees_all(area)
            return {name: left[name][:0] if done else left[name] for name in space_names}

        return self.arm.look(area, seen, variation)

    def look_around(self) -> None:
        """Turn the head all around."""
        eye = self.eye
        yaw = float(self.world.reading().joints[2])
        turns = (yaw + 2 * math.pi * number / _AROUND for number in range(_AROUND))
        self.look([Gaze(eye, eye + np.array([math.cos(a), math.sin(a), -_DOWN])) for a in turns])

    def look(self, gazes: Sequence[Gaze]) -> None:
        """Take in what some gazes show."""
        self.perception.look(self.world.data, gazes, self.graph(), self.values(), self._errors)

    def _ticked(self) -> None:
        self.check()
        self.switches.tick()
        if self.on_tick is not None:
            self.on_tick()

    def _draw_errors(self) -> None:
        things = tuple(self.world.shapes)
        self._errors = draw(self._settings, self._seed, self._acted, things, self._categories)

    def check(self) -> None:
        """Raise SimulatorDied if the simulation diverged; MuJoCo goes back to its start then."""
        warned = self.world.data.warning.number
        if any(warned[kind] for kind in _BROKEN):
            raise SimulatorDied("The simulation diverged: MuJoCo's state is no longer finite.")

    # --- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> EpisodeSnapshot:
        return EpisodeSnapshot(
            self.world.snapshot(),
            self.arm.snapshot(),
            self.switches.snapshot(),
            self.perception.snapshot(),
            self._acted,
            self.aim.copy(),
            self.at,
        )

    def restore(self, snapshot: EpisodeSnapshot) -> None:
        """Restore a snapshot of this episode, to the last bit."""
        self.world.restore(snapshot.world)
        self.arm.restore(snapshot.arm)
        self.switches.restore(snapshot.switches)
        self.perception.restore(snapshot.perception)
        self._acted = snapshot.acted
        self.aim = snapshot.aim.copy()
        self.at = snapshot.at
        self._draw_errors()


def require_empty_hand(graph: SceneGraph) -> None:
    """Raise BadInput for a scene in which the robot holds something at the start."""
    for thing in graph.held(graph.agent().id):
        raise BadInput(
            f"In the scene the robot holds {graph[thing].native_id} at the start, which physics "
            f"cannot do; put it in an area."
        )

"""What all skills share: the scene, its points, the arm, what it holds, and typed failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from . import relations
from .motion import OPEN, Arm, Carried, Pose
from .points import UP, Array, Surfaces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .scene import Scene, Thing

#: Points farther from the arm's base than this are out of reach.
_REACH = 1.3
#: Speeds of the joints on the way, in rad/s; a thing turns in the fingers when carried faster.
_SPEED, _CARRYING_SPEED = 1.3, 0.9
#: Level directions all around, to leave a narrow place or to come to one.
_LEVEL = [np.array([np.cos(turn), np.sin(turn), 0.0]) for turn in np.arange(8) * np.pi / 4]
#: How long a thing that was let go of is watched in a rehearsal, in s, how often if it still moves,
#: and the speed, in m/s and rad/s, below which it rests. What topples begins slowly.
_REHEARSAL, _REHEARSALS, AT_REST = 0.4, 4, 0.02
#: What moved farther than this in a rehearsal, in m, fell from where it was put.
_FELL = 0.15
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class Failed(Exception):
    """A try that failed. reason: of skills/outcomes.py. thing: what it is about."""

    def __init__(self, reason: str, thing: str | None, told: str) -> None:
        super().__init__(told)
        self.reason = reason
        self.thing = thing


class Body:
    """The arm in a scene."""

    def __init__(self, scene: Scene, surfaces: Surfaces) -> None:
        self.scene, self.surfaces = scene, surfaces
        self.arm = Arm(scene.model, scene.data, scene.robot_bodies)
        self.held: str | None = None
        #: Of what is held: its position and rotation before it was picked up.
        self.stood_at: Array = np.zeros(3)
        self.stood: Array = np.eye(3)
        self.measured: dict[str, Any] = {}
        self._obstacles = self._find_obstacles()

    def _find_obstacles(self) -> list[int]:
        model, data = self.scene.model, self.scene.data
        base = data.xpos[int(model.body("robot0_base").id)]
        plane = int(mujoco.mjtGeom.mjGEOM_PLANE)
        return [
            geom
            for geom in range(model.ngeom)
            if self.scene.collides(geom)
            and not self.scene.robot_bodies[model.geom_bodyid[geom]]
            and (
                np.linalg.norm(data.geom_xpos[geom] - base) < _REACH
                or int(model.geom_type[geom]) == plane
            )
        ]

    # Geometry

    def points_of(self, thing: Thing) -> Array:
        return self.surfaces.world(self.scene.data, self.scene.geoms_of(thing))

    def points_without(self, geoms: Sequence[int]) -> Array:
        """All points but those of some geoms and of the robot."""
        left_out = set(geoms)
        kept = [geom for geom in self._obstacles if geom not in left_out]
        return self.surfaces.world(self.scene.data, kept)

    def position_of(self, thing: Thing) -> Array:
        position: Array = self.scene.data.xpos[thing.body].copy()
        return position

    def rotation_of(self, thing: Thing) -> Array:
        rotation: Array = self.scene.data.xmat[thing.body].reshape(3, 3).copy()
        return rotation

    def name_of_geom(self, geom: int) -> str | None:
        return self.scene.owner_of(int(self.scene.model.geom_bodyid[geom]))

    def refresh(self) -> None:
        """Bring contacts and derived positions up to date."""
        mujoco.mj_forward(self.scene.model, self.scene.data)

    def rehearsed(self, thing: Thing, pose: Pose, place: Thing, relation: str) -> float | None:
        """How high a thing, let go of at a pose without the hand near, would reach in its place.

        In m; None if it would not come there.
        Steps the physics, then puts everything back.
        """
        model, data, arm = self.scene.model, self.scene.data, self.arm
        kept = np.empty(mujoco.mj_stateSize(model, _STATE))
        mujoco.mj_getState(model, data, kept, _STATE)
        target, opening = arm.target, arm.opening
        address, dof = self.scene.free_joint(thing)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, pose.rotation.ravel())
        data.qpos[address : address + 7] = [*pose.position, *quaternion]
        data.qvel[dof : dof + 6] = 0.0
        data.qpos[arm.qpos], data.qvel[arm.dofs] = arm.home, 0.0
        arm.target, arm.opening = arm.home, OPEN
        for _ in range(_REHEARSALS):
            arm.wait(_REHEARSAL)
            fell = np.linalg.norm(data.qpos[address : address + 3] - pose.position) > _FELL
            if fell or np.abs(data.qvel[dof : dof + 6]).max() < AT_REST:
                break
        self.refresh()
        top = None
        if self.at_place(thing, place, relation):
            top = float(self.points_of(thing)[:, 2].max())
        mujoco.mj_setState(model, data, kept, _STATE)
        arm.target, arm.opening = target, opening
        data.ctrl[:7] = target
        self.refresh()
        return top

    def at_place(self, thing: Thing, place: Thing, relation: str) -> bool:
        """Whether a thing is on or in a place: by the engine's word, where it has one."""
        if place.name in self.scene.env.object_states_dict and thing.kind == "object":
            word = "on" if relation == "on" else "in"
            if place.site is not None or relation == "on":
                return self.scene.holds([word, thing.name, place.name])
        corners = relations.boxes(self.scene, self.surfaces)
        return [thing.name, relation, place.name] in relations.relations(self.scene, corners, None)

    # Motion

    def carried(self) -> tuple[Carried | None, list[int]]:
        """What is in the hand, for collision checks."""
        if self.held is None:
            return None, []
        thing = self.scene.things[self.held]
        address, _ = self.scene.free_joint(thing)
        return self.arm.carrying(address, thing.body), self.scene.geoms_of(thing)

    def approach_path(self, pose: Pose, back: Array) -> tuple[Pose, Array, list[Array]] | None:
        """The pose, its pre-pose's joints, and the line between them.

        back: the offset (3,) of the pre-pose. The hand may be turned by half a turn; of both ways
        the one with more room in the joints is taken. None without kinematics.
        """
        best: tuple[float, Pose, Array, list[Array]] | None = None
        for flip in (1.0, -1.0):
            turned = Pose(pose.position, pose.rotation @ np.diag([flip, flip, 1.0]))
            before = self.arm.joints_at(turned.moved(back), self.arm.home, 120)
            if before is None:
                continue
            path = self.arm.line(turned, before)
            if path is None:
                continue
            margin = self.arm.margin([before, *path])
            if best is None or margin > best[0]:
                best = (margin, turned, before, path)
        if best is None or best[0] < 0.0:
            return None
        return best[1:]

    def travel(self, pose: Pose) -> None:
        """Bring the hand to a pose over everything that is in the way.

        Raises Failed unreachable without kinematics, blocked if every way would hit something.
        """
        carried, geoms = self.carried()
        touching = self._touching(geoms)
        blocker: int | None = None

        def hit_on(path: Sequence[Array]) -> int | None:
            return self.arm.hit(path, carried, geoms, ignored=touching)

        for path in self._ways(pose, lambda path: hit_on(path) is None):
            hit = hit_on(path)
            if hit is None:
                self.arm.follow(path, _SPEED if carried is None else _CARRYING_SPEED)
                self.arm.arrive(pose.position)
                return
            blocker = hit if blocker is None else blocker
        if blocker is None:
            raise Failed("unreachable", None, "no joint positions for the way there")
        name = self.name_of_geom(blocker)
        raise Failed("blocked", name, f"every way of the arm would hit {name or 'the room'}")

    def _touching(self, carried_geoms: Sequence[int]) -> list[int]:
        """Geoms that the robot or what it carries touches now, which a way may go on touching."""
        model = self.scene.model
        own = self.scene.robot_bodies[model.geom_bodyid].copy()
        own[list(carried_geoms)] = True
        found = []
        for contact in self.scene.data.contact:
            if own[contact.geom1] != own[contact.geom2]:
                found.append(int(contact.geom2 if own[contact.geom1] else contact.geom1))
        return found

    def _ways(self, pose: Pose, free: Callable[[Sequence[Array]], bool]) -> Iterator[list[Array]]:
        """Ways to a pose: up, across and down at several heights, then by the arm's start.

        free: whether a path hits nothing.
        """
        arm = self.arm
        here = arm.tip()
        lowest = max(here.position[2], pose.position[2])
        for back in (0.0, 0.15):
            away = arm.line(here.moved(self.toward_base(back))) if back else []
            if away is None:
                continue
            begin = away[-1] if away else arm.target
            for rise in (0.05, 0.12, 0.2, 0.3, 0.0):
                path = self._over(begin, pose, lowest + rise)
                if path:
                    yield [*away, *path]
        # Down beside what stands over the pose on one side.
        for side in _LEVEL:
            beside = pose.moved(0.09 * side + 0.06 * UP)
            path = self._over(arm.target, beside, lowest + 0.12)
            down = arm.line(pose, path[-1]) if path else None
            if path and down:
                yield [*path, *down]
        # By the joints, straight or by the arm's start.
        arrivals = self._arrivals(pose)
        for out in self._departures(free):
            begin = out[-1] if out else arm.target
            for above, down in arrivals:
                yield [*out, *arm.between(begin, above), *down]
                home = [*arm.between(begin, arm.home), *arm.between(arm.home, above)]
                yield [*out, *home, *down]

    def _departures(self, free: Callable[[Sequence[Array]], bool]) -> Iterator[list[Array]]:
        """Ways to begin with: up, then out from under something to each side and up."""
        arm, here = self.arm, self.arm.tip()
        yield arm.line(here.moved(0.1 * UP)) or []
        for side in _LEVEL:
            out = arm.line(here.moved(0.12 * side))
            if out and free(out):
                beside = arm.tip_at(out[-1])
                yield [*out, *(arm.line(beside.moved(0.12 * UP), out[-1]) or [])]

    def _arrivals(self, pose: Pose) -> list[tuple[Array, list[Array]]]:
        """Joints at or over a pose, found from the arm's start, and the way down from there."""
        found = []
        for rise in (0.0, 0.15, 0.3):
            above = self.arm.joints_at(pose.moved(rise * UP), self.arm.home, 150)
            down = self.arm.line(pose, above) if above is not None and rise else []
            if above is not None and down is not None:
                found.append((above, down))
        return found

    def toward_base(self, distance: float) -> Array:
        """A level offset (3,) from the hand towards the arm's base."""
        base = self.scene.data.xpos[int(self.scene.model.body("robot0_base").id)]
        way = base - self.arm.tip().position
        way[2] = 0.0
        toward: Array = way * distance / np.linalg.norm(way)
        return toward

    def lift(self, heights: Sequence[float]) -> bool:
        """Rise by the first height, straight or towards the base, at which nothing is hit."""
        carried, geoms = self.carried()
        touching = self._touching(geoms)
        here = self.arm.tip()
        for height in heights:
            for back in (0.0, 0.08, 0.16):
                pose = here.moved(height * UP + self.toward_base(back))
                path = self.arm.line(pose)
                if path and self.arm.hit(path, carried, geoms, ignored=touching) is None:
                    self.arm.follow(path, 0.6)
                    self.arm.arrive(pose.position)
                    return True
        return False

    def _over(self, joints: Array, pose: Pose, height: float) -> list[Array] | None:
        here = self.arm.tip_at(joints)
        path: list[Array] = []
        up = Pose(np.array([*here.position[:2], height]), here.rotation)
        across = Pose(np.array([*pose.position[:2], height]), pose.rotation)
        for stop in (up, across, pose):
            part = self.arm.line(stop, joints)
            if part is None:
                return None
            path += part
            joints = part[-1]
        return path

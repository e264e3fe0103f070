"""What all skills share: the scene, its points, the arm, what it holds, and typed failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from .motion import Arm, Carried, Pose
from .points import UP, Array, Surfaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .scene import Scene, Thing

#: Points farther from the arm's base than this are out of reach.
_REACH = 1.3
_SETTLE = 0.3


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
        #: Of what is held: its rotation before it was picked up.
        self.stood: Array = np.eye(3)
        self.measured: dict[str, Any] = {}
        self._obstacles = self._find_obstacles()
        self.arm.wait(_SETTLE)

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
        for path in self._ways(pose):
            hit = self.arm.hit(path, carried, geoms, ignored=touching)
            if hit is None:
                self.arm.follow(path, 1.3)
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

    def _ways(self, pose: Pose) -> list[list[Array]]:
        """Ways to a pose: up, across and down at several heights, then by the arm's start."""
        arm = self.arm
        here = arm.tip()
        lowest = max(here.position[2], pose.position[2])
        found = []
        for rise in (0.05, 0.12, 0.2, 0.3, 0.0):
            path = self._over(here, pose, lowest + rise)
            if path:
                found.append(path)
        target = arm.joints_at(pose, arm.home, 150)
        if target is not None:
            lift = arm.line(here.moved(0.1 * UP)) or []
            begin = lift[-1] if lift else arm.target
            found.append([*lift, *arm.between(begin, target)])
            home = arm.between(begin, arm.home)
            found.append([*lift, *home, *arm.between(arm.home, target)])
        return found

    def _over(self, here: Pose, pose: Pose, height: float) -> list[Array] | None:
        joints = self.arm.target
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

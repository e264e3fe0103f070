"""A Franka Panda, a table and blocks in IsaacGym, one step of a command at a time.

The user's interpreter runs this file: Python 3.8 with numpy and isaacgym (Preview 4), without
Peephole. It speaks the protocol of `adapters/process/serving.py`; its calls are `reset` and `step`.
A process serves one scene, because building two simulations in one process is unreliable.

Physics are PhysX on the CPU without the tensor API, so neither torch nor a compiler is needed. The
arm and the fingers are position drives. IsaacGym has no sensor of the external force on the hand.
Its force sensors on bodies give the NET force, which is zero at rest. Its contact forces are normal
forces (Isaac Lab's documentation), while friction holds a block in the gripper. So the force is
estimated from the joints, as in a Franka:

    what moves the arm's own masses = torques + J(q)^T w

The torques follow from the definition of the drives: stiffness (target - position) - damping
velocity. The left side is the change of momentum of the arm's bodies, from IsaacGym's masses and
the joint velocities. w is the wrench at the hand, by least squares. Gravity is off for the arm.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The asset in the assets folder of IsaacGym and IsaacGymEnvs, and the names of its parts.
FRANKA = "urdf/franka_description/robots/franka_panda_gripper.urdf"
ARM_DOFS = tuple(f"panda_joint{i}" for i in range(1, 8))
FINGER_DOFS = ("panda_finger_joint1", "panda_finger_joint2")
BASE, HAND = "panda_link0", "panda_hand"

#: Seconds of one step of the physics.
DT = 0.004
FRICTION = 1.0
#: The relative tolerance between the mass asked for and the mass built.
_MASS_TOLERANCE = 0.02
_UNTURNED = (0.0, 0.0, 0.0, 1.0)


class _BodyMomentum(NamedTuple):
    """The Jacobians of one body, transposed (7, 3), and its momenta (3,)."""

    linear_jacobian: Any
    angular_jacobian: Any
    linear: Any
    angular: Any


class _ArmMotion(NamedTuple):
    """The joints' speeds (7,), the bodies' momenta, and the hand's Jacobian, transposed (7, 6)."""

    speeds: Any
    bodies: list[_BodyMomentum]
    hand_jacobian: Any


class _ArmBody(NamedTuple):
    """A body moved by joints."""

    number: int
    """Its index."""
    joints: int
    """How many joints move it."""
    mass: float
    """In kg."""
    center: Any
    """Of mass, shape (3,), in m."""
    inertia: Any
    """Shape (3, 3), in kg m^2."""


class _WristForceEstimator:
    """Estimates the force on the hand from the motion of the arm; see above."""

    def __init__(
        self, bodies: list[_ArmBody], links: list[int], hand: int, armature: float
    ) -> None:
        """links, hand: indices of bodies. armature: of each joint, in kg m^2."""
        self._bodies, self._links, self._hand = bodies, links, hand
        self._armature = armature

    def motion(self, places: Any, quaternions: Any, speeds: Any) -> _ArmMotion:
        """The motion of the arm, from the poses of its bodies and the speeds of its joints (7,)."""
        turns = [_matrix(quaternion) for quaternion in quaternions]
        # Every joint turns about the z axis of its link, through the link's origin.
        origins = np.array([places[link] for link in self._links])
        axes = np.array([turns[link][:, 2] for link in self._links])
        bodies = []
        for body in self._bodies:
            turned = turns[body.number]
            moved = (np.arange(7) < body.joints)[:, None]
            center = places[body.number] + turned @ body.center
            linear_jacobian = np.cross(axes, center - origins) * moved
            angular_jacobian = axes * moved
            linear = body.mass * (speeds @ linear_jacobian)
            angular = turned @ body.inertia @ turned.T @ (speeds @ angular_jacobian)
            bodies.append(_BodyMomentum(linear_jacobian, angular_jacobian, linear, angular))
        lever = np.cross(axes, places[self._hand] - origins)
        return _ArmMotion(speeds, bodies, np.concatenate([lever, axes], axis=1))

    def force(self, before: _ArmMotion, after: _ArmMotion, torques: Any, seconds: float) -> Any:
        """The external force on the hand (3,), in N in the frame of the base.

        torques: means of the joints' (7,) over the seconds between the two motions.
        """
        needed = self._armature * (after.speeds - before.speeds) / seconds
        for was, now in zip(before.bodies, after.bodies):  # noqa: B905 - Python 3.8
            linear_jacobian = (was.linear_jacobian + now.linear_jacobian) / 2
            angular_jacobian = (was.angular_jacobian + now.angular_jacobian) / 2
            needed += linear_jacobian @ (now.linear - was.linear) / seconds
            needed += angular_jacobian @ (now.angular - was.angular) / seconds
        transposed = (before.hand_jacobian + after.hand_jacobian) / 2
        wrench = np.linalg.lstsq(transposed, needed - torques, rcond=None)[0]
        return wrench[:3]


def new_simulation(gymapi: Any) -> tuple[Any, Any]:
    """A simulation with the ground at z = 0, and its only environment."""
    gym = gymapi.acquire_gym()
    params = gymapi.SimParams()
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
    params.dt = DT
    params.substeps = 1
    params.use_gpu_pipeline = False
    params.physx.use_gpu = False
    params.physx.solver_type = 1
    params.physx.num_position_iterations = 16
    params.physx.num_velocity_iterations = 1
    params.physx.contact_offset = 0.005
    params.physx.rest_offset = 0.0
    sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
    if sim is None:
        raise RuntimeError("create_sim made no simulation")
    ground = gymapi.PlaneParams()
    ground.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    gym.add_ground(sim, ground)
    env = gym.create_env(sim, gymapi.Vec3(-1.0, -1.0, 0.0), gymapi.Vec3(1.0, 1.0, 2.0), 1)
    return sim, env


def add_box(
    gymapi: Any,
    simulated: tuple[Any, Any],
    name: str,
    size: Sequence[float],
    pose: tuple[Sequence[float], Sequence[float]],
    *,
    density: float | None = None,
    fixed: bool = False,
    friction: float = FRICTION,
) -> int:
    """Add a box; returns its actor. simulated: the simulation and its environment. size: its edges.
    pose: the place of its middle, and a quaternion x y z w. fixed: whether it stays where it is.
    """
    gym = gymapi.acquire_gym()
    sim, env = simulated
    settings = gymapi.AssetOptions()
    settings.fix_base_link = fixed
    if density is not None:
        settings.density = density
    asset = gym.create_box(sim, size[0], size[1], size[2], settings)
    place, turn = gymapi.Vec3(*pose[0]), gymapi.Quat(*pose[1])
    actor: int = gym.create_actor(env, asset, gymapi.Transform(place, turn), name, 0, 0)
    set_friction(gymapi, env, actor, friction)
    return actor


def set_friction(gymapi: Any, env: Any, actor: int, friction: float) -> None:
    gym = gymapi.acquire_gym()
    shapes = gym.get_actor_rigid_shape_properties(env, actor)
    for shape in shapes:
        shape.friction = friction
    gym.set_actor_rigid_shape_properties(env, actor, shapes)


class GymWorld:
    """The simulation of one scene. Poses are in the frame of the arm's base."""

    def __init__(self, gymapi: Any) -> None:
        self._gymapi = gymapi
        self._gym = gymapi.acquire_gym()
        self._built = False
        self._steps = 0
        self._force: Any = np.zeros(3)
        # Indices of the degrees of freedom in the order of ARM_DOFS and FINGER_DOFS.
        self._targets: Any = np.zeros(9)
        self._positions: Any = np.zeros(9)
        self._velocities: Any = np.zeros(9)

    def facts(self) -> dict[str, Any]:
        """The isaacgym in use and its step settings."""
        version = self._gym.get_version()
        module = sys.modules["isaacgym"]
        about = (module.__doc__ or "").strip().split("\n")[0]
        stand_in = getattr(module, "STAND_IN", "")  # NVIDIA's has none
        return {
            **({"stand_in": stand_in} if stand_in else {}),
            "isaacgym": f"{version.major}.{version.minor}",
            "about": about or "isaacgym",
            "device": "CPU",
            "step_s": DT,
        }

    def reset(self, assets: str, scene: dict[str, Any]) -> dict[str, Any]:
        """Build a scene; the state at its start.

        assets: the folder with FRANKA. scene: in m, rad, kg and the frame of the base, with the
        table's top at z = 0:

            {"home": [7], "open": m, "drives": [[stiffness, damping]] * 9,
             "armature": of each joint, "block": edge,
             "table": {"low": [x, y], "high": [x, y], "thickness": m},
             "blocks": [{"place": [x, y, yaw], "mass": kg, "welded": bool}]}
        """
        if self._built:
            raise ValueError("this process has a scene already; start another one")
        self._built = True
        gym = self._gym
        self._sim, self._env = new_simulation(self._gymapi)
        # The ground is at z = 0, and the table stands on it.
        height = float(scene["table"]["thickness"])
        self._add_franka(assets, scene, height)
        self._add_table(scene["table"])
        edge = float(scene["block"])
        self._blocks = [
            self._add_block(number, block, edge, height)
            for number, block in enumerate(scene["blocks"])
        ]
        gym.prepare_sim(self._sim)
        self._motion = self._arm_motion()
        return self._state()

    def step(
        self, joints: list[float], speeds: list[float], opening: float, seconds: float
    ) -> dict[str, Any]:
        """Drive to joint positions (7,) in rad, at speeds, and to an opening of each finger.

        The state after so many seconds: {"time", "joints": [7], "fingers": [2], "force": [3],
        "blocks": [[x, y, z, qx, qy, qz, qw]]}; the force, in N, is the mean over the step.
        """
        gym = self._gym
        wanted = np.empty(9)
        # Damping makes a drive lag; a target slightly ahead compensates.
        wanted[:7] = np.array(joints) + self._damping[:7] / self._stiffness[:7] * np.array(speeds)
        wanted[7:] = opening
        began = self._targets
        count = max(1, round(seconds / DT))
        torques = np.zeros(9)
        for i in range(1, count + 1):  # commands are faded in: sudden ones shake the hand
            self._targets = began + (wanted - began) * (i / float(count))
            self._set_targets()
            gym.simulate(self._sim)
            gym.fetch_results(self._sim, True)
            self._read_dofs()
            drive = self._stiffness * (self._targets - self._positions)
            drive -= self._damping * self._velocities
            torques += np.clip(drive, -self._effort, self._effort) / count
        self._steps += count
        before, self._motion = self._motion, self._arm_motion()
        self._force = self._wrist.force(before, self._motion, torques[:7], count * DT)
        return self._state()

    # --- building --------------------------------------------------------------------------

    def _add_franka(self, assets: str, scene: dict[str, Any], height: float) -> None:
        gym, gymapi = self._gym, self._gymapi
        settings = gymapi.AssetOptions()
        settings.fix_base_link = True
        settings.flip_visual_attachments = True
        settings.collapse_fixed_joints = False
        settings.disable_gravity = True
        settings.thickness = 0.001
        settings.default_dof_drive_mode = gymapi.DOF_MODE_POS
        asset = gym.load_asset(self._sim, assets, FRANKA, settings)
        if asset is None:
            raise RuntimeError(f"load_asset could not read {os.path.join(assets, FRANKA)}")
        pose = gymapi.Transform(gymapi.Vec3(0.0, 0.0, height))
        self._franka = franka = gym.create_actor(self._env, asset, pose, "franka", 0, 0)
        names = list(gym.get_actor_dof_names(self._env, franka))
        bodies = gym.get_actor_rigid_body_dict(self._env, franka)
        links = [f"panda_link{i}" for i in range(1, 8)]
        for name in (*ARM_DOFS, *FINGER_DOFS, BASE, *links, HAND):
            if name not in names and name not in bodies:
                raise RuntimeError(f"the asset {FRANKA} has no {name}")
        self._dofs = np.array([names.index(name) for name in ARM_DOFS + FINGER_DOFS])
        self._base = bodies[BASE]
        armature = float(scene["armature"])
        self._set_drives(np.array(scene["drives"], dtype=float), armature)
        set_friction(gymapi, self._env, franka, FRICTION)
        self._wrist = _WristForceEstimator(
            self._arm_bodies(bodies), [bodies[name] for name in links], bodies[HAND], armature
        )
        self._targets = np.array([*scene["home"], scene["open"], scene["open"]], dtype=float)
        states = gym.get_actor_dof_states(self._env, franka, gymapi.STATE_ALL)
        states["pos"][self._dofs] = self._targets
        states["vel"][self._dofs] = 0.0
        gym.set_actor_dof_states(self._env, franka, states, gymapi.STATE_ALL)
        self._set_targets()
        self._positions = self._targets.copy()

    def _set_drives(self, drives: Any, armature: float) -> None:
        gym, gymapi = self._gym, self._gymapi
        self._stiffness, self._damping = drives[:, 0], drives[:, 1]
        properties = gym.get_actor_dof_properties(self._env, self._franka)
        properties["driveMode"][self._dofs] = int(gymapi.DOF_MODE_POS)
        properties["stiffness"][self._dofs] = self._stiffness
        properties["damping"][self._dofs] = self._damping
        properties["armature"][self._dofs] = armature
        properties["friction"][self._dofs] = 0.0
        self._effort = np.array(properties["effort"], dtype=float)[self._dofs]
        gym.set_actor_dof_properties(self._env, self._franka, properties)

    def _arm_bodies(self, bodies: dict[str, int]) -> list[_ArmBody]:
        """The bodies that joints move. bodies: their indices by name."""
        gym = self._gym
        properties = gym.get_actor_rigid_body_properties(self._env, self._franka)
        moved_bodies = []
        for name, index in bodies.items():
            link = re.match(r"panda_link(\d)$", name)
            moved = min(7, int(link.group(1))) if link else 7
            body = properties[index]
            rows = (body.inertia.x, body.inertia.y, body.inertia.z)
            inertia = np.array([_numbers(row) for row in rows])
            if moved and body.mass > 0:
                moved_bodies.append(
                    _ArmBody(index, moved, float(body.mass), _numbers(body.com), inertia)
                )
        return moved_bodies

    def _add_table(self, table: dict[str, Any]) -> None:
        (x0, y0), (x1, y1), thickness = table["low"], table["high"], table["thickness"]
        middle = ((x0 + x1) / 2, (y0 + y1) / 2, thickness / 2)
        simulated = self._sim, self._env
        size = (x1 - x0, y1 - y0, thickness)
        add_box(self._gymapi, simulated, "table", size, (middle, _UNTURNED), fixed=True)

    def _add_block(self, number: int, block: dict[str, Any], edge: float, height: float) -> int:
        """Add a cube whose density gives the mass; returns its actor."""
        x, y, yaw = block["place"]
        turn = (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2)))
        actor = add_box(
            self._gymapi,
            (self._sim, self._env),
            f"block{number}",
            (edge, edge, edge),
            ((x, y, height + edge / 2), turn),
            density=block["mass"] / edge**3,
            fixed=block["welded"],
        )
        if not block["welded"]:
            mass = self._gym.get_actor_rigid_body_properties(self._env, actor)[0].mass
            if abs(mass - block["mass"]) > _MASS_TOLERANCE * block["mass"]:
                raise RuntimeError(f"a block of {block['mass']:g} kg weighs {mass:g} kg")
        return actor

    # --- moving and reading ----------------------------------------------------------------

    def _set_targets(self) -> None:
        targets = np.zeros(len(self._dofs), dtype=np.float32)
        targets[self._dofs] = self._targets
        self._gym.set_actor_dof_position_targets(self._env, self._franka, targets)

    def _read_dofs(self) -> None:
        states = self._gym.get_actor_dof_states(self._env, self._franka, self._gymapi.STATE_ALL)
        self._positions = np.array(states["pos"], dtype=float)[self._dofs]
        self._velocities = np.array(states["vel"], dtype=float)[self._dofs]

    def _poses(self, actor: int) -> tuple[Any, Any]:
        """Positions (n, 3) and quaternions x y z w (n, 4) of an actor's bodies."""
        states = self._gym.get_actor_rigid_body_states(self._env, actor, self._gymapi.STATE_POS)
        place, turn = states["pose"]["p"], states["pose"]["r"]
        return (
            np.stack([place[axis] for axis in "xyz"], axis=-1).astype(float),
            np.stack([turn[axis] for axis in "xyzw"], axis=-1).astype(float),
        )

    def _arm_motion(self) -> _ArmMotion:
        """The present motion of the arm."""
        places, quaternions = self._poses(self._franka)
        return self._wrist.motion(places, quaternions, self._velocities[:7])

    def _state(self) -> dict[str, Any]:
        places, quaternions = self._poses(self._franka)
        origin, back = places[self._base], _matrix(quaternions[self._base]).T
        blocks = []
        for actor in self._blocks:
            where, turned = self._poses(actor)
            # The base is not rotated, so a block's quaternion is the same in its frame.
            blocks.append([*(back @ (where[0] - origin)).tolist(), *turned[0].tolist()])
        return {
            "time": self._steps * DT,
            "joints": self._positions[:7].tolist(),
            "fingers": self._positions[7:].tolist(),
            "force": self._force.tolist(),
            "blocks": blocks,
        }


def _numbers(vector: Any) -> Any:
    return np.array([vector.x, vector.y, vector.z], dtype=float)


def _matrix(quaternion: Sequence[float]) -> Any:
    """The rotation matrix (3, 3) of a unit quaternion x y z w."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [os.path.join(os.path.dirname(here), "process")] + [
        folder for folder in sys.path if folder != here
    ]
    serving = importlib.import_module("serving")
    del sys.path[0]  # this folder's `isaacgym` is not the simulator
    channel = serving.Channel()
    try:
        world = GymWorld(importlib.import_module("isaacgym.gymapi"))
    except (ImportError, OSError, RuntimeError) as error:
        message = (
            f"{sys.executable} cannot import isaacgym ({error}); unpack NVIDIA's IsaacGym Preview "
            f"4 and run: {sys.executable} -m pip install -e PATH/isaacgym/python"
        )
        serving.serve_missing(channel, message)
        return
    serving.serve(channel, {"reset": world.reset, "step": world.step}, world.facts)


if __name__ == "__main__":
    main()

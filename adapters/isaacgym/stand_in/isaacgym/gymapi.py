"""The part of gymapi for a single scene on the CPU, on MuJoCo.

Names and arguments are those of isaacgym-stubs 1.1rc4. Settings are stored until `prepare_sim`;
bodies are simulated afterwards. Unknown attributes of the plain classes cannot be set, as in the
compiled classes of the real package.
"""

from __future__ import annotations

import os
import time
from typing import Any

import mujoco
import numpy as np

from . import model

SIM_PHYSX = 1
UP_AXIS_Y, UP_AXIS_Z = 0, 1
DOF_MODE_NONE, DOF_MODE_POS, DOF_MODE_VEL, DOF_MODE_EFFORT = 0, 1, 2, 3
STATE_NONE, STATE_POS, STATE_VEL, STATE_ALL = 0, 1, 2, 3

_FAULT = "PEEPHOLE_ISAACGYM_STAND_IN_FAULT"
_DOF_STATE = np.dtype([("pos", "<f4"), ("vel", "<f4")])
_VECTOR = [(axis, "<f4") for axis in "xyz"]
_BODY_STATE = np.dtype(
    [
        ("pose", [("p", _VECTOR), ("r", [(axis, "<f4") for axis in "xyzw"])]),
        ("vel", [("linear", _VECTOR), ("angular", _VECTOR)]),
    ]
)
_FLOATS = ("lower", "upper", "velocity", "effort", "stiffness", "damping", "friction", "armature")
_DOF_PROPERTIES = np.dtype(
    [("hasLimits", "?"), ("driveMode", "<i4"), *((name, "<f4") for name in _FLOATS)]
)


class Vec3:
    """Three numbers."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        self.x, self.y, self.z = x, y, z


class Quat:
    """A unit quaternion."""

    __slots__ = ("w", "x", "y", "z")

    def __init__(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, w: float = 1.0) -> None:
        self.x, self.y, self.z, self.w = x, y, z, w


class Transform:
    """A pose."""

    __slots__ = ("p", "r")

    def __init__(self, p: Vec3 | None = None, r: Quat | None = None) -> None:
        self.p = p or Vec3()
        self.r = r or Quat()


class Mat33:
    """A matrix by its rows."""

    __slots__ = ("x", "y", "z")

    def __init__(self) -> None:
        self.x, self.y, self.z = Vec3(), Vec3(), Vec3()


class Version:
    """Of the interface."""

    __slots__ = ("major", "minor")

    def __init__(self) -> None:
        self.major, self.minor = 0, 0


class PhysXParams:
    """Settings of the PhysX solver, which MuJoCo lacks."""

    __slots__ = (
        "contact_offset",
        "num_position_iterations",
        "num_velocity_iterations",
        "rest_offset",
        "solver_type",
        "use_gpu",
    )

    def __init__(self) -> None:
        self.contact_offset, self.rest_offset = 0.02, 0.001
        self.num_position_iterations, self.num_velocity_iterations = 4, 1
        self.solver_type, self.use_gpu = 1, True


class SimParams:
    """Settings of a simulation."""

    __slots__ = ("dt", "gravity", "physx", "substeps", "up_axis", "use_gpu_pipeline")

    def __init__(self) -> None:
        self.dt, self.substeps = 1 / 60, 2
        self.gravity = Vec3(0.0, -9.8, 0.0)
        self.physx = PhysXParams()
        self.up_axis = UP_AXIS_Y
        self.use_gpu_pipeline = False


class PlaneParams:
    """The ground."""

    __slots__ = ("distance", "normal")

    def __init__(self) -> None:
        self.distance, self.normal = 0.0, Vec3(0.0, 1.0, 0.0)


class AssetOptions:
    """Settings of reading an asset."""

    __slots__ = (
        "collapse_fixed_joints",
        "default_dof_drive_mode",
        "density",
        "disable_gravity",
        "fix_base_link",
        "flip_visual_attachments",
        "thickness",
    )

    def __init__(self) -> None:
        self.collapse_fixed_joints = self.disable_gravity = self.fix_base_link = False
        self.flip_visual_attachments = False
        self.default_dof_drive_mode: Any = DOF_MODE_NONE
        self.density, self.thickness = 1000.0, 0.02


class RigidBodyProperties:
    """The mass properties of a body."""

    __slots__ = ("com", "inertia", "mass")

    def __init__(self) -> None:
        self.com, self.inertia, self.mass = Vec3(), Mat33(), 0.0


class RigidShapeProperties:
    """The surface properties of a shape."""

    __slots__ = ("friction",)

    def __init__(self) -> None:
        self.friction = 1.0


class _Actor:
    """An asset in a scene, with its settings."""

    def __init__(self, asset: model.Asset, pose: Transform) -> None:
        self.asset, self.pose = asset, pose
        self.friction = 1.0
        moving = asset.moving
        self.dofs = np.zeros(len(moving), _DOF_PROPERTIES)
        self.states = np.zeros(len(moving), _DOF_STATE)
        self.targets = np.zeros(len(moving), np.float32)
        self.dofs["hasLimits"] = True
        for i, body in enumerate(moving):
            self.dofs["lower"][i], self.dofs["upper"][i] = body.limits[:2]
            self.dofs["effort"][i], self.dofs["velocity"][i] = body.limits[2:]


class _Scene:
    """A simulation, which is also its only environment."""

    def __init__(self, params: SimParams) -> None:
        self.params = params
        self.actors: list[_Actor] = []
        self.ground = False
        self.steps = 0
        self.model: Any = None
        self.data: Any = None
        kind, _, count = os.environ.get(_FAULT, "").partition(":")
        self.fault, self.fault_at = kind, int(count or 0)


class Gym:
    """The calls. A simulation is also its environment here."""

    def get_version(self) -> Version:
        return Version()

    def create_sim(
        self,
        compute_device: int = 0,
        graphics_device: int = 0,
        type: int = SIM_PHYSX,  # noqa: A002 - its name
        params: SimParams | None = None,
    ) -> Any:
        params = params or SimParams()
        if params.use_gpu_pipeline or params.physx.use_gpu or graphics_device != -1:
            return None  # there is no GPU
        return _Scene(params)

    def add_ground(self, sim: Any, params: PlaneParams) -> None:
        if (params.normal.x, params.normal.y, params.normal.z, params.distance) != (0, 0, 1, 0):
            raise ValueError("the ground of this stand-in is z = 0")
        sim.ground = True

    def load_asset(
        self, sim: Any, rootpath: str, filename: str, options: AssetOptions | None = None
    ) -> Any:
        path = os.path.join(rootpath, filename)
        if not os.path.isfile(path):
            return None
        return model.read_urdf(path, options or AssetOptions())

    def create_box(
        self,
        sim: Any,
        width: float,
        height: float,
        depth: float,
        options: AssetOptions | None = None,
    ) -> Any:
        return model.box((width, height, depth), options or AssetOptions())

    def create_env(self, arg0: Any, arg1: Vec3, arg2: Vec3, arg3: int) -> Any:
        return arg0

    def create_actor(
        self,
        env: Any,
        asset: Any,
        pose: Transform,
        name: str = "",
        group: int = -1,
        filter: int = -1,  # noqa: A002 - its name
        segmentationId: int = 0,  # noqa: N803 - its name
    ) -> int:
        if env.model is not None:
            raise RuntimeError("an actor after prepare_sim")
        env.actors.append(_Actor(asset, pose))
        return len(env.actors) - 1

    def prepare_sim(self, arg0: Any) -> bool:
        scene = arg0
        scene.model = mujoco.MjModel.from_xml_string(
            model.mjcf(scene.params, scene.ground, scene.actors)
        )
        scene.data = mujoco.MjData(scene.model)
        for number, actor in enumerate(scene.actors):
            for i, body in enumerate(actor.asset.moving):
                joint = scene.model.joint(model.name_of(number, body.dof))
                scene.data.qpos[joint.qposadr[0]] = actor.states["pos"][i]
                scene.data.qvel[joint.dofadr[0]] = actor.states["vel"][i]
        self._set_targets(scene)
        mujoco.mj_forward(scene.model, scene.data)
        return True

    def simulate(self, arg0: Any) -> None:
        scene = arg0
        scene.steps += 1
        if scene.steps == scene.fault_at:
            if scene.fault == "dies":
                os._exit(9)
            while scene.fault == "hangs":
                time.sleep(1)
        self._set_targets(scene)
        mujoco.mj_step(scene.model, scene.data, scene.params.substeps)

    def fetch_results(self, arg0: Any, arg1: bool) -> None:
        pass

    # --- actors ----------------------------------------------------------------------------

    def get_actor_dof_names(self, arg0: Any, arg1: int) -> list[str]:
        return [body.dof for body in arg0.actors[arg1].asset.moving]

    def get_actor_rigid_body_dict(self, arg0: Any, arg1: int) -> dict[str, int]:
        return {body.name: i for i, body in enumerate(arg0.actors[arg1].asset.bodies)}

    def get_actor_dof_properties(self, arg0: Any, arg1: int) -> Any:
        return arg0.actors[arg1].dofs.copy()

    def set_actor_dof_properties(self, arg0: Any, arg1: int, arg2: Any) -> bool:
        if any(mode != DOF_MODE_POS for mode in arg2["driveMode"]):
            raise ValueError("the drives of this stand-in are position drives")
        arg0.actors[arg1].dofs = arg2.copy()
        return True

    def get_actor_rigid_body_properties(self, arg0: Any, arg1: int) -> list[RigidBodyProperties]:
        properties_of = []
        for body in arg0.actors[arg1].asset.bodies:
            properties = RigidBodyProperties()
            properties.mass = body.mass
            properties.com = Vec3(*body.center)
            inertia = properties.inertia
            inertia.x, inertia.y, inertia.z = (Vec3(*row) for row in body.inertia)
            properties_of.append(properties)
        return properties_of

    def get_actor_rigid_shape_properties(self, arg0: Any, arg1: int) -> list[RigidShapeProperties]:
        actor, properties_of = arg0.actors[arg1], []
        for _ in range(sum(len(body.shapes) for body in actor.asset.bodies)):
            properties = RigidShapeProperties()
            properties.friction = actor.friction
            properties_of.append(properties)
        return properties_of

    def set_actor_rigid_shape_properties(
        self, arg0: Any, arg1: int, arg2: list[RigidShapeProperties]
    ) -> bool:
        arg0.actors[arg1].friction = float(arg2[0].friction)
        return True

    def get_actor_dof_states(self, arg0: Any, arg1: int, arg2: int) -> Any:
        actor = arg0.actors[arg1]
        if arg0.data is not None:
            for i, body in enumerate(actor.asset.moving):
                joint = arg0.model.joint(model.name_of(arg1, body.dof))
                actor.states["pos"][i] = arg0.data.qpos[joint.qposadr[0]]
                actor.states["vel"][i] = arg0.data.qvel[joint.dofadr[0]]
        return actor.states.copy()

    def set_actor_dof_states(self, arg0: Any, arg1: int, arg2: Any, arg3: int) -> bool:
        if arg0.data is not None or arg3 != STATE_ALL:
            raise RuntimeError("this stand-in sets all of a state, before prepare_sim")
        arg0.actors[arg1].states = arg2.copy()
        return True

    def set_actor_dof_position_targets(self, arg0: Any, arg1: int, arg2: Any) -> bool:
        if arg2.dtype != np.float32:
            raise TypeError("targets are float32")
        arg0.actors[arg1].targets = arg2.copy()
        return True

    def get_actor_rigid_body_states(self, arg0: Any, arg1: int, arg2: int) -> Any:
        bodies = arg0.actors[arg1].asset.bodies
        states = np.zeros(len(bodies), _BODY_STATE)
        for i, body in enumerate(bodies):
            native = arg0.data.body(model.name_of(arg1, body.name))
            for k, axis in enumerate("xyz"):
                states["pose"]["p"][axis][i] = native.xpos[k]
            for k, axis in enumerate("wxyz"):
                states["pose"]["r"][axis][i] = native.xquat[k]
        return states

    def _set_targets(self, scene: _Scene) -> None:
        scene.data.ctrl[:] = np.concatenate([actor.targets for actor in scene.actors])


_GYM = Gym()


def acquire_gym() -> Gym:
    """The only instance."""
    return _GYM

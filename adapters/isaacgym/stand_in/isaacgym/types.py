"""The plain classes and constants of gymapi that are used.

Names and constructor arguments are those of isaacgym-stubs 1.1rc4. Unknown attributes cannot be
set, as in the compiled classes of the real package.
"""

from __future__ import annotations

from typing import Any

SIM_PHYSX = 1
UP_AXIS_Y, UP_AXIS_Z = 0, 1
DOF_MODE_NONE, DOF_MODE_POS, DOF_MODE_VEL, DOF_MODE_EFFORT = 0, 1, 2, 3
STATE_NONE, STATE_POS, STATE_VEL, STATE_ALL = 0, 1, 2, 3


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

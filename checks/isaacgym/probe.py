"""Measures IsaacGym itself: small scenes, read through gymapi.

The user's interpreter runs this file, like `adapters/isaacgym/server.py`: Python 3.8 with numpy and
isaacgym, without Peephole. Every call builds one scene, and a process serves one call, because
building two simulations in one process is unreliable. The answers are plain numbers, which
`checks/isaacgym` compares with what our code expects. Lengths are in m, angles in rad.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
import time
from typing import Any

import numpy as np

_HERE = os.path.dirname(os.path.abspath(__file__))
_ADAPTERS = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "adapters")


def _from(folder: str, name: str) -> Any:
    """A module of ours by its folder, whose other files stay invisible."""
    kept = list(sys.path)
    sys.path[:] = [os.path.join(_ADAPTERS, folder)] + [path for path in kept if path != _HERE]
    try:
        return importlib.import_module(name)
    finally:
        sys.path[:] = [path for path in kept if path != _HERE]


serving = _from("process", "serving")
server = _from("isaacgym", "server")

#: Boxes are this far apart, in m.
_APART = 1.0


class Bodies:
    """Boxes without an arm; each has a name."""

    def __init__(self, gymapi: Any) -> None:
        self._gymapi = gymapi
        self._gym = gymapi.acquire_gym()
        self._actors: dict[str, int] = {}
        self._lane = 0

    def measure(self, turn: float, slope: float, steps: int) -> dict[str, Any]:
        """Poses of the boxes at the start, after some steps and after twice as many, as [x, y, z,
        qx, qy, qz, qw] by name, and the properties of one body and one shape.

        turn: of turned boxes. slope: of the ramps.
        """
        gym = self._gym
        self._simulated = server.new_simulation(self._gymapi)
        sim, self._env = self._simulated
        self._build(turn, slope)
        heavy = gym.get_actor_rigid_body_properties(self._env, self._actors["heavy"])[0]
        shapes = gym.get_actor_rigid_shape_properties(self._env, self._actors["slides"])
        gym.prepare_sim(sim)
        poses = [self._poses()]
        for _ in range(2):
            for _ in range(steps):
                gym.simulate(sim)
                gym.fetch_results(sim, True)
            poses.append(self._poses())
        return {
            "poses": poses,
            "mass": float(heavy.mass),
            "center": _numbers(heavy.com),
            "inertia": [_numbers(getattr(heavy.inertia, row)) for row in "xyz"],
            "friction": [float(shape.friction) for shape in shapes],
        }

    def _build(self, turn: float, slope: float) -> None:
        sine, cosine = math.sin(turn / 2), math.cos(turn / 2)
        self._add("falling", (0.1, 0.1, 0.1), (0.0, 3.0))
        self._add("hanging", (0.1, 0.1, 0.1), (0.0, 1.0), fixed=True)
        self._add("yawed", (0.1, 0.1, 0.1), (0.0, 1.0), (0.0, 0.0, sine, cosine), fixed=True)
        self._add("rolled", (0.1, 0.1, 0.1), (0.0, 1.0), (sine, 0.0, 0.0, cosine), fixed=True)
        # Wide in y, narrow in x: of the small boxes above it, one has nothing below.
        self._add("wide", (0.1, 0.6, 0.6), (0.0, 0.3), fixed=True)
        self._add("beside", (0.04, 0.04, 0.04), (0.0, 0.625), along_x=0.15, same=True)
        self._add("above", (0.04, 0.04, 0.04), (0.2, 0.625), same=True)
        self._add("lower", (0.05, 0.05, 0.05), (0.0, 0.025))
        self._add("upper", (0.05, 0.05, 0.05), (0.0, 0.075), same=True)
        self._add("heavy", (0.1, 0.2, 0.3), (0.0, 0.15), density=2000.0)
        for name, friction in (("holds", 1.0), ("slides", 0.1)):
            tilt = (math.sin(slope / 2), 0.0, 0.0, math.cos(slope / 2))
            ramp = f"{name}_ramp"
            self._add(ramp, (0.5, 2.0, 0.1), (0.0, 1.0), tilt, fixed=True, friction=friction)
            up = 0.08  # half of both thicknesses, along the normal of the ramp
            spot = (-up * math.sin(slope), 1.0 + up * math.cos(slope))
            self._add(name, (0.1, 0.1, 0.06), spot, tilt, friction=friction, same=True)

    def _add(
        self,
        name: str,
        size: tuple[float, float, float],
        place: tuple[float, float],
        turn: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0),
        *,
        along_x: float = 0.0,
        same: bool = False,
        **properties: Any,
    ) -> None:
        """place: y and z in a lane. same: in the lane of the last box. properties: of add_box."""
        self._lane += 0 if same else 1
        pose = (_APART * self._lane + along_x, place[0], place[1]), turn
        self._actors[name] = server.add_box(
            self._gymapi, self._simulated, name, size, pose, **{"density": 500.0, **properties}
        )

    def _poses(self) -> dict[str, list[float]]:
        poses = {}
        for name, actor in self._actors.items():
            flags = self._gymapi.STATE_POS
            pose = self._gym.get_actor_rigid_body_states(self._env, actor, flags)["pose"]
            place = [float(pose["p"][axis][0]) for axis in "xyz"]
            poses[name] = place + [float(pose["r"][axis][0]) for axis in "xyzw"]
        return poses


class Arm(server.GymWorld):  # type: ignore[misc, name-defined]
    """The arm of the adapter, as its server builds it."""

    def measure(
        self, assets: str, scene: dict[str, Any], turn: float, command_s: float
    ) -> dict[str, Any]:
        """What gymapi tells of the arm before the first step, and how it moves.

        scene: as in `GymWorld.reset`. turn: of joint 1. command_s: seconds of one command.
        """
        self._command_s = command_s
        self.reset(assets, scene)
        self._read_dofs()
        first_joints, first = self._positions[:7].tolist(), self._frames()
        built = self._built_arm()
        home, opened = np.array(scene["home"]), float(scene["open"])
        began = time.perf_counter()
        rest = self._go(home, opened, 1.0)
        took = time.perf_counter() - began
        closed = self._go(home, 0.0, 0.5)
        half = self._go(home, opened / 2, 0.5)
        target = home.copy()
        target[0] += turn
        moving = self._turn(home, target, half["fingers"][0])
        turned = self._go(target, opened / 2, 1.0)
        return {
            **built,
            "first_joints": first_joints,
            "first_frames": first,
            "rest": rest,
            "closed": closed,
            "half": half,
            "moving": moving,
            "turned": turned,
            "turned_frames": self._frames(),
            "took_s": took,
        }

    def _go(self, joints: Any, opening: float, seconds: float) -> dict[str, Any]:
        """The state after a command without speeds, step by step as the adapter does it."""
        state: dict[str, Any] = {}
        for _ in range(round(seconds / self._command_s)):
            state = self.step(joints.tolist(), [0.0] * 7, opening, self._command_s)
        return state

    def _turn(self, start: Any, end: Any, opening: float) -> dict[str, Any]:
        """Move between joint positions in a second. In the middle: the speed of joint 1 as it is
        told, and as its positions change, and how far it is behind its command.
        """
        count = round(1.0 / self._command_s)
        speeds, told, positions, behind = (end - start).tolist(), [], [], []
        for i in range(1, count + 1):
            wanted = start + (end - start) * i / count
            self.step(wanted.tolist(), speeds, opening, self._command_s)
            told.append(float(self._velocities[0]))
            positions.append(float(self._positions[0]))
            behind.append(float(wanted[0]) - positions[-1])
        middle = count // 2
        change = (positions[middle + 1] - positions[middle - 1]) / (2 * self._command_s)
        return {"speed": told[middle], "change": change, "behind": behind[middle]}

    def _built_arm(self) -> dict[str, Any]:
        """The names, drives and bodies of the arm; in the order of ARM_DOFS and FINGER_DOFS."""
        gym, env, franka = self._gym, self._env, self._franka
        properties = gym.get_actor_dof_properties(env, franka)
        names = ("lower", "upper", "effort", "stiffness", "damping", "armature", "driveMode")
        bodies = gym.get_actor_rigid_body_dict(env, franka)
        told = gym.get_actor_rigid_body_properties(env, franka)
        links = [f"panda_link{i}" for i in range(1, 8)] + [server.HAND]
        return {
            "dofs": list(gym.get_actor_dof_names(env, franka)),
            "bodies": sorted(bodies),
            "properties": {
                name: np.array(properties[name], dtype=float)[self._dofs].tolist() for name in names
            },
            "position_drive": int(self._gymapi.DOF_MODE_POS),
            "masses": [float(told[bodies[link]].mass) for link in links],
            "centers": [_numbers(told[bodies[link]].com) for link in links],
        }

    def _frames(self) -> dict[str, Any]:
        """The frames of the base, link 1 to 7 and the hand: x, y, z and the quaternion's x y z w,
        in the frame of the simulation.
        """
        bodies = self._gym.get_actor_rigid_body_dict(self._env, self._franka)
        places, quaternions = self._poses(self._franka)
        names = [server.BASE, *(f"panda_link{i}" for i in range(1, 8)), server.HAND]
        at = [bodies[name] for name in names]
        return {"places": places[at].tolist(), "quaternions": quaternions[at].tolist()}


def _numbers(vector: Any) -> list[float]:
    return [float(vector.x), float(vector.y), float(vector.z)]


def main() -> None:
    channel = serving.Channel()
    try:
        gymapi = importlib.import_module("isaacgym.gymapi")
    except (ImportError, OSError, RuntimeError) as error:
        serving.serve_missing(channel, f"{sys.executable} cannot import isaacgym ({error})")
        return
    arm = Arm(gymapi)
    serving.serve(channel, {"bodies": Bodies(gymapi).measure, "arm": arm.measure}, arm.facts)


if __name__ == "__main__":
    main()

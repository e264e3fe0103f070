"""IsaacGym as a world of the arm's skills; `server.py` runs it in its own process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import BadInput
from ...scene_graph.fields import Field
from ...skills.arm import kinematics, panda, rotation
from ...skills.arm.blocks.block_graph import TABLE_THICKNESS
from ...skills.arm.blocks.world import BLOCK, ArmState, BlockPose
from ...skills.arm.rotation import Array
from ..blocks.scenes import BlockScene
from ..blocks.sensors import Sensors
from ..process.supervisor import Supervisor

#: Stiffness and damping of each finger's drive: 20 N on each side of a block of 5 cm. With more
#: damping the light fingers tremble on the block in MuJoCo.
GRIP = (800.0, 15.0)


@dataclass(frozen=True)
class IsaacGymDeadlines:
    """The time for IsaacGym to answer, in seconds.

    start_s: import and greeting. reset_s: building a scene; the first time, PhysX prepares the
    meshes of the arm. step_s: one command of 20 ms.
    """

    start_s: float = 120.0
    reset_s: float = 180.0
    step_s: float = 10.0


class IsaacGymWorld:
    """The arm, the table and the blocks of a scene in IsaacGym.

    Every scene has its own process, started by `build`. If it dies or hangs, calls raise
    SimulatorDied.
    """

    def __init__(self, python: str, deadlines: IsaacGymDeadlines | None = None) -> None:
        self._deadlines = deadlines or IsaacGymDeadlines()
        server = str(Path(__file__).resolve().with_name("server.py"))
        self._process = Supervisor("isaacgym", [python, server], self._deadlines.start_s)
        self.hello: dict[str, Any] = {}

    def build(self, scene: BlockScene, assets: str, seed: int = 0) -> None:
        """Start a process with a scene. seed: of the sensors' noise, if any."""
        self.start()
        self.scene = scene
        self._sensors = Sensors(scene, seed)
        self._wanted: dict[str, Any] = {}
        arguments = {"assets": assets, "scene": scene_data(scene)}
        self._read(self._process.call("reset", arguments, self._deadlines.reset_s))
        self.command(kinematics.HOME, np.zeros(7), panda.FINGER_OPEN)

    def start(self) -> None:
        """Start a process without a scene; a running one is ended."""
        self.close()
        self.hello = self._process.start()

    def close(self) -> None:
        self._process.stop()

    # --- as the skills see it --------------------------------------------------------------

    def state(self) -> ArmState:
        return self._sensors.state(self._state)

    def blocks(self) -> dict[int, BlockPose]:
        return self._sensors.blocks(self._blocks)

    def command(self, joints: Array, speeds: Array, opening: float) -> None:
        self._wanted = {
            "joints": joints.tolist(),
            "speeds": speeds.tolist(),
            "opening": float(opening),
        }

    def step(self, seconds: float) -> None:
        arguments = {**self._wanted, "seconds": seconds}
        self._read(self._process.call("step", arguments, self._deadlines.step_s))

    # --- the truth -------------------------------------------------------------------------

    def true_state(self) -> ArmState:
        """The readings without noise."""
        return self._state

    def true_blocks(self) -> dict[int, BlockPose]:
        """The poses without noise."""
        return dict(self._blocks)

    def _read(self, data: object) -> None:
        try:
            parts = Field("its answer", "", data).entries(
                ("time", "joints", "fingers", "force", "blocks")
            )
            self._state = ArmState(
                parts["time"].number(),
                _numbers(parts["joints"], 7),
                _numbers(parts["fingers"], 2),
                _numbers(parts["force"], 3),
            )
            poses = [_numbers(pose, 7) for pose in parts["blocks"].items(len(self.scene.ids))]
            blocks = [BlockPose(pose[:3], rotation.matrix(pose[3:])) for pose in poses]
        except (ArithmeticError, BadInput, TypeError, ValueError) as error:
            raise self._process.lost(f"sent a state that cannot be read ({error})") from error
        self._blocks = dict(zip(self.scene.ids, blocks, strict=True))


def _numbers(field: Field, count: int) -> Array:
    return np.array([item.number() for item in field.items(count)])


def scene_data(scene: BlockScene) -> dict[str, Any]:
    """A scene in the form of `server.GymWorld.reset`."""
    setting = scene.setting
    return {
        "home": list(panda.HOME),
        "open": panda.FINGER_OPEN,
        "drives": [[joint.kp, joint.kd] for joint in panda.JOINTS] + [list(GRIP)] * 2,
        "armature": panda.ARMATURE,
        "block": BLOCK,
        "table": {
            "low": list(setting.table_low),
            "high": list(setting.table_high),
            "thickness": TABLE_THICKNESS,
        },
        "blocks": [
            {"place": list(place), "mass": mass, "welded": number in scene.welded}
            for number, (place, mass) in enumerate(zip(scene.places, scene.masses, strict=True))
        ],
    }

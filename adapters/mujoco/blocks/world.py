"""MuJoCo as a world of the arm's skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import mujoco
import numpy as np

from ....skills.arm import kinematics, panda, rotation
from ....skills.arm.blocks.block_graph import block_name
from ....skills.arm.blocks.world import ArmState, BlockPose
from ....skills.arm.rotation import Array
from ...blocks.scenes import BlockScene
from ...blocks.sensors import Sensors
from .mjcf import GRIP_RANGE, TABLE, TIMESTEP, mjcf
from .welds import Welds

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_LAG: Array = np.array([joint.kd / joint.kp for joint in panda.JOINTS])


class WorldSnapshot(NamedTuple):
    """The complete state of the world."""

    state: Array
    """MuJoCo's full physics state."""
    force: Array
    """The last reading of the wrist, in N, shape (3,)."""
    wanted: Array
    """The last commands of the servos."""
    sensors: Mapping[str, Any]
    """The state of the sensors' noise."""
    fastened: Mapping[int, Array]
    """The poses of fastened blocks, by the index of their geom."""


class MujocoWorld:
    """The arm, the table and the blocks of a scene, in contact physics.

    model, data: MuJoCo's own, for measurements and frames. seed: of the noise, if any. on_step:
    called after every `step`, for films.
    """

    def __init__(self, scene: BlockScene, seed: int = 0) -> None:
        self.scene = scene
        self.model = mujoco.MjModel.from_xml_string(mjcf(scene))
        self.data = mujoco.MjData(self.model)
        self.on_step: Callable[[], None] | None = None
        self._sensors = Sensors(scene, seed)
        self._wrist = self.model.site("wrist").id
        names = {block: block_name(block) for block in scene.ids}
        # For every block, the index of its pose in qpos.
        self._at = {block: int(self.model.joint(names[block]).qposadr[0]) for block in names}
        welded = [names[scene.ids[number]] for number in scene.welded]
        self._welds = Welds(self.model, TABLE, welded)
        self.data.qpos[:9] = (*panda.HOME, panda.FINGER_OPEN, panda.FINGER_OPEN)
        self._wanted: Array = np.zeros(8)
        self.command(kinematics.HOME, np.zeros(7), panda.FINGER_OPEN)
        self.data.ctrl[:] = self._wanted
        mujoco.mj_forward(self.model, self.data)
        self._feel()

    # --- as the skills see it --------------------------------------------------------------

    def state(self) -> ArmState:
        return self._sensors.state(self.true_state())

    def blocks(self) -> dict[int, BlockPose]:
        return self._sensors.blocks(self.true_blocks())

    def command(self, joints: Array, speeds: Array, opening: float) -> None:
        # Damping makes a servo lag; a command slightly ahead compensates.
        self._wanted[:7] = joints + _LAG * speeds
        self._wanted[7] = opening / panda.FINGER_OPEN * GRIP_RANGE

    def step(self, seconds: float) -> None:
        # Commands are faded in: sudden ones would shake the held block.
        ctrl = self.data.ctrl
        count = max(1, round(seconds / TIMESTEP))
        change = (self._wanted - ctrl) / count
        if change[:7].any():
            for left in range(count - 1, -1, -1):
                ctrl[:] = self._wanted - left * change
                self._advance(1)
        else:
            ctrl[7] = self._wanted[7]
            self._advance(count)
        self._welds.hold(self.data)
        self._feel()
        if self.on_step is not None:
            self.on_step()

    def _advance(self, count: int) -> None:
        """Step the physics. Contacts are known in mid-step, before they exert forces."""
        model, data = self.model, self.data
        while count and self._welds.any_loose:
            mujoco.mj_step1(model, data)
            if self._welds.fasten_touched(data):  # otherwise the hit would move it by 1 mm
                mujoco.mj_step1(model, data)
            mujoco.mj_step2(model, data)
            count -= 1
        if count:
            mujoco.mj_step(model, data, count)

    # --- the truth -------------------------------------------------------------------------

    def true_state(self) -> ArmState:
        """The readings without noise."""
        data = self.data
        return ArmState(
            float(data.time), data.qpos[:7].copy(), data.qpos[7:9].copy(), self._force.copy()
        )

    def _feel(self) -> None:
        """Read the wrist's sensor while it agrees with MuJoCo's last pose of the wrist."""
        # The sensor gives the force from the wrist on the hand; the external force is its opposite.
        turned = self.data.site_xmat[self._wrist].reshape(3, 3)
        self._force: Array = -(turned @ self.data.sensordata[:3])

    def true_blocks(self) -> dict[int, BlockPose]:
        """The poses without noise."""
        blocks = {}
        for block, at in self._at.items():
            pose = self.data.qpos[at : at + 7]
            turned = rotation.matrix((pose[4], pose[5], pose[6], pose[3]))
            blocks[block] = BlockPose(pose[:3].copy(), turned)
        return blocks

    def snapshot(self) -> WorldSnapshot:
        state = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, state, _STATE)
        sensors = self._sensors.snapshot()
        fastened = self._welds.fastened
        return WorldSnapshot(state, self._force.copy(), self._wanted.copy(), sensors, fastened)

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Restore a snapshot, to the last bit."""
        mujoco.mj_setState(self.model, self.data, snapshot.state, _STATE)
        self._welds.fastened = snapshot.fastened
        self._force = snapshot.force.copy()
        self._wanted = snapshot.wanted.copy()
        self._sensors.restore(snapshot.sensors)

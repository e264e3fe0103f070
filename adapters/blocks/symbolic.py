"""The block world without physics: every feasible action succeeds exactly as planned.

Grasps and paths are planned as for a real arm, so that unreachable and blocked poses are refused
alike. Nothing slips, tumbles or has noise, whatever the scene asks for. Time passes in `wait` only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...observation_text.view import View
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ...scene_graph.task import Task
from ...skills.actions import Action
from ...skills.outcomes import RawResult
from ...version import __version__
from ..contract import Adapter, Capability
from .adapter import SPEC

if TYPE_CHECKING:
    from .planned_arm import PlannedArm


class SymbolicBlocksAdapter(Adapter):
    """A task of the block world, by rules. Deterministic: every seed gives the same."""

    spec = replace(
        SPEC,
        name="symbolic_blocks",
        summary="blocks before a Franka Panda without physics: a quick simulation of mujoco's",
        capabilities=SPEC.capabilities | {Capability.SEED},
    )

    def __init__(self) -> None:
        self._arm: PlannedArm | None = None

    def reset(self, task: Task, seed: int) -> None:
        """Load a scene "blocks:REFERENCE". Raises BadInput."""
        from .planned_arm import PlannedArm
        from .scenes import read

        _, reference = self.scene_of(task)
        self._arm = PlannedArm.in_scene(read(reference))

    def attempt(self, action: Action, variation: int) -> RawResult:
        return self.arm.attempt(action, variation)

    def graph(self) -> SceneGraph:
        from ...skills.arm import kinematics
        from ...skills.arm.blocks.block_graph import block_graph

        arm = self.arm
        tcp = kinematics.forward(arm.joints)
        stopped = arm.stopped is not None
        return block_graph(arm.blocks, arm.held, tcp, arm.scene.setting, stopped=stopped)

    def view(self) -> View:
        """All poses and the arm's readings, rounded as in the other block worlds."""
        from ...skills.arm import kinematics
        from ...skills.arm.blocks.block_graph import block_graph
        from .sensors import rounded

        arm = self.arm
        perceived = block_graph(
            rounded(arm.blocks),
            arm.held,
            kinematics.forward(arm.joints.round(5) + 0.0),
            arm.scene.setting,
            stopped=arm.stopped is not None,
        )
        places = (node.id for node in perceived.nodes() if node.kind is not Kind.AGENT)
        return View(perceived, dict.fromkeys(places, True), arm.reading())

    def close(self) -> None:
        self._arm = None

    def facts(self) -> dict[str, Any]:
        return {"peephole": __version__}

    @property
    def arm(self) -> PlannedArm:
        """The arm and its blocks. `reset` comes first."""
        assert self._arm is not None, "reset comes first"
        return self._arm

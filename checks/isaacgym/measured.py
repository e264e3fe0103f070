"""The measurements of `probe`, and how they are compared."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...adapters.blocks.scenes import read
from ...adapters.isaacgym.blocks import ASSETS_VARIABLE, PYTHON_VARIABLE
from ...adapters.isaacgym.world import IsaacGymDeadlines, scene_data
from ...adapters.process.supervisor import Supervisor
from ...skills.arm.blocks.motion import TICK
from ...skills.arm.rotation import Array
from ..bench import Bench

#: A block far from where the arm moves.
_ONE_BLOCK = "n=1;at=0.45,-0.25,0"
#: How far boxes and joint 1 are turned, in rad.
TURN = 0.6
#: The slope of the ramps, in rad: steeper than a friction of 0.1 holds, less than one of 1 does.
SLOPE = 0.5
#: The steps of the physics between two looks at the boxes.
STEPS = 50


@dataclass(frozen=True)
class Boxes:
    """Boxes without an arm; see `probe.Bodies.measure`."""

    poses: tuple[dict[str, Array], ...]
    """At the start, after 50 steps, after 100: positions in m and quaternions as the engine orders
    them, by the names of the boxes."""
    mass: float
    center: list[float]
    inertia: list[list[float]]
    """Of the box of 0.1 x 0.2 x 0.3 m with a density of 2000 kg per cubic metre."""
    friction: list[float]
    """Of the box that was given 0.1."""

    def place(self, name: str, look: int = 0) -> Array:
        return self.poses[look][name][:3]

    def turn(self, name: str, look: int = 0) -> Array:
        return self.poses[look][name][3:]


def _measured(bench: Bench, call: str, arguments: dict[str, Any]) -> Any:
    """The answer of a call of the probe, in a process of its own."""
    deadlines = IsaacGymDeadlines()
    probe = Path(__file__).with_name("probe.py")
    command = [os.environ.get(PYTHON_VARIABLE, ""), str(probe)]
    process = Supervisor("isaacgym", command, deadlines.start_s)

    def ask() -> Any:
        try:
            hello = process.start()
            bench.facts = bench.facts or {**hello["facts"], "interpreter": hello["python"]}
            return process.call(call, arguments, deadlines.reset_s)
        finally:
            process.stop()

    within = deadlines.start_s + deadlines.reset_s
    return bench.call(f"measure {call}", ask, within, said=lambda answer: "measured")


def measured_boxes(bench: Bench) -> Boxes:
    """The boxes, measured with the first check that reads them."""
    return bench.once("isaacgym's boxes", lambda: _boxes(bench))


def measured_arm(bench: Bench) -> dict[str, Any]:
    """What `probe.Arm.measure` tells, measured with the first check that reads it."""
    return bench.once("isaacgym's arm", lambda: _arm(bench))


def _boxes(bench: Bench) -> Boxes:
    told = _measured(bench, "bodies", {"turn": TURN, "slope": SLOPE, "steps": STEPS})
    poses = [{name: np.array(pose) for name, pose in look.items()} for look in told.pop("poses")]
    return Boxes(tuple(poses), **told)


def _arm(bench: Bench) -> dict[str, Any]:
    assets = str(Path(os.environ.get(ASSETS_VARIABLE, "")).resolve())
    scene = scene_data(read(_ONE_BLOCK))
    arguments = {"assets": assets, "scene": scene, "turn": TURN, "command_s": TICK}
    told: dict[str, Any] = _measured(bench, "arm", arguments)
    return told


def far(one: Sequence[float] | Array, other: Sequence[float] | Array) -> float:
    """The largest difference of two rows of numbers; infinite for rows of different lengths."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    return float(np.abs(a - b).max()) if a.shape == b.shape else float("inf")


def words(numbers: Sequence[float] | Array, unit: str = "") -> str:
    """Numbers for an answer: "(0.25, -1.2) m"."""
    row = ", ".join(f"{float(n) if abs(n) > 1e-9 else 0:.4g}" for n in numbers)
    return f"({row}){f' {unit}' if unit else ''}"

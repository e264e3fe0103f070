"""Our own MJCF of the arm, its table and its blocks; the template is `blocks.xml.jinja`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from ....skills.arm import panda
from ....skills.arm.blocks.block_graph import TABLE_THICKNESS, block_name
from ....skills.arm.blocks.world import BLOCK
from ...blocks.scenes import BlockScene

#: Physics steps of 4 ms, and the stiffest contacts (solref) that they allow. The stiffer they are,
#: the less a held block creeps during acceleration (1 mm instead of 7 mm).
TIMESTEP = 0.004
#: The command for fully open, as in models of the arm.
GRIP_RANGE = 255.0
#: The name of the table's geom.
TABLE = "table"
_GRIPPER = {
    # The position servo, in N/m and N s/m: 40 N between the fingers on a 5 cm block.
    "grip": 1600.0,
    "grip_damping": 1600.0 / 15,
    "grip_range": GRIP_RANGE,
    "grip_force": 100.0,  # the largest, in N
}


def mjcf(scene: BlockScene) -> str:
    """The model of a scene, rendered in the light mode."""
    turns = (f"{math.cos(yaw / 2)} 0 0 {math.sin(yaw / 2)}" for *_, yaw in scene.places)
    names = map(block_name, scene.ids)
    return _template().render(
        scene=scene,
        blocks=zip(names, scene.places, scene.masses, turns, strict=True),
        panda=panda,
        edge=BLOCK,
        thickness=TABLE_THICKNESS,
        table=TABLE,
        timestep=TIMESTEP,
        **_GRIPPER,
    )


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=False)
    environment.filters["numbers"] = _numbers
    return environment.get_template("blocks.xml.jinja")


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(repr, map(float, values)))

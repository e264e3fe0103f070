"""Our own MJCF of the arm, its table and its blocks: boxes, capsules and cylinders, no meshes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...skills.arm import panda
from ...skills.arm.block_graph import TABLE_THICKNESS, block_name
from ...skills.arm.world import BLOCK
from ..blocks.scenes import BlockScene

#: Physics steps of 4 ms, and the stiffest contacts (solref) that they allow. The stiffer they are,
#: the less a held block creeps during acceleration (1 mm instead of 7 mm).
TIMESTEP = 0.004
#: The position servo of the gripper, in N/m and N s/m: 40 N between the fingers on a 5 cm block.
GRIP, GRIP_DAMPING = 1600.0, 1600.0 / 15
#: The command for fully open, as in models of the arm, and its largest force, in N.
GRIP_RANGE = 255.0
_GRIP_FORCE = 100.0
#: The name of the table's geom.
TABLE = "table"
_COLOURS = ("0.85 0.2 0.2 1", "0.2 0.65 0.25 1", "0.2 0.35 0.85 1")

_HEAD = """
<mujoco model="blocks">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="{timestep}" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <visual>
    <global offwidth="1280" offheight="960"/>
    <quality shadowsize="0" offsamples="0"/>
    <headlight ambient="0.25 0.25 0.25" diffuse="0.35 0.35 0.35" specular="0 0 0"/>
  </visual>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1="0.8 0.85 0.9" rgb2="0.5 0.55 0.6"
             width="64" height="64"/>
  </asset>
  <default>
    <default class="arm"><geom rgba="0.92 0.92 0.9 1"/></default>
    <default class="hand"><geom rgba="0.3 0.3 0.33 1"/></default>
    <default class="finger">
      <geom rgba="0.55 0.55 0.58 1" condim="4" friction="1 0.01 0.001" solref="0.008 1"/>
    </default>
    <default class="block">
      <geom condim="4" friction="1 0.01 0.001" solref="0.008 1"/>
    </default>
  </default>
  <worldbody>
    <light pos="0.3 -0.6 2" dir="0.1 0.3 -1" diffuse="0.45 0.45 0.45"
           directional="true"/>
    <camera name="front" pos="1.55 0 0.8" xyaxes="0 1 0 -0.5 0 0.87" fovy="48"/>
    <camera name="side" pos="0.45 -1.25 0.6" xyaxes="1 0 0 0 0.45 0.9" fovy="45"/>
    <camera name="top" pos="0.45 0 1.3" xyaxes="0 -1 0 1 0 0" fovy="45"/>
    <geom name="floor" type="plane" size="3 3 0.1" pos="0 0 {floor}" rgba="0.75 0.77 0.8 1"/>
    <geom type="box" size="0.12 0.1 {half_thickness}" pos="-0.04 0 -{half_thickness}"
          rgba="0.35 0.36 0.4 1" contype="0" conaffinity="0"/>
    <geom name="{name}" type="box" {table} rgba="0.72 0.58 0.42 1" condim="4"
          friction="1 0.01 0.001" solref="0.008 1"/>
"""


def mjcf(scene: BlockScene) -> str:
    """The model of a scene, rendered in the light mode."""
    (x0, y0), (x1, y1) = scene.setting.table_low, scene.setting.table_high
    table = (
        f'size="{(x1 - x0) / 2} {(y1 - y0) / 2} {TABLE_THICKNESS / 2}" '
        f'pos="{(x0 + x1) / 2} {(y0 + y1) / 2} {-TABLE_THICKNESS / 2}"'
    )
    head = _HEAD.format(
        timestep=TIMESTEP,
        floor=-TABLE_THICKNESS,
        name=TABLE,
        table=table,
        half_thickness=TABLE_THICKNESS / 2,
    )
    return "\n".join((head, *_arm(), *_blocks(scene), "</worldbody>", *_tail(), "</mujoco>"))


def _blocks(scene: BlockScene) -> Iterator[str]:
    blocks = zip(scene.ids, scene.places, scene.masses, strict=True)
    for number, (block, (x, y, yaw), mass) in enumerate(blocks):
        # A welded block has a joint too: see `welds`.
        turn = f"{math.cos(yaw / 2)} 0 0 {math.sin(yaw / 2)}"
        half = BLOCK / 2
        name = block_name(block)
        yield (
            f'<body name="{name}" pos="{x} {y} {half}" quat="{turn}"><freejoint name="{name}"/>'
            f'<geom class="block" type="box" size="{half} {half} {half}" mass="{mass}" '
            f'rgba="{_COLOURS[number]}"/></body>'
        )


def _arm() -> Iterator[str]:
    yield '<body name="link0" gravcomp="1" childclass="arm">'
    yield from _body(panda.LINKS[0], panda.SHAPES[0])
    for i, joint in enumerate(panda.JOINTS, start=1):
        yield (
            f'<body name="link{i}" gravcomp="1" pos="{_numbers(joint.offset)}" '
            f'quat="{_numbers(joint.turn)}">'
            f'<joint name="joint{i}" type="hinge" axis="0 0 1" range="{joint.low} {joint.high}" '
            f'armature="{panda.ARMATURE}" damping="{panda.DAMPING}"/>'
        )
        yield from _body(panda.LINKS[i], panda.SHAPES[i])
    yield (
        f'<body name="hand" gravcomp="1" pos="{_numbers(panda.HAND_OFFSET)}" '
        f'quat="{_numbers(panda.HAND_TURN)}" childclass="hand"><site name="wrist"/>'
        f'<site name="tcp" pos="{_numbers(panda.TCP_OFFSET)}" group="4"/>'
    )
    yield from _body(panda.HAND, panda.HAND_SHAPES)
    for side, turn in (("left", "1 0 0 0"), ("right", "0 0 0 1")):
        yield (
            f'<body name="{side}_finger" gravcomp="1" pos="{_numbers(panda.FINGER_OFFSET)}" '
            f'quat="{turn}" childclass="finger">'
            f'<joint name="{side}_finger" type="slide" axis="0 1 0" '
            f'range="0 {panda.FINGER_OPEN}" armature="{panda.ARMATURE}" '
            f'damping="{panda.DAMPING}"/>'
        )
        yield from _body(panda.FINGER, (*panda.FINGER_SHAPES, *panda.PADS))
        yield "</body>"
    yield "</body>" * (len(panda.JOINTS) + 2)


def _body(inertial: panda.Inertial, shapes: Sequence[panda.Shape]) -> Iterator[str]:
    yield (
        f'<inertial mass="{inertial.mass}" pos="{_numbers(inertial.center)}" '
        f'fullinertia="{_numbers(inertial.inertia)}"/>'
    )
    for shape in shapes:
        if isinstance(shape, panda.Block):
            yield f'<geom type="box" pos="{_numbers(shape.center)}" size="{_numbers(shape.half)}"/>'
        else:
            kind = "cylinder" if shape.flat else "capsule"
            ends = _numbers((*shape.start, *shape.end))
            yield f'<geom type="{kind}" fromto="{ends}" size="{shape.radius}"/>'


def _tail() -> Iterator[str]:
    # MuJoCo checks contacts between a parent welded to the world and its child.
    yield '<contact><exclude body1="link0" body2="link1"/></contact>'
    yield (
        '<equality><joint joint1="left_finger" joint2="right_finger" solref="0.005 1" '
        'solimp="0.95 0.99 0.001"/></equality>'
    )
    yield (
        '<tendon><fixed name="fingers"><joint joint="left_finger" coef="0.5"/>'
        '<joint joint="right_finger" coef="0.5"/></fixed></tendon>'
    )
    yield "<actuator>"
    for i, joint in enumerate(panda.JOINTS, start=1):
        yield (
            f'<general joint="joint{i}" biastype="affine" gainprm="{joint.kp}" '
            f'biasprm="0 {-joint.kp} {-joint.kd}" ctrlrange="{joint.low} {joint.high}" '
            f'forcerange="{-joint.torque} {joint.torque}"/>'
        )
    yield (
        f'<general tendon="fingers" biastype="affine" '
        f'gainprm="{GRIP * panda.FINGER_OPEN / GRIP_RANGE}" biasprm="0 {-GRIP} {-GRIP_DAMPING}" '
        f'ctrlrange="0 {GRIP_RANGE}" forcerange="{-_GRIP_FORCE} {_GRIP_FORCE}"/>'
    )
    yield "</actuator>"
    yield '<sensor><force site="wrist"/><torque site="wrist"/></sensor>'


def _numbers(values: Sequence[float]) -> str:
    return " ".join(map(repr, map(float, values)))

"""Our own Panda as a URDF, with the link and joint names of NVIDIA's asset."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ....errors import BadInput
from ....skills.arm import panda, rotation
from ..blocks import FRANKA

#: The largest force of a finger's drive, in N.
_FINGER_EFFORT = 100.0


def write_assets(folder: Path) -> Path:
    """Write the asset at its place in IsaacGym's assets folder; returns the folder. Raises
    BadInput.
    """
    path = folder / FRANKA
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(panda_urdf())
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror}); name another folder."
        ) from None
    return folder.resolve()


def panda_urdf() -> str:
    """The URDF: boxes and cylinders, no meshes."""
    robot = ElementTree.Element("robot", name="panda")
    for i, link in enumerate(panda.LINKS):
        _link(robot, f"panda_link{i}", link, panda.SHAPES[i])
    _link(robot, "panda_link8", None, ())
    _link(robot, "panda_hand", panda.HAND, panda.HAND_SHAPES)
    _link(robot, "panda_grip_site", None, ())
    for side in ("left", "right"):
        _link(robot, f"panda_{side}finger", panda.FINGER, (*panda.FINGER_SHAPES, *panda.PADS))
    for i, joint in enumerate(panda.JOINTS, start=1):
        added = _joint(robot, f"panda_joint{i}", "revolute", f"panda_link{i - 1}", f"panda_link{i}")
        _origin(added, joint.offset, joint.turn)
        ElementTree.SubElement(added, "axis", xyz="0 0 1")
        _limit(added, joint.low, joint.high, joint.torque, joint.speed)
    flange = _joint(robot, "panda_joint8", "fixed", "panda_link7", "panda_link8")
    _origin(flange, panda.HAND_OFFSET)
    hand = _joint(robot, "panda_hand_joint", "fixed", "panda_link8", "panda_hand")
    _origin(hand, (0, 0, 0), panda.HAND_TURN)
    grip = _joint(robot, "panda_grip_vis_joint", "fixed", "panda_hand", "panda_grip_site")
    _origin(grip, panda.TCP_OFFSET)
    for number, (side, turn) in enumerate((("left", (1, 0, 0, 0)), ("right", (0, 0, 0, 1))), 1):
        finger = _joint(
            robot, f"panda_finger_joint{number}", "prismatic", "panda_hand", f"panda_{side}finger"
        )
        _origin(finger, panda.FINGER_OFFSET, turn)
        ElementTree.SubElement(finger, "axis", xyz="0 1 0")
        _limit(finger, 0.0, panda.FINGER_OPEN, _FINGER_EFFORT, 0.2)
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode")


def _link(
    robot: ElementTree.Element,
    name: str,
    inertial: panda.Inertial | None,
    shapes: Sequence[panda.Shape],
) -> None:
    link = ElementTree.SubElement(robot, "link", name=name)
    if inertial is not None:
        part = ElementTree.SubElement(link, "inertial")
        _origin(part, inertial.center)
        ElementTree.SubElement(part, "mass", value=repr(inertial.mass))
        keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        values = dict(zip(keys, map(repr, inertial.inertia), strict=True))
        ElementTree.SubElement(part, "inertia", values)
    for collision in _collisions(shapes):
        link.append(collision)


def _collisions(shapes: Sequence[panda.Shape]) -> Iterator[ElementTree.Element]:
    """The shapes. URDF has no capsules: a rod becomes a cylinder without round ends."""
    for shape in shapes:
        collision = ElementTree.Element("collision")
        geometry = ElementTree.Element("geometry")
        if isinstance(shape, panda.Block):
            _origin(collision, shape.center)
            size = _numbers([2 * half for half in shape.half])
            ElementTree.SubElement(geometry, "box", size=size)
        else:
            start, end = np.array(shape.start, float), np.array(shape.end, float)
            length = float(np.linalg.norm(end - start))
            along = (end - start) / length
            roll_free = (0.0, math.acos(along[2]), math.atan2(along[1], along[0]))
            middle = (start + end) / 2
            ElementTree.SubElement(
                collision, "origin", xyz=_numbers(middle), rpy=_numbers(roll_free)
            )
            ElementTree.SubElement(
                geometry, "cylinder", radius=repr(shape.radius), length=repr(length)
            )
        collision.append(geometry)
        yield collision


def _joint(
    robot: ElementTree.Element, name: str, kind: str, parent: str, child: str
) -> ElementTree.Element:
    joint = ElementTree.SubElement(robot, "joint", name=name, type=kind)
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    return joint


def _origin(
    element: ElementTree.Element, offset: Sequence[float], turn: Sequence[float] = (1, 0, 0, 0)
) -> None:
    """turn: a quaternion w x y z."""
    w, x, y, z = turn
    angles = rotation.to_euler(rotation.matrix((x, y, z, w)))
    ElementTree.SubElement(element, "origin", xyz=_numbers(offset), rpy=_numbers(angles))


def _limit(
    joint: ElementTree.Element, low: float, high: float, effort: float, speed: float
) -> None:
    values = {"lower": low, "upper": high, "effort": effort, "velocity": speed}
    ElementTree.SubElement(joint, "limit", {k: repr(float(v)) for k, v in values.items()})


def _numbers(values: Sequence[float] | rotation.Array) -> str:
    return " ".join(repr(float(value)) for value in values)

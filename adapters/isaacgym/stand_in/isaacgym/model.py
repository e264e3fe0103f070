"""Assets as plain data, and the MuJoCo model of actors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np


class Shape(NamedTuple):
    """A box (size: its edges) or a cylinder (size: radius, length) in its body's frame."""

    kind: str
    size: tuple[float, ...]
    place: Any
    turn: Any


class Body(NamedTuple):
    """A link and the joint that moves it."""

    name: str
    """Of the link."""
    mass: float
    """In kg."""
    center: Any
    """Of mass, in the body's frame, in m."""
    inertia: Any
    """At the centre of mass, in the body's frame."""
    shapes: list[Shape]
    """Its boxes and cylinders."""
    parent: str = ""
    """The name of the parent link; "" for the root."""
    joint: str = "fixed"
    """"fixed", "revolute" or "prismatic"."""
    dof: str = ""
    """The name of the joint."""
    place: Any = np.zeros(3)
    """Of the joint in the parent, in m."""
    turn: Any = np.eye(3)
    """Of the joint in the parent, a rotation matrix."""
    axis: Any = np.zeros(3)
    """Of the joint."""
    limits: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    """Low, high, effort, speed."""


class Asset(NamedTuple):
    """An actor's bodies, parents before children."""

    bodies: list[Body]
    fixed: bool
    weightless: bool

    @property
    def moving(self) -> list[Body]:
        """The bodies with a degree of freedom, in the order of these."""
        return [body for body in self.bodies if body.joint != "fixed"]


def box(size: tuple[float, float, float], options: Any) -> Asset:
    """A box of uniform density."""
    x, y, z = size
    mass = options.density * x * y * z
    inertia = mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    shape = Shape("box", size, np.zeros(3), np.eye(3))
    body = Body("box", mass, np.zeros(3), inertia, [shape])
    return Asset([body], options.fix_base_link, options.disable_gravity)


def read_urdf(path: str, options: Any) -> Asset:
    """The asset of a URDF of boxes and cylinders."""
    robot = ElementTree.parse(path).getroot()
    links = {link.get("name", ""): _link(link) for link in robot.findall("link")}
    joints = [_joint(joint, links) for joint in robot.findall("joint")]
    children: dict[str, list[Body]] = {}
    for body in joints:
        children.setdefault(body.parent, []).append(body)
    (root,) = set(links) - {body.name for body in joints}
    bodies, waiting = [], [links[root]]
    while waiting:
        body = waiting.pop()
        bodies.append(body)
        waiting += reversed(children.get(body.name, []))
    return Asset(bodies, options.fix_base_link, options.disable_gravity)


def mjcf(params: Any, ground: bool, actors: list[Any]) -> str:
    """MuJoCo's model. Bodies, joints and actuators are named ACTOR/NAME."""
    step = params.dt / params.substeps
    gravity = _numbers((params.gravity.x, params.gravity.y, params.gravity.z))
    lines = [
        f'<mujoco><compiler angle="radian" autolimits="true"/><option timestep="{step}" '
        f'gravity="{gravity}" integrator="implicitfast" cone="elliptic" impratio="10"/>',
        "<worldbody>",
    ]
    if ground:
        lines.append('<geom type="plane" size="5 5 0.1"/>')
    lines += [_tree(number, actor, step) for number, actor in enumerate(actors)]
    lines.append("</worldbody><contact>")
    for number, actor in enumerate(actors):
        root = actor.asset.bodies[0].name
        for body in actor.asset.bodies:
            if body.parent == root and actor.asset.fixed:
                # MuJoCo checks contacts between a parent welded to the world and its child.
                one, other = name_of(number, root), name_of(number, body.name)
                lines.append(f'<exclude body1="{one}" body2="{other}"/>')
    lines.append("</contact><actuator>")
    for number, actor in enumerate(actors):
        for i, body in enumerate(actor.asset.moving):
            stiffness, joint = float(actor.dofs["stiffness"][i]), name_of(number, body.dof)
            lines.append(
                f'<general joint="{joint}" biastype="affine" gainprm="{stiffness}" '
                f'biasprm="0 {-stiffness} 0"/>'
            )
    lines.append("</actuator></mujoco>")
    return "\n".join(lines)


def name_of(actor: int, part: str) -> str:
    """The name of an actor's body or joint in the model."""
    return f"{actor}/{part}"


def _tree(number: int, actor: Any, step: float) -> str:
    """An actor's bodies, nested."""
    asset = actor.asset
    children: dict[str, list[str]] = {}
    dof = len(asset.moving)
    for body in reversed(asset.bodies):
        place, turn, joint = body.place, _quaternion(body.turn), ""
        if not body.parent:
            p, r = actor.pose.p, actor.pose.r
            place, turn = (p.x, p.y, p.z), (r.w, r.x, r.y, r.z)
            joint = "" if asset.fixed else "<freejoint/>"
        elif body.joint != "fixed":
            dof -= 1
            joint = _joint_of(name_of(number, body.dof), body, actor.dofs[dof], step)
        inside = "".join(reversed(children.pop(body.name, [])))
        geoms = "".join(_geom(shape, actor.friction) for shape in body.shapes)
        children.setdefault(body.parent, []).append(
            f'<body name="{name_of(number, body.name)}" pos="{_numbers(place)}" '
            f'quat="{_numbers(turn)}" gravcomp="{int(asset.weightless)}">'
            f"{joint}{_inertial(body)}{geoms}{inside}</body>"
        )
    return children[""][0]


def _joint_of(name: str, body: Body, drive: Any, step: float) -> str:
    kind = "hinge" if body.joint == "revolute" else "slide"
    low, high = body.limits[:2]
    # An implicit drive: it uses the position at the end of the step.
    damping = float(drive["damping"]) + step * float(drive["stiffness"])
    return (
        f'<joint name="{name}" type="{kind}" axis="{_numbers(body.axis)}" range="{low} {high}" '
        f'armature="{float(drive["armature"])}" damping="{damping}"/>'
    )


def _inertial(body: Body) -> str:
    if body.mass <= 0:
        return ""
    i = body.inertia
    values = _numbers((i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))
    center = _numbers(body.center)
    return f'<inertial mass="{body.mass}" pos="{center}" fullinertia="{values}"/>'


def _geom(shape: Shape, friction: float) -> str:
    if shape.kind == "cylinder":
        size = _numbers((shape.size[0], shape.size[1] / 2))
    else:
        size = _numbers([edge / 2 for edge in shape.size])
    return (
        f'<geom type="{shape.kind}" size="{size}" pos="{_numbers(shape.place)}" '
        f'quat="{_numbers(_quaternion(shape.turn))}" condim="4" solref="0.008 1" '
        f'friction="{friction} 0.01 0.001"/>'
    )


def _link(link: ElementTree.Element) -> Body:
    mass, center, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    part = link.find("inertial")
    if part is not None:
        center = _origin(part)[0]
        mass = float(_child(part, "mass").get("value", "0"))
        tensor = _child(part, "inertia")
        xx, yy, zz, xy, xz, yz = (
            float(tensor.get(key, "0")) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        )
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shapes = []
    for collision in link.findall("collision"):
        (geometry,) = _child(collision, "geometry")
        size = [float(n) for n in geometry.get("size", "").split()]
        if geometry.tag == "cylinder":
            size = [float(geometry.get(name, "0")) for name in ("radius", "length")]
        shapes.append(Shape(geometry.tag, tuple(size), *_origin(collision)))
    return Body(link.get("name", ""), mass, center, inertia, shapes)


def _joint(joint: ElementTree.Element, links: dict[str, Body]) -> Body:
    """The body that a joint moves."""
    body = links[_child(joint, "child").get("link", "")]
    place, turn = _origin(joint)
    body = body._replace(
        parent=_child(joint, "parent").get("link", ""),
        joint=joint.get("type", ""),
        dof=joint.get("name", ""),
        place=place,
        turn=turn,
    )
    if body.joint == "fixed":
        return body
    limit = _child(joint, "limit")
    keys = ("lower", "upper", "effort", "velocity")
    return body._replace(
        axis=np.array([float(n) for n in _child(joint, "axis").get("xyz", "").split()]),
        limits=tuple(float(limit.get(key, "0")) for key in keys),
    )


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element:
    child = element.find(name)
    if child is None:
        raise ValueError(f"a {element.tag} without {name}")
    return child


def _origin(element: ElementTree.Element) -> tuple[Any, Any]:
    """Position and rotation matrix."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    place = np.array([float(n) for n in origin.get("xyz", "0 0 0").split()])
    roll, pitch, yaw = (float(n) for n in origin.get("rpy", "0 0 0").split())
    return place, _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)


def _about(axis: int, angle: float) -> Any:
    turn, i, j = np.eye(3), (axis + 1) % 3, (axis + 2) % 3
    turn[i, i] = turn[j, j] = math.cos(angle)
    turn[j, i], turn[i, j] = math.sin(angle), -math.sin(angle)
    return turn


def _quaternion(turn: Any) -> tuple[float, float, float, float]:
    """The quaternion w x y z of a rotation matrix, by its largest component."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    rows = (
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], d + b, c + g),
        (c - g, d + b, squares[2], h + f),
        (d - b, c + g, h + f, squares[3]),
    )
    row = np.array(rows[int(np.argmax(squares))])
    w, x, y, z = (float(n) for n in row / np.linalg.norm(row))
    return w, x, y, z


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)

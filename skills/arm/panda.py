"""The Franka Panda in numbers: Franka's published data, as in its Apache-2.0 models.

SI units. Every body frame is its joint's frame (modified Denavit-Hartenberg); every joint turns
about the z axis of its own body. Quaternions here are w, x, y, z, as in MuJoCo, and not normalised.
The shapes are our own fit of capsules, cylinders and boxes to the links.

The damping of the servos (kd) is ours: a tenth of that in models of the arm. MuJoCo's implicit
integrator slows strongly damped light joints after it has solved the contacts, so that held things
would slip by 10 mm a lift.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ...data_files import read_yaml

Triple = tuple[float, float, float]


class Joint(NamedTuple):
    """One joint and the body that it moves."""

    offset: Triple
    """Of the body in its parent, in m."""
    turn: tuple[float, float, float, float]
    """Of the body in its parent, a quaternion w, x, y, z."""
    low: float
    """Lower limit, in rad."""
    high: float
    """Upper limit, in rad."""
    kp: float
    """Gain of the position servo, in N m per rad."""
    kd: float
    """Damping of the position servo, in N m s per rad."""
    torque: float
    """The largest, in N m."""
    speed: float
    """The largest, in rad/s."""


_LEFT, _RIGHT, _NONE = (1.0, -1.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)

JOINTS = (
    Joint((0, 0, 0.333), _NONE, -2.8973, 2.8973, 4500, 100, 87, 2.175),
    Joint((0, 0, 0), _LEFT, -1.7628, 1.7628, 4500, 100, 87, 2.175),
    Joint((0, -0.316, 0), _RIGHT, -2.8973, 2.8973, 3500, 60, 87, 2.175),
    Joint((0.0825, 0, 0), _RIGHT, -3.0718, -0.0698, 3500, 60, 87, 2.175),
    Joint((-0.0825, 0.384, 0), _LEFT, -2.8973, 2.8973, 2000, 15, 12, 2.61),
    Joint((0, 0, 0), _RIGHT, -0.0175, 3.7525, 2000, 15, 12, 2.61),
    Joint((0.088, 0, 0), _RIGHT, -2.8973, 2.8973, 2000, 15, 12, 2.61),
)
ARMATURE = 0.1
DAMPING = 1.0

#: Poses of the hand in the last link, and of the tcp (between the fingertips) in the hand.
HAND_OFFSET: Triple = (0, 0, 0.107)
HAND_TURN = (0.9238795325112867, 0.0, 0.0, -0.3826834323650898)
TCP_OFFSET: Triple = (0, 0, 0.1034)
FINGER_OFFSET: Triple = (0, 0, 0.0584)
#: The full opening of each finger, in m.
FINGER_OPEN = 0.04

#: The home pose: above the table, fingers down, no contact, in rad.
HOME = (0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785)


class Inertial(NamedTuple):
    """Mass, centre of mass, and inertia at it: xx yy zz xy xz yz."""

    mass: float
    center: Triple
    inertia: tuple[float, float, float, float, float, float]


class Rod(NamedTuple):
    """A capsule, or a cylinder where its ends are flat."""

    start: Triple
    end: Triple
    radius: float
    flat: bool = False


class Block(NamedTuple):
    """A box by its centre and half sizes."""

    center: Triple
    half: Triple


Shape = Rod | Block


def _inertial(row: list[Any]) -> Inertial:
    mass, center, inertia = row
    return Inertial(mass, tuple(center), tuple(inertia))


def _shapes(rows: list[dict[str, Any]]) -> tuple[Shape, ...]:
    return tuple(_shape(form, *numbers) for row in rows for form, numbers in row.items())


def _shape(form: str, first: list[float], second: list[float], radius: float = 0.0) -> Shape:
    one: Any = tuple(first)
    two: Any = tuple(second)
    return Block(one, two) if form == "block" else Rod(one, two, radius, form == "cylinder")


_BODIES = read_yaml(Path(__file__).with_name("panda.yaml"))
#: For link 0 (the base) to link 7.
LINKS = tuple(map(_inertial, _BODIES["links"]))
HAND, FINGER = _inertial(_BODIES["hand"]), _inertial(_BODIES["finger"])
#: The shapes of link 0 to link 7, each in its own frame.
SHAPES = tuple(map(_shapes, _BODIES["link_shapes"]))
HAND_SHAPES = _shapes(_BODIES["hand_shapes"])
#: The shapes of one finger, which opens along its own y axis, and of its pads.
FINGER_SHAPES, PADS = _shapes(_BODIES["finger_shapes"]), _shapes(_BODIES["pads"])

"""The Franka Panda in numbers: Franka's published data, as in its Apache-2.0 models.

SI units. Every body frame is its joint's frame (modified Denavit-Hartenberg); every joint turns
about the z axis of its own body. Quaternions here are w, x, y, z, as in MuJoCo, and not normalised.
The shapes are our own fit of capsules, cylinders and boxes to the links.

The damping of the servos (kd) is ours: a tenth of that in models of the arm. MuJoCo's implicit
integrator slows strongly damped light joints after it has solved the contacts, so that held things
would slip by 10 mm a lift.
"""

from __future__ import annotations

from typing import NamedTuple

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


#: For link 0 (the base) to link 7.
LINKS = (
    Inertial(
        0.629769,
        (-0.041018, -0.00014, 0.049974),
        (0.00315, 0.00388, 0.004285, 8.2904e-7, 0.00015, 8.2299e-6),
    ),
    Inertial(
        4.970684,
        (0.003875, 0.002081, -0.04762),
        (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169),
    ),
    Inertial(
        0.646926,
        (-0.003141, -0.02872, 0.003495),
        (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704),
    ),
    Inertial(
        3.228604,
        (0.027518, 0.039252, -0.066502),
        (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805),
    ),
    Inertial(
        3.587895,
        (-0.05317, 0.104419, 0.027454),
        (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641),
    ),
    Inertial(
        1.225946,
        (-0.011953, 0.041065, -0.038437),
        (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229),
    ),
    Inertial(
        1.666555,
        (0.060149, -0.014117, -0.010517),
        (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341),
    ),
    Inertial(
        0.735522,
        (0.010517, -0.004252, 0.061597),
        (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741),
    ),
)
HAND = Inertial(0.73, (-0.01, 0, 0.03), (0.001, 0.0025, 0.0017, 0, 0, 0))
FINGER = Inertial(0.015, (0, 0, 0), (2.375e-6, 2.375e-6, 7.5e-7, 0, 0, 0))


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

#: The shapes of link 0 to link 7, each in its own frame.
SHAPES: tuple[tuple[Shape, ...], ...] = (
    (Block((-0.041, 0, 0.068), (0.112, 0.093, 0.068)),),
    (Rod((0, 0, -0.13), (0, 0, 0), 0.055), Rod((0, -0.074, 0), (0, 0, 0), 0.055)),
    (Rod((0, -0.139, 0), (0, 0, 0), 0.055), Rod((0, 0, 0), (0, 0, 0.074), 0.055)),
    (
        Rod((0, 0, -0.066), (0.0825, 0.03, 0), 0.055),
        Rod((0.0825, 0, 0), (0.0825, 0.056, 0), 0.055),
    ),
    (Rod((0, 0, 0), (0, 0, 0.056), 0.055), Rod((0, 0, 0.02), (-0.0825, 0.069, 0), 0.055)),
    (
        Rod((0, 0, -0.208), (0, 0.045, -0.18), 0.05),
        Rod((0, 0.083, -0.16), (0, 0.083, -0.04), 0.025),
        Rod((0, 0.063, -0.015), (0, 0.078, 0), 0.047),
    ),
    (
        Rod((0, 0, 0.006), (0.03, 0.01, 0.006), 0.048),
        Rod((0.084, -0.003, 0), (0.084, 0.034, 0), 0.048),
    ),
    (
        Rod((0, 0, 0.0535), (0, 0, 0.1055), 0.043, flat=True),
        Rod((0.03, 0.03, 0.08), (0.053, 0.053, 0.08), 0.026),
    ),
)
HAND_SHAPES: tuple[Shape, ...] = (Block((0, 0, 0.026), (0.031, 0.1, 0.040)),)
#: The shapes of one finger, which opens along its own y axis; the last five are its pads.
FINGER_SHAPES: tuple[Shape, ...] = (
    Block((0, 0.0145, 0.018), (0.0105, 0.0118, 0.018)),
    Block((0, 0.0105, 0.045), (0.0085, 0.005, 0.0088)),
)
PADS = (
    Block((0, 0.0055, 0.0445), (0.0085, 0.004, 0.0085)),
    Block((0.0055, 0.002, 0.05), (0.003, 0.002, 0.003)),
    Block((-0.0055, 0.002, 0.05), (0.003, 0.002, 0.003)),
    Block((0.0055, 0.002, 0.0395), (0.003, 0.002, 0.0035)),
    Block((-0.0055, 0.002, 0.0395), (0.003, 0.002, 0.0035)),
)

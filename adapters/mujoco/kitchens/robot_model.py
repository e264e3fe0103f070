"""The mobile arm in MuJoCo: a Panda on a lift on a base that drives to any side.

Its base joints are in the frame of the room. Geoms are named `link#number`; what is only seen is in
group 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco

from ....skills.arm import panda
from ....skills.arm.mobile.body import ARM_HEIGHT, BASE_RADIUS, HEAD, LIFT_HIGH

#: The gripper's servo, in N/m: with a stock one of 100, doors are opened in 1 of 12 cases.
GRIP, GRIP_FORCE, GRIP_RANGE = 3000.0, 100.0, 255.0
#: Joints of the base and the lift: gain of the position servo; the damping is an eighth of it.
_SERVOS = {"base_x": 2e4, "base_y": 2e4, "base_yaw": 8e3, "lift": 2e4}
_DAMPING, _ARMATURE = 50.0, 1.0
#: Contact bits: the robot meets everything.
_BITS = {"contype": 1, "conaffinity": 1}
_SEEN = {"contype": 0, "conaffinity": 0, "group": 1, "mass": 0.0}
_SHELL, _DARK, _METAL = (0.93, 0.93, 0.91, 1), (0.20, 0.22, 0.26, 1), (0.55, 0.57, 0.60, 1)
_HAND, _FINGER = (0.24, 0.25, 0.28, 1), (0.50, 0.51, 0.54, 1)
#: Collars at the joints, for looks: radius, half length, and where along the axes, in m.
_COLLAR, _COLLAR_HALF = 0.0575, 0.011
_COLLARS = (-0.132, 0.0, -0.124, 0.0, -0.2, 0.0, 0.06)
_MAST = (-0.04, 0.0)
#: The finger pads, in m: balls in two columns. MuJoCo 4.0 pushes boxes that are pressed into a
#: cylinder by half a millimetre to the side, which jams fingers that open.
_PAD, _PAD_SIDE, _PAD_UP = 0.002, 0.0065, (0.0380, 0.0427, 0.0473, 0.0520)


def add_robot(spec: Any) -> None:
    """Add the robot to a model, with its servos. It starts at the origin of the room."""
    lift = _base(spec)
    _head(lift)
    link = _arm(lift)
    _hand(spec, link)
    _servos(spec)
    for first, second in (
        ("lift", "link1"),
        ("base", "link0"),
        ("base", "lift"),
        ("lift", "link0"),
    ):
        spec.add_exclude(bodyname1=first, bodyname2=second)


def _base(spec: Any) -> Any:
    base = spec.worldbody.add_body(
        name="base",
        gravcomp=1,
        explicitinertial=True,
        mass=60,
        ipos=(0, 0, 0.15),
        inertia=(2, 2, 2),
    )
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    moving = {"damping": [_DAMPING, 0, 0], "armature": _ARMATURE}
    base.add_joint(name="base_x", type=slide, axis=(1, 0, 0), **moving)
    base.add_joint(name="base_y", type=slide, axis=(0, 1, 0), **moving)
    base.add_joint(name="base_yaw", type=hinge, axis=(0, 0, 1), **moving)
    _cylinder(base, "base#0", BASE_RADIUS, (0, 0, 0.13), 0.10, rgba=_DARK, **_BITS)
    _cylinder(base, "base#1", 0.205, (0, 0, 0.234), 0.008, rgba=_SHELL, **_SEEN)
    _cylinder(base, "base#2", 0.222, (0, 0, 0.09), 0.012, rgba=(0.10, 0.45, 0.62, 1), **_SEEN)
    _cylinder(base, "base#3", 0.17, (0, 0, 0.018), 0.018, rgba=(0.08, 0.08, 0.09, 1), **_SEEN)
    lift = base.add_body(
        name="lift",
        pos=(0, 0, ARM_HEIGHT),
        gravcomp=1,
        explicitinertial=True,
        mass=8,
        inertia=(0.2, 0.2, 0.1),
    )
    lift.add_joint(name="lift", type=slide, axis=(0, 0, 1), range=(0, LIFT_HIGH), **moving)
    _cylinder(lift, "lift#0", 0.085, (*_MAST, -0.11), 0.10, rgba=_METAL, **_BITS)
    _cylinder(lift, "lift#1", 0.06, (*_MAST, -0.43), 0.42, rgba=_METAL, **_SEEN)
    return lift


def _head(lift: Any) -> None:
    """The head camera on its mast beside the arm. It is thin, and nothing collides with it."""
    x, y, up = (float(value) for value in HEAD)
    head = lift.add_body(name="head")
    for number, (start, end) in enumerate(
        (((_MAST[0], 0, -0.03), (x, y, -0.03)), ((x, y, -0.03), (x, y, up)))
    ):
        head.add_geom(
            name=f"head#{number}",
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=(*start, *end),
            size=(0.012, 0, 0),
            rgba=_METAL,
            **_SEEN,
        )
    for number, (half, rgba) in enumerate(
        (((0.022, 0.055, 0.022), _DARK), ((0.024, 0.012, 0.012), (0.10, 0.45, 0.62, 1))), start=2
    ):
        head.add_geom(
            name=f"head#{number}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=(x, y, up + 0.01),
            size=half,
            rgba=rgba,
            **_SEEN,
        )


def _cylinder(
    body: Any, name: str, radius: float, middle: Sequence[float], half: float, **more: Any
) -> None:
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=(radius, half, 0),
        pos=middle,
        **more,
    )


def _arm(lift: Any) -> Any:
    """Link 0 to link 7; returns the last."""
    body = lift.add_body(name="link0", **_inertia(panda.LINKS[0]))
    _shapes(body, panda.SHAPES[0], rgba=_SHELL)
    for number, joint in enumerate(panda.JOINTS, start=1):
        body = body.add_body(
            name=f"link{number}",
            pos=joint.offset,
            quat=joint.turn,
            **_inertia(panda.LINKS[number]),
        )
        body.add_joint(
            name=f"joint{number}",
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=(0, 0, 1),
            range=(joint.low, joint.high),
            armature=panda.ARMATURE,
            damping=[panda.DAMPING, 0, 0],
        )
        _shapes(body, panda.SHAPES[number], rgba=_SHELL)
        name = f"link{number}#collar"
        _cylinder(
            body, name, _COLLAR, (0, 0, _COLLARS[number - 1]), _COLLAR_HALF, rgba=_DARK, **_SEEN
        )
    return body


def _hand(spec: Any, link: Any) -> None:
    hand = link.add_body(
        name="hand", pos=panda.HAND_OFFSET, quat=panda.HAND_TURN, **_inertia(panda.HAND)
    )
    hand.add_site(name="wrist", group=4)
    hand.add_site(name="tcp", pos=panda.TCP_OFFSET, group=4)
    _shapes(hand, panda.HAND_SHAPES, rgba=_HAND)
    for side, turn in (("left", (1, 0, 0, 0)), ("right", (0, 0, 0, 1))):
        finger = hand.add_body(
            name=f"{side}_finger", pos=panda.FINGER_OFFSET, quat=turn, **_inertia(panda.FINGER)
        )
        finger.add_joint(
            name=f"{side}_finger",
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=(0, 1, 0),
            range=(0, panda.FINGER_OPEN),
            armature=panda.ARMATURE,
            damping=[panda.DAMPING, 0, 0],
        )
        surface = {"condim": 4, "friction": (1, 0.01, 0.001), "solref": (0.008, 1)}
        shapes = (*panda.FINGER_SHAPES, panda.PADS[0])
        _shapes(finger, shapes, rgba=_FINGER, **surface)
        pads = [(x, _PAD, z) for x in (-_PAD_SIDE, _PAD_SIDE) for z in _PAD_UP]
        for number, at in enumerate(pads, start=len(shapes)):
            finger.add_geom(
                name=f"{finger.name}#{number}",
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                pos=at,
                size=(_PAD, 0, 0),
                rgba=_FINGER,
                **_BITS,
                **surface,
            )
    joint = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1="left_finger",
        name2="right_finger",
        solref=(0.005, 1),
        solimp=(0.95, 0.99, 0.001, 0.5, 2),
    )
    joint.data[:2] = (0, 1)
    spec.add_sensor(
        name="wrist_force",
        type=mujoco.mjtSensor.mjSENS_FORCE,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        objname="wrist",
    )


def _inertia(inertial: panda.Inertial) -> dict[str, Any]:
    return {
        "gravcomp": 1,
        "explicitinertial": True,
        "mass": inertial.mass,
        "ipos": inertial.center,
        "fullinertia": inertial.inertia,
    }


def _shapes(body: Any, shapes: Sequence[panda.Shape], **more: Any) -> None:
    for number, shape in enumerate(shapes):
        name = f"{body.name}#{number}"
        if isinstance(shape, panda.Block):
            body.add_geom(
                name=name,
                type=mujoco.mjtGeom.mjGEOM_BOX,
                pos=shape.center,
                size=shape.half,
                **_BITS,
                **more,
            )
        else:
            form = mujoco.mjtGeom.mjGEOM_CYLINDER if shape.flat else mujoco.mjtGeom.mjGEOM_CAPSULE
            body.add_geom(
                name=name,
                type=form,
                fromto=(*shape.start, *shape.end),
                size=(shape.radius, 0, 0),
                **_BITS,
                **more,
            )


def _servos(spec: Any) -> None:
    """Position servos in the order of the joints, then the fingers'."""
    spec.add_tendon(name="fingers")
    tendon = spec.tendon("fingers")
    tendon.wrap_joint("left_finger", 0.5)
    tendon.wrap_joint("right_finger", 0.5)
    for name, gain in _SERVOS.items():
        _servo(spec, name, gain, gain / 8)
    for number, joint in enumerate(panda.JOINTS, start=1):
        _servo(
            spec,
            f"joint{number}",
            joint.kp,
            joint.kd,
            ctrlrange=(joint.low, joint.high),
            forcerange=(-joint.torque, joint.torque),
        )
    _servo(
        spec,
        "fingers",
        GRIP,
        GRIP / 15,
        scale=panda.FINGER_OPEN / GRIP_RANGE,
        trntype=mujoco.mjtTrn.mjTRN_TENDON,
        ctrlrange=(0, GRIP_RANGE),
        forcerange=(-GRIP_FORCE, GRIP_FORCE),
    )


def _servo(
    spec: Any, target: str, gain: float, damping: float, scale: float = 1.0, **more: Any
) -> None:
    """A position servo of a joint or tendon; the command counts in `scale`."""
    settings = {"trntype": mujoco.mjtTrn.mjTRN_JOINT, **more}
    spec.add_actuator(
        name=target,
        target=target,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        gainprm=[gain * scale, *[0.0] * 9],
        biasprm=[0.0, -gain, -damping, *[0.0] * 7],
        **settings,
    )

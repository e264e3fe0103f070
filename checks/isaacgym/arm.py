"""What is assumed of the arm: names, drives, frames, motion."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...adapters.isaacgym.world import GRIP
from ...skills.arm import kinematics, panda, rotation
from ...skills.arm.blocks.block_graph import TABLE_THICKNESS
from ...skills.arm.rotation import Array
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench
from .measured import TURN, far, measured_arm, words

CHECKS = Checks("isaacgym")

_SERVER = "adapters/isaacgym/server.py"
_ASSET = "the asset franka_panda_gripper.urdf of IsaacGymEnvs"
#: Frames agree within this, in m and in the entries of rotation matrices.
_NEAR = 0.003


@CHECKS.assume(
    Topic.NAMES,
    "The asset has the joints panda_joint1 to 7 and panda_finger_joint1 and 2, and no others.",
    source=f"{_ASSET}; {_SERVER}: ARM_DOFS",
    bare=True,
)
def joints_have_their_names(bench: Bench) -> str:
    names = _named(bench, "dofs")
    wanted = [f"panda_joint{i}" for i in range(1, 8)]
    wanted += ["panda_finger_joint1", "panda_finger_joint2"]
    return expect(sorted(names) == sorted(wanted), f"get_actor_dof_names: {', '.join(names)}")


@CHECKS.assume(
    Topic.NAMES,
    "panda_hand is a body of its own, not merged into link 7: fixed joints are not collapsed.",
    source=f"{_SERVER}: collapse_fixed_joints = False, HAND",
    bare=True,
)
def the_hand_is_a_body(bench: Bench) -> str:
    names = _named(bench, "bodies")
    wanted = {"panda_hand", *(f"panda_link{i}" for i in range(8))}
    return expect(wanted <= {*names}, f"get_actor_rigid_body_dict: {', '.join(names)}")


@CHECKS.assume(
    Topic.SPACE,
    "Limits of joints are in rad, those of fingers in m, as a Franka has them.",
    source="skills/arm/panda.py: JOINTS, FINGER_OPEN; joint positions are planned within them",
    bare=True,
)
def limits_are_a_frankas(bench: Bench) -> str:
    told = measured_arm(bench)["properties"]
    low = [joint.low for joint in panda.JOINTS] + [0.0, 0.0]
    high = [joint.high for joint in panda.JOINTS] + [panda.FINGER_OPEN] * 2
    answer = f"lower {words(told['lower'])}, upper {words(told['upper'])}"
    return expect(far(told["lower"], low) < 0.01 and far(told["upper"], high) < 0.01, answer)


@CHECKS.assume(
    Topic.SPACE,
    "The largest torques of the joints are a Franka's: 87 N m, and 12 N m from joint 5 on.",
    source=f"{_SERVER}: the force at the wrist clips torques at `effort`; skills/arm/panda.py",
    bare=True,
)
def torques_are_a_frankas(bench: Bench) -> str:
    effort = measured_arm(bench)["properties"]["effort"][:7]
    wanted = [joint.torque for joint in panda.JOINTS]
    return expect(far(effort, wanted) < 0.5, f"effort is {words(effort, 'N m')}")


@CHECKS.assume(
    Topic.CALLS,
    "Stiffness, damping and armature that were set are those that are read.",
    source=f"{_SERVER}: _set_drives; the drives' law gives the force at the wrist",
    bare=True,
)
def drives_are_kept(bench: Bench) -> str:
    told = measured_arm(bench)["properties"]
    drives = [(joint.kp, joint.kd) for joint in panda.JOINTS] + [GRIP] * 2
    wanted = {
        "stiffness": [stiffness for stiffness, _ in drives],
        "damping": [damping for _, damping in drives],
        "armature": [panda.ARMATURE] * 9,
    }
    holds = all(far(told[name], values) < 1e-3 for name, values in wanted.items())
    return expect(holds, ", ".join(f"{name} {words(told[name])}" for name in wanted))


@CHECKS.assume(
    Topic.CALLS,
    "Every joint is a position drive once driveMode was set to DOF_MODE_POS.",
    source=f"{_SERVER}: _set_drives; gymapi.pyi: DofDriveMode",
    bare=True,
)
def drives_are_of_positions(bench: Bench) -> str:
    told = measured_arm(bench)
    modes, wanted = told["properties"]["driveMode"], told["position_drive"]
    answer = f"driveMode is {words(modes)}, DOF_MODE_POS is {wanted}"
    return expect(all(mode == wanted for mode in modes), answer)


@CHECKS.assume(
    Topic.CALLS,
    "Joint positions that were set before prepare_sim are those of the first reading.",
    source=f"{_SERVER}: _add_franka sets the home position there",
    bare=True,
)
def starts_where_it_was_set(bench: Bench) -> str:
    joints = measured_arm(bench)["first_joints"]
    return expect(far(joints, panda.HOME) < 1e-3, f"the joints are {words(joints, 'rad')}")


@CHECKS.assume(
    Topic.SPACE,
    "The base is where the actor was placed, on the table's height, and not turned.",
    source=f"{_SERVER}: _state gives poses in the frame of the base",
    bare=True,
)
def base_is_where_it_was_placed(bench: Bench) -> str:
    place, turn = _frames(bench, "first_frames")
    answer = f"panda_link0 is at {words(place[0], 'm')}, its z axis is {words(turn[0][:, 2])}"
    holds = far(place[0], (0, 0, TABLE_THICKNESS)) < _NEAR and far(turn[0], np.eye(3)) < _NEAR
    return expect(holds, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Before the first step the links are where our kinematics have them.",
    source="skills/arm/kinematics.py: frames; adapters/isaacgym/server.py: GymWorld.reset",
    bare=True,
)
def links_are_where_kinematics_say(bench: Bench) -> str:
    wrong, answer = _beside_kinematics(bench, "first_frames", kinematics.HOME)
    return expect(not wrong, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Links follow the joints at once: after a turn of joint 1 our kinematics still fit.",
    source="skills/arm/kinematics.py: a joint turns about the z axis of its link",
    bare=True,
)
def links_follow_the_joints(bench: Bench) -> str:
    joints = np.array(measured_arm(bench)["turned"]["joints"])
    wrong, answer = _beside_kinematics(bench, "turned_frames", joints)
    return expect(not wrong, answer)


@CHECKS.assume(
    Topic.SPACE,
    "A positive turn of joint 1 moves the hand to +y, left of the arm.",
    source="skills/arm/kinematics.py: axes are right-handed",
    bare=True,
)
def joint_1_turns_left(bench: Bench) -> str:
    before, after = (_frames(bench, f"{when}_frames")[0][8] for when in ("first", "turned"))
    moved = after - before
    answer = f"the hand moved by {words(moved, 'm')} as joint 1 turned by {TURN} rad"
    return expect(moved[1] > 0.1, answer)


@CHECKS.assume(
    Topic.ACTIONS,
    "A drive reaches its target: joint 1 is within 0.005 rad of it after a second.",
    source="skills/arm/blocks/controller.py: a pose counts as reached within millimetres",
    bare=True,
)
def drives_reach_their_target(bench: Bench) -> str:
    joint = measured_arm(bench)["turned"]["joints"][0]
    answer = f"joint 1 is at {joint:.4f} rad, its target at {panda.HOME[0] + TURN:.4f}"
    return expect(abs(joint - panda.HOME[0] - TURN) < 0.005, answer)


@CHECKS.assume(
    Topic.ACTIONS,
    "The targets of one joint move that joint alone: the order of targets is that of the names.",
    source=f"{_SERVER}: _set_targets orders them by get_actor_dof_names",
    bare=True,
)
def targets_move_their_joint_alone(bench: Bench) -> str:
    joints = measured_arm(bench)["turned"]["joints"]
    answer = f"joints 2 to 7 are at {words(joints[1:], 'rad')}, home is {words(panda.HOME[1:])}"
    return expect(far(joints[1:], panda.HOME[1:]) < 0.005, answer)


@CHECKS.assume(
    Topic.ACTIONS,
    "Damping acts on the joint's speed, so a target slightly ahead makes up for the lag.",
    source=f"{_SERVER}: step adds damping / stiffness * speed to the target",
    bare=True,
)
def damping_acts_on_the_speed(bench: Bench) -> str:
    behind = abs(measured_arm(bench)["moving"]["behind"])
    lag = TURN * panda.JOINTS[0].kd / panda.JOINTS[0].kp
    answer = f"joint 1 is {behind:.4f} rad off its command (without that: {lag:.4f})"
    return expect(behind < lag / 2, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Speeds of joints are in rad/s, and are those at which positions change.",
    source=f"{_SERVER}: _read_dofs; momenta of the arm follow from them",
    bare=True,
)
def speeds_are_those_of_positions(bench: Bench) -> str:
    moving = measured_arm(bench)["moving"]
    speed, change = moving["speed"], moving["change"]
    answer = f"it tells {speed:.4f} rad/s where positions change by {change:.4f} rad/s"
    return expect(abs(speed - change) < 0.03, answer)


@CHECKS.assume(
    Topic.STATES,
    "Gravity does not pull the arm: without a load it stays at its targets.",
    source=f"{_SERVER}: disable_gravity, and no torque for gravity in the force at the wrist",
    bare=True,
)
def the_arm_has_no_weight(bench: Bench) -> str:
    joints = measured_arm(bench)["rest"]["joints"]
    drift = far(joints, panda.HOME)
    return expect(drift < 0.001, f"the joints drift by {drift:.2g} rad in a second at home")


@CHECKS.assume(
    Topic.STATES,
    "At rest without a load the force at the wrist is zero.",
    source=f"{_SERVER}: _WristForceEstimator; blocks are weighed by this force",
    bare=True,
)
def no_force_without_a_load(bench: Bench) -> str:
    force = measured_arm(bench)["rest"]["force"]
    return expect(far(force, (0, 0, 0)) < 0.3, f"it is {words(force, 'N')} at home")


@CHECKS.assume(
    Topic.SPACE,
    "The moving links have masses of a Franka: 10 to 25 kg together.",
    source=f"{_SERVER}: _arm_bodies; the force at the wrist needs what moves the arm itself",
    bare=True,
)
def links_have_masses(bench: Bench) -> str:
    masses = measured_arm(bench)["masses"]
    answer = f"links 1 to 7 and the hand weigh {words(masses, 'kg')}"
    return expect(10 < sum(masses) < 25 and all(mass > 0 for mass in masses), answer)


@CHECKS.assume(
    Topic.SPACE,
    "Centres of mass are in the frames of their links, not in that of the world.",
    source=f"{_SERVER}: motion turns them with the link; gymapi.pyi: RigidBodyProperties.com",
    bare=True,
)
def centers_are_in_the_links(bench: Bench) -> str:
    centers = measured_arm(bench)["centers"]
    farthest = max(float(np.linalg.norm(center)) for center in centers)
    answer = f"the farthest is {farthest:.3f} m from its link's origin"
    return expect(farthest < 0.25, answer)


@CHECKS.assume(
    Topic.HANDS,
    "Both fingers open with positive positions, in m, and reach 0.04 each.",
    source="skills/arm/panda.py: FINGER_OPEN; readings of ArmReading.fingers",
    bare=True,
)
def fingers_open_with_positive_positions(bench: Bench) -> str:
    fingers = measured_arm(bench)["rest"]["fingers"]
    return expect(far(fingers, (0.04, 0.04)) < 0.001, f"open, they are at {words(fingers, 'm')}")


@CHECKS.assume(
    Topic.HANDS,
    "With nothing between them the fingers close to 0.",
    source="skills/arm/blocks: fingers at 0 mean that nothing was gripped",
    bare=True,
)
def empty_fingers_close(bench: Bench) -> str:
    fingers = measured_arm(bench)["closed"]["fingers"]
    return expect(far(fingers, (0, 0)) < 0.002, f"closed, they are at {words(fingers, 'm')}")


@CHECKS.assume(
    Topic.HANDS,
    "Each finger is driven by itself, to the same opening.",
    source=f"{_SERVER}: one target for both fingers; gears of a real hand couple them",
    bare=True,
)
def fingers_open_alike(bench: Bench) -> str:
    fingers = measured_arm(bench)["half"]["fingers"]
    answer = f"with a target of 0.02 they are at {words(fingers, 'm')}"
    return expect(far(fingers, (0.02, 0.02)) < 0.001, answer)


@CHECKS.assume(
    Topic.TIMING,
    "A second of the arm takes less than 10 seconds.",
    source="adapters/isaacgym/blocks.py: a wait of a minute has 600 seconds",
    bare=True,
)
def steps_are_fast_enough(bench: Bench) -> str:
    took = measured_arm(bench)["took_s"]
    return expect(took < 10, f"a second of one arm and one block took {took:.2f} s")


def _named(bench: Bench, parts: str) -> list[str]:
    """The names of the joints or bodies. Raises Differs where the server misses one."""
    try:
        names: list[str] = measured_arm(bench)[parts]
    except CannotTell as untold:
        missed = re.search(r"has no (panda_\w+)", str(untold))
        if missed is None or ("joint" in missed[1]) != (parts == "dofs"):
            raise
        raise Differs(str(untold)) from None
    return names


def _frames(bench: Bench, when: str) -> tuple[Array, list[Array]]:
    """The places and rotation matrices of the base, links 1 to 7 and the hand."""
    told: dict[str, Any] = measured_arm(bench)[when]
    if not np.array(told["quaternions"]).any(axis=1).all():
        raise Differs("some bodies have a quaternion of zeros")
    return np.array(told["places"]), [rotation.matrix(q) for q in told["quaternions"]]


def _beside_kinematics(bench: Bench, when: str, joints: Array) -> tuple[bool, str]:
    """Whether links are elsewhere than our kinematics have them, and the farthest in words."""
    places, turns = _frames(bench, when)
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = turns[0], places[0]
    frames = kinematics.frames(joints, base)
    apart = [
        (max(far(place, frame[:3, 3]), far(turn, frame[:3, :3])), number)
        for number, (place, turn, frame) in enumerate(
            zip(places[1:], turns[1:], frames, strict=True), 1
        )
    ]
    most, number = max(apart)
    name = "the hand" if number == 8 else f"link {number}"
    frame = frames[number - 1]
    answer = (
        f"{name} is at {words(places[number], 'm')} with its z axis along "
        f"{words(turns[number][:, 2])}; ours is at {words(frame[:3, 3], 'm')} along "
        f"{words(frame[:3, 2])}"
    )
    return most > _NEAR, answer

"""What is assumed of rigid bodies: axes, units, turns, masses, contacts."""

from __future__ import annotations

import math

import numpy as np

from ..assumption import Checks, Topic, expect
from ..bench import Bench
from .measured import SLOPE, STEPS, TURN, far, measured_boxes, words

CHECKS = Checks("isaacgym")

_SERVER = "adapters/isaacgym/server.py"
_STUBS = "gymapi.pyi"


@CHECKS.assume(
    Topic.SPACE,
    "z points up: a free body falls along -z, and neither along x nor y.",
    source=f"{_SERVER}: up_axis and gravity",
    bare=True,
)
def falls_down(bench: Bench) -> str:
    moved = measured_boxes(bench).place("falling", 1) - measured_boxes(bench).place("falling")
    answer = f"a free box moved by {words(moved, 'm')} in {STEPS} steps"
    return expect(moved[2] < -0.05 and far(moved[:2], (0, 0)) < 0.001, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Lengths are metres, and one simulate() lasts dt: a body falls 0.2 m in 50 steps of 4 ms.",
    source=f"{_SERVER}: DT; {_STUBS}: SimParams.dt",
    bare=True,
)
def falls_as_far_as_in_metres(bench: Bench) -> str:
    fallen = (
        measured_boxes(bench).place("falling")[2] - measured_boxes(bench).place("falling", 1)[2]
    )
    answer = f"a free box fell {fallen:.4f} m in {STEPS} steps"
    return expect(0.19 < fallen < 0.205, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Nothing slows a falling body: it falls four times as far in twice the time.",
    source="skills/arm/blocks/controller.py: blocks that are let go; PhysX's linear damping is 0",
    bare=True,
)
def is_not_slowed(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    once, twice = (boxes.place("falling")[2] - boxes.place("falling", n)[2] for n in (1, 2))
    answer = f"it fell {once:.4f} m in {STEPS} steps, {twice:.4f} m in {2 * STEPS}"
    return expect(once > 0 and 3.85 < twice / once < 4.1, answer)


@CHECKS.assume(
    Topic.CALLS,
    "Poses can be read after prepare_sim, before the first simulate: they are those of the start.",
    source=f"{_SERVER}: GymWorld.reset reads its first state there",
    bare=True,
)
def poses_before_the_first_step(bench: Bench) -> str:
    place = measured_boxes(bench).place("hanging")
    return expect(far(place[1:], (0, 1)) < 1e-4, f"the box at y 0, z 1 is at {words(place, 'm')}")


@CHECKS.assume(
    Topic.SPACE,
    "The pose of a box is that of its middle: a box of 0.3 m that stands has z 0.15.",
    source=f"{_SERVER}: add_box puts a block half its edge above the table",
    bare=True,
)
def pose_is_of_the_middle(bench: Bench) -> str:
    z = measured_boxes(bench).place("heavy", 2)[2]
    return expect(abs(z - 0.15) < 0.003, f"its z is {z:.4f} m after {2 * STEPS} steps")


@CHECKS.assume(
    Topic.SPACE,
    "Quaternions are ordered x, y, z, w, in arrays and in gymapi.Quat.",
    source=f"{_STUBS}: Quat(x, y, z, w) and the dtype of RigidBodyState; {_SERVER}: _poses",
    bare=True,
)
def quaternions_are_xyzw(bench: Bench) -> str:
    turn = measured_boxes(bench).turn("yawed")
    wanted = (0, 0, math.sin(TURN / 2), math.cos(TURN / 2))
    answer = f"a box turned by {TURN} rad about z has {words(turn)}"
    return expect(min(far(turn, wanted), far(-turn, wanted)) < 1e-3, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Turns are right-handed: a ramp that is turned about +x goes up towards +y.",
    source="skills/arm/rotation.py; adapters/isaacgym/server.py: _matrix",
    bare=True,
)
def turns_are_right_handed(bench: Bench) -> str:
    moved = measured_boxes(bench).place("slides", 2) - measured_boxes(bench).place("slides")
    answer = f"a smooth box on it moved by {words(moved, 'm')}"
    return expect(moved[1] < -0.02 and moved[2] < -0.01, answer)


@CHECKS.assume(
    Topic.CALLS,
    "create_box takes the edges along x, y and z, in this order, and whole, not halved.",
    source=f"{_STUBS}: create_box(sim, width, height, depth); {_SERVER}: add_box",
    bare=True,
)
def box_edges_are_x_y_z(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    beside, above = (boxes.place(name, 2)[2] for name in ("beside", "above"))
    answer = (
        f"over a box of 0.1 x 0.6 x 0.6 m, a small one 0.15 m off along x is at z {beside:.3f}, "
        f"one 0.2 m off along y at z {above:.3f}"
    )
    return expect(beside < 0.5 and abs(above - 0.62) < 0.004, answer)


@CHECKS.assume(
    Topic.STATES,
    "A body with fix_base_link stays where it was put, also in the air.",
    source=f"{_SERVER}: the table, the arm's base and welded blocks",
    bare=True,
)
def fixed_bodies_stay(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    moved = far(boxes.poses[2]["hanging"], boxes.poses[0]["hanging"])
    return expect(moved < 1e-4, f"it moved by {moved:.2g} m")


@CHECKS.assume(
    Topic.STATES,
    "A fixed body keeps the turn that it was made with.",
    source=f"{_SERVER}: a welded block has its yaw",
    bare=True,
)
def fixed_bodies_keep_their_turn(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    wanted = (math.sin(TURN / 2), 0, 0, math.cos(TURN / 2))
    turn = sorted(abs(boxes.turn("rolled", 2)))
    answer = f"a box rolled by {TURN} rad has {words(boxes.turn('rolled', 2))}"
    return expect(far(turn, sorted(wanted)) < 1e-3, answer)


@CHECKS.assume(
    Topic.SPACE,
    "The mass of a box is density times volume, in kg.",
    source=f"{_SERVER}: add_box; a block whose mass differs by 2 % is refused",
    bare=True,
)
def density_gives_the_mass(bench: Bench) -> str:
    mass = measured_boxes(bench).mass
    return expect(abs(mass - 12) < 0.24, f"0.1 x 0.2 x 0.3 m of 2000 kg/m^3 weigh {mass:.4g} kg")


@CHECKS.assume(
    Topic.SPACE,
    "The centre of mass of a body is in its own frame: that of a box is (0, 0, 0).",
    source=f"{_SERVER}: _arm_bodies and the force at the wrist",
    bare=True,
)
def center_is_in_the_own_frame(bench: Bench) -> str:
    center = measured_boxes(bench).center
    return expect(far(center, (0, 0, 0)) < 1e-3, f"it is {words(center, 'm')}")


@CHECKS.assume(
    Topic.SPACE,
    "The inertia of a body is about its centre of mass, in its own axes, in kg m^2.",
    source=f"{_SERVER}: _WristForceEstimator; {_STUBS}: RigidBodyProperties.inertia",
    bare=True,
)
def inertia_is_about_the_center(bench: Bench) -> str:
    inertia = measured_boxes(bench).inertia
    wanted = ((0.13, 0, 0), (0, 0.1, 0), (0, 0, 0.05))
    return expect(
        far(np.array(inertia), np.array(wanted)) < 0.003,
        f"its rows are {', '.join(map(words, inertia))}",
    )


@CHECKS.assume(
    Topic.CALLS,
    "The friction that was set is the friction that is read.",
    source=f"{_SERVER}: set_friction; {_STUBS}: RigidShapeProperties.friction",
    bare=True,
)
def friction_is_kept(bench: Bench) -> str:
    friction = measured_boxes(bench).friction
    holds = bool(friction) and far(friction, [0.1] * len(friction)) < 1e-3
    return expect(holds, f"0.1 was set, {words(friction)} is read")


@CHECKS.assume(
    Topic.STATES,
    "Friction of 1 holds a box on a slope of 0.5 rad.",
    source=f"{_SERVER}: FRICTION, with which the gripper carries a block",
    bare=True,
)
def friction_holds(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    moved = far(boxes.place("holds", 2), boxes.place("holds"))
    return expect(moved < 0.005, f"the box moved by {moved:.4f} m on a slope of {SLOPE} rad")


@CHECKS.assume(
    Topic.STATES,
    "Friction of 0.1 lets a box slide down a slope of 0.5 rad.",
    source=f"{_SERVER}: set_friction on both bodies of a contact",
    bare=True,
)
def friction_lets_go(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    moved = far(boxes.place("slides", 2), boxes.place("slides"))
    # Without any friction it would slide 0.38 m along the slope, and 0.3 m with 0.1.
    return expect(moved > 0.1, f"the box moved by {moved:.4f} m on a slope of {SLOPE} rad")


@CHECKS.assume(
    Topic.SPACE,
    "Bodies rest on one another without a gap and without sinking in.",
    source=f"{_SERVER}: contact_offset and rest_offset; block_graph.py: 12 mm for `on`",
    bare=True,
)
def bodies_rest_without_a_gap(bench: Bench) -> str:
    lower, upper = (measured_boxes(bench).place(name, 2)[2] for name in ("lower", "upper"))
    answer = f"of two boxes of 0.05 m the lower is at z {lower:.4f}, the upper at z {upper:.4f}"
    return expect(abs(lower - 0.025) < 0.002 and abs(upper - 0.075) < 0.003, answer)


@CHECKS.assume(
    Topic.STATES,
    "Two boxes on one another stay so, and do not creep.",
    source="suites/blocks: goals of stacks",
    bare=True,
)
def stacks_stay(bench: Bench) -> str:
    boxes = measured_boxes(bench)
    crept = far(boxes.place("upper", 2)[:2], boxes.place("upper")[:2])
    return expect(crept < 0.001, f"the upper box crept by {crept:.2g} m in {2 * STEPS} steps")

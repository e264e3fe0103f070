"""The room as the mobile arm knows it, and the interface to its world.

All geometry is in the frame of the room: x and y on the floor, z up, in m and rad. The joints of
the robot are one array of shape (11,): base x, base y, base yaw, lift, then the arm's seven.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..rotation import Array

#: The numbers of joints: base (x, y, yaw), lift, arm.
BASE, LIFT, ARM = slice(0, 3), 3, slice(4, 11)
JOINTS = 11


class Pose(NamedTuple):
    """A position in m, shape (3,), and a rotation matrix, shape (3, 3)."""

    position: Array
    rotation: Array


class FrontKind(StrEnum):
    """How a front moves."""

    DOOR = "door"  # turns about an upright hinge
    DROP = "drop"  # turns down about its lower edge
    DRAWER = "drawer"  # slides out


@dataclass(frozen=True, eq=False)
class Front:
    """A door, drop door or drawer with a bar as its handle. Everything as it is when closed."""

    name: str
    kind: FrontKind
    axis: Array
    """Unit vector, shape (3,): of the hinge (right-handed towards open), or of sliding out."""
    anchor: Array
    """A point on the hinge; any point for a drawer."""
    handle: Array
    """The middle of the bar."""
    bar: Array
    """Unit vector along the bar."""
    bar_half: float
    """Half of the bar's length."""
    face: Array
    """The middle of the outer face."""
    outward: Array
    """Unit normal of the outer face, away from the furniture."""
    half_width: float
    """Of the face, across."""
    half_height: float
    """Of the face, up."""
    open_value: float
    """How far `open` opens it, in rad or m."""
    limit: float
    """The end of its joint."""

    @property
    def grip(self) -> str:
        """What touches and obstacles call its handle: a part of the front that fingers hold."""
        return handle_of(self.name)

    @property
    def turns(self) -> bool:
        """Whether it turns about a hinge."""
        return self.kind is not FrontKind.DRAWER

    @property
    def opened_at(self) -> float:
        """From this value on, in rad or m, it counts as opened by `open`."""
        return 0.9 if self.turns else 0.25

    @property
    def closed_at(self) -> float:
        """Up to this value, in rad or m, it counts as closed."""
        return 0.08 if self.turns else 0.03

    def rotation(self, value: float) -> Array:
        """The rotation of the front at a value, shape (3, 3)."""
        return about(self.axis, value) if self.turns else np.eye(3)

    def point(self, closed: Array, value: float) -> Array:
        """A point of the front, given as it is when closed, at a value."""
        if self.turns:
            turned: Array = self.anchor + about(self.axis, value) @ (closed - self.anchor)
            return turned
        return closed + value * self.axis


class Reach(StrEnum):
    """From where a hand gets into a space."""

    FRONT = "front"  # level, through the open front: shelves
    ABOVE = "above"  # worktops, tables
    DRAWER = "drawer"  # from above, between walls: a drawer that is out, a basin


@dataclass(frozen=True, eq=False)
class Space:
    """A board, worktop, basin or drawer's floor where things stand: a box above it.

    low, high: of the box in the space's own frame, whose x runs along the furniture, y INTO it
    (away from who stands before it) and z up; things stand at z = low[2].
    """

    name: str
    area: str
    """The area that it belongs to: what planners name. An area may have several spaces."""
    low: Array
    high: Array
    origin: Array
    """The origin of its frame; with its drawer closed."""
    yaw: float
    """The rotation of its frame about z, in rad."""
    reach: Reach
    front: str | None = None
    """The front that must be open to get in, or that it moves with (a drawer)."""
    clear: float = math.inf
    """The tallest thing that may stand there so that the front still closes, in m."""

    @property
    def rotation(self) -> Array:
        return about(np.array([0.0, 0.0, 1.0]), self.yaw)

    @property
    def slides(self) -> bool:
        """Whether it moves with its front."""
        return self.reach is Reach.DRAWER and self.front is not None

    def at(self, value: float) -> Array:
        """The origin of its frame with its front at a value, in rad or m."""
        here: Array = self.origin + self.outward * value if self.slides else self.origin
        return here

    @property
    def outward(self) -> Array:
        """Unit vector towards who stands before it, shape (3,)."""
        return np.array([math.sin(self.yaw), -math.cos(self.yaw), 0.0])


@dataclass(frozen=True, eq=False)
class Button:
    """A button or knob that a finger presses; it slides in, and a spring brings it back.

    Each full press turns what it switches on or off.
    """

    name: str
    area: str
    """The area that it switches."""
    face: Array
    """The middle of its outer face, not pressed."""
    outward: Array
    """Unit normal of the face, away from the furniture."""
    radius: float
    """Of the face, in m."""
    travel: float
    """How far it slides in, in m."""

    @property
    def pressed_at(self) -> float:
        """From this travel on, in m, a press counts."""
        return 0.6 * self.travel


class ShapeKind(StrEnum):
    """What a thing is like for a hand."""

    CYLINDER = "cylinder"  # cans, jars, glasses
    BOX = "box"  # boxes, cartons, books
    BALL = "ball"  # fruit
    BOTTLE = "bottle"  # a cylinder with a neck
    MUG = "mug"  # a cup with a handle along +x of its frame
    BOWL = "bowl"  # taken by its rim


@dataclass(frozen=True)
class Shape:
    """The shape of a thing that stands upright; its frame is in the middle of its body."""

    kind: ShapeKind
    height: float
    """Of the body, without a bottle's neck, in m."""
    radius: float
    """Of the circle around it, seen from above, in m."""
    grip: float
    """What the fingers close on, in m: the diameter, the narrow side of a box (along x of its
    frame), or the wall of a bowl. At most 0.076.
    """
    depth: float
    """Half of its extent across the grip, in m: radius, or half of a box's side along y."""
    neck: float = 0.0
    """The height of a bottle's neck above the body, in m."""
    mass: float = 0.2
    full: bool = False
    """Whether a mug is closed or full, so that no finger gets inside."""

    @property
    def tall(self) -> float:
        """Its whole height, in m."""
        return self.height + self.neck


class Reading(NamedTuple):
    """The robot's own sensors. fingers: opening of each, in m, shape (2,)."""

    time_s: float
    joints: Array
    fingers: Array


class Touch(NamedTuple):
    """What a part of the robot touched in the last tick.

    part: a link of the robot, or the thing that it carries. other: a thing, front, handle
    (`handle_of`) or area, "floor" or "wall". force: of all their contacts together, the largest in
    the tick, in N. by_finger: whether the part is a finger or the hand.
    """

    part: str
    other: str
    force: float
    by_finger: bool


class Held(NamedTuple):
    """A thing in the hand: its pose in the frame of the tcp.

    up: what was up when it was taken, a unit vector in its own frame, shape (3,). width: the gap of
    the fingers then, in m.
    """

    thing: str
    pose: Pose
    up: Array = np.array([0.0, 0.0, 1.0])
    width: float = 0.0


class Obstacle(NamedTuple):
    """What is in the way: a thing, front, handle or area, "floor", "wall" or "itself"."""

    part: str
    other: str


class RoomWorld(Protocol):
    """What the skills need of a physics engine (or a real room)."""

    @property
    def fronts(self) -> Mapping[str, Front]: ...
    @property
    def spaces(self) -> Mapping[str, Space]: ...
    @property
    def shapes(self) -> Mapping[str, Shape]: ...
    @property
    def buttons(self) -> Mapping[str, Button]: ...

    def reading(self) -> Reading:
        """The robot's sensors now."""

    def front_value(self, front: str) -> float:
        """How far a front is open, in rad or m."""

    def button_value(self, button: str) -> float:
        """How far a button is pressed in, in m."""

    def thing(self, thing: str) -> Pose:
        """The pose of a thing, as perceived (perhaps with noise)."""

    def things_in(self, space: str) -> Sequence[str]:
        """List the things that stand in a space, as perceived."""

    def command(self, joints: Array, speeds: Array, opening: float) -> None:
        """Set what the servos aim at: joints and their speeds, shape (11,), and the opening of each
        finger in m.
        """

    def step(self, carried: str | None = None) -> Sequence[Touch]:
        """Let one tick (TICK_S) pass, and return what the robot touched in it.

        carried: a thing in the hand; what it touches (but not the robot) counts too.
        """

    # --- planning, on a copy that never moves ------------------------------------------------

    def sync(self) -> None:
        """Take the present state of everything as the one to plan in."""

    def obstacle(
        self,
        joints: Array,
        need: float,
        *,
        fingers: float,
        held: Held | None = None,
        fronts: Mapping[str, float] | None = None,
        ignore: Set[str] = frozenset(),
        base_stays: bool = False,
        lowering: bool = False,
    ) -> Obstacle | None:
        """What the robot at these joints would come closer to than `need` m (below 0: overlap).

        fingers: opening of each, in m. held: moves with the hand. fronts: values other than those
        at `sync`. ignore: things, fronts and handles that the FINGERS may touch, and that the palm
        may come close to; a front without its handle, unless that is named too.
        base_stays: whether the base comes no closer to anything, and may be as close as it is.
        lowering: whether what is held is let down there, and may come closer than the robot.
        """

    def base_free(self, places: Array, need: float) -> NDArray[np.bool_]:
        """Whether the base's disc keeps `need` m from all that stands low, shape (n,).

        places: x and y, shape (n, 2).
        """


#: Seconds of a tick of control: three physics steps of 4 ms.
TICK_S = 0.012


def handle_of(front: str) -> str:
    """What touches and obstacles call the handle of a front."""
    return f"{front}/handle"


def owner(name: str) -> str:
    """The thing, front or area that planners know, of the name in a touch or an obstacle."""
    return name.partition("/")[0]


def about(axis: Array, angle: float) -> Array:
    """The rotation matrix about a unit axis."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result: Array = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return result

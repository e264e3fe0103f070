"""Finds spots for things, by the rules that keep them in reach of the hand.

On boards and worktops things stand near the front, in drawers within 30 cm of it. On shelves they
keep 125 mm to the sides and 13 cm to each other; handles of mugs point to the back, boxes stand
nearly square. In drawers nothing is taller than what lets the drawer close.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

import numpy as np
from numpy.random import Generator

from ....errors import BadInput
from ....skills.arm.mobile.grasps import WIDEST
from ....skills.arm.mobile.world import Pose, Reach, Shape, ShapeKind, Space, about
from .parts import Kitchen, Thing
from .things import kind

#: What the hand needs to both sides of a thing on a shelf, and the strips of boards and drawers in
#: which things stand, from the front, in m.
SIDE_ROOM, SHELF_STRIP, DRAWER_STRIP = 0.125, 0.20, 0.30
#: In drawers and basins the hand keeps a thing so far from the sides and from the front, in m: it
#: is 20 cm wide and 6 cm thick, and closes along the drawer.
WALL_ROOM, FRONT_ROOM = 0.045, 0.11
#: Between two things: edge to edge anywhere, and sideways between middles on a shelf, in m.
APART, SIDEWAYS = 0.055, 0.13
#: The least gap between the circles around two things on a shelf, seen from its front, in m.
_GAP = 0.02
#: Room over a thing on a shelf: to lift it out, in m.
_OVER = 0.03
#: Lower things cannot be taken with a level hand; balls can, tilted.
_LOWEST_ON_SHELF, _LOWEST_BALL = 0.07, 0.055
#: The drop of a thing at the start, in m.
DROP = 0.001
_TRIES, _MOST = 120, 8


class Packing(Enum):
    """How things are put into a space: at random, from the left, or from the left and closely.

    In a CROWDED space a hand still gets between all things; in a FULL one, some are in its way.
    """

    FREE = auto()
    ROWS = auto()
    CROWDED = auto()
    FULL = auto()


#: Distances, as a share of the usual ones.
_SHARES = {Packing.CROWDED: 0.8, Packing.FULL: 0.4}


class Spots:
    """Finds free spots in a kitchen.

    Each thing has its own draws: its spot depends on the seed, its name, and what is already in its
    space. What is in other spaces, perhaps hidden, does not change it.
    """

    def __init__(
        self, kitchen: Kitchen, seed: int | None = None, packing: Packing = Packing.FREE
    ) -> None:
        """seed: that of the kitchen if None."""
        self._packing = packing
        self._seed = kitchen.seed if seed is None else seed
        self._taken: dict[str, list[tuple[float, float, float]]] = {}

    def find(self, space: Space, shape: Shape, name: str) -> Pose | None:
        """A free spot for a thing in a space, which is taken then; None if none is found."""
        others = self._taken.setdefault(space.name, [])
        rng = np.random.default_rng([self._seed, 77, zlib.crc32(name.encode())])
        return spot(space, shape, others, rng, self._packing)


def fits(shape: Shape, space: Space) -> str:
    """Why a thing cannot stand in a space by its size, a part of a sentence; "" if it can."""
    width, depth = space.high[0] - space.low[0], space.high[1] - space.low[1]
    if width < 2 * _side_room(space, shape) or depth < 2 * shape.radius:
        return "it is too wide"
    if space.reach is Reach.FRONT:
        lowest = _LOWEST_BALL if shape.kind is ShapeKind.BALL else _LOWEST_ON_SHELF
        if shape.kind is ShapeKind.BOWL or shape.height < lowest:
            return "the hand cannot take it out of a shelf"
        if shape.tall + _OVER > space.high[2] - space.low[2]:
            return "it is too tall"
    if shape.tall > space.clear:
        return "it is too tall for the drawer to close"
    return ""


def _side_room(space: Space, shape: Shape) -> float:
    """How far a thing stands from the sides of a space, in m.

    Between walls, a box that the hand spans only across its width needs room for the hand there.
    """
    one_way = shape.kind is ShapeKind.BOX and 2 * shape.depth > WIDEST
    if space.reach is Reach.FRONT or (space.reach is Reach.DRAWER and one_way):
        return max(SIDE_ROOM, shape.radius + 0.01)
    return max(shape.radius + 0.01, WALL_ROOM if space.reach is Reach.DRAWER else 0.0)


def arrange(
    kitchen: Kitchen, things: Iterable[Thing], seed: int | None = None
) -> tuple[Thing, ...]:
    """The things with poses, in the spaces that they name. Raises BadInput if one has no spot.

    seed: of the spots; that of the kitchen if None.
    """
    spots = Spots(kitchen, seed)
    return tuple(_placed(kitchen, thing, spots) for thing in things)


def _placed(kitchen: Kitchen, thing: Thing, spots: Spots) -> Thing:
    if thing.pose is not None:
        return thing
    if thing.space is None:
        raise BadInput(f"The thing '{thing.name}' has no place; give it a space or a pose.")
    space, shape = kitchen.spaces[thing.space], kind(thing.kind).shape
    reason = fits(shape, space)
    if reason:
        raise BadInput(
            f"The thing '{thing.name}' does not fit in {space.area}: {reason}; put it elsewhere."
        )
    pose = spots.find(space, shape, thing.name)
    if pose is None:
        raise BadInput(
            f"There is no free spot for '{thing.name}' in {space.area}; put it elsewhere."
        )
    return replace(thing, pose=pose)


def spot(
    space: Space,
    shape: Shape,
    others: list[tuple[float, float, float]],
    rng: Generator,
    packing: Packing = Packing.FREE,
) -> Pose | None:
    """A free spot, which is added to the others; None if none is found."""
    low, high = space.low, space.high
    pad = shape.radius + 0.01
    shelf = space.reach is Reach.FRONT
    tight, scale = packing is not Packing.FREE, _SHARES.get(packing, 1.0)
    side = max(scale * _side_room(space, shape), pad)
    strip = {Reach.FRONT: pad + SHELF_STRIP, Reach.DRAWER: DRAWER_STRIP}.get(space.reach, 9.0)
    near, far = low[1] + pad, min(high[1] - pad, low[1] + strip)
    if space.reach is Reach.DRAWER:
        near = max(near, low[1] + FRONT_ROOM)
    if low[0] + side > high[0] - side or near > far:
        return None
    for number in range(_TRIES):
        share = number / _TRIES if tight else float(rng.random())
        x = low[0] + side + share * (high[0] - low[0] - 2 * side)
        y = near if tight and number % 2 else float(rng.uniform(near, far))
        if len(others) < _MOST and all(
            _clear(x, y, shape.radius, other, shelf, scale) for other in others
        ):
            others.append((x, y, shape.radius))
            return _pose(space, shape, x, y, rng)
    return None


def _clear(
    x: float,
    y: float,
    radius: float,
    other: tuple[float, float, float],
    shelf: bool,
    scale: float,
) -> bool:
    a, b, around = other
    if math.hypot(x - a, y - b) < radius + around + scale * APART:
        return False
    least = radius + around + min(_GAP, scale * 1.25 * _GAP)
    return not shelf or abs(x - a) >= max(scale * SIDEWAYS, least)


def _pose(space: Space, shape: Shape, x: float, y: float, rng: Generator) -> Pose:
    """Upright at a spot; handles of mugs to the back and boxes square where a hand is level."""
    turn = float(rng.uniform(-math.pi, math.pi))
    square = space.reach is not Reach.ABOVE
    if shape.kind is ShapeKind.BOX and (square or shape.depth > 0.05):
        turn = float(rng.uniform(-0.15, 0.15))
    elif shape.kind is ShapeKind.MUG and space.reach is Reach.FRONT:
        turn = math.pi / 2 + float(rng.uniform(-0.15, 0.15))
    local = np.array([x, y, space.low[2] + shape.height / 2 + DROP])
    return Pose(
        space.origin + space.rotation @ local,
        about(np.array([0.0, 0.0, 1.0]), space.yaw + turn),
    )


def scatter(
    kitchen: Kitchen, kinds: Sequence[str], seed: int, spaces: Mapping[str, Space] | None = None
) -> tuple[Thing, ...]:
    """One thing of each kind (as often as it is named), each in a random space that it fits.

    Things are called `kind_number`. Those that find no spot are left out.
    """
    rng = np.random.default_rng([seed, 78])
    spots = Spots(kitchen, seed)
    choices = list((spaces or kitchen.spaces).values())
    counts: dict[str, int] = {}
    things = []
    for name in kinds:
        shape = kind(name).shape
        counts[name] = counts.get(name, 0) + 1
        called = f"{name}_{counts[name]}"
        fitting = [space for space in choices if not fits(shape, space)]
        for number in rng.permutation(len(fitting)):
            space = fitting[number]
            pose = spots.find(space, shape, called)
            if pose is not None:
                things.append(Thing(called, name, space.name, pose))
                break
    return tuple(things)

"""A furnished kitchen with its things and the robot, as a model of MuJoCo.

Bodies, joints and geoms have the names of what they belong to: a unit's body that of the unit; a
front's, a button's and a thing's body and joint its own. Geoms are called `owner#number`: the owner
is an area, a front, its handle (`handle_of`), a button, a thing, "floor", "wall", or a link of the
robot.

Groups: 0 what collides and is seen, 1 what is only seen, 3 what collides and is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import mujoco
import numpy as np

from ....skills.arm.mobile.body import LIFT_DRIVING, TUCK
from ....skills.arm.mobile.world import FrontKind, ShapeKind, handle_of
from ....skills.arm.rotation import Array, from_euler, quaternion
from ...kitchens.furnished.arranging import arrange
from ...kitchens.furnished.parts import (
    FLOOR,
    WALL,
    Form,
    Kitchen,
    Paint,
    Panel,
    Press,
    Role,
    Room,
    Solid,
    Style,
    Thing,
    Unit,
)
from ...kitchens.furnished.things import kind_of_thing
from .robot_model import add_robot
from .textures import SIZE, texture

TIMESTEP = 0.004
#: Names before the number of a geom.
MARK = "#"
#: Furniture meets robot and things, and never itself; things meet all.
_FURNITURE = {"contype": 2, "conaffinity": 1, "friction": (0.8, 0.005, 0.0001)}
_STICKY = {
    "contype": 2,
    "conaffinity": 1,
    "condim": 4,
    "friction": (1.2, 0.02, 0.001),
    "solref": (0.008, 1),
}
_THING = {
    "contype": 1,
    "conaffinity": 3,
    "condim": 4,
    "friction": (1, 0.01, 0.001),
    "solref": (0.008, 1),
}
#: Without these iterations of its solver what is held creeps, and swings out of the hand.
_NO_SLIP = 2
#: Balls need rolling friction, else they roll for ever.
_BALL = {**_THING, "condim": 6, "friction": (1, 0.01, 0.003)}
_SEEN = {"contype": 0, "conaffinity": 0, "group": 1, "mass": 0.0}
_HIDDEN_GROUP = 3
_FORMS = {
    Form.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    Form.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    Form.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    Form.SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    Form.ELLIPSOID: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}
_WALL_THICK = 0.1


def model_of(kitchen: Kitchen, things: Iterable[Thing] = (), robot: bool = True) -> Any:
    """The MjSpec of a kitchen; compile it. Things without a pose get one in their space.

    Raises BadInput if a thing has no spot.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "kitchen"
    spec.compiler.degree = False
    _options(spec)
    _materials(spec, kitchen.style)
    _room(spec, kitchen.room)
    numbers = _Numbers()
    for unit in kitchen.units:
        _add_unit(spec, unit, numbers)
    if robot:
        add_robot(spec)
    for thing in arrange(kitchen, things):
        _add_thing(spec, thing, numbers)
    return spec


def start_of(kitchen: Kitchen) -> Array:
    """The joints of the robot at the start, shape (11,): the arm is tucked."""
    return np.array([*kitchen.start, LIFT_DRIVING, *TUCK])


def _options(spec: Any) -> None:
    option = spec.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10
    option.noslip_iterations = _NO_SLIP
    spec.memory = 64 * 2**20
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = 1920, 1440
    visual.quality.shadowsize, visual.quality.offsamples = 0, 0
    visual.headlight.ambient = (0.38, 0.38, 0.39)
    visual.headlight.diffuse = (0.24, 0.24, 0.24)
    visual.headlight.specular = (0.05, 0.05, 0.05)
    visual.map.znear, visual.map.zfar = 0.01, 40
    visual.map.shadowclip = 1.2


# --- materials and light -------------------------------------------------------------------------


def _materials(spec: Any, style: Style) -> None:
    spec.add_texture(
        name="sky dome",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.90, 0.92, 0.95),
        rgb2=(0.62, 0.68, 0.76),
        width=64,
        height=384,
    )
    for name, paint in style.paints.items():
        _material(spec, name, paint)


def _material(spec: Any, name: str, paint: Paint) -> None:
    look: dict[str, Any] = {"specular": paint.gloss, "shininess": 0.3 + 0.5 * paint.gloss}
    if name == "lamp":
        look["emission"] = 0.8
    elif name == "sky":
        look["emission"] = 0.3
    if not paint.pattern:
        spec.add_material(name=name, rgba=(*paint.color, 1), **look)
        return
    image = spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=SIZE, height=SIZE, nchannel=3
    )
    image.data = texture(paint)
    repeat = 1 / paint.size
    material = spec.add_material(
        name=name,
        texrepeat=(repeat, repeat),
        texuniform=paint.pattern != "view",
        rgba=(1, 1, 1, 1),
        **look,
    )
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def _room(spec: Any, room: Room) -> None:
    """Floor, walls and light. Walls that are not built still stop robot and things."""
    (x0, y0), (x1, y1) = room.low, room.high
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    spec.stat.center, spec.stat.extent = (x, y, 1.0), 0.6 * max(x1 - x0, y1 - y0)
    world = spec.worldbody
    world.add_geom(
        name=f"{FLOOR}{MARK}0",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        pos=(x, y, 0),
        size=((x1 - x0) / 2, (y1 - y0) / 2, 0.1),
        material="floor",
        **_FURNITURE,
    )
    t, h = _WALL_THICK / 2, room.height / 2
    wide, deep = (x1 - x0) / 2 + 2 * t, (y1 - y0) / 2
    for number, (side, middle, half) in enumerate(
        (
            ("north", (x, y1 + t, h), (wide, t, h)),
            ("south", (x, y0 - t, h), (wide, t, h)),
            ("east", (x1 + t, y, h), (t, deep, h)),
            ("west", (x0 - t, y, h), (t, deep, h)),
        )
    ):
        seen = side in room.walls
        turn, size = _upright(Solid(Form.BOX, middle, half, "wall"))
        world.add_geom(
            name=f"{WALL}{MARK}{number}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=middle,
            quat=_wxyz(turn),
            size=size,
            group=0 if seen else _HIDDEN_GROUP,
            material="wall",
            **_FURNITURE,
        )
        if seen:
            _skirting(world, side, room)
    _lights(world, x, y)


def _skirting(world: Any, side: str, room: Room) -> None:
    """The board along the foot of a wall."""
    (x0, y0), (x1, y1) = room.low, room.high
    x, y, t, h = (x0 + x1) / 2, (y0 + y1) / 2, 0.006, 0.04
    middle, half = {
        "north": ((x, y1 - t, h), ((x1 - x0) / 2, t, h)),
        "south": ((x, y0 + t, h), ((x1 - x0) / 2, t, h)),
        "east": ((x1 - t, y, h), (t, (y1 - y0) / 2, h)),
        "west": ((x0 + t, y, h), (t, (y1 - y0) / 2, h)),
    }[side]
    world.add_geom(
        name=f"{WALL}{MARK}{side}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=middle,
        size=half,
        material="window frame",
        **_SEEN,
    )


def _lights(world: Any, x: float, y: float) -> None:
    """A warm light from above with shadows; faint ones without, so that no wall is dark."""
    directional = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    world.add_light(
        name="sun",
        pos=(x - 0.5, y - 0.6, 3.4),
        dir=(0.16, 0.42, -1),
        type=directional,
        diffuse=(0.46, 0.44, 0.40),
        specular=(0.25, 0.25, 0.25),
        castshadow=True,
    )
    for name, towards, strength in (
        ("fill_north", (0.0, 0.8, -0.5), 0.12),
        ("fill_east", (0.95, 0.1, -0.3), 0.26),
        ("fill_west", (-0.95, 0.1, -0.3), 0.26),
        ("fill_south", (0.0, -0.95, -0.3), 0.26),
    ):
        world.add_light(
            name=name,
            pos=(x, y, 2.5),
            dir=towards,
            type=directional,
            diffuse=(strength, strength, 1.08 * strength),
            specular=(0, 0, 0),
            castshadow=False,
        )


# --- furniture -----------------------------------------------------------------------------------


def _add_unit(spec: Any, unit: Unit, numbers: _Numbers) -> None:
    body = spec.worldbody.add_body(
        name=unit.name,
        pos=(unit.x, unit.y, 0),
        quat=(math.cos(unit.yaw / 2), 0, 0, math.sin(unit.yaw / 2)),
    )
    for solid in unit.solids:
        _add_solid(body, solid, numbers.name(solid.owner or unit.name))
    for panel in unit.panels:
        _add_panel(body, panel, numbers)
    for press in unit.presses:
        _add_press(body, press)


class _Numbers:
    """Names of geoms: what they belong to, and a number."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def name(self, owner: str) -> str:
        number = self._counts.get(owner, 0)
        self._counts[owner] = number + 1
        return f"{owner}{MARK}{number}"


def _add_panel(unit: Any, panel: Panel, numbers: _Numbers) -> None:
    """A front with one joint; gravity does not move it, so that a drop door stays as it is."""
    front = panel.front
    body = unit.add_body(name=front.name, pos=front.anchor, gravcomp=1)
    slides = front.kind is FrontKind.DRAWER
    body.add_joint(
        name=front.name,
        type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
        axis=front.axis,
        range=(0, front.limit),
        damping=[panel.damping, 0, 0],
        frictionloss=panel.friction,
        armature=0.02,
    )
    for solid in panel.solids:
        handle = solid.role is Role.HANDLE
        owner = handle_of(front.name) if handle else front.name
        _add_solid(body, solid, numbers.name(owner), minus=front.anchor)


def _add_press(unit: Any, press: Press) -> None:
    """A button on a spring: 4 N when it is in."""
    button = press.button
    body = unit.add_body(name=button.name, pos=button.face, gravcomp=1)
    body.add_joint(
        name=button.name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=-button.outward,
        range=(0, button.travel),
        stiffness=[400.0, 0, 0],
        springref=-0.002,
        damping=[4.0, 0, 0],
        armature=0.01,
    )
    _add_solid(body, press.solid, f"{button.name}{MARK}0", minus=button.face)


def _add_solid(
    body: Any,
    solid: Solid,
    name: str,
    minus: Array | Sequence[float] = (0.0, 0.0, 0.0),
    contact: dict[str, Any] | None = None,
) -> None:
    """minus: the origin of the body in the frame of the solid."""
    settings: dict[str, Any] = {
        Role.WALL: contact or _FURNITURE,
        Role.HANDLE: _STICKY,
        Role.LOOK: _SEEN,
        Role.HULL: {**(contact or _FURNITURE), "group": _HIDDEN_GROUP},
    }[solid.role]
    paint: dict[str, Any] = (
        {"material": solid.material}
        if isinstance(solid.material, str)
        else {"rgba": (*solid.material, 1)}
    )
    mass = {} if solid.mass is None or solid.role is Role.LOOK else {"mass": solid.mass}
    turn, size = _upright(solid)
    body.add_geom(
        name=name,
        type=_FORMS[solid.form],
        pos=np.array(solid.center) - np.array(minus),
        quat=_wxyz(turn),
        size=size,
        **settings,
        **paint,
        **mass,
    )


#: Turns z of a box to y or x, so that its texture lies on that face.
_TO_Y, _TO_X = from_euler(math.pi / 2, 0.0, 0.0), from_euler(math.pi / 2, 0.0, math.pi / 2)


def _upright(solid: Solid) -> tuple[Array, tuple[float, float, float]]:
    """The rotation and MuJoCo's size of a solid.

    MuJoCo lays textures on a box along its z axis: z goes across the thin side of upright boards.
    """
    a, b, c = solid.half
    if solid.form in (Form.CYLINDER, Form.CAPSULE):
        return from_euler(*solid.turn), (a, c, 0)
    if solid.form is Form.BOX and not any(solid.turn) and isinstance(solid.material, str):
        if b < min(a, c):
            return _TO_Y, (a, c, b)
        if a < min(b, c):
            return _TO_X, (b, c, a)
    return from_euler(*solid.turn), solid.half


def _add_thing(spec: Any, thing: Thing, numbers: _Numbers) -> None:
    assert thing.pose is not None
    kind = kind_of_thing(thing.name, thing.kind)
    body = spec.worldbody.add_body(
        name=thing.name, pos=thing.pose.position, quat=_wxyz(thing.pose.rotation)
    )
    body.add_freejoint(name=thing.name)
    contact = _BALL if kind.shape.kind is ShapeKind.BALL else _THING
    for solid in kind.solids:
        _add_solid(body, solid, numbers.name(thing.name), contact=contact)


def _wxyz(rotation: Array) -> tuple[float, float, float, float]:
    x, y, z, w = (float(value) for value in quaternion(rotation))
    return w, x, y, z

"""Films of the block world: a room with floor, daylight and shadows, and the arm in colours.

The film has its own model with the bodies and joints of the physics. Poses are copied into it; it
is never simulated, so it cannot affect the physics. Frames have a steady rate of simulated time.
"""

from __future__ import annotations

from typing import Any

import mujoco

from ....skills.arm.blocks.block_graph import TABLE_THICKNESS
from ...blocks.scenes import BlockScene
from ...film import Film
from .camera import Camera
from .mjcf import TABLE, mjcf
from .world import MujocoWorld

#: The size of a frame, in pixels.
WIDTH, HEIGHT = 960, 540
#: The name of the camera, which shows the arm with its base, the table and the blocks.
CAMERA = "film"
_LEG, _TOP = 0.025, 0.03
_SHELL, _JOINT, _HAND = (0.93, 0.93, 0.91, 1), (0.20, 0.22, 0.26, 1), (0.16, 0.17, 0.20, 1)
#: In m: by which a collar exceeds its link, and half its length.
_COLLAR, _HALF = 0.0575, 0.011
#: The positions of collars along the axes of the joints, from joint 1 on, in m.
_COLLARS = (-0.132, 0.0, -0.124, 0.0, -0.2, 0.0, 0.06)


class FilmCamera:
    """Feeds a film with frames of a world, until the film is closed; the world is only read."""

    def __init__(self, world: MujocoWorld, film: Film, frame_rate: float) -> None:
        """frame_rate: frames per simulated second. Raises Missing without a renderer."""
        model = film_model(world.scene)
        self._shown = mujoco.MjData(model)
        self._camera = Camera(model, CAMERA, WIDTH, HEIGHT)
        self._world, self._film = world, film
        self._interval_s = 1 / frame_rate
        self._due_s = float(world.data.time)
        world.on_step = self._stepped
        self._stepped()

    def _stepped(self) -> None:
        if self._film.closed:
            self.close()
            return
        data = self._world.data
        while data.time >= self._due_s:
            self._shown.qpos[:] = data.qpos
            self._film.add(self._camera.frame(self._shown))
            self._due_s += self._interval_s

    def close(self) -> None:
        """Detach from the world. May be called more than once."""
        if self._world.on_step is not None:
            self._world.on_step = None
            self._camera.close()


def film_model(scene: BlockScene) -> Any:
    """MuJoCo's model of a scene for films; qpos has the layout of the physics."""
    spec = mujoco.MjSpec.from_string(mjcf(scene))
    spec.visual.quality.shadowsize = 2048
    spec.visual.quality.offsamples = 4
    spec.visual.headlight.ambient = (0.32, 0.32, 0.34)
    spec.visual.headlight.diffuse = (0.18, 0.18, 0.18)
    spec.visual.map.shadowclip = 1.5
    _furnish(spec)
    _light(spec)
    _paint_arm(spec)
    return spec.compile()


def _furnish(spec: Any) -> None:
    """Add a tiled floor, and replace the table's block by a table with legs."""
    floor = next(geom for geom in spec.worldbody.geoms if geom.name == "floor")
    floor.rgba = (1, 1, 1, 1)
    floor.material = _material(spec, "tiles", (0.80, 0.81, 0.83), (0.72, 0.74, 0.77), repeat=6)
    floor.size = (4, 4, 0.1)
    wood = _material(spec, "wood", (0.76, 0.60, 0.42), (0.72, 0.56, 0.38), repeat=1)
    table = next(geom for geom in spec.worldbody.geoms if geom.name == TABLE)
    (x, y, _), (wide, deep, _) = table.pos, table.size
    table.material, table.rgba = wood, (1, 1, 1, 1)
    table.pos, table.size = (x, y, -_TOP / 2), (wide, deep, _TOP / 2)
    tall = (TABLE_THICKNESS - _TOP) / 2
    for across in (-1, 1):
        for along in (-1, 1):
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=(_LEG, _LEG, tall),
                pos=(x + across * (wide - 0.05), y + along * (deep - 0.05), -_TOP - tall),
                rgba=(0.35, 0.30, 0.26, 1),
            )


def _material(
    spec: Any,
    name: str,
    one: tuple[float, float, float],
    two: tuple[float, float, float],
    *,
    repeat: int,
) -> str:
    """A checkered material of two colours."""
    spec.add_texture(
        name=name,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=one,
        rgb2=two,
        width=256,
        height=256,
    )
    material = spec.add_material(name=name, texrepeat=(repeat, repeat))
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    return name


def _light(spec: Any) -> None:
    for light in list(spec.worldbody.lights):
        spec.delete(light)
    spec.worldbody.add_light(
        pos=(0.9, -1.2, 2.2),
        dir=(-0.35, 0.75, -1.6),
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        diffuse=(0.62, 0.60, 0.56),
        specular=(0.25, 0.25, 0.25),
        castshadow=True,
    )
    spec.worldbody.add_camera(
        name=CAMERA, pos=(1.66, -1.12, 1.0), xyaxes=(0.66, 0.75, 0, -0.30, 0.264, 0.917), fovy=36
    )


def _paint_arm(spec: Any) -> None:
    """Paint links light, with a dark collar at each joint, and the hand dark."""
    for body in spec.bodies:
        if body.name.startswith("link"):
            for geom in body.geoms:
                geom.rgba = _SHELL
        elif body.name == "hand":
            for geom in body.geoms:
                geom.rgba = _HAND
    for number, along in enumerate(_COLLARS, start=1):
        spec.body(f"link{number}").add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=(_COLLAR, _HALF, 0),
            pos=(0, 0, along),
            rgba=_JOINT,
        )

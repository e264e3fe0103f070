"""The agent's actions, with AI2-THOR's names and arguments.

Each function has the signature of its action, with arguments in snake case. Requests are matched
with them by name, by the rules of AI2-THOR. A wrong argument gets AI2-THOR's error code, which the
Controller turns into ValueError.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from ..objects import SCENES
from . import manipulation, motion, scene_setup, states, visibility
from .world import ActionRefused, ThorScene

#: A function from a scene and the action's arguments to its `actionReturn`.
ActionFunction = Callable[..., Any]
Vector = dict[str, float]

#: Queries, after which only their `actionReturn` is sent.
QUERIES = frozenset(
    {"GetInteractablePoses", "GetObjectInFrame", "GetReachablePositions", "GetScenesInBuild"}
)


# --- the agent -----------------------------------------------------------------------------------


def _nothing(world: ThorScene) -> None:
    pass


def _mover(ahead: int, right: int) -> ActionFunction:
    def move(
        world: ThorScene, move_magnitude: float | None = None, force_action: bool = False
    ) -> None:
        length = world.settings.grid if move_magnitude is None else move_magnitude
        motion.move(world, ahead * length, right * length)

    return move


def _turner(sign: int) -> ActionFunction:
    def rotate(world: ThorScene, degrees: float | None = None, force_action: bool = False) -> None:
        motion.rotate(world, sign * (world.settings.rotate_step if degrees is None else degrees))

    return rotate


def _looker(sign: int) -> ActionFunction:
    def look(world: ThorScene, degrees: float = 30.0, force_action: bool = False) -> None:
        motion.look(world, sign * degrees)

    return look


def _teleport(
    world: ThorScene,
    position: Vector | None = None,
    x: float | None = None,
    y: float | None = None,
    z: float | None = None,
    rotation: Vector | None = None,
    horizon: float | None = None,
    standing: bool | None = None,
    force_action: bool = False,
) -> None:
    agent = world.agent
    place = {"x": agent.x, "y": agent.y, "z": agent.z}
    for axis, value in zip("xyz", (x, y, z), strict=True):
        place[axis] = (position or place).get(axis, place[axis]) if value is None else value
    motion.teleport(
        world,
        place["x"],
        place["y"],
        place["z"],
        agent.yaw if rotation is None else float(rotation.get("y", 0.0)),
        agent.horizon if horizon is None else horizon,
        agent.standing if standing is None else standing,
        force_action,
    )


def _teleport_full(
    world: ThorScene,
    rotation: Vector,
    horizon: float,
    standing: bool,
    position: Vector | None = None,
    x: float | None = None,
    y: float | None = None,
    z: float | None = None,
    force_action: bool = False,
) -> None:
    if position is None and None in (x, y, z):
        raise ActionRefused(
            "action: TeleportFull is missing the following arguments: position", "MissingArguments"
        )
    _teleport(world, position, x, y, z, rotation, horizon, standing, force_action)


def _teleport_full_2_1(
    world: ThorScene,
    x: float,
    y: float,
    z: float,
    rotation: Vector | None = None,
    horizon: float = 0.0,
    standing: bool = True,
    force_action: bool = False,
) -> None:
    _teleport(world, None, x, y, z, rotation, horizon, standing, force_action)


def _stand(world: ThorScene) -> None:
    motion.stand(world, True)


def _crouch(world: ThorScene) -> None:
    motion.stand(world, False)


def _scenes(world: ThorScene) -> list[str]:
    return [f"{scene}_physics" for scene in SCENES]


# --- the hand ------------------------------------------------------------------------------------


def _pick_up(
    world: ThorScene,
    object_id: str | None = None,
    x: float | None = None,
    y: float | None = None,
    force_action: bool = False,
    manual_interact: bool = False,
) -> None:
    manipulation.pick_up(world, _chosen(world, object_id, x, y, "pickupable"), force_action)


def _put(
    world: ThorScene,
    object_id: str | None = None,
    x: float | None = None,
    y: float | None = None,
    force_action: bool = False,
    place_stationary: bool = True,
    random_seed: int = 0,
    put_near_xy: bool = False,
) -> None:
    if world.held is None:
        manipulation.put(world, None, force_action, random_seed)
    chosen = _chosen(world, object_id, x, y, "receptacle")
    manipulation.put(world, chosen, force_action, int(random_seed))


def _put_2_1(
    world: ThorScene,
    receptacle_object_id: str,
    object_id: str | None = None,
    force_action: bool = False,
    place_stationary: bool = False,
) -> None:
    if world.held is None or object_id not in (None, world.held):
        raise ActionRefused("Can't place an object if Agent isn't holding anything")
    manipulation.put(world, receptacle_object_id, force_action, 0)


def _chosen(
    world: ThorScene, object_id: str | None, x: float | None, y: float | None, flag: str
) -> str:
    """The named object, or the first in sight at that point of the frame."""
    if object_id is not None:
        return object_id
    if x is None or y is None:
        raise ActionRefused(
            "No valid Receptacle found" if flag == "receptacle" else manipulation.NOT_SEEN,
            "ReceptacleNotVisible" if flag == "receptacle" else "ObjectNotVisible",
        )
    chosen = visibility.at_screen(world, x, y, flag)
    if chosen is None:
        raise ActionRefused(
            "No valid Receptacle found" if flag == "receptacle" else manipulation.NOT_SEEN
        )
    return chosen


def _drop(world: ThorScene, force_action: bool = False, auto_simulation: bool = True) -> None:
    manipulation.drop(world, force_action)


def _throw(world: ThorScene, move_magnitude: float = 0.0, force_action: bool = False) -> None:
    manipulation.drop(world, force_action, throw=min(max(move_magnitude, 0.0) / 100, 3.0) + 0.25)


# --- states --------------------------------------------------------------------------------------


def _of_object(change: Callable[[ThorScene, str, bool], None]) -> ActionFunction:
    def changed(world: ThorScene, object_id: str, force_action: bool = False) -> None:
        change(world, object_id, force_action)

    return changed


# --- setting up ----------------------------------------------------------------------------------


def _poses(
    world: ThorScene, object_poses: list[dict[str, Any]], place_stationary: bool = True
) -> None:
    scene_setup.set_object_poses(world, object_poses, only_pickupable=False)


def _poses_2_1(
    world: ThorScene, object_poses: list[dict[str, Any]], place_stationary: bool = True
) -> None:
    scene_setup.set_object_poses(world, object_poses, only_pickupable=True)


def _unbreakable(world: ThorScene, object_type: str) -> None:
    world.unbreakable.add(object_type)


#: The actions of ai2thor 5.0.0 by name.
ACTIONS: dict[str, ActionFunction] = {
    "Pass": _nothing,
    "Done": _nothing,
    "NoOp": _nothing,
    "MoveAhead": _mover(1, 0),
    "MoveBack": _mover(-1, 0),
    "MoveLeft": _mover(0, -1),
    "MoveRight": _mover(0, 1),
    "RotateLeft": _turner(-1),
    "RotateRight": _turner(1),
    "LookUp": _looker(-1),
    "LookDown": _looker(1),
    "Teleport": _teleport,
    "TeleportFull": _teleport_full,
    "Stand": _stand,
    "Crouch": _crouch,
    "GetScenesInBuild": _scenes,
    "GetReachablePositions": motion.reachable_positions,
    "GetInteractablePoses": motion.interactable_poses,
    "PickupObject": _pick_up,
    "PutObject": _put,
    "DropHandObject": _drop,
    "DropHeldObject": _drop,
    "ThrowObject": _throw,
    "OpenObject": states.open_,
    "CloseObject": states.close,
    "ToggleObjectOn": _of_object(lambda w, i, f: states.toggle(w, i, True, f)),
    "ToggleObjectOff": _of_object(lambda w, i, f: states.toggle(w, i, False, f)),
    "SliceObject": states.slice_,
    "BreakObject": states.break_,
    "DirtyObject": _of_object(lambda w, i, f: states.set_dirty(w, i, True, f)),
    "CleanObject": _of_object(lambda w, i, f: states.set_dirty(w, i, False, f)),
    "CookObject": states.cook,
    "UseUpObject": states.use_up,
    "FillObjectWithLiquid": states.fill,
    "EmptyLiquidFromObject": states.empty,
    "SetObjectPoses": _poses,
    "SetObjectToggles": scene_setup.set_object_toggles,
    "SetObjectStates": scene_setup.set_object_states,
    "MakeObjectsOfTypeUnbreakable": _unbreakable,
    "DisableObject": scene_setup.disable,
    "RemoveFromScene": scene_setup.disable,
}
#: The actions that differ in ai2thor 2.1.
ACTIONS_2_1: dict[str, ActionFunction] = {
    "PutObject": _put_2_1,
    "SetObjectPoses": _poses_2_1,
    "SetStateOfAllObjects": scene_setup.set_all_objects,
    "TeleportFull": _teleport_full_2_1,
}
#: Arguments allowed for any action.
_COMMON = frozenset(
    {
        "action",
        "agent_id",
        "fov",
        "render_class_image",
        "render_depth_image",
        "render_image",
        "render_instance_segmentation",
        "render_normals_image",
        "render_object_image",
        "render_semantic_segmentation",
        "sequence_id",
    }
)


def perform(world: ThorScene, action: dict[str, Any], convention: str) -> Any:
    """Do the action of a request; its `actionReturn`.

    convention: "2.1" for the arguments of ai2thor 2.1. Raises ActionRefused.
    """
    name = str(action.get("action"))
    function = ACTIONS.get(name)
    if convention == "2.1":
        function = ACTIONS_2_1.get(name, function)
    if function is None:
        raise ActionRefused(f"Invalid action: {name}", "InvalidAction")
    given = {_snake(key): value for key, value in action.items()}
    if convention == "2.1":
        given = {key: value for key, value in given.items() if key in _parameters(function)}
    arguments = {k: v for k, v in given.items() if k in _parameters(function) or k not in _COMMON}
    _check(name, function, arguments)
    return function(world, **arguments)


def _check(name: str, function: ActionFunction, arguments: dict[str, Any]) -> None:
    parameters = _parameters(function)
    unknown = sorted(set(arguments) - set(parameters))
    if unknown:
        raise ActionRefused(
            f"action: {name} has unexpected arguments: {','.join(map(_camel, unknown))}. "
            f"It takes: {','.join(map(_camel, parameters))}",
            "InvalidArgument",
        )
    lacking = [k for k, p in parameters.items() if p.default is p.empty and k not in arguments]
    if lacking:
        raise ActionRefused(
            f"action: {name} is missing the following arguments: {','.join(map(_camel, lacking))}",
            "MissingArguments",
        )
    types = _types(function)
    for key, value in arguments.items():
        try:
            types[key].validate_python(value, strict=True)
        except ValidationError:
            wanted = str(parameters[key].annotation).removesuffix(" | None")
            raise ActionRefused(
                f"action: {name} has an invalid argument: {_camel(key)} (=={value}). "
                f"Cannot convert to: {wanted}",
                "InvalidArgument",
            ) from None


@cache
def _types(function: ActionFunction) -> dict[str, TypeAdapter[Any]]:
    hints = get_type_hints(function)
    return {key: TypeAdapter(hints[key]) for key in _parameters(function)}


@cache
def _parameters(function: ActionFunction) -> dict[str, inspect.Parameter]:
    return dict(list(inspect.signature(function).parameters.items())[1:])


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)

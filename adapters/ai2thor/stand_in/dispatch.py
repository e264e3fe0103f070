"""Matches requests with the functions that do them, by the rules of AI2-THOR.

Arguments are matched by name. A wrong one gets AI2-THOR's error code, which the Controller turns
into ValueError.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from .actions import ACTIONS, ACTIONS_2_1, ActionFunction
from .refusals import ActionRefused
from .world import ThorScene

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

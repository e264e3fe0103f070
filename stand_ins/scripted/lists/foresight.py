"""What comes of an action, as far as one can foresee it."""

from __future__ import annotations

from dataclasses import replace

from ..dialects.llm_state import ListedScene, Placed
from ..dialects.reactree import parse_put
from ..household.memory import Memory
from .log import target

_RELATIONS = {"in": "inside", "on": "on", "under": "under"}


def is_foreseeable(memory: Memory, action: str) -> bool:
    """Whether an action brings nothing new in sight: no place that was not looked at yet."""
    name = target(action)
    if action.startswith("go to "):
        if name in memory.rooms:
            return name in memory.visited_rooms
        return name not in memory.furniture or name in memory.inspected
    return not action.startswith("open ") or name in memory.seen_into


def scene_after(scene: ListedScene, action: str) -> ListedScene:
    """The scene after an action that succeeds."""
    name = target(action)
    if action.startswith("go to "):
        return _after_walk(scene, name)
    if action.startswith("pick up "):
        held = (*scene.held, name)
        return replace(scene.without(name), held=held, close=scene.close - {name})
    put = parse_put(action)
    if put is not None:
        thing, how, place = put
        if how is None:
            return scene
        placed = Placed(_RELATIONS[how], place, frozenset({"Object List"}))
        return replace(
            scene,
            things={**scene.things, thing: placed},
            held=tuple(other for other in scene.held if other != thing),
            close=scene.close | {thing},
        )
    return scene


def _after_walk(scene: ListedScene, name: str) -> ListedScene:
    if name in scene.rooms:
        return replace(scene, room=name, close=frozenset())
    furniture = scene.furniture_of(name)
    close = {name, furniture, *scene.at(name), *scene.at(furniture)}
    return replace(scene, room=scene.room_of(name) or scene.room, close=frozenset(close))

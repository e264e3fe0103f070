"""The memory of a told scene and of what was done before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..dialects.lookplangraph import GraphScene, ToldNode, keepers, room_of
from ..household.memory import Memory, Sighting
from ..household.memory_updates import note_treatment
from .history import EarlierCall

#: The states of what is told to be in no other.
_USUAL = ("plugged_in",)


def with_noted(scene: GraphScene, noted: Sequence[ToldNode]) -> GraphScene:
    """The scene with what reasons noted of rooms that are not told now.

    What was noted at a place that was looked at since, and is not told, is not there any more.
    """
    nodes = dict(scene.nodes)
    for node in noted:
        if node.room == scene.here or node.name in scene.nodes or node.name in scene.held:
            continue
        places = [scene.nodes.get(place) for _, place in node.places]
        if not any(place is not None and place.is_discovered for place in places):
            nodes[node.name] = node
    return replace(scene, nodes=nodes)


def memory_of_scene(
    scene: GraphScene, calls: Sequence[EarlierCall], *, tells_all: bool, hands: int
) -> Memory:
    """What is known.

    tells_all: whether the scene tells every room. What stands at what was looked at, in the room
    where one is, is within reach: a correction goes there.
    """
    memory = Memory(hands=hands)
    memory.rooms, memory.room = list(scene.rooms), scene.here
    memory.held = list(scene.held)
    mine = _note_calls(memory, calls)
    entered = {call.arguments[0] for call in calls if call.function == "go_to" and not call.failure}
    memory.visited_rooms = {*(scene.rooms if tells_all else ()), *entered.intersection(scene.rooms)}
    told_of = {scene.here, *(node.room for node in scene.nodes.values())}
    memory.visited_rooms.update(room for room in scene.rooms if room in told_of)
    memory.looked_around = set(scene.rooms)
    for node in scene.nodes.values():
        _note_node(memory, scene, node, mine)
    memory.reachable = {
        *memory.held,
        *(
            name
            for name, node in scene.nodes.items()
            if room_of(scene, name) == scene.here
            and (node.is_discovered if node.is_asset else not node.is_remembered)
        ),
    }
    return memory


def _note_node(memory: Memory, scene: GraphScene, node: ToldNode, mine: Mapping[str, str]) -> None:
    room = room_of(scene, node.name)
    for state in (*_USUAL, *node.states):
        memory.set_state(node.name, state)
    if node.is_discovered:
        memory.inspected.add(node.name)
        memory.seen_into.add(node.name)
    if node.is_asset:
        memory.furniture[node.name] = room
        return
    above = keepers(scene, node.name)
    root = next((name for name in above if _is_asset(scene, name)), None)
    relation, place = node.places[0] if node.places else (None, None)
    if place in scene.rooms:
        relation, place = None, None
    placed_by_me = place is not None and mine.get(node.name) == place
    memory.things[node.name] = Sighting(room, root or place, place, relation, placed_by_me)
    if root is None and place is None:
        memory.furniture[node.name] = room


def _is_asset(scene: GraphScene, name: str) -> bool:
    node = scene.nodes.get(name)
    return node is not None and node.is_asset


def _note_calls(memory: Memory, calls: Sequence[EarlierCall]) -> dict[str, str]:
    """Note what was done and failed; where oneself has put each thing."""
    mine: dict[str, str] = {}
    for call in calls:
        for action in call.actions:
            if call.failure:
                memory.failures[action, call.failure] += 1
                memory.failures_in_a_row[action] += 1
                _learn(memory, call)
                continue
            memory.succeeded.append(action)
            memory.failures_in_a_row[action] = 0
        if call.failure:
            continue
        if call.function == "rearrange":
            thing, relation, place = call.arguments
            mine[thing] = place
            memory.things[thing] = Sighting(None, place, place, relation, placed_by_me=True)
        elif call.function == "discover_objects":
            memory.inspected.add(call.arguments[0])
            memory.seen_into.add(call.arguments[0])
        elif call.function == "pick_up":
            mine.pop(call.arguments[0], None)
            memory.things.pop(call.arguments[0], None)
        else:
            note_treatment(memory, call.actions[0], call.arguments[0])
    memory.things.clear()
    return mine


def _learn(memory: Memory, call: EarlierCall) -> None:
    """Learn from why a call was not done."""
    if "cannot be picked up" in call.failure:
        memory.not_graspable.add(call.arguments[0])
    elif "no door" in call.failure:
        memory.not_openable.add(call.arguments[0])
    elif call.function == "rearrange" and any(
        said in call.failure for said in ("Nothing can be put", "no room left", "no free spot")
    ):
        memory.refusing.add(call.arguments[2])

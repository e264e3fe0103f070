"""What is known of a house from the lists of the moment and the log of what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..dialects.llm_state import ListedScene, is_furniture
from ..dialects.reactree import category
from ..household import commonsense
from ..household.memory import Memory, Sighting
from ..household.memory_updates import memory_of
from .log import Logged, transcript_of


def memory_of_lists(
    scene: ListedScene,
    log: Sequence[Logged],
    *,
    hands: int = 2,
    opening_needs_hand: bool = False,
) -> Memory:
    """The memory of a log, with the places that the lists tell."""
    transcript = transcript_of(log, scene, hands=hands, opening_needs_hand=opening_needs_hand)
    memory = memory_of(transcript)
    done = {thing: seen for thing, seen in memory.things.items() if seen.placed_by_me}
    _note_agent(memory, scene)
    _note_places(memory, scene, done)
    _note_open(memory, scene, log)
    if _sees_whole_rooms(memory):
        memory.inspected |= memory.furniture.keys()
    return memory


def _note_agent(memory: Memory, scene: ListedScene) -> None:
    memory.rooms = list(scene.rooms)
    memory.room = scene.room
    memory.held, memory.worn = list(scene.held), list(scene.worn)
    memory.reachable = {*scene.close, *scene.held}
    memory.resting = bool(scene.posture)


def _note_places(memory: Memory, scene: ListedScene, done: Mapping[str, Sighting]) -> None:
    """Note where everything is. done: what oneself has put somewhere."""
    memory.furniture, memory.things = {}, {}
    for name, placed in scene.things.items():
        room = scene.room_of(name)
        if is_furniture(scene, name):
            memory.furniture[name] = room
            continue
        mine = name in done and done[name].place == placed.place
        root = scene.furniture_of(name)
        memory.things[name] = Sighting(room, root, placed.place, placed.relation, mine)
    seen = {scene.room_of(name) for name in scene.things} | {scene.room}
    memory.visited_rooms |= {room for room in seen if room is not None}
    memory.looked_around |= memory.visited_rooms
    memory.inspected |= {name for name in scene.close if name in memory.furniture}


def _note_open(memory: Memory, scene: ListedScene, log: Sequence[Logged]) -> None:
    """Note as open what one sees into and has not closed, and what was looked into."""
    tried = {each.action.removeprefix("open ") for each in log if each.action.startswith("open ")}
    memory.seen_into = {name for name in tried if memory.state(name, "open") is not None}
    closed = {each.action.removeprefix("close ") for each in log if each.succeeded}
    for placed in scene.things.values():
        place = placed.place
        if placed.relation == "inside" and place in scene.things and place not in closed:
            assert place is not None
            memory.set_state(place, "open")
            memory.seen_into.add(place)


def _sees_whole_rooms(memory: Memory) -> bool:
    """Whether one sees what lies about on furniture that one has not been at, nor beside it."""
    roots = {
        sighting.stood_at
        for name, sighting in memory.things.items()
        if not sighting.placed_by_me and commonsense.lies_about(category(name))
    }
    unseen = [root for root in roots if root in memory.furniture and root not in memory.inspected]
    return len(unseen) >= _MANY


#: Pieces of furniture that one may see by chance, standing beside another.
_MANY = 3

"""The search for things that were not found yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..dialects.reactree import category
from ..transcript import Choice
from . import commonsense
from .situation import Choices, Situation
from .subtasks import approach, open_container

#: In steps: walking there or opening, what is added for another room, and for one not seen yet.
_STEP = 1.0
_OTHER_ROOM = 0.7
_UNSEEN_ROOM = 0.3
#: What furniture that is usual for its room adds to the value of a room that was not seen yet.
_USUAL_FURNITURE = 3.0
#: The value of looking around a room for what its text left out, by that of entering it.
_LOOK_AROUND = 0.1
#: The value of what lies about and can be opened, by that of furniture.
_LOOSE_CONTAINER = 0.2
#: The value of what stood beside something that was looked at, by that of other furniture.
_GLIMPSED = 0.2


def search_for(
    situation: Situation,
    sought: Sequence[str],
    *,
    thoroughly: bool = True,
    among: Callable[[str], bool] = lambda _: True,
) -> Choices:
    """Look where things of these categories are most likely found for the least walking.

    Where the text keeps account of what is left to look at, what it names first comes first.
    thoroughly: at what stood beside something that was looked at, too. among: whether to look at a
    place or in a room at all.
    """
    yield from _as_listed(situation, sought, among)
    found = (place for place in _places(situation, sought, thoroughly) if among(place[1]))
    places = sorted(found, key=lambda place: (-place[0], place[1]))
    what = " or ".join(dict.fromkeys(sought))
    for _, name, opens in places:
        if name in situation.memory.visited_rooms:
            yield from _look_around(situation, name, what)
        elif name in situation.memory.rooms:
            yield Choice(
                f"I have not been in the {name} yet; the {what} may be there.", f"go to {name}"
            )
        elif opens:
            yield from open_container(situation, name, f"The {what} may be in {name}.")
        else:
            yield from approach(situation, name, f"The {what} may be at {name}.")
    memory = situation.memory
    only_room = memory.room if len(memory.rooms) == 1 else None
    if only_room is None or not among(only_room):
        return
    if f"go to {only_room}" not in memory.succeeded:
        yield Choice(f"The {what} may lie on the floor.", f"go to {only_room}")


def _as_listed(
    situation: Situation, sought: Sequence[str], among: Callable[[str], bool]
) -> Choices:
    """Look into what one stands at, and then at what is told to be left to look at."""
    memory = situation.memory
    what = " or ".join(dict.fromkeys(sought))
    left = [name for name in situation.not_looked_at if among(name)]
    if left and all(map(commonsense.is_seen_at_a_glance, sought)):
        for room in _rooms_not_seen(situation, sought):
            if among(room):
                yield Choice(f"One sees a {what} on coming into its room.", f"go to {room}")
    here = memory.last_target if left else None
    if here is not None and among(here) and memory.in_reach(here):
        closed = here not in memory.seen_into and memory.state(here, "closed")
        if closed:
            yield from open_container(situation, here, f"The {what} may be in {here}.")
    for name in left:
        if name != here:
            yield Choice(f"I have not looked at {name} yet.", f"go to {name}")


def look_at_the_rest(situation: Situation) -> Choices:
    """Look at what is told to be left to look at: what was lost from sight may come in sight."""
    yield from _as_listed(situation, ("rest",), lambda _: True)


def _rooms_not_seen(situation: Situation, sought: Sequence[str]) -> list[str]:
    """The rooms that one was not in yet, those that usually have what is sought first."""
    memory = situation.memory
    usual = {commonsense.usual_room(thing) for thing in sought} - {""}
    rooms = [room for room in memory.rooms if room not in memory.visited_rooms]
    return sorted(rooms, key=lambda room: usual.isdisjoint(category(room).split()))


def _look_around(situation: Situation, room: str, what: str) -> Choices:
    """Look for what the text of a room left out."""
    if room == situation.memory.room:
        yield Choice(f"The {what} may stand about here.", "look around")
    else:
        yield Choice(f"The {what} may stand about in the {room}.", f"go to {room}")


def _places(
    situation: Situation, sought: Sequence[str], thoroughly: bool
) -> Iterator[tuple[float, str, bool]]:
    """Every place not looked at: its value per step, its name, whether it has to be opened."""
    memory = situation.memory
    for room in memory.rooms:
        kind = category(room)
        value = sum(commonsense.room_search_value(thing, kind) for thing in sought)
        if room not in memory.visited_rooms:
            usual = sum(commonsense.usual_room(thing) in kind.split() for thing in sought)
            yield (value + _USUAL_FURNITURE * usual) / (_STEP + _UNSEEN_ROOM), room, False
        elif len(memory.rooms) > 1 and room not in memory.looked_around:
            steps = _STEP + (_OTHER_ROOM + _STEP) * (room != memory.room)
            yield value / steps * _LOOK_AROUND, room, False
    for name in memory.known_names():
        is_furniture = name in memory.furniture
        opens = name not in memory.seen_into and _may_hide(situation, name)
        seen = name in memory.inspected or (name in memory.glimpsed and not thoroughly)
        if not opens and (seen or not is_furniture):
            continue
        room_of_it = memory.room_of(name)
        steps = _STEP
        if not memory.in_reach(name):
            steps += _OTHER_ROOM * (room_of_it != memory.room)
            steps += _STEP * (opens or commonsense.has_door(category(name)))
        kind, room_kind = category(name), category(room_of_it or "")
        value = sum(commonsense.search_value(thing, kind, room_kind) for thing in sought)
        if name in memory.glimpsed and name not in memory.inspected and not opens:
            value *= _GLIMPSED
        yield value / steps * (1.0 if is_furniture else _LOOSE_CONTAINER), name, opens


def _may_hide(situation: Situation, name: str) -> bool:
    """Whether something may be hidden in a thing, as far as one knows."""
    memory = situation.memory
    if name in memory.not_openable or memory.state(name, "open"):
        return False
    if memory.state(name, "closed"):
        return True
    if memory.in_reach(name) and situation.options is not None:
        return situation.offered(f"open {name}")
    looked_at = name in memory.inspected | memory.glimpsed or name not in memory.furniture
    return looked_at and commonsense.has_door(category(name))

"""Handle a thing, and search for things that were not found yet.

Each function yields choices, the best first, with `why` as the beginning of the thought. It yields
none if nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from ..table import category
from . import commonsense
from .memory import Choice, Choices, HouseSituation, Memory

#: Furniture with at least this search value is good for putting things down.
_SURFACE = 1.0
#: Costs in steps: walking or opening, and additions for another room and for an unseen one.
_STEP, _OTHER_ROOM, _UNSEEN_ROOM = 1.0, 0.7, 0.3
#: Addition to the value of an unseen room for its usual furniture.
_USUAL_FURNITURE = 3.0
#: The value of small things that can be opened, relative to furniture.
_LOOSE_CONTAINER = 0.2


def approach(situation: HouseSituation, name: str, why: str) -> Choices:
    """Walk to where a thing can be handled."""
    memory = situation.memory
    if memory.in_reach(name) or name in memory.held:
        return
    known = memory.things.get(name)
    place = shut_in(memory, name)
    if place is not None:
        yield from open_container(situation, place, why)
        return
    yield Choice(f"{why} It is time to go to {name}.", f"go to {name}")
    if known is not None:
        for other in (known.place, known.at):
            if other is not None and not memory.in_reach(other):
                yield Choice(f"{why} I saw {name} at {other}.", f"go to {other}")
    room = memory.room_of(name)
    if room is not None and room != memory.room:
        yield Choice(f"{why} {name} is in the {room}.", f"go to {room}")


def shut_in(memory: Memory, name: str) -> str | None:
    """The closed container of a thing, or None."""
    known = memory.things.get(name)
    if known is None or known.place is None or known.relation != "inside":
        return None
    return known.place if memory.state(known.place, "closed") else None


def open_container(situation: HouseSituation, container: str, why: str) -> Choices:
    """Open a container, also at another place."""
    memory = situation.memory
    if not memory.in_reach(container):
        yield from approach(situation, container, why)
        return
    if memory.state(container, "on"):
        yield Choice(f"{why} {container} is running and must stop.", f"turn off {container}")
    if memory.opening_needs_hand and len(memory.held) >= memory.hands:
        yield from set_aside(situation, memory.held[-1], "I need a free hand to open it.")
    yield Choice(f"{why} {container} has to be open.", f"open {container}")


def pick_up(
    situation: HouseSituation, name: str, why: str, keep: frozenset[str] = frozenset()
) -> Choices:
    """Pick a thing up. keep: things that are not set aside for it."""
    memory = situation.memory
    if name in memory.held:
        return
    if len(memory.held) >= memory.hands:
        for other in memory.held:
            if other not in keep:
                yield from set_aside(situation, other, "My hands are full.")
        return
    if not memory.in_reach(name):
        yield from approach(situation, name, why)
        return
    place = shut_in(memory, name)
    if place is not None:  # such as a microwave that heated it
        yield from open_container(situation, place, why)
    yield Choice(f"{why} I take {name}.", f"pick up {name}")


def make_room(
    situation: HouseSituation, place: str, belonging: Collection[str] = frozenset()
) -> Choices:
    """Take a thing from a full place. belonging: things that have to stay there."""
    memory = situation.memory
    why = f"{place} is full."
    there = [n for n, known in memory.things.items() if known.place == place and n not in belonging]
    if not there and place in memory.looked:
        return
    if not memory.in_reach(place):
        yield from approach(situation, place, why)
        return
    if memory.state(place, "closed"):
        yield from open_container(situation, place, why)
        return
    for thing in there:
        yield from pick_up(situation, thing, why)


def set_aside(situation: HouseSituation, name: str, why: str, away_from: str = "") -> Choices:
    """Put a held thing down at any near place, except those to keep free."""
    memory = situation.memory
    beginning = f"put down {name} on "
    places = {*memory.cleared, *memory.refusing, *filter(None, (away_from,))}
    kept_free = tuple(f" {place}" for place in places)
    for action in sorted(situation.menu or ()):
        if action.startswith(beginning) and not action.endswith(kept_free):
            yield Choice(f"{why} {name} can lie here.", action)
    for place in sorted(memory.reach):
        if situation.menu is None and is_surface(place) and place not in places:
            yield Choice(f"{why} {name} can lie here.", f"{beginning}{place}")
    yield Choice(f"{why} I let go of {name}.", f"drop {name}")
    for action in sorted(situation.menu or ()):
        if action.startswith("go to ") and is_surface(action[6:]):
            yield Choice(f"{why} I look for a place for {name}.", action)


def put_down(situation: HouseSituation, name: str, relation: str, place: str, why: str) -> Choices:
    """Put a held thing down at a place."""
    memory = situation.memory
    if place in memory.rooms:
        if memory.room != place:
            yield Choice(f"{why} {name} belongs in the {place}.", f"go to {place}")
            return
        yield from set_aside(situation, name, why)
        return
    if not memory.in_reach(place):
        yield from approach(situation, place, why)
        return
    shut = shut_in(memory, place)
    if shut or (relation == "inside" and may_be_closed(situation, place)):
        yield from open_container(situation, shut or place, why)
    preposition = {"inside": "in", "under": "under"}.get(relation, "on")
    yield Choice(f"{why} {name} goes here.", f"put down {name} {preposition} {place}")
    if memory.last_target != place:  # in sight, but too far away
        yield Choice(f"{why} It is time to go to {place}.", f"go to {place}")


def may_be_closed(situation: HouseSituation, container: str) -> bool:
    """Whether a container in reach may be closed."""
    if situation.memory.state(container, "closed"):
        return True
    return situation.offered(f"open {container}")


def is_surface(furniture: str) -> bool:
    """Whether such furniture is usually good for putting things down."""
    return commonsense.search_value("", category(furniture), "") >= _SURFACE


# --- looking for things --------------------------------------------------------------------------


def search_for(
    situation: HouseSituation, sought: Sequence[str], among: Callable[[str], bool] = lambda _: True
) -> Choices:
    """Look at the places where things of these categories are most likely, with the least walking.

    If the observation lists places that are left to look at, its order counts. among: whether a
    place or room may be searched.
    """
    yield from _as_listed(situation, sought, among)
    found = (place for place in _places(situation, sought) if among(place[1]))
    places = sorted(found, key=lambda place: (-place[0], place[1]))
    what = " or ".join(dict.fromkeys(sought))
    memory = situation.memory
    for _, name, opens in places:
        if name in memory.rooms:
            yield Choice(
                f"I have not been in the {name} yet; the {what} may be there.", f"go to {name}"
            )
        elif opens:
            yield from open_container(situation, name, f"The {what} may be in {name}.")
        else:
            yield from approach(situation, name, f"The {what} may be at {name}.")
    only_room = memory.room if len(memory.rooms) == 1 else None
    if only_room and among(only_room) and f"go to {only_room}" not in memory.succeeded:
        yield Choice(f"The {what} may lie on the floor.", f"go to {only_room}")


def look_at_the_rest(situation: HouseSituation) -> Choices:
    """Look at the places that the observation lists as left: lost things may be there."""
    yield from _as_listed(situation, ("rest",), lambda _: True)


def _as_listed(
    situation: HouseSituation, sought: Sequence[str], among: Callable[[str], bool]
) -> Choices:
    """Look into the present place, and then at the places that the observation lists as left."""
    memory = situation.memory
    what = " or ".join(dict.fromkeys(sought))
    left = [name for name in memory.left if among(name)]
    if left and all(map(commonsense.is_seen_at_a_glance, sought)):
        for room in _rooms_not_seen(situation, sought):
            if among(room):
                yield Choice(f"One sees a {what} on coming into its room.", f"go to {room}")
    here = memory.last_target if left else None
    if here and among(here) and memory.in_reach(here) and _may_hide(memory, here):
        yield from open_container(situation, here, f"The {what} may be in {here}.")
    for name in left:
        if name != here:
            yield Choice(f"I have not looked at {name} yet.", f"go to {name}")


def _may_hide(memory: Memory, name: str) -> bool:
    """Whether a thing is closed and its contents were not seen."""
    return memory.state(name, "closed") is True and name not in memory.seen_into


def _rooms_not_seen(situation: HouseSituation, sought: Sequence[str]) -> list[str]:
    """The unvisited rooms, the most likely ones first."""
    memory = situation.memory
    usual = {commonsense.usual_room(thing) for thing in sought} - {""}
    rooms = [room for room in memory.rooms if room not in memory.visited]
    return sorted(rooms, key=lambda room: usual.isdisjoint(category(room).split()))


def _places(situation: HouseSituation, sought: Sequence[str]) -> Iterator[tuple[float, str, bool]]:
    """Every place not looked at yet: value per step, name, whether it has to be opened."""
    memory = situation.memory
    for room in memory.rooms:
        kind = category(room)
        value = sum(commonsense.room_search_value(thing, kind) for thing in sought)
        if room not in memory.visited:
            usual = sum(commonsense.usual_room(thing) in kind.split() for thing in sought)
            yield (value + _USUAL_FURNITURE * usual) / (_STEP + _UNSEEN_ROOM), room, False
    for name, known in memory.things.items():
        opens = memory.openable(name) and _may_hide(memory, name)
        if not opens and (name in memory.looked or known.at is not None):
            continue
        steps = _STEP
        if not memory.in_reach(name):
            steps += _OTHER_ROOM * (known.room != memory.room)
            steps += _STEP * memory.openable(name)
        kind, room_kind = category(name), category(known.room or "")
        value = sum(commonsense.search_value(thing, kind, room_kind) for thing in sought)
        yield value / steps * (1.0 if known.at is None else _LOOSE_CONTAINER), name, opens


def see_every_room(situation: HouseSituation) -> Choices:
    """Go to the unseen rooms, because a goal on all things includes theirs."""
    memory = situation.memory
    for room in memory.rooms:
        if room not in memory.visited:
            yield Choice(f"There may be more of them in the {room}.", f"go to {room}")


def go_to_room(situation: HouseSituation, wanted: str) -> Choices:
    """Go to a room by category or name, an unseen one first."""
    memory = situation.memory
    rooms = [room for room in memory.rooms if wanted in (room, category(room))]
    for room in sorted(rooms, key=lambda room: room in memory.visited):
        yield Choice(f"It is in the {room}.", f"go to {room}")

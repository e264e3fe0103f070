"""Where to look next for things that were not found yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..dialects.reactree import category
from ..transcript import Choice
from . import commonsense as sense
from .subtasks import Knowledge, Steps, reach, uncover

#: What walking there or opening costs, and what is added for another room.
_STEP = 1.0
_OTHER_ROOM = 0.7


def look_for(now: Knowledge, sought: Sequence[str]) -> Steps:
    """Look where things of these categories are most likely found for the least walking."""
    places = sorted(_places(now, sought), key=lambda place: (-place[0], place[1]))
    what = " or ".join(dict.fromkeys(sought))
    for _, name, opens in places:
        if name in now.memory.rooms:
            yield Choice(f"I have not been in the {name} yet; the {what} may be there.", _go(name))
        elif opens:
            yield from uncover(now, name, f"The {what} may be in {name}.")
        else:
            yield from reach(now, name, f"The {what} may be at {name}.")
    here = now.memory.here
    if len(now.memory.rooms) == 1 and here is not None and _go(here) not in now.memory.happened:
        yield Choice(f"The {what} may lie on the floor.", _go(here))


def _places(now: Knowledge, sought: Sequence[str]) -> Iterator[tuple[float, str, bool]]:
    """(worth per step, name, whether it has to be opened) of every place not looked at."""
    memory = now.memory
    for room in memory.rooms:
        if room not in memory.visited:
            kind = category(room)
            worth = sum(sense.room_promise(thing, kind) for thing in sought)
            worth += sum(3.0 for thing in sought if sense.needs_room(thing) in kind.split())
            yield worth / (_STEP + 0.3), room, False
    for name in memory.known():
        is_furniture = name in memory.furniture
        opens = name not in memory.seen_into and _may_hide(now, name)
        if not opens and (name in memory.looked or not is_furniture):
            continue
        found_in = memory.room_of(name)
        steps = _STEP
        if not memory.in_reach(name):
            steps += _OTHER_ROOM * (found_in != memory.here) + _STEP * opens
        kind, where = category(name), category(found_in or "")
        worth = sum(sense.promise(thing, kind, where) for thing in sought)
        yield worth / steps * (1.0 if is_furniture else 0.2), name, opens


def _may_hide(now: Knowledge, name: str) -> bool:
    """Whether something may be hidden in a thing, as far as one knows."""
    memory = now.memory
    if name in memory.no_door or memory.state(name, "open"):
        return False
    if memory.state(name, "closed"):
        return True
    if memory.in_reach(name) and now.options is not None:
        return now.offered(f"open {name}")
    looked_at = name in memory.looked or name not in memory.furniture
    return looked_at and sense.has_door(category(name))


def _go(room: str) -> str:
    return f"go to {room}"

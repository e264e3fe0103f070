"""What concerns a house as a whole: every room of it, or a certain one."""

from __future__ import annotations

from ..dialects.reactree import category
from ..transcript import Choice
from .situation import Choices, Situation


def see_every_room(situation: Situation) -> Choices:
    """Go to the rooms not seen yet: what is asked of all things is asked of theirs too."""
    memory = situation.memory
    for room in memory.rooms:
        if room not in memory.visited_rooms:
            yield Choice(f"There may be more of them in the {room}.", f"go to {room}")


def go_to_room(situation: Situation, wanted: str) -> Choices:
    """Go to a room of a kind or of a name, one not seen yet first."""
    memory = situation.memory
    rooms = [room for room in memory.rooms if wanted in (room, category(room))]
    for room in sorted(rooms, key=lambda room: room in memory.visited_rooms):
        yield Choice(f"It is in the {room}.", f"go to {room}")

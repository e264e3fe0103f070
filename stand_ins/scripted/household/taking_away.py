"""Taking some of the things at a place away, wherever they go; `removals` takes all."""

from __future__ import annotations

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .requirements import Requirement
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, pick_up, set_aside


def take_some_away(situation: Situation, required: Requirement) -> Choices:
    """Take so many things from a place, those in hand among them."""
    memory, term, place_term = situation.memory, required.thing, required.place
    if term is None or place_term is None:
        return
    places = situation.instances(place_term)
    if not places:
        yield from search_for(situation, place_term.categories)
        return
    place = places[0]
    taken = [name for name in _taken(memory, place) if situation.fits(term, name)]
    if required.count is not None and len(taken) >= required.count:
        return
    if len(memory.held) >= memory.hands:
        if memory.in_reach(place):
            yield from _leave(situation, place)
        yield from set_aside(situation, memory.held[0], "It must not go back.")
        return
    if place not in memory.inspected:
        yield from approach(situation, place, "Things are to be taken from it.")
        return
    there = [name for name in _left(memory, place, taken) if situation.fits(term, name)]
    offered = [name for name in there if situation.possible(f"pick up {name}")]
    why = f"{place} is to have less on it."
    for name in [*offered, *there]:
        yield from pick_up(situation, name, why)
    yield from approach(situation, place, why)


def left_to_take(situation: Situation, required: Requirement) -> tuple[str | None, int]:
    """The place that things are to be taken from, None where it was not seen, and how many more;
    for all of them one, until none that can be taken is left.
    """
    memory, term, place_term = situation.memory, required.thing, required.place
    if term is None or place_term is None:
        return None, 0
    place = next(iter(situation.instances(place_term)), None)
    if place is None:
        return None, required.count or 1
    taken = [name for name in _taken(memory, place) if situation.fits(term, name)]
    if required.count is not None:
        return place, required.count - len(taken)
    there = [name for name in _left(memory, place, taken) if situation.fits(term, name)]
    return place, 1 if there or place not in memory.inspected else 0


def _taken(memory: Memory, place: str) -> list[str]:
    """What is in hand, or was put elsewhere."""
    return [
        *memory.held,
        *(
            name
            for name, sighting in memory.things.items()
            if sighting.placed_by_me and sighting.place != place
        ),
    ]


def _left(memory: Memory, place: str, taken: list[str]) -> list[str]:
    """What was seen at the place."""
    return [
        name
        for name, sighting in memory.things.items()
        if place in (sighting.place, sighting.stood_at) and name not in taken
        if name not in memory.not_graspable
    ]


def _leave(situation: Situation, place: str) -> Choices:
    """Go to where things can be put down and that is not the place they were taken from."""
    memory = situation.memory
    here = [name for name, room in memory.furniture.items() if room == memory.room]
    for name in here:
        if name != place and category(name) in _SURFACES:
            yield Choice("There is room for it there.", f"go to {name}")


_SURFACES = frozenset({"kitchen counter", "table", "coffee table", "desk", "bed", "sofa", "bench"})

"""Taking things away from where they are not to be."""

from __future__ import annotations

from collections.abc import Sequence

from ..transcript import Choice
from .placements import RequiredPlacements
from .requirements import Requirement, Term
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, may_be_closed, open_container, pick_up, set_aside


def take_away(placements: RequiredPlacements, requirements: Sequence[Requirement]) -> Choices:
    """Take away what is not to be at a place, as far as it is not to be brought anywhere."""
    situation = placements.situation
    for required in requirements:
        if required.thing is None or required.place is None:
            continue
        if required.place.which:
            chosen = placements.meant.chosen(required.place)
            places = [] if chosen is None else [chosen]
        else:
            places = situation.instances(required.place)
            if not places:
                yield from search_for(situation, required.place.categories)
        for place in places:
            yield from _clear(situation, required.thing, place)


def _clear(situation: Situation, term: Term, place: str) -> Choices:
    """Take the things that a term means away from a place."""
    memory = situation.memory
    why = f"Something is not to be at {place}."
    for thing in memory.held:
        if situation.fits(term, thing):
            yield from set_aside(situation, thing, why, away_from=place)
    if place in memory.held:
        return
    if place not in memory.inspected:
        yield from approach(situation, place, why)
        yield Choice(f"{why} I have a look.", f"go to {place}")
    meant = {name: s for name, s in memory.things.items() if situation.fits(term, name)}
    for thing, sighting in meant.items():
        if sighting.place == place:
            yield from pick_up(situation, thing, why)
    if memory.in_reach(place) and may_be_closed(situation, place):
        yield from open_container(situation, place, why)
    for thing, sighting in meant.items():
        if sighting.place or sighting.stood_at != place or (thing, place) in memory.not_at:
            continue
        if not memory.in_reach(place):
            yield from approach(situation, place, why)
        elif f"look at {place}" != (memory.succeeded or [""])[-1]:
            yield Choice(f"Is {thing} at {place}?", f"look at {place}")
        else:  # it is not told where the thing is: away with it
            yield from pick_up(situation, thing, why)

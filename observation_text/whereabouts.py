"""Where an agent is, by a view in sections, and what of it matters for what it may do."""

from __future__ import annotations

from typing import NamedTuple

from ..scene_graph.node import PLACEMENTS, POSTURES, Relation, State
from .sections import Section, SectionedView

# Module constants: a look-up in the enumeration would double the time of the loop below.
_INSIDE, _CLOSE, _HOLDS = Relation.INSIDE, Relation.CLOSE, Relation.HOLDS
_ON, _FACING = Relation.ON, Relation.FACING


class Whereabouts(NamedTuple):
    """Where the agent is, and what of it matters for what it may do."""

    room: int
    """Its room."""
    places: tuple[int, ...]
    """Where it stands."""
    held: tuple[int, ...]
    """What it holds."""
    faced: tuple[int, ...]
    """What it looks at."""
    posture: State | None
    """None if it stands."""
    rests_on: tuple[int, ...]
    """What it sits or lies on."""
    hand: bool
    """Whether the view has a section of things with the agent."""


def under_agent(rests_on: tuple[int, ...], around: Section | None) -> frozenset[int]:
    """What is under an agent that sits or lies, without the room. around: its places."""
    under = dict.fromkeys(rests_on)
    waiting = [*under]
    for thing in waiting:  # the list grows
        pairs = () if around is None else around.outgoing.get(thing, ())
        for relation, place in pairs:
            assert around is not None
            if relation in PLACEMENTS and place in around.nodes and place not in under:
                under[place] = None
                waiting.append(place)
    return frozenset(under)


def whereabouts(view: SectionedView) -> Whereabouts | None:
    """Where the agent is and what it holds, if the assumptions of `MenuRules` hold; else None.

    They are: the agent is alone. All that it is close to is in its room. Nothing here has two
    places or is enclosed.
    """
    sections = rooms, here, *close = view.sections
    things: list[int] = []
    places: list[int] = []
    faced: list[int] = []
    rests_on: list[int] = []
    room = None
    for relation, thing in view.relations_of_agent:
        if relation is _HOLDS:
            things.append(thing)
        elif relation is _INSIDE and room is None and thing in rooms.nodes:
            room = thing
        elif relation is _CLOSE and thing in here.nodes:
            places.append(thing)
        elif relation is _FACING:
            faced.append(thing)
        elif relation is _ON and close and thing in close[-1].nodes:
            rests_on.append(thing)
        else:
            return None
    if room is None or view.has_company:
        return None
    for section in sections:
        if section.crossing_placement or section.shuts_away:
            return None
    has_hand = bool(things) or view.is_burdened
    if len(close) != has_hand + bool(places):
        return None
    states = view.agent().states
    posture = None if POSTURES.isdisjoint(states) else next(iter(states & POSTURES))
    return Whereabouts(
        room, tuple(places), tuple(things), tuple(faced), posture, tuple(rests_on), has_hand
    )

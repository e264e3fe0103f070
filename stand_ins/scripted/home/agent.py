"""Goals of the agent itself: its actions, what it holds and wears, and where it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ....observation_text.dialects.reactree.grammar import PHRASES
from ....skills.actions import Verb
from ..table import YOU, Requirement, Term, category
from .handling import approach, pick_up, search_for
from .memory import Choice, Choices, HouseSituation

#: Relations in the order in which they are fulfilled.
_ORDER = ("wears", "holds", "inside", "close", "facing", "on", "state")
_SEATS = frozenset(["bed", "sofa", "couch", "loveseat", "bench", "chair"])
#: The usual things for an action, by words in their category.
_USUAL_OBJECTS = {
    "drink": "water milk juice coffee tea wine glass cup mug",
    "eat": "food apple bread sandwich pizza",
    "read": "book novel newspaper magazine",
    "type": "keyboard computer laptop",
    "watch": "television tv",
    "touch": "cat remote light",
    "wash": "hands plate cup",
    "rinse": "hands plate cup",
    "turn_off": "computer light television",
    "turn_on": "computer light television",
    "pour": "water milk coffee detergent soap",
    "look": "television computer",
}
#: Verbs that need their thing in hand, and those that need it only in sight.
_IN_HAND = frozenset({"drink", "read", "pour", "put_on"})
_IN_SIGHT = frozenset({"look", "watch", "turn_to", "point_at", "greet"})
_WITHOUT_OBJECT = frozenset({"sleep", "wake_up", "stand_up"})


def is_agent(term: Term | None) -> bool:
    """Whether a term means the agent."""
    return term is not None and YOU in term.categories


def of_agent(requirements: Iterable[Requirement]) -> list[Requirement]:
    """The requirements of the agent itself, in the order in which they are fulfilled."""
    own = [r for r in requirements if r.relation in ("wears", "holds") or is_agent(r.thing)]
    return sorted(
        own, key=lambda r: _ORDER.index(r.relation) if r.relation in _ORDER else len(_ORDER)
    )


def fulfil(situation: HouseSituation, conditions: Sequence[Requirement]) -> Choices:
    """Fulfil the conditions of `of_agent`."""
    for required in conditions:
        yield from _fulfil(situation, required, conditions)


def unfulfilled(situation: HouseSituation, conditions: Sequence[Requirement]) -> list[Requirement]:
    """The conditions that are not fulfilled yet."""
    return [
        required
        for required in conditions
        if next(_fulfil(situation, required, conditions), None) is not None
    ]


def _fulfil(
    situation: HouseSituation, required: Requirement, conditions: Sequence[Requirement]
) -> Choices:
    if required.relation in ("holds", "wears") and required.thing is not None:
        yield from _have_on_body(situation, required.relation, required.thing, conditions)
    elif required.relation == "state":
        seats = [
            seat
            for other in conditions
            if other.relation == "on" and other.place is not None
            for seat in situation.instances(other.place)
        ]
        yield from _take_posture(situation, required.state, seats)
    elif required.place is not None:
        posture = next((r.state for r in conditions if r.relation == "state"), "sitting")
        yield from _be_at(situation, required.relation, required.place, posture)


def _have_on_body(
    situation: HouseSituation, relation: str, term: Term, conditions: Sequence[Requirement]
) -> Choices:
    memory = situation.memory
    there = memory.held if relation == "holds" else memory.worn
    if any(situation.fits(term, thing) for thing in there):
        return
    keep = frozenset(
        thing
        for other in conditions
        if other.relation == "holds" and other.thing is not None
        for thing in memory.held
        if situation.fits(other.thing, thing)
    )
    for thing in situation.instances(term):
        if thing in memory.held:
            yield Choice(f"I am to wear {thing}.", f"put on {thing}")
        elif thing not in memory.worn:
            yield from pick_up(situation, thing, f"I am to have {thing}.", keep)
        else:
            yield Choice(f"I am to hold {thing}.", f"take off {thing}")
    yield from search_for(situation, term.categories)


def _be_at(situation: HouseSituation, relation: str, term: Term, posture: str) -> Choices:
    """Be in a room, close to a thing, turned to it, or on it."""
    memory = situation.memory
    places = situation.instances(term)
    if not places:
        yield from search_for(situation, term.categories)
        return
    if relation == "close":  # of several lamps the one that is on
        places.sort(key=lambda name: memory.state(name, "on") is not True)
    place = places[0]
    if place in memory.rooms:
        if memory.room != place:
            yield Choice(f"I am to be in the {place}.", f"go to {place}")
    elif not memory.in_reach(place):
        yield from approach(situation, place, f"I am to be at {place}.")
    elif relation == "on" and not memory.resting:
        yield Choice(f"I am to be on {place}.", f"{_posture_phrase(posture)} {place}")
    elif relation == "facing" and f"turn to {place}" not in memory.succeeded:
        yield Choice(f"I am to face {place}.", f"turn to {place}")


def _take_posture(situation: HouseSituation, posture: str, seats: Sequence[str]) -> Choices:
    memory = situation.memory
    if memory.resting:
        return
    for seat in seats or [n for n in memory.furniture if set(category(n).split()) & _SEATS]:
        if not memory.in_reach(seat):
            yield from approach(situation, seat, f"I am to be {posture}.")
        yield Choice(f"I am to be {posture}.", f"{_posture_phrase(posture)} {seat}")
    yield from search_for(situation, ("bed",) if posture == "lying" else ("sofa",))


def _posture_phrase(posture: str) -> str:
    return "lie down on" if posture == "lying" else "sit on"


# --- events: something done, whatever comes of it -----------------------------------------------


def do_events(situation: HouseSituation, wanted: Sequence[Sequence[str]]) -> Choices:
    """Do the first event of a sequence that was not done yet.

    wanted: events, each with alternative verbs.
    """
    past = iter(situation.memory.succeeded)
    for verbs in wanted:
        phrases = tuple(_phrase(verb) for verb in verbs)
        if any(action.startswith(phrases) for action in past):
            continue
        for verb in verbs:
            yield from _do(situation, verb)
        return


def _phrase(verb: str) -> str:
    return PHRASES.get(Verb(verb), verb.replace("_", " "))


def _do(situation: HouseSituation, verb: str) -> Choices:
    """Do an action with a thing of the instruction, or with a usual thing."""
    memory, phrase = situation.memory, _phrase(verb)
    if verb in _WITHOUT_OBJECT:
        yield Choice(f"I am to {phrase}.", phrase)
        return
    why = f"I am to {phrase} something."
    for thing in _candidates(situation, verb):
        pours = [o for o in situation.menu or () if o.startswith(f"pour {thing} into ")]
        for action in sorted(pours) if phrase == "pour" else [f"{phrase} {thing}"]:
            yield Choice(why, action)
        if verb == "watch" and memory.room_of(thing) == memory.room:
            yield Choice(f"I turn to {thing} to watch it.", f"turn to {thing}")
        if verb in _IN_HAND or verb == "pick_up":
            yield from pick_up(situation, thing, why)
        elif verb not in _IN_SIGHT or memory.room_of(thing) != memory.room:
            yield from approach(situation, thing, why)
    for action in sorted(situation.menu or ()):
        if action.startswith(f"{phrase} "):
            thing = action.removeprefix(f"{phrase} ")
            if verb not in _IN_SIGHT and thing in memory.things:
                yield from approach(situation, thing, why)
            yield Choice(why, action)
    yield from search_for(situation, _USUAL_OBJECTS.get(verb, "thing").split()[:2])


def _candidates(situation: HouseSituation, verb: str) -> list[str]:
    """Things for an action: those of the instruction, then the usual ones."""
    memory, instruction = situation.memory, situation.instruction.lower()
    words = set(_USUAL_OBJECTS.get(verb, "").split())
    known = [*memory.held, *memory.worn, *memory.known_names()]
    named = [n for n in known if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", instruction)]
    usual = [n for n in known if category(n).split()[-1] in words and n not in named]
    if verb in _IN_HAND and usual:
        named = [n for n in named if category(n).split()[-1] in words]
    return [*named, *usual]

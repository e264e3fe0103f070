"""Acts that are asked for as such, and how one rests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .search import look_for
from .subtasks import Knowledge, Steps, reach, take

#: What each verb is called where its name is not what one says.
_PHRASES = {
    "pick_up": "pick up",
    "turn_on": "turn on",
    "turn_off": "turn off",
    "sit": "sit on",
    "lie_down": "lie down on",
    "put": "put down",
    "type": "type on",
    "look": "look at",
    "go_to": "go to",
    "plug_out": "unplug",
}
#: What one usually does such a thing with, by words in the name.
_WITH = {
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
#: Verbs that need their thing in hand, and those that only need it in sight.
_IN_HAND = frozenset({"drink", "read", "pour", "put_on"})
_IN_SIGHT = frozenset({"look", "watch", "turn_to", "point_at", "greet"})
_ALONE = frozenset({"sleep", "wake_up", "stand_up"})


def events(now: Knowledge, wanted: Sequence[Sequence[str]], instruction: str) -> Steps:
    """The first of some acts, each one of several verbs, that was not done yet in its order."""
    past = iter(now.memory.happened)
    for verbs in wanted:
        phrases = tuple(phrase_of(verb) for verb in verbs)
        if any(action.startswith(phrases) for action in past):
            continue
        for verb in verbs:
            yield from _do(now, verb, instruction)
        return


def phrase_of(verb: str) -> str:
    return _PHRASES.get(verb, verb.replace("_", " "))


def rest(now: Knowledge, posture: str, instruction: str, seats: Sequence[str]) -> Steps:
    """Sit or lie down."""
    if now.memory.resting:
        return
    fitting = seats or [n for n in now.memory.furniture if set(category(n).split()) & _SEATS]
    for seat in fitting:
        if not now.memory.in_reach(seat):
            yield from reach(now, seat, f"I am to be {posture}.")
        for phrase in ways_to_rest(posture):
            yield Choice(f"I am to be {posture}.", f"{phrase} {seat}")
    yield from look_for(now, ("bed",) if posture == "lying" else ("sofa",))


_SEATS = frozenset(["bed", "sofa", "couch", "loveseat", "bench", "chair"])


def ways_to_rest(posture: str) -> tuple[str, ...]:
    return ("lie down on",) if posture == "lying" else ("sit on",)


def _do(now: Knowledge, verb: str, instruction: str) -> Steps:
    memory = now.memory
    if verb in _ALONE:
        yield Choice(f"I am to {phrase_of(verb)}.", phrase_of(verb))
        return
    named, fitting = _candidates(memory, verb, instruction)
    phrase = phrase_of(verb)
    for thing in [*named, *fitting]:
        for option in _with(now, phrase, thing):
            yield Choice(f"I am to {phrase} something.", option)
        if verb == "watch" and memory.room_of(thing) == memory.here:
            yield Choice(f"I turn to {thing} to watch it.", f"turn to {thing}")
        if verb in _IN_HAND or verb == "pick_up":
            yield from take(now, thing, f"I am to {phrase} something.")
        elif verb not in _IN_SIGHT or memory.room_of(thing) != memory.here:
            yield from reach(now, thing, f"I am to {phrase} something.")
    for option in sorted(now.options or ()):
        if option.startswith(f"{phrase} "):
            thing = option.removeprefix(f"{phrase} ")
            if verb not in _IN_SIGHT and memory.located(thing):
                yield from reach(now, thing, f"I am to {phrase} something.")
            yield Choice(f"I am to {phrase} something.", option)
    yield from look_for(now, _WITH.get(verb, "thing").split()[:2])


def _with(now: Knowledge, phrase: str, thing: str) -> list[str]:
    """The ways to do something with a thing."""
    if phrase != "pour":
        return [f"{phrase} {thing}"]
    return sorted(o for o in now.options or () if o.startswith(f"pour {thing} into "))


def _candidates(memory: Memory, verb: str, instruction: str) -> tuple[list[str], list[str]]:
    """Things to do it with: those that the instruction names, and those that usually serve."""
    words = set(_WITH.get(verb, "").split())
    known = [*memory.held, *memory.worn, *memory.known()]
    named = [n for n in known if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", instruction.lower())]
    usual = [n for n in known if category(n).split()[-1] in words and n not in named]
    if verb in _IN_HAND and usual:
        named = [n for n in named if category(n).split()[-1] in words]
    return named, usual

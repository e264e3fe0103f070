"""Events that an instruction asks for: something done, whatever comes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..dialects.reactree import category
from ..transcript import Choice
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, pick_up

#: How a verb is said where that is not its name.
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
#: What one usually does a thing with, by words in its category.
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
#: Verbs that need their thing in hand, and those that only need it in sight.
_IN_HAND = frozenset({"drink", "read", "pour", "put_on"})
_IN_SIGHT = frozenset({"look", "watch", "turn_to", "point_at", "greet"})
_WITHOUT_OBJECT = frozenset({"sleep", "wake_up", "stand_up"})


def do_events(situation: Situation, wanted: Sequence[Sequence[str]]) -> Choices:
    """Do the first of some events that was not done yet in its order.

    wanted: events by the verbs of which one has to be done.
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
    return _PHRASES.get(verb, verb.replace("_", " "))


def _do(situation: Situation, verb: str) -> Choices:
    """Do something with what the instruction names, or with what usually serves."""
    memory, phrase = situation.memory, _phrase(verb)
    if verb in _WITHOUT_OBJECT:
        yield Choice(f"I am to {phrase}.", phrase)
        return
    why = f"I am to {phrase} something."
    for thing in _candidates(situation, verb):
        for action in _actions(situation, phrase, thing):
            yield Choice(why, action)
        if verb == "watch" and memory.room_of(thing) == memory.room:
            yield Choice(f"I turn to {thing} to watch it.", f"turn to {thing}")
        if verb in _IN_HAND or verb == "pick_up":
            yield from pick_up(situation, thing, why)
        elif verb not in _IN_SIGHT or memory.room_of(thing) != memory.room:
            yield from approach(situation, thing, why)
    for option in sorted(situation.options or ()):
        if option.startswith(f"{phrase} "):
            thing = option.removeprefix(f"{phrase} ")
            if verb not in _IN_SIGHT and memory.located(thing):
                yield from approach(situation, thing, why)
            yield Choice(why, option)
    yield from search_for(situation, _USUAL_OBJECTS.get(verb, "thing").split()[:2])


def _actions(situation: Situation, phrase: str, thing: str) -> list[str]:
    """The actions that do something with a thing."""
    if phrase != "pour":
        return [f"{phrase} {thing}"]
    return sorted(o for o in situation.options or () if o.startswith(f"pour {thing} into "))


def _candidates(situation: Situation, verb: str) -> list[str]:
    """Things to do it with: those that the instruction names, then those that usually serve."""
    memory, instruction = situation.memory, situation.instruction.lower()
    words = set(_USUAL_OBJECTS.get(verb, "").split())
    known = [*memory.held, *memory.worn, *memory.known_names()]
    named = [n for n in known if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", instruction)]
    usual = [n for n in known if category(n).split()[-1] in words and n not in named]
    if verb in _IN_HAND and usual:
        named = [n for n in named if category(n).split()[-1] in words]
    return [*named, *usual]

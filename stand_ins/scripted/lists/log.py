"""A log of actions and bare results, as a transcript in `reactree` with the reasons guessed.

Nobody tells why an action failed; a careful person thinks of the usual reasons. What was seen after
an action is not in a log either, so its observations name only what was handled.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ....observation_text.dialects.llm_state.grammar import FUNCTIONS, PUTS
from ....observation_text.dialects.reactree.grammar import PHRASES, PREPOSITIONS
from ..dialects.llm_state import ListedScene, Words
from ..dialects.reactree import category
from ..household import commonsense
from ..transcript import Transcript, Turn

_CALL = re.compile(r"([a-z]+)\(([^()]*)\)")
_LOGGED = re.compile(rf"^({_CALL.pattern})[ ]?\((Success|Fail)", re.MULTILINE)
#: What stands in a thought before all that was done.
SO_FAR = " So far: "
_SO_FAR = re.compile(r"(?<=So far: )(.*)$", re.MULTILINE)
_WITHOUT_TARGET = {
    "standup": "stand up",
    "sleep": "sleep",
    "wakeup": "wake up",
    "wait": "wait",
    "look": "look around",
}
_PHRASES = {FUNCTIONS[verb]: phrase for verb, phrase in PHRASES.items() if verb in FUNCTIONS}
_FUNCTIONS = {phrase: function for function, phrase in _PHRASES.items()}
_FUNCTIONS |= {phrase: function for function, phrase in _WITHOUT_TARGET.items()}
_LONGEST_FIRST = sorted(_FUNCTIONS, key=len, reverse=True)
_PUTS = {PREPOSITIONS[relation]: function for relation, function in PUTS.items()}
_PUT_PHRASES = {function: preposition for preposition, function in _PUTS.items()}
#: A put is called by how it puts.
_PUT = re.compile(r"put down (.+? \d+) (in|on|under) (.+? \d+)")
_POUR = re.compile(r"pour (.+? \d+) into (.+? \d+)")


@dataclass(frozen=True)
class Logged:
    """An action in `reactree` and whether it succeeded."""

    action: str
    succeeded: bool


def read_log(text: str, words: Words) -> list[Logged]:
    """The actions of a log: a call and "(Success)" or "(Fail)" a line."""
    return [
        Logged(phrase_of(call, words), result == "Success")
        for call, _, _, result in _LOGGED.findall(text)
    ]


def phrase_of(call: str, words: Words) -> str:
    """A call in `reactree`: "put down apple 1 in fridge 1" of "placein(apple1, fridge1)"."""
    found = _CALL.fullmatch(call)
    if found is None:
        return call
    function, said = found.groups()
    names = [words.words(name.strip()) for name in said.split(",") if name.strip()]
    if function in _PUT_PHRASES and len(names) == 2:
        return f"put down {names[0]} {_PUT_PHRASES[function]} {names[1]}"
    if function == "pour" and len(names) == 2:
        return f"pour {names[0]} into {names[1]}"
    if not names:
        return _WITHOUT_TARGET.get(function, function)
    return f"{_PHRASES.get(function, function)} {' '.join(names)}"


def phrases_of(functions: Container[str]) -> frozenset[str]:
    """The beginnings of actions whose calls are on offer; "put down in" and the like of puts."""
    puts = (f"put down {how}" for how, function in _PUTS.items() if function in functions)
    others = (phrase for phrase, function in _FUNCTIONS.items() if function in functions)
    return frozenset((*puts, *others))


def call_of(action: str, words: Words) -> str | None:
    """The call of an action in `reactree`; None where it is none."""
    for pattern, function in ((_PUT, ""), (_POUR, "pour")):
        if found := pattern.fullmatch(action):
            thing, place = words.original(found[1]), words.original(found[found.lastindex or 1])
            return f"{function or _PUTS[found[2]]}({thing}, {place})"
    if action in _FUNCTIONS:
        return f"{_FUNCTIONS[action]}()"
    for phrase in _LONGEST_FIRST:
        if action.startswith(f"{phrase} "):
            return f"{_FUNCTIONS[phrase]}({words.original(action.removeprefix(f'{phrase} '))})"
    return None


def remembered(log: Iterable[Logged], words: Words) -> str:
    """Everything done, in calls: "open(fridge1) done; pickup(apple1) failed"."""
    told = []
    for each in log:
        call = call_of(each.action, words)
        if call is not None:
            told.append(f"{call} {'done' if each.succeeded else 'failed'}")
    return "; ".join(told)


def kept_in(thought: str, words: Words) -> Iterator[Logged]:
    """What a thought remembers after SO_FAR."""
    found = _SO_FAR.search(thought)
    for item in found[1].split("; ") if found else ():
        call, _, result = item.rpartition(" ")
        if call:
            yield Logged(phrase_of(call, words), result == "done")


def transcript_of(
    log: Sequence[Logged], scene: ListedScene, *, hands: int = 2, opening_needs_hand: bool = False
) -> Transcript:
    """The transcript of a log that ends in a scene."""
    rooms = _listing(scene.rooms)
    count = "is 1 room" if len(scene.rooms) == 1 else f"are {len(scene.rooms)} rooms"
    retelling = _Retelling(scene, hands, opening_needs_hand)
    return Transcript(
        instruction="",
        first=f"You are in the house, and there {count}: {rooms}.",
        turns=tuple(Turn(each.action, retelling.observation(each)) for each in log),
        options=None,
        hands=hands,
        opening_needs_hand=opening_needs_hand,
    )


def _listing(names: Iterable[str]) -> str:
    """ "apple (1), sink basin (2)", or "nothing"."""
    return ", ".join(re.sub(r" (\d+)$", r" (\1)", name) for name in names) or "nothing"


@dataclass
class _Retelling:
    """What was in hand, and where one stood, action by action."""

    scene: ListedScene
    hands: int
    opening_needs_hand: bool
    held: list[str] = field(default_factory=list)
    at: str | None = None
    placed: dict[str, str] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)

    def observation(self, logged: Logged) -> str:
        """What `reactree` would tell of an action, as far as the log says."""
        text = self._success(logged.action) if logged.succeeded else self._guess(logged.action)
        return f"{text} You hold {_listing(self.held)}." if self.held else text

    def _success(self, action: str) -> str:
        name = target(action)
        if action.startswith("go to "):
            self.at = name
            if name in self.scene.rooms:
                here = _listing([name])
                return f"You move to the {here}. Looking quickly around the room, you see nothing."
            return f"You arrive at the {_listing([name])}. You see {self._here(name)}."
        if put := _PUT.fullmatch(action):
            thing, how, place = put.groups()
            self.held = [held for held in self.held if held != thing]
            self.placed[thing] = place
            return f"You put down {category(thing)} {how} {category(place)}"
        if action.startswith("pick up "):
            self.held.append(name)
            self.placed.pop(name, None)
        elif action.startswith("drop "):
            self.held = [held for held in self.held if held != name]
        elif action.startswith("open "):
            self.opened.add(name)
            return f"You open {category(name)}. You see {self._here(name)}."
        elif action.startswith("close "):
            self.opened.discard(name)
        elif action == "look around":
            return "Looking quickly around the room, you see nothing."
        elif action.startswith("look at "):
            return f"You look at the {_listing([name])}."
        return f"You {category(action)}."

    def _here(self, name: str) -> str:
        """A thing, with what oneself has put there."""
        return _listing([name, *(thing for thing, place in self.placed.items() if place == name)])

    def _guess(self, action: str) -> str:
        """The likely reason of a failure."""
        name, full = target(action), len(self.held) >= self.hands
        kind = category(name)
        if put := _PUT.fullmatch(action):
            thing, how, place = put.groups()
            if thing not in self.held:
                return f"You do not grab the {category(thing)}."
            if not self._is_close(place):
                return f"The {category(place)} is not close to you."
            closed = how == "in" and commonsense.has_door(category(place))
            state = "closed" if closed and place not in self.opened else "full"
            return f"The {category(place)} is {state}."
        if action.startswith("go to "):
            return f"The {kind} cannot be reached."
        if action.startswith("pick up ") and full:
            return "You do not have an empty hand."
        if action.startswith("open ") and full and self.opening_needs_hand:
            return "You do not have an empty hand."
        if not self._is_close(name):
            return f"The {kind} is not close to you."
        if action.startswith("turn on ") and name in self.opened:
            return f"The {kind} is still open."
        already = {"open": "open", "close": "closed", "turn on": "turned on"}
        already |= {"turn off": "turned off", "plug in": "plugged in", "unplug": "unplugged"}
        for phrase, state in already.items():
            if action.startswith(f"{phrase} "):
                return f"The {kind} is already {state}."
        return f"The {kind} cannot be grabbed." if action.startswith("pick up ") else "It fails."

    def _is_close(self, name: str) -> bool:
        """Whether one stood at a thing, or at what keeps it."""
        if self.at is None:
            return False
        places = {name, self.placed.get(name, name), *self.scene.places_of(name)}
        beside = self.scene.furniture_of(self.at) == self.scene.furniture_of(name)
        return self.at in places - set(self.scene.rooms) or beside


def target(action: str) -> str:
    """What an action is done to: all that follows its verb."""
    for phrase in _LONGEST_FIRST:
        if action.startswith(f"{phrase} "):
            return action.removeprefix(f"{phrase} ")
    return action

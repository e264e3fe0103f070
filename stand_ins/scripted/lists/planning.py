"""Plans on lists: what to do next, and next after that, as far as one can foresee what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from ..dialects.llm_state import ListedScene, Placed, Words
from ..dialects.reactree import category, parse_put
from ..household import commonsense
from ..household.memory import Memory
from ..household.policy import choices
from ..household.requirements import Requirement
from ..household.situation import Situation
from ..transcript import DONE, GIVE_UP, Choice
from .knowledge import memory_of_lists
from .log import Logged, call_of

_RELATIONS = {"in": "inside", "on": "on", "under": "under"}
#: What is done with what is close.
_UNARY = ("open", "close", "pick up", "turn on", "turn off")
_OTHER_UNARY = ("plug in", "unplug", "slice", "sit on", "lie down on", "put on", "take off")
_OTHER_UNARY += ("eat", "drink", "read", "wash", "rinse", "scrub", "wipe", "touch", "type on")
_OTHER_UNARY += ("squeeze", "push", "pull", "shift", "drop")
_OBJECT = frozenset({"Object List"})
_FROM_AFAR = ("turn to", "point at", "watch", "greet", "look at")
#: What to try before an action that failed without a reason.
_REMEDIES = {
    "turn on": ("close", "plug in", "turn off"),
    "turn off": ("turn on",),
    "open": ("turn off", "close"),
    "close": ("open",),
}


@dataclass(frozen=True)
class House:
    """What a plan is made on. functions: the calls on offer."""

    instruction: str
    requirements: Sequence[Requirement]
    words: Words
    functions: Container[str]
    hands: int = 2
    opening_needs_hand: bool = False

    def memory(self, scene: ListedScene, log: Sequence[Logged]) -> Memory:
        return memory_of_lists(
            scene, log, hands=self.hands, opening_needs_hand=self.opening_needs_hand
        )


def plan(
    house: House, scene: ListedScene, log: Sequence[Logged], length: int
) -> tuple[list[str], str]:
    """The calls of a plan, and why its first is made; none where nothing is left to be done."""
    calls: list[str] = []
    thought = ""
    ahead = list(log)
    while len(calls) < length:
        memory = house.memory(scene, ahead)
        choice = _next(house, scene, memory)
        call = call_of(choice.action, house.words)
        if call is None:  # it is done, or there is no way on
            break
        thought = thought or choice.thought
        calls.append(call)
        if _is_unforeseeable(memory, choice.action):
            break
        scene = _after(scene, choice.action)
        ahead.append(Logged(choice.action, True))
    return calls, thought or "As far as I can tell everything is done."


def doubts(house: House, scene: ListedScene, log: Sequence[Logged]) -> list[str]:
    """What to do where all seems done and is not: the remedy that was tried the least."""
    tried = Counter(each.action for each in log)
    memory = house.memory(scene, log)
    remedies = [*_of_failures(house, log), *_of_search(scene, memory, log), ("wait",)]
    possible = [remedy for remedy in remedies if _calls(house, remedy)]
    return _calls(house, min(possible, key=lambda remedy: tried[remedy[len(remedy) > 1]]))


def _calls(house: House, remedy: Sequence[str]) -> list[str]:
    """The calls of a remedy; none where one of them is not on offer."""
    calls = [call_of(action, house.words) or "" for action in remedy]
    return calls if all(call.partition("(")[0] in house.functions for call in calls) else []


def _of_failures(house: House, log: Sequence[Logged]) -> Iterator[tuple[str, ...]]:
    """What may help where an action failed that the task asks for, and never succeeded later."""
    last = {each.action: each.succeeded for each in log}
    wanted = {
        kind
        for required in house.requirements
        if required.thing is not None and required.state
        for kind in required.thing.categories
    }
    for action in (action for action, succeeded in last.items() if not succeeded):
        phrase = next((phrase for phrase in _REMEDIES if action.startswith(f"{phrase} ")), None)
        name = _thing(action)
        for remedy in _REMEDIES.get(phrase or "", ()) if category(name) in wanted else ():
            yield (f"go to {name}", f"{remedy} {name}", action)


def _of_search(
    scene: ListedScene, memory: Memory, log: Sequence[Logged]
) -> Iterator[tuple[str, ...]]:
    """Where nobody has looked yet, however unlikely."""
    done = {each.action for each in log}
    for name in (*scene.rooms, *memory.furniture):
        if f"go to {name}" not in done and name not in memory.inspected:
            yield (f"go to {name}",)
    for name, placed in scene.things.items():
        if "Container List" in placed.listed and f"open {name}" not in done:
            yield (f"go to {name}", f"open {name}")


def _next(house: House, scene: ListedScene, memory: Memory) -> Choice:
    """The next action, or the end."""
    options = frozenset(_offered(house, scene, memory))
    situation = Situation(memory, options, house.instruction)
    for choice in choices(situation, house.requirements):
        if choice.action in (DONE, GIVE_UP):
            return choice
        if situation.possible(choice.action):
            return choice
        approach = f"go to {_thing(choice.action)}"
        if not memory.in_reach(_thing(choice.action)) and situation.possible(approach):
            return replace(choice, action=approach)
    return Choice("I see no way on.", GIVE_UP)


def _thing(action: str) -> str:
    """The last name in an action."""
    for phrase in (*_UNARY, *_OTHER_UNARY, "go to"):
        if action.startswith(f"{phrase} "):
            return action.removeprefix(f"{phrase} ")
    return ""


def _offered(house: House, scene: ListedScene, memory: Memory) -> Iterator[str]:
    """The actions that a careful person holds possible."""
    for action in _imaginable(house, scene, memory):
        call = call_of(action, house.words)
        if call is not None and call.partition("(")[0] in house.functions:
            yield action


def _imaginable(house: House, scene: ListedScene, memory: Memory) -> Iterator[str]:
    known = [*scene.rooms, *memory.known_names()]
    to_open = {
        kind
        for required in house.requirements
        if required.state == "open" and required.thing is not None
        for kind in required.thing.categories
    }
    full = len(scene.held) >= house.hands
    for name in known:
        yield f"go to {name}"
        yield from (f"{phrase} {name}" for phrase in _FROM_AFAR)
    for name in (*scene.close, *scene.held):
        yield from (f"{phrase} {name}" for phrase in _OTHER_UNARY)
        for phrase, state in (("turn on", "on"), ("turn off", "off"), ("close", "closed")):
            if memory.state(name, state) is not True:
                yield f"{phrase} {name}"
        opens = commonsense.has_door(category(name)) or category(name) in to_open
        if opens and not memory.state(name, "open") and name not in memory.not_openable:
            yield f"open {name}"
    for name in scene.close:
        if not full and name not in memory.not_graspable and _is_object(scene, name):
            yield f"pick up {name}"
        for thing in scene.held:
            yield from (f"put down {thing} {how} {name}" for how in _places(scene, name))
            yield f"pour {thing} into {name}"
    yield from ("stand up", "sleep", "wake up")


def _is_object(scene: ListedScene, name: str) -> bool:
    placed = scene.things.get(name)
    return placed is not None and not _OBJECT.isdisjoint(placed.listed)


def _places(scene: ListedScene, name: str) -> Iterator[str]:
    placed = scene.things.get(name)
    listed = frozenset[str]() if placed is None else placed.listed
    if "Container List" in listed:
        yield "in"
    if "Surface List" in listed:
        yield from ("on", "under")


def _is_unforeseeable(memory: Memory, action: str) -> bool:
    """Whether one has to see what comes of an action: a place that was not looked at yet."""
    name = _thing(action)
    if action.startswith("go to "):
        if name in memory.rooms:
            return name not in memory.visited_rooms
        return name in memory.furniture and name not in memory.inspected
    return action.startswith("open ") and name not in memory.seen_into


def _after(scene: ListedScene, action: str) -> ListedScene:
    """The scene as it will be after an action that succeeds."""
    name = _thing(action)
    if action.startswith("go to "):
        if name in scene.rooms:
            return replace(scene, room=name, close=frozenset())
        close = {name, *scene.at(name), *scene.at(scene.furniture_of(name))}
        if scene.furniture_of(name) != name:
            close.add(scene.furniture_of(name))
        return replace(scene, room=scene.room_of(name) or scene.room, close=frozenset(close))
    if action.startswith("pick up "):
        taken = scene.without(name)
        close = scene.close - {name}
        return replace(taken, held=(*scene.held, name), close=close)
    put = parse_put(action)
    if put is not None and put[1] is not None:
        thing, how, place = put
        things = {**scene.things, thing: Placed(_RELATIONS[how or "on"], place, _OBJECT)}
        held = tuple(other for other in scene.held if other != thing)
        return replace(scene, things=things, held=held, close=scene.close | {thing})
    return scene

"""The memory of a transcript, updated action by action with what was observed after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..dialects import reactree
from ..dialects.reactree import ParsedObservation, category
from ..transcript import Transcript, Turn
from . import sightings
from .memory import Memory, Sighting

#: What an action that succeeds makes of its thing.
_RESULTING_STATES = {
    "open": "open",
    "close": "closed",
    "turn on": "on",
    "turn off": "off",
    "plug in": "plugged_in",
    "unplug": "plugged_out",
    "slice": "sliced",
    "wash": "clean",
    "rinse": "clean",
    "scrub": "clean",
    "wipe": "clean",
}
#: What "already …" says of a thing.
_STATES_ALREADY = {
    "open": "open",
    "closed": "closed",
    "turned on": "on",
    "turned off": "off",
    "plugged in": "plugged_in",
    "unplugged": "plugged_out",
}
#: Beginnings of what one can only do at a thing.
_WITHIN_REACH_ONLY = ("open ", "close ", "pick up ", "turn on ", "turn off ")
#: What treats things: the verb and the device, what comes of it, and where they may be for it
#: besides in the device.
_TREATMENT_ACTIONS = (
    ("turn on", "microwave", "heated", ()),
    ("turn on", "toaster", "toasted", ()),
    ("turn on", "coffee machine", "filled", ()),
    ("close", "fridge", "cooled", ()),
    ("turn on", "faucet", "cleaned", ("sink basin", "bathtub basin", "sink")),
)
#: The relation that a preposition stands for.
_RELATIONS = {"in": "inside", "on": "on", "under": "under"}


def memory_of(transcript: Transcript) -> Memory:
    """What is known after a transcript."""
    memory = memory_at_first(transcript)
    for turn in transcript.turns:
        take_in(memory, turn)
    sightings.see_offered(memory, transcript.options or ())
    return memory


def memory_at_first(transcript: Transcript) -> Memory:
    """What is known before the first action of a transcript."""
    memory = Memory(hands=transcript.hands, opening_needs_hand=transcript.opening_needs_hand)
    first = reactree.parse_first(transcript.first)
    memory.rooms = first.rooms or []
    _update_always(memory, first)
    return memory


def take_in(memory: Memory, turn: Turn) -> None:
    """Add an action and what was observed after it to what is known."""
    observed = reactree.parse_observation(turn.observation, turn.action)
    if observed.failure:
        _update_after_failure(memory, turn.action, observed)
    else:
        _update_after_success(memory, turn.action, observed)
    _update_always(memory, observed)


def _update_always(memory: Memory, observed: ParsedObservation) -> None:
    """Take in what may be told after any action: hands, the room at a glance, states."""
    if observed.held is not None:
        memory.held = list(observed.held)
        for thing in observed.held:
            memory.things.pop(thing, None)
            memory.furniture.pop(thing, None)
            for pairs in (memory.not_at, memory.not_inside):
                pairs.difference_update([pair for pair in pairs if pair[0] == thing])
    if observed.worn is not None:
        memory.worn = list(observed.worn)
    if observed.resting:
        memory.resting = True
    if observed.room is not None:
        memory.room = observed.room
        memory.visited_rooms.add(observed.room)
        memory.reachable = set()
        if observed.room not in memory.rooms:
            memory.rooms.append(observed.room)
    for name in observed.furniture or ():
        if name not in memory.held:
            memory.furniture[name] = memory.room
            sighting = memory.things.get(name)
            if sighting is not None and sighting.place is None:
                memory.things.pop(name)
    if observed.within_reach is not None:
        memory.reachable = set(observed.within_reach)
    for name, state in observed.states:
        memory.set_state(name, state)
    for name in observed.sliced:
        memory.set_state(name, "sliced")


# --- after an action that succeeded --------------------------------------------------------------


def _update_after_success(memory: Memory, action: str, observed: ParsedObservation) -> None:
    memory.failures_in_a_row[action] = 0
    _forget_failures(memory, lambda failed, _: failed == action)
    memory.succeeded.append(action)
    name = _object_of(action)
    note_treatment(memory, action, name)
    if action.startswith("pick up ") and (sighting := memory.things.get(name)) is not None:
        _note_room_made(memory, sighting.place)
    if (
        action.startswith(_WITHIN_REACH_ONLY)
        and memory.reachable is not None
        and name not in memory.reachable
    ):
        # One is not where one seems to be: a part of the transcript is missing.
        memory.reachable = None
        memory.room = memory.room_of(name)
    if observed.arrived_at is not None:
        if observed.arrived_at != memory.last_target:
            _forget_failures(memory, lambda action, _: _is_short_put(action))
        sightings.arrive(memory, observed.arrived_at, observed.listed or [])
        if (observed.arrived_at, "closed") not in observed.states:  # it would have been told
            memory.seen_into.add(observed.arrived_at)
    elif observed.looked_at is not None:
        if observed.listed is not None:
            sightings.inspect(memory, observed.looked_at, observed.listed)
    elif (put := reactree.parse_put(action)) is not None:
        _note_placement(memory, put, observed.put_at)
        sightings.see_within_reach(memory, observed.listed)
    else:
        _note_effects(memory, action, observed)
        if not action.startswith("open "):
            sightings.see_within_reach(memory, observed.listed)


def _note_placement(
    memory: Memory,
    put: tuple[str, str | None, str | None],
    put_at: tuple[str, str] | None,
) -> None:
    """Note where something was put, with what lies in or on it."""
    thing, preposition, place = put
    if put_at is not None:  # its words are clear on how, and on what sort of place
        preposition, place_category = put_at
        if place is None and category(memory.last_target or "") == place_category:
            place = memory.last_target
    place = place or memory.last_receptacle
    if place is not None:
        relation = None if preposition is None else _RELATIONS[preposition]
        furniture = memory.furniture_of(place)
        memory.things[thing] = Sighting(memory.room, furniture, place, relation, placed_by_me=True)
        for other, sighting in memory.things.items():
            if sighting.place == thing:
                memory.things[other] = replace(sighting, room=memory.room, stood_at=furniture)
    if memory.reachable is not None:
        memory.reachable.add(thing)


def _note_effects(memory: Memory, action: str, observed: ParsedObservation) -> None:
    """Note what an action makes of oneself and of its thing."""
    if action == "look around" and memory.room is not None:
        memory.looked_around.add(memory.room)
    elif action == "stand up":
        memory.resting = False
    elif action.startswith(("sit on ", "lie down on ")):
        memory.resting = True
    elif action.startswith("drop "):
        name = action.removeprefix("drop ")
        memory.furniture[name] = memory.room
        if memory.reachable is not None:
            memory.reachable.add(name)
    for phrase, state in _RESULTING_STATES.items():
        if not action.startswith(f"{phrase} "):
            continue
        name = action.removeprefix(f"{phrase} ")
        memory.set_state(name, state)
        if phrase == "open":
            sightings.see_into(memory, name, observed.listed or [])
        elif phrase == "slice" and observed.sliced:  # it is there as its pieces alone
            memory.things.pop(name, None)
            memory.furniture.pop(name, None)
            memory.states.pop(name, None)


def note_treatment(memory: Memory, action: str, device: str) -> None:
    """Note what a device does to what oneself has put into it, or beside it."""
    for verb, device_category, state, places in _TREATMENT_ACTIONS:
        if not action.startswith(f"{verb} ") or category(device) != device_category:
            continue
        for thing, sighting in memory.things.items():
            place = sighting.place
            treated = place is not None and (place == device or category(place) in places)
            if treated and sighting.placed_by_me:
                memory.treated.add((thing, state))


def _note_room_made(memory: Memory, place: str | None) -> None:
    """Note that something was taken from a place, which has room again if it was full."""
    passed_by = {pair for pair in memory.passed_by if pair[0] == place}
    if place is None or (place not in memory.full and not passed_by):
        return
    memory.cleared.add(place)
    memory.full.discard(place)
    memory.refusing.discard(place)
    memory.passed_by -= passed_by
    _forget_failures(memory, lambda _, reason: reason == "full")


def _forget_failures(memory: Memory, which: Callable[[str, str], bool]) -> None:
    """Forget failures, given by action and reason, that tell nothing any more."""
    for action, reason in list(memory.failures):
        if which(action, reason):
            del memory.failures[action, reason]
            memory.failures_in_a_row[action] = 0


def _is_short_put(action: str) -> bool:
    """Whether an action puts something down at whatever one stands at."""
    put = reactree.parse_put(action)
    return put is not None and put[2] is None


# --- after an action that failed -----------------------------------------------------------------


def _update_after_failure(memory: Memory, action: str, observed: ParsedObservation) -> None:
    """Learn from the reason that was told."""
    memory.failures[action, observed.failure] += 1
    memory.failures_in_a_row[action] += 1
    put = reactree.parse_put(action)
    name = _object_of(action) if put is None else put[0]
    place = None if put is None else put[2] or memory.last_receptacle
    match observed.failure:
        case "unknown" | "not here" | "unreachable":
            memory.things.pop(name, None)
        case "enclosed":
            sighting = memory.things.get(name)
            container = None if sighting is None else sighting.place or sighting.stood_at
            if container is not None:
                memory.set_state(container, "closed")
        case "not close" | "not seen":
            memory.reachable = None
        case "hands full":
            memory.opening_needs_hand |= action.startswith("open ")
            if action.startswith("pick up ") and memory.held:
                memory.hands = len(memory.held)
        case "not graspable":
            memory.not_graspable.add(name)
        case "not openable":
            memory.not_openable.add(name)
        case "already":
            memory.set_state(name, _STATES_ALREADY[observed.already])
            if observed.already == "open":
                memory.seen_into.add(name)
        case "still on":
            memory.set_state(name, "on")
        case "unplugged":
            memory.set_state(name, "plugged_out")
        case "closed":
            if place is not None:
                memory.set_state(place, "closed")
        case "no place" | "full":
            if place is not None:
                memory.refusing.add(place)
                if observed.failure == "full":
                    memory.full.add(place)
        case "seated":
            memory.resting = True


def _object_of(action: str) -> str:
    """The name in an action: what follows its verb."""
    words = action.split(" ")
    for phrase in ("go to", "pick up", "turn on", "turn off", "plug in", "look at", "put on"):
        if action.startswith(f"{phrase} "):
            return " ".join(words[2:])
    return " ".join(words[1:])

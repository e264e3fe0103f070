"""What one knows after reading a transcript: rooms, furniture, doors, hands, where things are.

Everything here was told in the transcript. Names are texts such as "apple 3".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ..dialects import reactree as reading
from ..dialects.reactree import ReadObservation, category
from ..transcript import Transcript

#: What an action that succeeds makes of its thing.
_MAKES = {
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
_ALREADY = {
    "open": "open",
    "closed": "closed",
    "turned on": "on",
    "turned off": "off",
    "plugged in": "plugged_in",
    "unplugged": "plugged_out",
}
#: What one can only do at a thing.
_AT_HAND = ("open ", "close ", "pick up ", "turn on ", "turn off ")
_OPPOSITES = (("open", "closed"), ("on", "off"), ("plugged_in", "plugged_out"))
OPPOSITE = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
#: What treats things: the verb and the device, what comes of it, and where besides in the device.
_TREATS = (
    ("turn on", "microwave", "heated", ()),
    ("close", "fridge", "cooled", ()),
    ("turn on", "faucet", "cleaned", ("sink basin", "bathtub basin", "sink")),
)
#: An action that was done so often among the last ones leads nowhere.
_LATELY, _OFTEN = 12, 4
_PREPOSITIONS = {"in": "inside", "on": "on", "under": "under"}


@dataclass(frozen=True)
class Sighting:
    """Where a thing was last seen.

    base: what one stood at then. place: what it is in or on, where that is known; relation:
    how, None for either way. mine: it was put there by oneself.
    """

    room: str | None
    base: str | None = None
    place: str | None = None
    relation: str | None = None
    mine: bool = False


@dataclass
class Memory:
    """See the module. close: what is in reach, None where that is not known."""

    rooms: list[str] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)
    here: str | None = None
    furniture: dict[str, str | None] = field(default_factory=dict)  # with its room; as first seen
    looked: set[str] = field(default_factory=set)  # furniture that was stood at
    seen_into: set[str] = field(default_factory=set)  # what was not closed when one saw it
    things: dict[str, Sighting] = field(default_factory=dict)
    apart: set[tuple[str, str]] = field(default_factory=set)  # (thing, place): is not at it
    outside: set[tuple[str, str]] = field(default_factory=set)  # (thing, place): is not inside it
    states: dict[str, set[str]] = field(default_factory=dict)
    close: set[str] | None = None
    held: list[str] = field(default_factory=list)
    worn: list[str] = field(default_factory=list)
    went_to: str | None = None  # the last thing walked to
    receptacle: str | None = None  # the last one that stands for itself
    resting: bool = False
    happened: list[str] = field(default_factory=list)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # failures of an action since it worked
    no_door: set[str] = field(default_factory=set)
    no_grip: set[str] = field(default_factory=set)
    no_place: set[tuple[str | None, str]] = field(default_factory=set)
    hand_to_open: bool = False  # opening needs a free hand here
    hands: int = 2
    treated: set[tuple[str, str]] = field(default_factory=set)  # (thing, "heated" …)

    def state(self, name: str, state: str) -> bool | None:
        """Whether a thing is in a state; None where nothing was told."""
        known = self.states.get(name, set())
        if state in known:
            return True
        return False if OPPOSITE.get(state) in known else None

    def room_of(self, name: str) -> str | None:
        if name in self.rooms:
            return name
        sighting = self.things.get(name)
        return self.furniture.get(name) if sighting is None else sighting.room

    def located(self, name: str) -> bool:
        return name in self.things or name in self.furniture

    def known(self) -> list[str]:
        """All things and furniture with a place, in the order in which they were seen."""
        return [*self.furniture, *(name for name in self.things if name not in self.furniture)]

    def in_reach(self, name: str) -> bool:
        return self.close is not None and name in self.close

    def worn_out(self, action: str) -> bool:
        """Whether an action failed twice in the same way since it last worked, or often.

        Also whether it was done so often of late that one is turning in circles.
        """
        if self.happened[-_LATELY:].count(action) >= _OFTEN:
            return True
        return self.refused[action] >= 4 or any(
            times >= 2 for (what, _), times in self.failed.items() if what == action
        )


def remember(transcript: Transcript) -> Memory:
    """Read a transcript."""
    memory = Memory(hands=transcript.hands, hand_to_open=transcript.hand_to_open)
    first = reading.read_first(transcript.first)
    memory.rooms = first.rooms or []
    _take_in(memory, first)
    for turn in transcript.turns:
        seen = reading.read(turn.observation, turn.action)
        if seen.failure:
            _take_in_failure(memory, turn.action, seen)
        else:
            _take_in_success(memory, turn.action, seen)
        _take_in(memory, seen)
    _see_on_offer(memory, frozenset(transcript.options or ()))
    return memory


# --- what an observation says ------------------------------------------------------------------


def _take_in(memory: Memory, seen: ReadObservation) -> None:
    """What is told after any action: hands, the room at a glance, doors."""
    if seen.held is not None:
        memory.held = seen.held
        for thing in seen.held:
            memory.things.pop(thing, None)
            memory.furniture.pop(thing, None)
            for pairs in (memory.apart, memory.outside):
                pairs.difference_update([pair for pair in pairs if pair[0] == thing])
    if seen.worn is not None:
        memory.worn = seen.worn
    if seen.resting:
        memory.resting = True
    if seen.room is not None:
        memory.here = seen.room
        memory.visited.add(seen.room)
        memory.close = set()
        if seen.room not in memory.rooms:
            memory.rooms.append(seen.room)
    if seen.around is not None:
        for name in seen.around:
            if name not in memory.held:
                memory.furniture[name] = memory.here
                sighting = memory.things.get(name)
                if sighting is not None and sighting.place is None:
                    memory.things.pop(name)
    if seen.close is not None:
        memory.close = set(seen.close)
    for name, state in seen.doors.items():
        _now_is(memory, name, state)
    for name in seen.sliced:
        _now_is(memory, name, "sliced")


def _take_in_success(memory: Memory, action: str, seen: ReadObservation) -> None:
    memory.refused[action] = 0
    for key in [key for key in memory.failed if key[0] == action]:
        del memory.failed[key]
    memory.happened.append(action)
    name = _object_of(action)
    _treat(memory, action, name)
    if action.startswith(_AT_HAND) and memory.close is not None and name not in memory.close:
        # One is not where one seems to be: a part of the transcript is missing.
        memory.close = None
        memory.here = memory.room_of(name)
    if seen.arrived is not None:
        _arrive(memory, seen.arrived, seen.listed or [])
        if seen.doors.get(seen.arrived) != "closed":  # it would have been told
            memory.seen_into.add(seen.arrived)
        return
    if seen.looked is not None:
        if seen.listed is not None:
            _inspect(memory, seen.looked, seen.listed)
        return
    put = reading.put_of(action)
    if put is not None:
        thing, preposition, place = put
        if seen.put is not None:  # its words are clear on how, and on what sort of place
            preposition, where = seen.put
            if place is None and category(memory.went_to or "") == where:
                place = memory.went_to
        place = place or memory.receptacle
        if place is not None:
            relation = None if preposition is None else _PREPOSITIONS[preposition]
            base = place if place in memory.furniture else _base_of(memory, place)
            memory.things[thing] = Sighting(memory.here, base, place, relation, mine=True)
            for other, sighting in memory.things.items():
                if sighting.place == thing:  # it came along
                    memory.things[other] = replace(sighting, room=memory.here, base=base)
        if memory.close is not None:
            memory.close.add(thing)
        _see_here(memory, seen)
        return
    if action == "stand up":
        memory.resting = False
    for phrase in ("sit on ", "lie down on "):
        if action.startswith(phrase):
            memory.resting = True
    for phrase, state in _MAKES.items():
        if action.startswith(f"{phrase} "):
            name = action.removeprefix(f"{phrase} ")
            _now_is(memory, name, state)
            if phrase == "open":
                _see_into(memory, name, seen.listed or [])
            elif phrase == "slice" and seen.sliced:  # it is there as its pieces alone
                memory.things.pop(name, None)
                memory.furniture.pop(name, None)
                memory.states.pop(name, None)
    if action.startswith("drop "):
        memory.furniture[action.removeprefix("drop ")] = memory.here
    if not action.startswith("open "):
        _see_here(memory, seen)


def _see_here(memory: Memory, seen: ReadObservation) -> None:
    """What is told to be in sight after any action, where that is told."""
    if seen.listed is None or memory.close is None:
        return
    memory.close = set(seen.listed)
    for name in seen.listed:
        if name not in memory.held and not memory.located(name):
            memory.things[name] = Sighting(memory.here, memory.went_to)


def _treat(memory: Memory, action: str, device: str) -> None:
    """What a device does to what oneself has put into it, or beside it."""
    for verb, kind, how, places in _TREATS:
        if action.startswith(f"{verb} ") and category(device) == kind:
            for thing, sighting in memory.things.items():
                place = sighting.place
                there = place is not None and (place == device or category(place) in places)
                if there and sighting.mine:
                    memory.treated.add((thing, how))


def _take_in_failure(memory: Memory, action: str, seen: ReadObservation) -> None:
    memory.failed[action, seen.failure] += 1
    memory.refused[action] += 1
    put = reading.put_of(action)
    name = _object_of(action) if put is None else put[0]
    place = None if put is None else put[2] or memory.receptacle
    match seen.failure:
        case "unknown" | "not here" | "unreachable":
            memory.things.pop(name, None)
        case "enclosed":
            sighting = memory.things.get(name)
            container = None if sighting is None else sighting.place or sighting.base
            if container is not None:
                _now_is(memory, container, "closed")
        case "not close" | "not seen":
            memory.close = None
        case "hands full":
            memory.hand_to_open |= action.startswith("open ")
            if action.startswith("pick up ") and memory.held:
                memory.hands = len(memory.held)
        case "not graspable":
            memory.no_grip.add(name)
        case "not openable":
            memory.no_door.add(name)
        case "already":
            _now_is(memory, name, _ALREADY[seen.already])
            if seen.already == "open":
                memory.seen_into.add(name)
        case "still on":
            _now_is(memory, name, "on")
        case "unplugged":
            _now_is(memory, name, "plugged_out")
        case "closed":
            if place is not None:
                _now_is(memory, place, "closed")
        case "no place" | "full":
            if place is not None:
                relation = None if put is None or put[1] is None else _PREPOSITIONS[put[1]]
                memory.no_place.add((relation, place))
        case "seated":
            memory.resting = True


def _object_of(action: str) -> str:
    """The name in an action: what follows its verb."""
    words = action.split(" ")
    for phrase in ("go to", "pick up", "turn on", "turn off", "plug in", "look at", "put on"):
        if action.startswith(f"{phrase} "):
            return " ".join(words[2:])
    return " ".join(words[1:])


def _now_is(memory: Memory, name: str, state: str) -> None:
    known = memory.states.setdefault(name, set())
    known.discard(OPPOSITE.get(state, ""))
    known.add(state)


# --- where things are --------------------------------------------------------------------------


def _arrive(memory: Memory, target: str, listed: list[str]) -> None:
    """All that is in reach of a thing walked to, what is beside it included."""
    room = memory.room_of(target)
    if room is None and memory.here is not None and target not in memory.things:
        memory.furniture.setdefault(target, None)  # seen where the transcript has a gap
    base = target if target in memory.furniture else _base_of(memory, target)
    if target in memory.furniture or base is None:
        memory.receptacle = target
    memory.here = room
    memory.close = set(listed)
    memory.went_to = target
    memory.looked.add(target)
    here = memory.close
    for name, sighting in list(memory.things.items()):
        stood_at = {sighting.base, sighting.place} - {None}
        hidden = sighting.place is not None and memory.state(sighting.place, "closed")
        if target in stood_at and name not in here and not hidden:
            del memory.things[name]
    for name in listed:
        if name in memory.held:
            continue
        if name in memory.furniture:
            memory.looked.add(name)
            continue
        before = memory.things.get(name)
        if before is not None and before.place is not None and before.place in here:
            continue
        memory.things[name] = Sighting(room, base or target)


def _see_into(memory: Memory, container: str, listed: list[str]) -> None:
    """What has come in sight on opening a container is inside it."""
    before = memory.close
    memory.close = set(listed)
    memory.seen_into.add(container)
    memory.looked.add(container)
    base = container if container in memory.furniture else _base_of(memory, container)
    for name in listed:
        if name in memory.held or name in memory.furniture:
            continue
        if before is None or name in before:
            memory.things.setdefault(name, Sighting(memory.here, base or container))
            if before is not None:
                memory.outside.add((name, container))
        else:
            memory.things[name] = Sighting(memory.here, base or container, container, "inside")


def _inspect(memory: Memory, place: str, listed: list[str]) -> None:
    """What a place looked at keeps, and what therefore is beside it."""
    memory.looked.add(place)
    if place in memory.rooms:
        return
    base = place if place in memory.furniture else _base_of(memory, place)
    for name in listed:
        if name in memory.held or name in memory.furniture:
            continue
        before = memory.things.get(name)
        if before is None or before.place != place:
            relation = "on" if (name, place) in memory.outside else None
            memory.things[name] = Sighting(memory.here, base or place, place, relation)
    for name, sighting in list(memory.things.items()):
        if name not in listed and sighting.place == place and not memory.state(place, "closed"):
            memory.things[name] = replace(sighting, place=None, relation=None)
        if name not in listed:
            memory.apart.add((name, place))


def _base_of(memory: Memory, name: str) -> str | None:
    sighting = memory.things.get(name)
    return None if sighting is None else sighting.base


def _see_on_offer(memory: Memory, options: frozenset[str]) -> None:
    """What is on offer is in sight: an action names no other thing."""
    for option in sorted(options):
        name = option.removeprefix("go to ")
        if name == option or category(name) == name or name in memory.rooms:
            continue
        if name in memory.held or name in memory.worn or memory.located(name):
            continue
        if f"pick up {name}" in options:
            memory.things[name] = Sighting(memory.here)
        else:
            memory.furniture[name] = memory.here

"""The knowledge of a house and of the agent for choosing the next action.

It is made from an account (`planners.kits.account`). Names are texts such as "apple 3".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..table import ANYTHING, Term, category, named_in

#: Actions that no simulator has.
DONE, GIVE_UP = "done", "give up"
_PAIRS = (("open", "closed"), ("on", "off"), ("plugged_in", "plugged_out"))
_OPPOSITE = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
#: An action that succeeded this often among the last ones is futile.
_LOOP_WINDOW, _LOOP_REPEATS = 12, 4
#: An action is futile after this many failures, or failures for one reason, since its last success.
_MOST_FAILURES, _MOST_ALIKE = 4, 2
#: Reasons for which a place takes nothing.
_REFUSALS = ("full", "no_free_spot", "not_a_surface", "not_a_container")
#: What treats things: the verb and the device, the result, and where they may be for it
#: besides in the device.
_TREATMENTS = (
    ("turn on", "microwave", "heated", ()),
    ("turn on", "toaster", "toasted", ()),
    ("turn on", "coffee machine", "filled", ()),
    ("close", "fridge", "cooled", ()),
    ("turn on", "faucet", "cleaned", ("sink basin", "bathtub basin", "sink")),
)
_PHRASES = ("go to", "pick up", "turn on", "turn off", "plug in", "look at", "put on", "put down")


@dataclass(frozen=True)
class Choice:
    """What to do next, and why in a sentence."""

    thought: str
    action: str


#: Candidate actions, the best first. The first possible one is taken.
Choices = Iterator[Choice]


@dataclass
class Known:
    """A thing as it was last seen."""

    room: str | None = None
    """Its room."""
    at: str | None = None
    """The place where the agent stood; None for things that are seen from anywhere in the room."""
    place: str | None = None
    """The node that holds it."""
    relation: str | None = None
    """Its relation to that node."""
    states: set[str] = field(default_factory=set)
    """Its states."""
    can: frozenset[str] = frozenset()
    """Its affordances."""
    mine: bool = False
    """Whether the agent has put it there."""


@dataclass
class Memory:
    """What is known of the house and of the agent, with the outcomes of actions."""

    rooms: list[str] = field(default_factory=list)
    """All rooms."""
    room: str | None = None
    """The agent's room."""
    here: str | None = None
    """The thing that the agent stands at."""
    things: dict[str, Known] = field(default_factory=dict)
    """The known things by name."""
    reach: set[str] = field(default_factory=set)
    """Things within reach."""
    held: list[str] = field(default_factory=list)
    """Things in hand."""
    worn: list[str] = field(default_factory=list)
    """Things that the agent wears."""
    own: dict[str, set[str]] = field(default_factory=dict)
    """The states of held and worn things."""
    resting: bool = False
    """Whether the agent sits or lies."""
    visited: set[str] = field(default_factory=set)
    """Rooms where the agent was."""
    looked: set[str] = field(default_factory=set)
    """Things that the agent stood at or saw into."""
    seen_into: set[str] = field(default_factory=set)
    """Places whose contents were seen."""
    left: tuple[str, ...] = ()
    """Places or rooms left to look at, where the dialect lists them."""
    hands: int = 2
    """Number of hands."""
    opening_needs_hand: bool = False
    """Whether opening needs a free hand."""
    succeeded: list[str] = field(default_factory=list)
    """Actions that succeeded, the oldest first."""
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of failures by action and reason."""
    refusing: set[str] = field(default_factory=set)
    """Places that took nothing."""
    cleared: set[str] = field(default_factory=set)
    """Places where room was made."""
    treated: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a thing and its treatment."""
    passed_by: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a place that the agent left for another of its category, and a thing in hand."""
    last_target: str | None = None
    """The thing of the last action."""

    @property
    def furniture(self) -> dict[str, str | None]:
        """The things that are seen from anywhere in their room, with the room."""
        return {name: known.room for name, known in self.things.items() if known.at is None}

    def state(self, name: str, state: str) -> bool | None:
        """Whether a thing is in a state; None where that is unknown."""
        states = self.things[name].states if name in self.things else self.own.get(name, set())
        if state in states:
            return True
        return False if _OPPOSITE.get(state) in states else None

    def room_of(self, name: str) -> str | None:
        """The room where a thing was seen; the room itself for a room."""
        if name in self.rooms:
            return name
        return self.things[name].room if name in self.things else None

    def known_names(self) -> list[str]:
        """The names of all furniture, then of other things, in the order of first sight."""
        return sorted(self.things, key=lambda name: self.things[name].at is not None)

    def in_reach(self, name: str) -> bool:
        """Whether a thing can be handled from here."""
        return name in self.reach

    def graspable(self, name: str) -> bool:
        """Whether a thing can be picked up, as far as is known."""
        known = self.things.get(name)
        return known is None or "graspable" in known.can

    def openable(self, name: str) -> bool:
        """Whether a thing has a door, a drawer or a lid."""
        return name in self.things and "openable" in self.things[name].can

    def is_futile(self, action: str) -> bool:
        """Whether an action failed too often since its last success, or is repeated in circles."""
        if self.succeeded[-_LOOP_WINDOW:].count(action) >= _LOOP_REPEATS:
            return True
        times = [n for (what, _), n in self.failures.items() if what == action]
        return sum(times) >= _MOST_FAILURES or max(times, default=0) >= _MOST_ALIKE

    # --- what was done --------------------------------------------------------------------------

    def take_in(self, log: Iterable[Sequence[Any]]) -> None:
        """Add actions, with their failures and the place of their things before."""
        put: dict[str, str] = {}
        held: list[str] = []
        for action, why, kept in log:
            if why:
                self.failures[action, why] += 1
                place = put_at(action)[1]
                if place is not None and why in _REFUSALS:
                    self.refusing.add(place)
                continue
            for reason in [r for what, r in self.failures if what == action]:
                del self.failures[action, reason]
            phrase = next((p for p in _PHRASES if action.startswith(f"{p} ")), action.split(" ")[0])
            thing, place = put_at(action)
            name = thing or action.removeprefix(f"{phrase} ")
            self._note_treatment(action, name, put)
            if action.startswith("go to ") and name not in self.rooms:
                self._arrive(name, held)
            elif action.startswith("pick up "):
                held.append(name)
                self._note_room_made(put.pop(name, kept))
            elif place is not None:
                put[name] = place
                held = [thing for thing in held if thing != name]
            self.succeeded.append(action)

    def _arrive(self, target: str, held: Sequence[str]) -> None:
        last, before = self.last_target, (self.succeeded or [""])[-1]
        if last and last != target and category(last) == category(target) and before.endswith(last):
            self.passed_by.update((last, thing) for thing in held)
        self.last_target = target
        self.looked.add(target)

    def _note_treatment(self, action: str, device: str, put: Mapping[str, str]) -> None:
        """Note the effect of a device on things that the agent has put into or beside it."""
        for verb, kind, state, places in _TREATMENTS:
            if action == f"{verb} {device}" and category(device) == kind:
                for thing, place in put.items():
                    if place == device or category(place) in places:
                        self.treated.add((thing, state))

    def _note_room_made(self, place: str | None) -> None:
        """Note that a thing was taken from a place, which then has room again."""
        passed_by = {pair for pair in self.passed_by if pair[0] == place}
        if place is None or (place not in self.refusing and not passed_by):
            return
        self.cleared.add(place)
        self.refusing.discard(place)
        self.passed_by -= passed_by
        for key in [key for key in self.failures if key[1] in _REFUSALS]:
            del self.failures[key]


def memory_of(account: Mapping[str, Any]) -> Memory:
    """The memory of an account.

    In the dialect `compact` it has only what the texts say: the present place and the things there.
    """
    compact = account["dialect"] == "compact"
    here = account["here"]
    things = {name: known(data, data["at"]) for name, data in account["things"].items()}
    reach = set(account["reach"])
    if compact:
        reach = {n for n in reach if n in things and things[n].at is not None} if here else set()
        reach |= {here} if here else set()
    memory = Memory(
        rooms=list(account["rooms"]),
        room=account["room"],
        here=here,
        things=things,
        reach={*reach, *account["held"]},
        held=list(account["held"]),
        worn=list(account["worn"]),
        own={name: set(states) for name, states in account["own"].items()},
        resting=bool(account["posture"]),
        visited=set(account["visited"]),
        looked=set(account["looked"]),
        seen_into=set(account["looked"]),
        left=tuple(account["left"]) if compact else (),
        hands=account["hands"],
        opening_needs_hand=account["hand_to_open"],
    )
    memory.take_in(account["log"])
    for name in things if compact else ():
        if name not in memory.looked and things[name].at is None:
            things[name].states.clear()
    for action in account["menu"]:  # things that the agent can go to are in sight
        name = action.removeprefix("go to ")
        if name != action and name not in {*memory.rooms, *memory.held, *memory.worn}:
            things.setdefault(name, Known(memory.room, can=frozenset(["graspable"])))
    return memory


def known(data: Mapping[str, Any], at: str | None) -> Known:
    """A thing of an account. at: the place where the agent stands for it."""
    states, can = set(data["states"]), frozenset(data["can"])
    mine = data.get("mine", False)
    return Known(data["room"], at, data["in"], data["how"], states, can, mine)


def put_at(action: str) -> tuple[str, str | None]:
    """Thing and place of an action that puts a thing down; ("", None) for other actions."""
    if not action.startswith("put down "):
        return "", None
    for how in (" in ", " on ", " under "):
        thing, found, place = action.removeprefix("put down ").partition(how)
        if found:
            return thing, place
    return action.removeprefix("put down "), None


@dataclass(frozen=True)
class HouseSituation:
    """The memory, the actions on offer (None if unknown), and the instruction."""

    memory: Memory
    menu: frozenset[str] | None
    instruction: str

    def offered(self, action: str) -> bool:
        """Whether an action is known to be on offer."""
        return self.menu is not None and action in self.menu

    def possible(self, action: str) -> bool:
        """Whether an action may be chosen."""
        if action in (DONE, GIVE_UP):
            return True
        on_offer = self.menu is None or action in self.menu
        return on_offer and not self.memory.is_futile(action)

    def named_by(self, term: Term) -> str | None:
        """The thing that the instruction names for a term, or None."""
        if term.named is None:
            return None
        names = [name for kind in term.categories for name in named_in(self.instruction, kind)]
        return names[term.named - 1] if term.named <= len(names) else None

    def fits(self, term: Term, thing: str) -> bool:
        """Whether a term may mean a thing."""
        name = self.named_by(term)
        if name is not None:
            return thing == name
        there = self.memory.room_of(thing) or ""
        if term.room and term.room not in (there, category(there)):
            return False
        return category(thing) in term.categories or ANYTHING in term.categories

    def instances(self, term: Term) -> list[str]:
        """The reachable things that a term may mean, those at hand first."""
        memory = self.memory
        known = [*memory.held, *memory.worn, *memory.rooms, *memory.known_names()]
        found = [thing for thing in dict.fromkeys(known) if self.fits(term, thing)]
        return sorted(found, key=lambda thing: not memory.in_reach(thing))

"""What is known of a house and of oneself, as far as a transcript tells.

Names are texts such as "apple 3".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_OPPOSITES = (("open", "closed"), ("on", "off"), ("plugged_in", "plugged_out"))
#: State: the one that excludes it.
OPPOSITE = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
#: An action that succeeded so often among the last ones leads nowhere.
_LOOP_WINDOW, _LOOP_REPEATS = 12, 4
#: So many failures, or so many for the same reason, since it last succeeded, and so does one.
_MOST_FAILURES, _MOST_ALIKE = 4, 2


@dataclass(frozen=True)
class Sighting:
    """Where a thing was last seen.

    stood_at: what one stood at then. place: what the thing is in or on, where that is known;
    relation: how, None for either way. placed_by_me: one has put it there oneself.
    """

    room: str | None
    stood_at: str | None = None
    place: str | None = None
    relation: str | None = None
    placed_by_me: bool = False


@dataclass
class Memory:
    """Rooms, furniture, things and states, one's hands, and how actions came out.

    room: where one is. looked_around: rooms in which one did. furniture: with its room, as first
    seen. inspected: furniture that was stood at, and places that were looked at; glimpsed:
    furniture beside it, of which one may have seen a part. seen_into: what was not closed when one
    saw it. not_at, not_inside: pairs of a thing and a place. reachable:
    what can be handled from here, None where that is not known. last_target: the last thing walked
    to; last_receptacle: the last one that stands for itself. resting: one sits or lies. succeeded:
    actions, in their order. failures: by action and reason, and failures_in_a_row by action, since
    it last succeeded. refusing: places that took nothing.
    full: those of them that have no room. cleared: places from which something was taken since.
    opening_needs_hand: an empty one. treated: pairs of a thing and "heated", "cooled" or "cleaned".
    near: the furniture that was within reach together with a thing, as last seen. passed_by: pairs
    of a place and a thing, which one had in hand on leaving it for another of its category.
    """

    rooms: list[str] = field(default_factory=list)
    visited_rooms: set[str] = field(default_factory=set)
    looked_around: set[str] = field(default_factory=set)
    room: str | None = None
    furniture: dict[str, str | None] = field(default_factory=dict)
    inspected: set[str] = field(default_factory=set)
    glimpsed: set[str] = field(default_factory=set)
    seen_into: set[str] = field(default_factory=set)
    things: dict[str, Sighting] = field(default_factory=dict)
    not_at: set[tuple[str, str]] = field(default_factory=set)
    not_inside: set[tuple[str, str]] = field(default_factory=set)
    states: dict[str, set[str]] = field(default_factory=dict)
    reachable: set[str] | None = None
    held: list[str] = field(default_factory=list)
    worn: list[str] = field(default_factory=list)
    last_target: str | None = None
    last_receptacle: str | None = None
    resting: bool = False
    succeeded: list[str] = field(default_factory=list)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures_in_a_row: Counter[str] = field(default_factory=Counter)
    not_openable: set[str] = field(default_factory=set)
    not_graspable: set[str] = field(default_factory=set)
    refusing: set[str] = field(default_factory=set)
    full: set[str] = field(default_factory=set)
    cleared: set[str] = field(default_factory=set)
    opening_needs_hand: bool = False
    hands: int = 2
    treated: set[tuple[str, str]] = field(default_factory=set)
    near: dict[str, tuple[str, ...]] = field(default_factory=dict)
    passed_by: set[tuple[str, str]] = field(default_factory=set)

    def state(self, name: str, state: str) -> bool | None:
        """Whether a thing is in a state; None where nothing was told."""
        known = self.states.get(name, set())
        if state in known:
            return True
        return False if OPPOSITE.get(state) in known else None

    def set_state(self, name: str, state: str) -> None:
        """Note a state of a thing, which ends the opposite one."""
        known = self.states.setdefault(name, set())
        known.discard(OPPOSITE.get(state, ""))
        known.add(state)

    def room_of(self, name: str) -> str | None:
        """The room that a thing was seen in; a room itself."""
        if name in self.rooms:
            return name
        sighting = self.things.get(name)
        return self.furniture.get(name) if sighting is None else sighting.room

    def furniture_of(self, name: str) -> str | None:
        """What one stands at to handle a thing: furniture itself, or where the thing was seen."""
        if name in self.furniture:
            return name
        sighting = self.things.get(name)
        return None if sighting is None else sighting.stood_at

    def located(self, name: str) -> bool:
        """Whether a thing was seen anywhere."""
        return name in self.things or name in self.furniture

    def known_names(self) -> list[str]:
        """All furniture and things with a place, in the order in which they were seen."""
        return [*self.furniture, *(name for name in self.things if name not in self.furniture)]

    def in_reach(self, name: str) -> bool:
        """Whether a thing can be handled from here."""
        return self.reachable is not None and name in self.reachable

    def is_futile(self, action: str) -> bool:
        """Whether an action failed too often since it last succeeded, or leads round in circles."""
        if self.succeeded[-_LOOP_WINDOW:].count(action) >= _LOOP_REPEATS:
            return True
        return self.failures_in_a_row[action] >= _MOST_FAILURES or any(
            times >= _MOST_ALIKE for (what, _), times in self.failures.items() if what == action
        )

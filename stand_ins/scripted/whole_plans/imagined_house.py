"""A house that is imagined: what would be observed in it, in the words of `reactree`."""

from __future__ import annotations

from collections.abc import Iterable

from ..dialects.reactree import category, parse_put

_VERBS = (
    "go to",
    "pick up",
    "put down",
    "open",
    "close",
    "turn on",
    "turn off",
    "look at",
)


class ImaginedHouse:
    """Where things are imagined to be, changed by what is done.

    furniture: all that stands by itself, with its room. things: with how they are kept and by what.
    closed: what is closed. at: what one has gone to, None in the midst of a room.
    """

    def __init__(
        self,
        rooms: Iterable[str],
        start: str,
        furniture: dict[str, str],
        things: dict[str, tuple[str, str]],
        closed: Iterable[str],
        hands: int,
    ) -> None:
        self.rooms = tuple(rooms)
        self.room = start
        self.furniture = furniture
        self.things = things
        self.closed = set(closed)
        self.held: list[str] = []
        self.at: str | None = None
        self._hands = hands

    def first(self) -> str:
        """The first observation."""
        rooms = _listed(self.rooms)
        count = "is 1 room" if len(self.rooms) == 1 else f"are {len(self.rooms)} rooms"
        return (
            f"You are in the house, and there {count}: {rooms}. You are in the middle of a "
            f"{_numbered(self.room)}. {self._around()}"
        )

    def stands_at(self, thing: str) -> str:
        """What one goes to for a thing: the furniture that keeps it, or itself."""
        while thing in self.things and thing not in self.furniture:
            thing = self.things[thing][1]
        return thing

    def act(self, action: str) -> str:
        """What is observed after an action."""
        put = parse_put(action)
        if put is not None:
            return self._put(*put) + self._hold()
        verb = next((verb for verb in _VERBS if action.startswith(f"{verb} ")), "")
        name = action.removeprefix(f"{verb} ")
        if not verb:
            return f"{self._around() if action == 'look around' else _done(action)}{self._hold()}"
        return self._handle(verb, name) + self._hold()

    # --- actions -------------------------------------------------------------------------------

    def _handle(self, verb: str, name: str) -> str:
        match verb:
            case "go to":
                return self._go_to(name)
            case "look at":
                kept = [thing for thing, (_, place) in self.things.items() if place == name]
                shown = [] if name in self.closed else kept
                return f"You look at the {_numbered(name)}. You see {_listed(shown)}"
        if name not in self._within_reach():
            return f"The {category(name)} is not close to you."
        match verb:
            case "pick up":
                if len(self.held) >= self._hands:
                    return "You do not have an empty hand."
                self.things.pop(name, None)
                self.furniture.pop(name, None)
                self.held.append(name)
            case "open":
                if name not in self.closed:
                    return f"The {category(name)} is already open."
                self.closed.discard(name)
                return f"You open {category(name)}. You see {_listed(self._within_reach())}"
            case "close":
                self.closed.add(name)
        return f"You {verb} {category(name)}."

    def _go_to(self, name: str) -> str:
        if name in self.rooms:
            self.room, self.at = name, None
            return f"You move to the {_numbered(name)}. {self._around()}"
        place = self.stands_at(name)
        if place not in self.furniture:
            return "You have not seen any such thing."
        self.room, self.at = self.furniture[place], place
        door = f" The {_numbered(place)} is closed." if place in self.closed else ""
        return (
            f"You arrive at the {_numbered(place)}.{door} You see {_listed(self._within_reach())}"
        )

    def _put(self, thing: str, how: str | None, place: str | None) -> str:
        place = place or self.at
        if thing not in self.held:
            return f"You do not grab the {category(thing)}."
        if place is None or place not in self._within_reach():
            return f"The {category(place or thing)} is not close to you."
        if place in self.closed and how != "on":
            return f"The {category(place)} is closed."
        self.held.remove(thing)
        self.things[thing] = (how or "on", place)
        return f"You put down {category(thing)} {how or 'on'} {category(place)}"

    # --- what is seen --------------------------------------------------------------------------

    def _within_reach(self) -> list[str]:
        if self.at is None:
            return [*self.held]
        found = [self.at, *self.held]
        for keeper in found:  # it grows
            if keeper not in self.closed:
                found += [thing for thing, (_, place) in self.things.items() if place == keeper]
            else:
                found += [
                    thing
                    for thing, (how, place) in self.things.items()
                    if place == keeper and how == "on"
                ]
        return found

    def _around(self) -> str:
        pieces = [piece for piece, room in self.furniture.items() if room == self.room]
        return f"Looking quickly around the room, you see {_listed(pieces)}."

    def _hold(self) -> str:
        return f" You hold {_listed(self.held)}." if self.held else ""


def _done(action: str) -> str:
    """What is told of what needs nothing and changes nothing here."""
    return f"You {category(action)}."


def _numbered(name: str) -> str:
    kind, _, number = name.rpartition(" ")
    return f"{kind} ({number})"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(_numbered(name) for name in sorted(set(names))) or "nothing"

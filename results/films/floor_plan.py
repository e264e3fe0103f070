"""The floor plan of an episode: places of rooms and furniture, the same in the whole film.

Most worlds have no positions within a room, so the plan shows what is where, without distances. A
room is a rectangle sized by its content. Furniture is a card in it; an object is a line on the card
of its keeper. Objects of the goal and of actions are always shown with their keepers. Other
furniture is shown as far as there is space.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .moments import Drawn, MomentState

#: Pixels before scaling: smallest width of a card, its head, a line, and the gap.
_CARD, HEAD, LINE, GAP = 165, 24, 19, 6
ROOM_HEAD = 26
#: Most lines of a card, and most cards of furniture without any event.
_LINES, _OTHERS = 16, 8
#: Rooms that are shown even where fewer are needed.
_ROOMS = 9
#: Worlds with at most so many objects show all of them, not only those of the episode.
_FEW_THINGS = 60
#: Scales of a plan; the first at which everything fits is used.
_SCALES = (1.9, 1.7, 1.5, 1.35, 1.2, 1.1, 1.0, 0.9)


@dataclass
class Card:
    """A piece of furniture, or the floor of a room (with the room's id). Places are in pixels.

    lines: for the objects on it.
    """

    thing: int
    """Its node id."""
    lines: int
    """Lines for objects on it."""
    x: int = 0
    """Left edge in pixels."""
    y: int = 0
    """Top edge in pixels."""
    width: int = 0
    """Width in pixels."""
    height: int = 0
    """Height in pixels."""


@dataclass
class RoomPlan:
    """A room with its cards. left_out: number of pieces of furniture that are not shown."""

    room: int
    """Its node id."""
    cards: list[Card]
    """Its furniture and its floor."""
    x: int = 0
    """Left edge in pixels."""
    y: int = 0
    """Top edge in pixels."""
    width: int = 0
    """Width in pixels."""
    height: int = 0
    """Height in pixels."""
    left_out: int = 0
    """Number of pieces of furniture that are not shown."""


@dataclass(frozen=True)
class FloorPlan:
    """The plan of an episode."""

    rooms: Sequence[RoomPlan]
    """Rooms with their cards, placed."""
    shown: frozenset[int]
    """Objects that have lines."""
    other_rooms: int = 0
    """Number of rooms that are left out."""
    cards: Mapping[int, Card] = field(default_factory=dict)
    """Cards by node id."""
    scale: float = 1.0
    """Factor of all sizes and places when it is drawn."""

    def card_of(self, world: MomentState, thing: int) -> Card | None:
        """The card of an object at a moment; None where none of its places has one."""
        return next((self.cards[i] for i in _up(world, thing) if i in self.cards), None)

    def things_by_card(self, world: MomentState) -> dict[int, list[Drawn]]:
        """The shown objects by card, each after its keeper."""
        found: dict[int, list[Drawn]] = {}
        for thing in self.shown & world.things.keys():
            card = self.card_of(world, thing)
            if card is not None:
                found.setdefault(card.thing, []).append(world.things[thing])
        for things in found.values():
            things.sort(key=lambda each: [world.things[i]["name"] for i in _down(world, each)])
        return found


def floor_plan(
    worlds: Sequence[MomentState], goal: Collection[int], width: int, height: int
) -> FloorPlan:
    """The plan of an episode; with its scale it fills width x height pixels."""
    kinds = {i: str(thing["kind"]) for world in worlds for i, thing in world.things.items()}
    needed = _needed(worlds, goal)
    objects = {i for i, kind in kinds.items() if kind == "object"}
    shown = frozenset(objects if len(objects) <= _FEW_THINGS else objects & needed)
    rooms = _rooms(worlds, needed, kinds)
    plan = FloorPlan(rooms, shown, cards={c.thing: c for room in rooms for c in room.cards})
    for world in worlds:
        for thing, kept in plan.things_by_card(world).items():
            card = plan.cards[thing]
            card.lines = min(max(card.lines, len(kept)), _LINES)
    rooms.sort(key=lambda room: room.room not in needed)
    count = sum(room.room in needed for room in rooms)
    order = sorted(rooms[: max(count, _ROOMS)], key=lambda room: room.room)
    for scale in _SCALES:
        placed = [replace(room, cards=[replace(card) for card in room.cards]) for room in order]
        _split(placed, 0, 0, int(width / scale), int(height / scale))
        if sum(_place(room, needed) for room in placed) == 0:
            break
    cards = {card.thing: card for room in placed for card in room.cards}
    return FloorPlan(placed, shown, len(rooms) - len(order), cards, scale)


def _needed(worlds: Sequence[MomentState], goal: Collection[int]) -> set[int]:
    """Objects of the goal, objects of actions, and the agent's places, with all their keepers."""
    about = {thing for world in worlds for thing in (*world.about, *world.at)}
    held = {
        i for world in worlds for i, thing in world.things.items() if thing.get("how") == "holds"
    }
    return {
        each
        for world in worlds
        for thing in {*goal, *about, *held} & world.things.keys()
        for each in (thing, *_up(world, thing))
    }


def _rooms(
    worlds: Sequence[MomentState], needed: Collection[int], kinds: Mapping[int, str]
) -> list[RoomPlan]:
    """All rooms with their possible cards, the needed ones first."""
    first = worlds[0]
    rooms = {i: RoomPlan(i, [Card(i, 0)]) for i, kind in kinds.items() if kind == "room"}
    if not rooms:
        rooms = {-1: RoomPlan(-1, [Card(-1, 0)])}
    fixtures = [i for i, kind in kinds.items() if kind == "fixture"]
    for fixture in sorted(fixtures, key=lambda i: (i not in needed, i)):
        world = next(each for each in (first, *worlds) if fixture in each.things)
        room = next((i for i in _up(world, fixture) if i in rooms), next(iter(rooms)))
        rooms[room].cards.append(Card(fixture, 0))
    return list(rooms.values())


def _weight(room: RoomPlan) -> float:
    """The relative area of a room."""
    small = min(_OTHERS, len(room.cards))
    return 3.0 + sum(1.0 + 0.8 * card.lines for card in room.cards if card.lines) + 0.8 * small


def _split(rooms: Sequence[RoomPlan], x: int, y: int, width: int, height: int) -> None:
    """Divide a rectangle among rooms by weight, each time across its longer side."""
    if len(rooms) == 1:
        room = rooms[0]
        room.x, room.y = x + GAP // 2, y + GAP // 2
        room.width, room.height = width - GAP, height - GAP
        return
    total, first, count = sum(map(_weight, rooms)), _weight(rooms[0]), 1
    while count < len(rooms) - 1 and first + _weight(rooms[count]) / 2 < total / 2:
        first += _weight(rooms[count])
        count += 1
    share = first / total
    if width > 1.2 * height:
        part = round(width * share)
        _split(rooms[:count], x, y, part, height)
        _split(rooms[count:], x + part, y, width - part, height)
    else:
        part = round(height * share)
        _split(rooms[:count], x, y, width, part)
        _split(rooms[count:], x, y + part, width, height - part)


def _place(room: RoomPlan, needed: Collection[int]) -> bool:
    """Place a room's cards in columns; returns whether something needed has no space."""
    columns = max(1, (room.width - GAP) // (_CARD + GAP))
    wide = (room.width - GAP) // columns - GAP
    bottoms = [room.y + ROOM_HEAD] * columns
    kept: list[Card] = []
    others, is_short = 0, wide < _CARD * 0.75
    for card in room.cards:
        head = 0 if card.thing == room.room else HEAD
        if not head and not card.lines:
            continue
        others += card.thing not in needed and not card.lines
        column = min(range(columns), key=lambda each: (bottoms[each], each))
        tall = head + LINE * card.lines + (4 if card.lines else 0)
        space = room.y + room.height - GAP - bottoms[column]
        if others > _OTHERS or space < max(head, LINE):
            room.left_out += 1
            is_short = is_short or others <= _OTHERS
            continue
        is_short = is_short or tall > space
        card.x = room.x + GAP + column * (wide + GAP)
        card.y, card.width, card.height = bottoms[column], wide, min(tall, space)
        card.lines = max(0, min(card.lines, (card.height - head) // LINE))
        bottoms[column] += card.height + GAP
        kept.append(card)
    room.cards = kept
    return is_short


def _up(world: MomentState, thing: int) -> Iterator[int]:
    """The keepers of an object, from the innermost place on, without an agent that holds it."""
    seen = {thing}
    drawn = world.things.get(thing)
    while drawn is not None and "in" in drawn and drawn["in"] not in seen:
        if drawn["how"] == "holds":
            return
        seen.add(drawn["in"])
        yield drawn["in"]
        drawn = world.things.get(drawn["in"])


def _down(world: MomentState, thing: Drawn) -> list[int]:
    """The keepers of an object, outermost first, then the object."""
    return [*reversed([i for i in _up(world, thing["id"]) if i in world.things]), thing["id"]]

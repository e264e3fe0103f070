"""Draws floor plans: rooms, furniture with its objects, and the agent with what it holds.

Objects in view are drawn in full, remembered ones in grey. Objects that the agent has never
perceived have a dashed line; only the reader sees them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from .caption import INK, SOFT
from .floor_plan import HEAD, LINE, ROOM_HEAD, Card, FloorPlan, RoomPlan
from .moments import Drawn, MomentState
from .pen import Pen

_PAPER, _WHITE = (247, 244, 238), (255, 255, 255)
_ROOM, _HERE, _CLOSED = (238, 234, 226), (226, 236, 247), (222, 217, 208)
_EDGE, _AGENT, _GOAL = (190, 184, 174), (24, 98, 190), (214, 150, 0)
_SEEN, _MOVED = (250, 244, 214), (178, 84, 20)
#: Colours of states on cards; other states are grey.
_STATES = {"open": (18, 122, 70), "on": (176, 110, 0)}
_LEGEND = (
    ("seen", "in sight"),
    ("known", "known from before"),
    ("moved", "no longer where the agent thinks"),
    ("hidden", "hidden from the agent"),
    ("goal", "what the task is about"),
    ("closed", "closed"),
    ("near", "in reach"),
)
#: Pixels of the legend below the plan.
LEGEND_HEIGHT = 26
#: States that are not written; closed furniture is drawn darker.
_USUAL = frozenset({"closed", "off", "plugged in", "plugged out"})
_BADGE = 13
#: Least width for the text of what the agent holds beside the title of its room.
_HELD = 110.0


def draw_plan(
    plan: FloorPlan, world: MomentState, goal: Collection[int], size: tuple[int, int]
) -> Any:
    """The plan at a moment as a picture of pillow, without the agent."""
    from PIL import Image

    image = Image.new("RGB", size, _PAPER)
    pen = Pen(image, plan.scale)
    here = _room_of_agent(world)
    by_card = plan.things_by_card(world)
    for room in plan.rooms:
        _draw_room(pen, room, world, here == room.room)
        for card in room.cards:
            kept = by_card.get(card.thing, [])
            top = card.y
            if card.thing != room.room and card.thing in world.things:
                _draw_head(pen, card, world, goal)
                top += HEAD
            _draw_things(pen, card, top, kept, world, goal)
    _draw_legend(Pen(image), plan, size)
    return image


def draw_agent(image: Any, plan: FloorPlan, world: MomentState, place: tuple[float, float]) -> None:
    """Add the agent with what it holds."""
    pen = Pen(image, plan.scale)
    x, y = place
    held = [thing["name"] for thing in world.things.values() if thing.get("how") == "holds"]
    if held:
        _draw_held(pen, plan, world, "holds " + ", ".join(sorted(held)), image.size[0] / plan.scale)
    pen.disc(x, y, _BADGE, _AGENT, _WHITE)
    pen.disc(x, y - 3, 4, _WHITE)
    pen.half_disc(x, y + 9, 7, _WHITE)


def _draw_held(pen: Pen, plan: FloorPlan, world: MomentState, text: str, width: float) -> None:
    """What the agent holds, beside the title of its room, or at the foot of a narrow room."""
    here = _room_of_agent(world)
    room = next((room for room in plan.rooms if here in (None, room.room)), None)
    left, right, y = 20.0, width - 20.0, 13.0
    if room is not None:
        more = pen.length(f"+ {room.left_out} more", 12) + 10 if room.left_out else 0.0
        left = room.x + 24 + pen.length(_title(pen, room, world), 15) + more
        right, y = room.x + room.width - 2.0 * _BADGE - 16, room.y + ROOM_HEAD / 2
        if right - left < min(_HELD, pen.length(text, 14) + 20):
            left, right, y = room.x + 10.0, room.x + room.width - 10.0, room.y + room.height - 14.0
    text = pen.fitted(text, 14, right - left - 20)
    pen.rectangle((right - pen.length(text, 14) - 20, y - 10, right, y + 10), 10, _AGENT)
    pen.write(right - 10, y, text, 14, _WHITE, anchor="rm")


def agent_place(plan: FloorPlan, world: MomentState) -> tuple[float, float]:
    """The place of the agent on the plan: at the card where it stands, else in its room."""
    for thing in (*(t for t in world.about if t in world.at), *world.at):
        card = plan.cards.get(thing) or plan.card_of(world, thing)
        if card is not None:
            return card.x + card.width - _BADGE, card.y + 4.0
    here = _room_of_agent(world)
    for room in plan.rooms:
        if room.room == here or here is None:
            return room.x + room.width - 2.0 * _BADGE, room.y + ROOM_HEAD / 2 + 2.0
    return 20.0, 20.0


def _room_of_agent(world: MomentState) -> int | None:
    """The room of the agent, which may sit on something in it."""
    at = next((thing for thing in world.things.values() if thing["kind"] == "agent"), None)
    for _ in world.things:
        if at is None or at["kind"] == "room":
            break
        at = world.things.get(at.get("in", -1))
    return None if at is None else int(at["id"])


def _draw_room(pen: Pen, room: RoomPlan, world: MomentState, here: bool) -> None:
    box = (room.x, room.y, room.x + room.width, room.y + room.height)
    pen.rectangle(box, 8, _HERE if here else _ROOM, _AGENT if here else _EDGE, 2)
    title = _title(pen, room, world)
    pen.write(room.x + 10, room.y + 5, title, 15, INK)
    x = room.x + 20 + pen.length(title, 15)
    more = f"+ {room.left_out} more" if room.left_out else ""
    if x + pen.length(more, 12) < room.x + room.width:
        pen.write(x, room.y + 8, more, 12, SOFT)


def _title(pen: Pen, room: RoomPlan, world: MomentState) -> str:
    """The name of a room, as far as it fits beside the count of what is left out."""
    name = world.things[room.room]["name"] if room.room in world.things else ""
    more = f"+ {room.left_out} more" if room.left_out else ""
    return pen.fitted(name, 15, room.width - 60 - pen.length(more, 12))


def _draw_head(pen: Pen, card: Card, world: MomentState, goal: Collection[int]) -> None:
    """A piece of furniture with its states; darker where it is closed."""
    thing = world.things[card.thing]
    states = _remarkable(thing, goal) + [s for s in thing.get("states", ()) if s == "closed"]
    near = card.thing in world.at
    box = (card.x, card.y, card.x + card.width, card.y + card.height)
    fill = _CLOSED if "closed" in states else _WHITE
    pen.rectangle(box, 6, fill, _AGENT if near else _EDGE, 2 if near else 1)
    left = card.x + 10
    if card.thing in goal:
        _mark(pen, card.x + 7, card.y + HEAD / 2)
        left += 6
    text = pen.fitted(", ".join(states), 12, card.width / 2)
    room = card.x + card.width - left - 6
    name = pen.fitted(thing["name"], 14, room - (pen.length(text, 12) + 8 if text else 0))
    pen.write(left, card.y + 4, name, 14, INK if thing["sight"] == "seen" else SOFT)
    colour = next((_STATES[state] for state in states if state in _STATES), SOFT)
    pen.write(left + 8 + pen.length(name, 14), card.y + 6, text, 12, colour)


def _draw_things(
    pen: Pen, card: Card, top: int, kept: Sequence[Drawn], world: MomentState, goal: Collection[int]
) -> None:
    """The lines of a card; objects of the goal come first where space is short."""
    if len(kept) > card.lines:
        kept = sorted(kept, key=lambda thing: thing["id"] not in goal)
    for number in range(min(card.lines, len(kept))):
        if number == card.lines - 1 and len(kept) > card.lines:
            text = f"+ {len(kept) - number} more"
            pen.write(card.x + 16, top + 2, text, 12, SOFT)
        else:
            _draw_thing(pen, card, top, kept[number], world, goal)
        top += LINE


def _draw_thing(
    pen: Pen, card: Card, top: int, thing: Drawn, world: MomentState, goal: Collection[int]
) -> None:
    """A line of a card: an object, how it is kept there, and its states."""
    sight, keeper = thing["sight"], thing.get("in")
    box = (card.x + 6, top + 1, card.x + card.width - 6, top + LINE - 2)
    if sight == "hidden":
        pen.dashed(box, SOFT)
    elif sight == "moved":
        pen.rectangle(box, 4, None, _MOVED)
    elif sight == "seen":
        pen.rectangle(box, 4, _SEEN)
    if thing["id"] in goal:
        _mark(pen, card.x + 10, top + LINE / 2)
    text = str(thing["name"])
    if keeper is not None and keeper != card.thing and keeper in world.things:
        text += f" {thing['how']} {world.things[keeper]['name']}"
    text = pen.fitted(", ".join([text, *_remarkable(thing, goal)]), 13, card.width - 28)
    pen.write(card.x + 17, top + 0.5, text, 13, {"seen": INK, "moved": _MOVED}.get(sight, SOFT))


def _remarkable(thing: Drawn, goal: Collection[int]) -> list[str]:
    """The states that are written: more of the goal's objects than of others."""
    usual = _USUAL if thing["id"] in goal else _USUAL | {"dirty", "clean"}
    return [state for state in thing.get("states", ()) if state not in usual]


def _mark(pen: Pen, x: float, y: float) -> None:
    """The mark of the goal's objects."""
    pen.polygon([(x - 1, y - 5), (x + 4, y), (x - 1, y + 5)], _GOAL)


def _draw_legend(pen: Pen, plan: FloorPlan, size: tuple[int, int]) -> None:
    x, y = 10.0, size[1] - LEGEND_HEIGHT + 4
    for kind, text in _LEGEND:
        box = (x, y + 2, x + 18, y + 15)
        match kind:
            case "hidden":
                pen.dashed(box, SOFT)
            case "goal":
                _mark(pen, x + 8, y + 9)
            case "moved":
                pen.rectangle(box, 4, None, _MOVED)
            case "seen":
                pen.rectangle(box, 4, _SEEN, _EDGE)
            case "known":
                pen.write(x - 2, y + 1, "abc", 12, SOFT)
            case "closed":
                pen.rectangle(box, 4, _CLOSED, _EDGE)
            case "near":
                pen.rectangle(box, 4, _WHITE, _AGENT, 2)
        pen.write(x + 24, y, text, 13, SOFT if kind == "known" else INK)
        x += 24 + pen.length(text, 13) + 22
    if plan.other_rooms:
        text = f"{plan.other_rooms} other rooms are not shown"
        pen.write(size[0] - 10, y, text, 13, SOFT, anchor="ra")

"""Putting things down in AI2-THOR: where they are then, and what is refused."""

from __future__ import annotations

from functools import partial

from ...adapters.ai2thor.object_types import ONE_SLOT, allowed
from ...scene_graph.node import Relation
from ...skills.actions import put
from ...skills.outcomes import Reason
from ..assumption import CannotTell, Topic, expect
from .room import INTERACTION, MESSAGES, TYPES, Room, assume, refused, said, some

_ON, _IN = put(9, Relation.ON, 8), put(9, Relation.INSIDE, 8)
_SMALL = ("Apple", "Potato", "Egg")


@assume(
    Topic.ACTIONS,
    "PutObject brings the held thing to a place, which is at once in its parentReceptacles.",
    source=f"{INTERACTION}; adapters/ai2thor/graph.py",
)
def put_on_counter(room: Room) -> str:
    thing, place = room.hold(room.one(*_SMALL)), room.one("CounterTop", "DiningTable")
    answer = room.tried(place, lambda: room.put(place))
    where = room.where(thing)
    done = answer.success and place in room.parents(thing) and not room.held
    return expect(done, f"{said(answer)}; {where}; held: {room.held}")


@assume(
    Topic.ACTIONS,
    "A thing that is put into an open fridge has the fridge in its parentReceptacles.",
    source=f"{INTERACTION}; goals ask for things in fridges",
)
def put_in_fridge(room: Room) -> str:
    thing, fridge = room.one(*_SMALL), room.one("Fridge")
    room.open(fridge)
    room.hold(thing)
    answer = room.tried(fridge, lambda: room.put(fridge))
    return expect(
        answer.success and fridge in room.parents(thing), f"{said(answer)}; {room.where(thing)}"
    )


@assume(
    Topic.STATES,
    "A thing in the sink has the SinkBasin in its parentReceptacles, not only the Sink.",
    source="adapters/ai2thor/graph.py: only the basin is beside the faucet",
)
def put_in_basin(room: Room) -> str:
    thing, basin = room.hold(room.one(*_SMALL)), room.one("SinkBasin")
    answer = room.tried(basin, lambda: room.put(basin, forceAction=True))
    room.must(answer, f"put {thing} at {basin}")
    return expect(basin in room.parents(thing), f"{said(answer)}; {room.where(thing)}")


@assume(
    Topic.STATES,
    "What is in a container stays reported there when the container is closed.",
    source="skills.events: the microwave heats, the fridge cools what is reported in it",
)
def closed_keeps(room: Room) -> str:
    thing, oven = room.one("Potato", "Egg"), room.one("Microwave")
    room.store(thing, oven)
    return expect(oven in room.parents(thing), f"{oven} is closed, {room.where(thing)}")


@assume(
    Topic.REFUSALS,
    "Nothing is put into a closed fridge: it is refused as closed.",
    source=MESSAGES,
)
def put_in_closed(room: Room) -> str:
    fridge = room.one("Fridge", where=lambda raw: not raw["isOpen"])
    room.hold(room.one(*_SMALL))
    room.come_to(fridge)
    return refused(room.put(fridge), _IN, Reason.CONTAINER_CLOSED)


@assume(
    Topic.REFUSALS,
    "A type that a place does not take, by the table of types, is refused as unsuitable.",
    source=f"{TYPES}; adapters/ai2thor/object_types.yaml, allowed",
)
def table_refuses(room: Room) -> str:
    thing = room.one("DishSponge", "Statue", "CreditCard")
    place = _place(room, thing, fits=False)
    room.hold(thing)
    room.come_to(place)
    return refused(room.put(place), _ON, Reason.UNSUITABLE)


@assume(
    Topic.ACTIONS,
    "With forceAction a place takes a type that the table of types refuses.",
    source="adapters/ai2thor/execution.py: ALFRED's tasks ask for pencils in bowls",
)
def force_passes_table(room: Room) -> str:
    thing = room.one("DishSponge", "Statue", "CreditCard")
    place = _place(room, thing, fits=False)
    room.hold(thing)
    answer = room.tried(place, lambda: room.put(place, forceAction=True))
    return expect(answer.success, f"{thing} at {place}: {said(answer)}; {room.where(thing)}")


@assume(
    Topic.ACTIONS,
    "Without force a place takes the types that the table of types allows.",
    source=f"{TYPES}; adapters/ai2thor/object_types.yaml, allowed",
)
def table_allows(room: Room) -> str:
    wrong, tried = [], 0
    for kind, places in _ALLOWED.items():
        thing = room.one(kind)
        for place in map(room.one, places):
            room.hold(thing)
            answer = room.tried(place, partial(room.put, place))
            tried += 1
            if place not in room.parents(thing):
                wrong.append(f"{kind} at {place}: {said(answer)}")
            if room.held:
                room.must(room.do("DropHandObject", forceAction=True), f"let {thing} go")
    return expect(not wrong, f"{tried} puts; not there then: {some(wrong)}")


#: Pairs of the table; the places are open and have room.
_ALLOWED = {
    "Apple": ("CounterTop", "GarbageCan", "SinkBasin"),
    "Mug": ("CoffeeMachine", "CounterTop"),
}


def _place(room: Room, thing: str, *, fits: bool) -> str:
    """An open fixture in whose type the table puts the thing's, or not."""
    kind = str(room.thing(thing)["objectType"])
    return room.one(
        *("CounterTop", "DiningTable", "GarbageCan", "Chair", "Shelf", "Toaster"),
        where=lambda raw: (
            raw["receptacle"]
            and raw["objectType"] not in ONE_SLOT
            and allowed(kind, raw["objectType"]) is fits
        ),
    )


@assume(
    Topic.REFUSALS,
    "A burner with a pan on it takes no pot: it is refused as full.",
    source=f"{MESSAGES}; Embodiment.capacity of the adapter",
)
def burner_is_full(room: Room) -> str:
    burner = room.one("StoveBurner")
    if not room.thing(burner).get("receptacleObjectIds"):
        room.place(room.one("Pan"), burner)
    on_it = room.thing(burner).get("receptacleObjectIds") or ()
    other = room.one("Pot", "Pan", "Kettle", where=lambda raw: raw["objectId"] not in on_it)
    room.hold(other)
    room.come_to(burner)
    return refused(room.put(burner, forceAction=True), _ON, Reason.FULL)


@assume(
    Topic.REFUSALS,
    "A burner takes only pots, pans and kettles, even with forceAction.",
    source=f"{MESSAGES}; Embodiment.accepts of the adapter",
)
def burner_takes_pots(room: Room) -> str:
    thing = room.hold(room.one(*_SMALL))
    for raw in room.things:
        if raw["objectType"] == "StoveBurner" and not raw.get("receptacleObjectIds"):
            room.come_to(raw["objectId"])
            answer = room.put(raw["objectId"], forceAction=True)
            return f"{thing}: " + refused(answer, _ON, Reason.UNSUITABLE)
    raise CannotTell("no burner is free")


@assume(
    Topic.REFUSALS,
    "A fixture that is no receptacle takes nothing, and is refused as that.",
    source=MESSAGES,
)
def put_on_no_receptacle(room: Room) -> str:
    fixture = room.one("Faucet", "StoveKnob", "LightSwitch", where=lambda r: not r["receptacle"])
    room.hold(room.one(*_SMALL))
    room.come_to(fixture)
    return refused(room.put(fixture), _ON, Reason.NOT_A_SURFACE)


@assume(
    Topic.REFUSALS,
    "With an empty hand PutObject is refused, as nothing is held.",
    source=MESSAGES,
)
def put_nothing(room: Room) -> str:
    place = room.one("CounterTop")
    room.come_to(place)
    return refused(room.put(place), _ON, Reason.NOT_HELD)


@assume(
    Topic.REFUSALS,
    "What does not fit is refused as there is no free spot, even with forceAction.",
    source=f"{MESSAGES}; the executor then tries other poses",
)
def put_too_large(room: Room) -> str:
    mug = room.one("Mug", "Cup")
    room.place(mug, room.one("CounterTop"))
    room.hold(room.one("Pan", "Pot"))
    room.come_to(mug)
    return refused(room.put(mug, forceAction=True), _IN, Reason.NO_FREE_SPOT)


@assume(
    Topic.REFUSALS,
    "A place out of sight takes nothing, and counts as unreachable from here.",
    source=f"{MESSAGES}; the executor then tries other poses",
)
def put_unseen(room: Room) -> str:
    room.hold(room.one(*_SMALL))
    place = room.one("CounterTop", "DiningTable", where=lambda raw: not raw["visible"])
    return refused(room.put(place), _ON, Reason.UNREACHABLE)


@assume(
    Topic.CALLS,
    "An argument that an action does not have is refused as a wrong call, not as a failed put.",
    source="adapters/ai2thor/world.py, put, by which it tells the versions of PutObject apart",
)
def wrong_argument(room: Room) -> str:
    thing, place = room.hold(room.one(*_SMALL)), room.one("CounterTop")
    room.come_to(place)
    old = room.do("PutObject", thing, receptacleObjectId=place)
    new = None if not old.known else room.do("PutObject", place)
    answer = f"with receptacleObjectId: {said(old)}, known {old.known}"
    if new is not None:  # an engine before 3 has that argument, and needs it
        answer += f"; without: {said(new)}, known {new.known}"
    return expect(not old.known or (new is not None and not new.known), answer)

"""How things change in AI2-THOR: cutting, heat, cold, water."""

from __future__ import annotations

from ...adapters.ai2thor.object_types import whole_of
from ...scene_graph.node import State
from ...skills.actions import slice_
from ...skills.outcomes import Reason
from ..assumption import CannotTell, Topic, expect
from .room import INTERACTION, MATERIALS, MESSAGES, TYPES, Room, assume, refused, said, some

_FOOD = ("Apple", "Potato", "Tomato", "Bread", "Lettuce")
_PIECES = "adapters/ai2thor/graph.py tells the whole of a piece by its id and type"


def _cut(room: Room) -> tuple[str, list[str], list[str]]:
    """Cut a thing on a counter: its id, its places, and the ids of what is new in the room."""
    thing = room.one(
        *_FOOD, where=lambda raw: any("CounterTop" in p for p in raw["parentReceptacles"] or ())
    )
    places, before = room.parents(thing), {raw["objectId"] for raw in room.things}
    room.come_to(thing)
    room.must(room.do("SliceObject", thing), f"slice {thing}")
    return thing, places, [r["objectId"] for r in room.things if r["objectId"] not in before]


@assume(
    Topic.ACTIONS,
    "SliceObject cuts a thing while a knife is in the hand, and the knife stays in the hand.",
    source=f"{INTERACTION}; slicing needs a knife in the hand here, as in ALFRED",
)
def slice_with_knife(room: Room) -> str:
    knife = room.hold(room.one("Knife", "ButterKnife"))
    thing, _, pieces = _cut(room)
    answer = f"{thing}: {len(pieces)} pieces; held: {room.held}"
    return expect(len(pieces) > 0 and room.held == [knife], answer)


def _pieces(room: Room) -> tuple[str, list[str], list[str]]:
    """As `_cut`, with at least one piece. Raises CannotTell without any."""
    cut = _cut(room)
    if not cut[2]:
        raise CannotTell(f"{cut[0]} was cut, and nothing new is reported")
    return cut


@assume(
    Topic.NAMES,
    "The id of a piece is that of the whole with |TYPESliced_NUMBER after it.",
    source=f"{TYPES}; {_PIECES}",
)
def piece_ids(room: Room) -> str:
    thing, _, pieces = _pieces(room)
    kind = thing.partition("|")[0]
    odd = [
        name
        for name in pieces
        if name.rpartition("|")[0] != thing or whole_of(room.thing(name)["objectType"]) != kind
    ]
    return expect(not odd, f"pieces of {thing}: {some(pieces)}; odd: {some(odd)}")


@assume(
    Topic.STATES,
    "After the cut the whole is gone, or reported with isSliced.",
    source="adapters/ai2thor/graph.py keeps the whole for what is told of it, and shows it nowhere",
)
def whole_is_gone(room: Room) -> str:
    thing, _, _ = _pieces(room)
    left = room.reported(thing)
    sliced = left and room.thing(thing)["isSliced"]
    answer = f"{thing} is reported with isSliced {sliced}" if left else f"{thing} is gone"
    return expect(not left or bool(sliced), answer)


@assume(
    Topic.STATES,
    "The pieces are where the whole was: at the same place in parentReceptacles.",
    source="goals ask for slices on places; skills.dynamics, slice",
)
def pieces_stay(room: Room) -> str:
    thing, places, pieces = _pieces(room)
    elsewhere = [name for name in pieces if not set(places) & set(room.parents(name))]
    answer = f"{thing} was at {some(places)}; pieces elsewhere: {some(elsewhere)}"
    return expect(not elsewhere, answer)


@assume(
    Topic.HANDS,
    "A piece can be picked up.",
    source=f"{TYPES}; ALFRED's tasks carry slices",
)
def piece_is_picked_up(room: Room) -> str:
    _, _, pieces = _pieces(room)
    room.come_to(pieces[0])
    answer = room.do("PickupObject", pieces[0])
    return expect(room.held == [pieces[0]], f"{said(answer)}; held: {room.held}")


@assume(
    Topic.REFUSALS,
    "What is in the hand is not cut, and is refused as held.",
    source=MESSAGES,
)
def slice_held(room: Room) -> str:
    thing = room.hold(room.one(*_FOOD))
    return refused(room.do("SliceObject", thing), slice_(9), Reason.HELD)


@assume(
    Topic.REFUSALS,
    "What cannot be cut is refused as not sliceable.",
    source=MESSAGES,
)
def slice_mug(room: Room) -> str:
    thing = room.one("Mug", "Bowl", where=lambda raw: not raw["sliceable"])
    room.come_to(thing)
    return refused(room.do("SliceObject", thing), slice_(9), Reason.NOT_SLICEABLE)


def _temperature(room: Room, object_id: str) -> str:
    raw = room.thing(object_id)
    return str(raw.get("temperature") or raw.get("ObjectTemperature"))


@assume(
    Topic.STATES,
    "Every thing has a temperature, which is RoomTemp, Hot or Cold.",
    source=f"{MATERIALS}; adapters/ai2thor/graph.py",
)
def temperatures(room: Room) -> str:
    values = {_temperature(room, raw["objectId"]) for raw in room.things if raw["pickupable"]}
    return expect(values <= {"RoomTemp", "Hot", "Cold"}, f"temperatures: {some(sorted(values))}")


@assume(
    Topic.STATES,
    "A thing in a running microwave becomes Hot.",
    source=f"{MATERIALS}; State.HOT of the scene graph",
)
def microwave_heats(room: Room) -> str:
    thing = _microwaved(room)
    state = _temperature(room, thing)
    hot = State.HOT in room.world.graph()[room.node(thing)].states
    return expect(state == "Hot" and hot, f"{thing} has temperature {state}")


@assume(
    Topic.STATES,
    "A potato in a running microwave becomes cooked.",
    source=f"{TYPES}; State.COOKED of the scene graph",
)
def microwave_cooks(room: Room) -> str:
    thing = _microwaved(room)
    cooked = room.thing(thing).get("isCooked")
    return expect(cooked is True, f"{thing} has isCooked {cooked}")


def _microwaved(room: Room) -> str:
    oven, thing = room.one("Microwave"), room.one("Potato")
    room.store(thing, oven)
    room.must(room.do("ToggleObjectOn", oven), f"turn on {oven}")
    room.do("Pass")
    return thing


@assume(
    Topic.STATES,
    "A thing in a closed fridge becomes Cold.",
    source=f"{MATERIALS}; State.COLD of the scene graph",
)
def fridge_cools(room: Room) -> str:
    thing = room.one("Apple", "Tomato")
    room.store(thing, room.one("Fridge"))
    room.do("Pass")
    state = _temperature(room, thing)
    cold = State.COLD in room.world.graph()[room.node(thing)].states
    return expect(state == "Cold" and cold, f"{thing} has temperature {state}")


@assume(
    Topic.STATES,
    "A pan on a burner whose knob is turned on becomes Hot.",
    source=f"{MATERIALS}; State.HOT of the scene graph",
)
def burner_heats(room: Room) -> str:
    knob = room.one("StoveKnob", where=lambda raw: bool(raw.get("controlledObjects")))
    burner, pan = str(room.thing(knob)["controlledObjects"][0]), room.one("Pan", "Pot")
    if burner not in room.parents(pan):
        room.place(pan, burner)
    room.must(room.do("ToggleObjectOn", knob, forceAction=True), f"turn on {knob}")
    room.do("Pass")
    state = _temperature(room, pan)
    return expect(state == "Hot", f"{pan} on {burner} has temperature {state}")


@assume(
    Topic.STATES,
    "The tap that our graph puts beside the basin cleans a dirty thing in the basin.",
    source=f"{TYPES}; Affordance.RINSES, skills.events",
)
def tap_cleans(room: Room) -> str:
    thing = room.one("Mug", "Plate", "Bowl", "Cup", where=lambda raw: bool(raw["dirtyable"]))
    if not room.thing(thing)["isDirty"]:
        room.must(room.do("DirtyObject", thing, forceAction=True), f"soil {thing}")
    basin, tap = room.one("SinkBasin"), room.one("Faucet")
    if room.thing(tap)["isToggled"]:
        room.must(room.do("ToggleObjectOff", tap, forceAction=True), f"turn off {tap}")
    room.place(thing, basin)
    room.must(room.do("ToggleObjectOn", tap, forceAction=True), f"turn on {tap}")
    room.do("Pass")
    dirty = room.thing(thing)["isDirty"]
    return expect(dirty is False, f"{thing} under {tap} has isDirty {dirty}")


@assume(
    Topic.STATES,
    "A heated thing is still Hot twenty actions later, out of the microwave.",
    source=f"State.HOT of the scene graph; but {MATERIALS} says that things cool down over time",
)
def heat_lasts(room: Room) -> str:
    thing, oven = _microwaved(room), room.one("Microwave")
    if _temperature(room, thing) != "Hot":
        raise CannotTell(f"{thing} never became Hot")
    room.must(room.do("ToggleObjectOff", oven), f"turn off {oven}")
    room.open(oven)
    room.hold(thing)
    for _ in range(20):
        room.do("Pass")
    state = _temperature(room, thing)
    return expect(state == "Hot", f"{thing} has temperature {state} after 20 actions")

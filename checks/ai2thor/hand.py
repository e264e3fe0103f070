"""AI2-THOR's hand: picking up, carrying, letting go."""

from __future__ import annotations

from dataclasses import replace

from ...skills.actions import drop, open_, pick_up
from ...skills.outcomes import Reason
from ..assumption import CannotTell, Topic, expect
from .room import (
    INTERACTION,
    MESSAGES,
    METADATA,
    STILL_M,
    Room,
    apart,
    assume,
    refused,
    said,
    some,
)

_SMALL = ("Apple", "Potato", "Bread", "Egg")
_VESSELS = ("Pot", "Pan", "Bowl", "Plate")
#: How far a carried thing may be from the agent, in m.
_ARM_M = 1.5


@assume(
    Topic.ACTIONS,
    "PickupObject brings a thing in sight into the hand, where it is at once reported as held.",
    source=f"{INTERACTION}; Capability.GRAPH: the postcondition is read from the answer",
)
def pick_up_holds(room: Room) -> str:
    thing = room.one(*_SMALL)
    answer = room.tried(thing, lambda: room.do("PickupObject", thing))
    return expect(answer.success and room.held == [thing], f"{said(answer)}, held: {room.held}")


@assume(
    Topic.HANDS,
    "A thing in the hand is at no place: parentReceptacles is empty.",
    source=f"{METADATA}; adapters/ai2thor/graph.py: what is held is nowhere else",
)
def held_has_no_place(room: Room) -> str:
    thing = room.hold(room.one(*_SMALL))
    return expect(not room.parents(thing), room.where(thing))


@assume(
    Topic.HANDS,
    "A place no longer lists a thing that is in the hand.",
    source=f"{METADATA}, receptacleObjectIds",
)
def place_gives_up_held(room: Room) -> str:
    thing = room.one(*_SMALL)
    places = room.parents(thing)
    if not places:
        raise CannotTell(f"{thing} has no place")
    room.hold(thing)
    still = [p for p in places if thing in (room.thing(p).get("receptacleObjectIds") or ())]
    return expect(not still, f"{thing} was at {some(places)}; still listed by: {some(still)}")


@assume(
    Topic.HANDS,
    "The agent has one hand: a second thing is refused as the hand is full.",
    source=f"{MESSAGES}; hands=1 of the adapter",
)
def one_hand(room: Room) -> str:
    other = room.one("Mug", "Bread")
    room.hold(room.one("Apple", "Potato"))
    return refused(room.do("PickupObject", other, forceAction=True), pick_up(9), Reason.HANDS_FULL)


@assume(
    Topic.REFUSALS,
    "A thing out of sight is not picked up, and counts as unreachable from here.",
    source=f"{MESSAGES}; the executor then tries other poses",
)
def pick_up_unseen(room: Room) -> str:
    thing = room.one(*_SMALL, where=lambda raw: not raw["visible"])
    return refused(room.do("PickupObject", thing), pick_up(9), Reason.UNREACHABLE)


@assume(
    Topic.REFUSALS,
    "A fixture is not picked up, and counts as not graspable.",
    source=MESSAGES,
)
def pick_up_fixture(room: Room) -> str:
    fixture = room.one("Fridge", "Sink")
    room.come_to(fixture)
    return refused(room.do("PickupObject", fixture), pick_up(9), Reason.NOT_GRASPABLE)


@assume(
    Topic.REFUSALS,
    "An objectId that no object has is refused as unknown.",
    source=MESSAGES,
)
def unknown_id(room: Room) -> str:
    return refused(room.do("OpenObject", "Fridge|+99.00|+99.00|+99.00"), open_(9), Reason.UNKNOWN)


@assume(
    Topic.REFUSALS,
    "A refused action changes nothing: the thing stays, the hand stays empty, the agent too.",
    source="skills.executor tries refused actions again from the same state",
)
def refusal_changes_nothing(room: Room) -> str:
    thing = room.one(*_SMALL, where=lambda raw: not raw["visible"])
    before, pose, places = room.thing(thing), room.world.pose(), room.parents(thing)
    answer = room.do("PickupObject", thing)
    if answer.success:
        raise CannotTell(f"{thing} was picked up out of sight")
    now = room.world.pose()
    moved = apart(before, room.thing(thing))
    answered = f"{said(answer)}; {thing} moved by {moved:.2f} m, {room.where(thing)}; held: "
    answered += f"{room.held}; the agent was at {pose} and is at {now}"
    same = moved < STILL_M and room.parents(thing) == places and not room.held and now == pose
    return expect(same, answered)


@assume(
    Topic.CARRYING,
    "A held thing goes where the agent goes.",
    source=f"{INTERACTION}; adapters/ai2thor/graph.py, HOLDS",
)
def held_goes_along(room: Room) -> str:
    thing = room.hold(room.one(*_SMALL))
    before = room.world.pose()
    points = sorted(room.points(), key=lambda p: -abs(p["x"] - before.x) - abs(p["z"] - before.z))
    for point in points[:5]:
        pose = replace(before, x=point["x"], y=point["y"], z=point["z"], horizon=0.0)
        if room.stand(pose).success:
            break
    else:
        raise CannotTell("the agent could not go away with the thing")
    now = room.world.pose()
    away = apart(room.thing(thing), {"position": {"x": now.x, "y": now.y, "z": now.z}})
    answer = f"held: {room.held}; it is {away:.2f} m from the agent, which went elsewhere"
    return expect(room.held == [thing] and away <= _ARM_M, answer)


def _loaded(room: Room) -> tuple[str, str]:
    """Pick up a vessel with a thing in it: both ids."""
    vessel = room.one(*_VESSELS)
    thing = room.one("Potato", "Tomato", "Apple", "Egg")
    room.place(thing, vessel)
    answer = room.tried(vessel, lambda: room.do("PickupObject", vessel))
    room.must(answer, f"pick up {vessel}")
    if vessel not in room.held:
        raise CannotTell(f"{vessel} was picked up and is not reported as held")
    return vessel, thing


@assume(
    Topic.CARRYING,
    "What is in a pot goes with the pot into the hand and to another place.",
    source=f"{INTERACTION}, moveable receptacles; skills.dynamics moves contents along",
)
def contents_go_along(room: Room) -> str:
    before = room.parents(room.one(*_VESSELS))
    vessel, thing = _loaded(room)
    far = apart(room.thing(vessel), room.thing(thing))
    expect(far < 0.4, f"{vessel} is in the hand, {thing} is {far:.2f} m from it")
    place = room.one("CounterTop", "DiningTable", where=lambda raw: raw["objectId"] not in before)
    room.place(vessel, place)
    far = apart(room.thing(vessel), room.thing(thing))
    answer = f"{vessel} is at {place}, {thing} is {far:.2f} m from it, and {room.where(thing)}"
    return expect(far < 0.4 and vessel in room.parents(thing), answer)


@assume(
    Topic.HANDS,
    "With a loaded pot in the hand only the pot is reported as held, not what is in it.",
    source="adapters/ai2thor/graph.py takes inventoryObjects for what the hand grips",
)
def contents_are_not_held(room: Room) -> str:
    vessel, thing = _loaded(room)
    return expect(room.held == [vessel], f"{thing} is in {vessel}; held: {room.held}")


@assume(
    Topic.ACTIONS,
    "DropHandObject empties the hand, and the thing stays in the room.",
    source=f"{INTERACTION}; adapters/ai2thor/execution.py",
)
def drop_empties(room: Room) -> str:
    thing = room.hold(room.one(*_SMALL))
    answer = room.do("DropHandObject", forceAction=True)
    kept = room.reported(thing)
    return expect(
        answer.success and not room.held and kept,
        f"{said(answer)}; held: {room.held}; {thing} is {'' if kept else 'not '}reported",
    )


@assume(
    Topic.REFUSALS,
    "With an empty hand DropHandObject is refused, as nothing is held.",
    source=MESSAGES,
)
def drop_nothing(room: Room) -> str:
    return refused(room.do("DropHandObject"), drop(9), Reason.NOT_HELD)

"""Doors, switches, knobs and taps in AI2-THOR."""

from __future__ import annotations

from ...adapters.ai2thor.navigation import nearest_points, pose_facing
from ...scene_graph.node import Affordance, Relation
from ...skills.actions import close as close_
from ...skills.actions import open_, turn_off, turn_on
from ...skills.outcomes import Reason
from ..assumption import CannotTell, Topic, expect
from .room import INTERACTION, MESSAGES, STILL_M, TYPES, Room, apart, assume, refused, said, some

_KNOBS = "adapters/ai2thor/graph.py: a knob is beside its burner"


@assume(
    Topic.ACTIONS,
    "OpenObject opens a fridge and CloseObject closes it; isOpen says so in the very answer.",
    source=f"{INTERACTION}; adapters/ai2thor/graph.py",
)
def open_and_close(room: Room) -> str:
    fridge = room.one("Fridge", where=lambda raw: not raw["isOpen"])
    opened = room.tried(fridge, lambda: room.do("OpenObject", fridge))
    room.must(opened, f"open {fridge}")
    is_open = room.thing(fridge)["isOpen"]
    closed = room.must(room.do("CloseObject", fridge), f"close {fridge}")
    still = room.thing(fridge)["isOpen"]
    answer = f"opened: {said(opened)}, isOpen {is_open}; closed: {said(closed)}, isOpen {still}"
    return expect(is_open is True and still is False, answer)


@assume(
    Topic.SPACE,
    "A fixture keeps its position when it is opened.",
    source="adapters/ai2thor/graph.py keeps the first pose of fixtures; approach.py faces it",
)
def open_keeps_position(room: Room) -> str:
    moved = []
    for kind in ("Fridge", "Microwave", "Cabinet"):
        fixture = room.one(kind)
        before = dict(room.thing(fixture))
        room.open(fixture)
        far = apart(before, room.thing(fixture))
        moved += [f"{fixture} by {far:.2f} m"] * (far > STILL_M)
    return expect(not moved, f"fridge, microwave and cabinet opened; moved: {some(moved)}")


@assume(
    Topic.REFUSALS,
    "What has no door is not opened, and counts as not openable.",
    source=MESSAGES,
)
def open_no_door(room: Room) -> str:
    fixture = room.one("Toaster", "Faucet", where=lambda raw: not raw["openable"])
    room.come_to(fixture)
    return refused(room.do("OpenObject", fixture), open_(9), Reason.NOT_OPENABLE)


@assume(
    Topic.REFUSALS,
    "A running microwave is not opened: it is refused as still on.",
    source=f"{MESSAGES}; skills.dynamics, STILL_ON",
)
def open_while_on(room: Room) -> str:
    oven = room.one("Microwave")
    room.come_to(oven)
    room.must(room.do("ToggleObjectOn", oven), f"turn on {oven}")
    return refused(room.do("OpenObject", oven), open_(9), Reason.STILL_ON)


@assume(
    Topic.REFUSALS,
    "An open microwave is not turned on: it is refused as still open.",
    source=f"{MESSAGES}; Embodiment.closed_to_run of the adapter",
)
def turn_on_while_open(room: Room) -> str:
    oven = room.one("Microwave")
    room.open(oven)
    return refused(room.do("ToggleObjectOn", oven), turn_on(9), Reason.STILL_OPEN)


@assume(
    Topic.ACTIONS,
    "ToggleObjectOn and ToggleObjectOff switch a tap; isToggled says so in the very answer.",
    source=f"{INTERACTION}; adapters/ai2thor/graph.py",
)
def switch_tap(room: Room) -> str:
    tap = room.one("Faucet", where=lambda raw: not raw["isToggled"])
    room.come_to(tap)
    on = room.must(room.do("ToggleObjectOn", tap), f"turn on {tap}")
    is_on = room.thing(tap)["isToggled"]
    off = room.must(room.do("ToggleObjectOff", tap), f"turn off {tap}")
    still = room.thing(tap)["isToggled"]
    answer = f"on: {said(on)}, isToggled {is_on}; off: {said(off)}, isToggled {still}"
    return expect(is_on is True and still is False, answer)


@assume(
    Topic.REFUSALS,
    "What is on is not turned on again, nor what is off turned off: refused as already so.",
    source=MESSAGES,
)
def switch_twice(room: Room) -> str:
    tap = room.one("Faucet", where=lambda raw: not raw["isToggled"])
    room.come_to(tap)
    off = refused(room.do("ToggleObjectOff", tap), turn_off(9), Reason.ALREADY_OFF)
    room.must(room.do("ToggleObjectOn", tap), f"turn on {tap}")
    on = refused(room.do("ToggleObjectOn", tap), turn_on(9), Reason.ALREADY_ON)
    return f"off again: {off}; on again: {on}"


@assume(
    Topic.REFUSALS,
    "What has no switch is not turned on, and counts as not switchable.",
    source=MESSAGES,
)
def switch_nothing(room: Room) -> str:
    fixture = room.one("Fridge", "Sink", where=lambda raw: not raw["toggleable"])
    room.come_to(fixture)
    return refused(room.do("ToggleObjectOn", fixture), turn_on(9), Reason.NOT_SWITCHABLE)


@assume(
    Topic.STATES,
    "Each stove knob has the burner that it turns on in a list, controlledObjects.",
    source=f"{_KNOBS}; recorded in the metadata of iTHOR",
)
def knob_names_burner(room: Room) -> str:
    knobs = [raw for raw in room.things if raw["objectType"] == "StoveKnob"]
    if not knobs:
        raise CannotTell("the room has no stove knob")
    wrong = [
        f"{raw['objectId']} has {raw.get('controlledObjects')}"
        for raw in knobs
        if not isinstance(raw.get("controlledObjects"), list)
        or not any(str(name).startswith("StoveBurner") for name in raw["controlledObjects"])
    ]
    return expect(not wrong, f"{len(knobs)} knobs; without a burner: {some(wrong)}")


@assume(
    Topic.ACTIONS,
    "Turning a stove knob on turns the burner on that it names.",
    source=f"{_KNOBS}; {TYPES}",
)
def knob_turns_burner(room: Room) -> str:
    knob, burner = _knob(room)
    room.come_to(knob)
    answer = room.must(room.do("ToggleObjectOn", knob), f"turn on {knob}")
    states = f"{knob} isToggled {room.thing(knob)['isToggled']}, "
    states += f"{burner} isToggled {room.thing(burner)['isToggled']}"
    on = room.thing(knob)["isToggled"] and room.thing(burner)["isToggled"]
    return expect(bool(on), f"{said(answer)}; {states}")


@assume(
    Topic.REFUSALS,
    "A burner has no switch of its own: turned on directly, it is refused as not switchable.",
    source=MESSAGES,
)
def burner_not_direct(room: Room) -> str:
    _, burner = _knob(room)
    room.come_to(burner)
    return refused(room.do("ToggleObjectOn", burner), turn_on(9), Reason.NOT_SWITCHABLE)


def _knob(room: Room) -> tuple[str, str]:
    """A knob that is off, and its burner."""
    knob = room.one(
        "StoveKnob", where=lambda raw: bool(raw.get("controlledObjects")) and not raw["isToggled"]
    )
    return knob, str(room.thing(knob)["controlledObjects"][0])


@assume(
    Topic.SPACE,
    "A kitchen's tap is within 1.5 m of the SinkBasin that it fills.",
    source="adapters/ai2thor/graph.py, _BESIDE: distances of positions",
)
def tap_beside_basin(room: Room) -> str:
    graph, tap, basin = room.world.graph(), room.one("Faucet"), room.one("SinkBasin")
    beside = room.node(basin) in graph.targets(room.node(tap), Relation.CLOSE)
    rinses = Affordance.RINSES in graph[room.node(tap)].affordances
    far = apart(room.thing(tap), room.thing(basin))
    return expect(beside and rinses, f"{tap} is {far:.2f} m from {basin}")


@assume(
    Topic.REFUSALS,
    "A door that would hit the agent stays shut, and is refused as blocked.",
    source=f"{MESSAGES}; the executor then tries other poses",
    scene="ithor:FloorPlan1#1",
)
def door_hits_agent(room: Room) -> str:
    tried, answers = 0, []
    for kind in ("Fridge", "Cabinet", "Drawer", "Microwave"):
        for raw in [raw for raw in room.things if raw["objectType"] == kind]:
            for point in nearest_points(raw, room.points())[:2]:
                pose = pose_facing(raw, point, room.world.camera_height())
                if not (room.stand(pose).success and room.in_sight(raw["objectId"])):
                    continue
                answer, tried = room.do("OpenObject", raw["objectId"]), tried + 1
                if not answer.success:
                    shut = not room.thing(raw["objectId"])["isOpen"]
                    blocked = refused(answer, open_(9), Reason.BLOCKED)
                    return expect(shut, f"{raw['objectId']}: {blocked}; isOpen {not shut}")
                answers.append(raw["objectId"])
                room.must(room.do("CloseObject", raw["objectId"]), f"close {raw['objectId']}")
    raise CannotTell(f"all doors opened from {tried} near poses: {some(answers)}")


@assume(
    Topic.REFUSALS,
    "What is out of sight is neither opened nor closed, and counts as unreachable from here.",
    source=f"{MESSAGES}; the executor then tries other poses",
)
def open_unseen(room: Room) -> str:
    fridge = room.one("Fridge", "Microwave", where=lambda raw: not raw["visible"])
    opened = refused(room.do("OpenObject", fridge), open_(9), Reason.UNREACHABLE)
    closed = refused(room.do("CloseObject", fridge), close_(9), Reason.UNREACHABLE)
    return f"open: {opened}; close: {closed}"

"""What is assumed of putting things somewhere, of going, and of what is seen then."""

from __future__ import annotations

from ...adapters.omnigibson.primitives import Error
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation, State
from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .episode import Step, empty_handed, episode_of, full_handed, holding, lying, refused, worded

CHECKS = Checks("omnigibson")

_PRIMITIVES = "symbolic primitives"
_ADAPTER = "adapters/omnigibson/adapter.py"
_SIMULATOR = "adapters/omnigibson/simulator.py"


@CHECKS.assume(
    Topic.ACTIONS,
    "PLACE_ON_TOP puts what is held on the furniture, in the state OnTop, and empties the hand.",
    source=f"{_PRIMITIVES}: _place_on_top; {_ADAPTER}: put on",
)
def place_puts_on_top(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step("place on top", needs=holding(things.thing))
    return _placed(step, things.thing, Relation.ON, things.table)


@CHECKS.assume(
    Topic.ACTIONS,
    "PLACE_INSIDE puts what is held into the container, in the state Inside.",
    source=f"{_PRIMITIVES}: _place_inside; {_ADAPTER}: put inside",
)
def place_puts_inside(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step("place into a bin", needs=holding(things.thing))
    return _placed(step, things.thing, Relation.INSIDE, things.bin)


@CHECKS.assume(
    Topic.REFUSALS,
    "PLACE_ON_TOP with an empty hand is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _place_with_predicate; {_ADAPTER}: NOT_HELD",
)
def place_refuses_an_empty_hand(bench: Bench) -> str:
    step = episode_of(bench).step("place nothing", needs=empty_handed)
    return refused(step, Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.REFUSALS,
    "PLACE_INSIDE of what has no inside is a SAMPLING_ERROR, and the hand keeps what it holds.",
    source=f"{_PRIMITIVES}: a pose is sampled before the release; {_ADAPTER}: NO_FREE_SPOT",
)
def place_finds_no_spot_in_the_solid(bench: Bench) -> str:
    step = episode_of(bench).step("place inside a table", needs=full_handed)
    return refused(step, Error.SAMPLING)


@CHECKS.assume(
    Topic.ACTIONS,
    "PLACE_INSIDE asks for no open door: it puts a thing into a shut container.",
    source=f"{_PRIMITIVES}: _place_with_predicate; {_ADAPTER}: refused asks instead",
)
def place_asks_for_no_open_door(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step("place into a shut box", needs=holding(things.thing))
    return _placed(step, things.thing, Relation.INSIDE, things.box)


@CHECKS.assume(
    Topic.ACTIONS,
    "GRASP asks for no open door: it takes a thing out of a shut container.",
    source=f"{_PRIMITIVES}: _grasp; {_ADAPTER}: refused asks instead",
)
def grasp_asks_for_no_open_door(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step(
        "grasp out of a shut box", needs=lying(things.thing, Relation.INSIDE, things.box)
    )
    return expect(step.error is None and step.held() == things.thing, step.answer)


@CHECKS.assume(
    Topic.CARRYING,
    "What is inside a thing goes along when the thing is grasped.",
    source="skills/dynamics: contents move with what they are in",
)
def contents_go_along(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step(
        "grasp the bin", needs=lying(things.thing, Relation.INSIDE, things.bin)
    )
    return _kept_inside(step, things.thing, things.bin)


@CHECKS.assume(
    Topic.CARRYING,
    "What is inside a thing stays inside when the thing is placed elsewhere.",
    source="skills/dynamics: contents move with what they are in",
)
def contents_are_placed_too(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step(
        "place the bin",
        needs=lambda step: (
            step.held(before=True) == things.bin
            and step.before.has_edge(things.thing, Relation.INSIDE, things.bin)
        ),
    )
    return _kept_inside(step, things.thing, things.bin)


@CHECKS.assume(
    Topic.ACTIONS,
    "NAVIGATE_TO brings the robot within reach of the furniture.",
    source=f"{_SIMULATOR}: REACH_M, _near; {_ADAPTER}: go_to",
)
def going_brings_within_reach(bench: Bench) -> str:
    box = episode_of(bench).things.box
    step = episode_of(bench).step("go to a shut box")
    me = step.after.agent().id
    near = step.after.has_edge(me, Relation.CLOSE, box)
    same = step.after.room_of(me) == step.after.room_of(box)
    answer = f"{step.answer}; {'near' if near else 'not near'} it, {'in' if same else 'not in'}"
    return expect(step.error is None and near and same, f"{answer} its room")


@CHECKS.assume(
    Topic.ACTIONS,
    "NAVIGATE_TO the floor of a room brings the robot into this room.",
    source=f"{_SIMULATOR}: _object takes the floor for a room",
)
def going_to_a_floor_enters_its_room(bench: Bench) -> str:
    room = episode_of(bench).things.room
    step = episode_of(bench).step("go to a room")
    here = step.after.room_of(step.after.agent().id)
    answer = f"{step.answer}; the robot is in the room {here}, went to {room}"
    return expect(step.error is None and here == room, answer)


@CHECKS.assume(
    Topic.ACTIONS,
    "NAVIGATE_TO changes nothing but where the robot is.",
    source="skills/dynamics: go_to; the recording's states",
)
def going_changes_nothing_else(bench: Bench) -> str:
    step = episode_of(bench).step("go to a shut box")
    return changed_nothing_but(step)


@CHECKS.assume(
    Topic.STATES,
    "A thing that was placed on furniture still lies there after the robot went elsewhere.",
    source="suites/behavior: goals hold at the end of an episode",
)
def a_placed_thing_stays(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step(
        "go to a shut box", needs=lying(things.thing, Relation.ON, things.table)
    )
    holds = step.after.has_edge(things.thing, Relation.ON, things.table)
    return expect(holds, f"it is {worded(step.after.places(things.thing)) or 'nowhere'}")


@CHECKS.assume(
    Topic.VISIBILITY,
    "On arriving at an open container the robot sees what is in it.",
    source="adapters/omnigibson/omnigibson_backend.py: view covers the places at the robot",
)
def open_contents_are_seen(bench: Bench) -> str:
    things = episode_of(bench).things
    inside = lying(things.thing, Relation.INSIDE, things.box)
    step = episode_of(bench).step("go to an open box", needs=inside)
    if State.OPEN not in step.after[things.box].states:
        raise CannotTell("the container is not open on arriving")
    seen = things.thing in step.seen
    return expect(seen, f"of {len(step.seen)} seen things it is {'one' if seen else 'none'}")


@CHECKS.assume(
    Topic.VISIBILITY,
    "What lies in a shut container is not seen.",
    source="adapters/omnigibson/omnigibson_backend.py: view; BEHAVIOR-1K's tasks of finding",
)
def shut_contents_are_not_seen(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step("close", needs=lying(things.thing, Relation.INSIDE, things.box))
    seen = things.thing in step.seen
    return expect(not seen, f"of {len(step.seen)} seen things it is {'one' if seen else 'none'}")


@CHECKS.assume(
    Topic.VISIBILITY,
    "On arriving in another room the robot sees nothing that lies in the room before.",
    source=f"{_SIMULATOR}: what was seen is forgotten on the way",
)
def another_room_is_not_seen(bench: Bench) -> str:
    things = episode_of(bench).things
    step = episode_of(bench).step("go to a shut box")
    if step.after.room_of(things.thing) == step.after.room_of(things.box):
        raise CannotTell("the table and the box of the scene are in one room")
    seen = things.thing in step.seen
    return expect(not seen, f"of {len(step.seen)} seen things it is {'one' if seen else 'none'}")


def _placed(step: Step, thing: int, relation: Relation, place: int) -> str:
    """The answer of a place that must succeed."""
    at = worded(step.after.places(thing)) or "nowhere"
    hand = "empty" if step.held() is None else "full"
    answer = f"{step.answer}; it is {at} (asked: {relation} {place}), the hand is {hand}"
    there = step.after.has_edge(thing, relation, place)
    return expect(step.error is None and there and step.held() is None, answer)


def _kept_inside(step: Step, thing: int, place: int) -> str:
    if step.error is not None:
        raise CannotTell(f"{step.primitive}: {step.answer}")
    holds = step.after.has_edge(thing, Relation.INSIDE, place)
    return expect(holds, f"afterwards it is {worded(step.after.places(thing)) or 'nowhere'}")


def changed_nothing_but(step: Step, *things: int) -> str:
    """The answer of a primitive that must change nothing but the robot and these things."""
    mine = {step.before.agent().id, *things}
    before, after = (_facts(graph, mine) for graph in (step.before, step.after))
    others = sorted(before ^ after)
    answer = f"{len(others)} other facts changed{': ' if others else ''}{'; '.join(others[:3])}"
    return expect(step.error is None and not others, f"{step.answer}; {answer}")


def _facts(graph: SceneGraph, without: set[int]) -> set[str]:
    """Relations and states, in words, of all nodes but these."""
    facts = {
        f"{source} {relation} {target}"
        for source, relation, target in graph.edges()
        if without.isdisjoint((source, target))
    }
    for node in graph.nodes():
        if node.id not in without:
            facts |= {f"{node.id} is {state}" for state in node.states}
    return facts

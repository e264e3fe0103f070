"""What is assumed of the hand: grasping, holding, releasing."""

from __future__ import annotations

from ...adapters.omnigibson.primitives import Error
from ...scene_graph.node import Relation
from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .episode import (
    empty_handed,
    episode_of,
    full_handed,
    holding,
    lying,
    named,
    refused,
    worded,
)

CHECKS = Checks("omnigibson")

_PRIMITIVES = "symbolic primitives"
_ADAPTER = "adapters/omnigibson/adapter.py"


@CHECKS.assume(
    Topic.HANDS,
    "GRASP brings the thing into the hand.",
    source=f"{_PRIMITIVES}: _grasp; {_ADAPTER}: pick_up",
)
def grasp_brings_into_the_hand(bench: Bench) -> str:
    episode = episode_of(bench)
    again = "grasp from afar, again"  # where the thing has to be near
    step = episode.step(again if again in episode.steps else "grasp from afar", needs=empty_handed)
    answer = f"{step.answer}; the hand holds {named(step.held(), episode.things.thing)}"
    return expect(step.error is None and step.held() == episode.things.thing, answer)


@CHECKS.assume(
    Topic.HANDS,
    "GRASP asks neither for nearness nor for sight: it takes a thing of another room.",
    source=f"{_PRIMITIVES}: _navigate_if_needed is commented out; {_ADAPTER}: refused asks instead",
)
def grasp_asks_for_no_nearness(bench: Bench) -> str:
    thing = episode_of(bench).things.thing
    step = episode_of(bench).step(
        "grasp from afar",
        needs=lambda step: (
            not step.before.has_edge(step.before.agent().id, Relation.CLOSE, thing)
            and step.before.room_of(step.before.agent().id) != step.before.room_of(thing)
        ),
    )
    return expect(step.error is None, f"from another room: {step.answer}")


@CHECKS.assume(
    Topic.CARRYING,
    "A grasped thing leaves its place: it is on and in nothing any more.",
    source="adapters/omnigibson/omnigibson_backend.py: _relate",
)
def a_grasped_thing_leaves_its_place(bench: Bench) -> str:
    thing = episode_of(bench).things.thing
    step = episode_of(bench).step("grasp from the table", needs=lying(thing))
    if step.error is not None:
        raise CannotTell(f"{step.primitive}: {step.answer}")
    places = step.after.places(thing)
    return expect(not places, f"{step.answer}; it is {worded(places) or 'nowhere else'}")


@CHECKS.assume(
    Topic.REFUSALS,
    "GRASP with a full hand is a PRE_CONDITION_ERROR, and the hand keeps what it holds.",
    source=f"{_PRIMITIVES}: _grasp; {_ADAPTER}: HANDS_FULL",
)
def grasp_refuses_a_full_hand(bench: Bench) -> str:
    step = episode_of(bench).step("grasp with a full hand", needs=full_handed)
    return refused(step, Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.HANDS,
    "GRASP of what is held succeeds and changes nothing.",
    source=f"{_PRIMITIVES}: _grasp returns at once",
)
def grasp_of_the_held_is_nothing(bench: Bench) -> str:
    thing = episode_of(bench).things.thing
    step = episode_of(bench).step("grasp what is held", needs=holding(thing))
    return expect(step.error is None and step.held() == thing, step.answer)


@CHECKS.assume(
    Topic.REFUSALS,
    "RELEASE with an empty hand is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _release; {_ADAPTER}: NOT_HELD",
)
def release_refuses_an_empty_hand(bench: Bench) -> str:
    return refused(
        episode_of(bench).step("release nothing", needs=empty_handed),
        Error.PRE_CONDITION,
    )


@CHECKS.assume(
    Topic.HANDS,
    "RELEASE takes no thing and empties the hand.",
    source=f"{_PRIMITIVES}: _release; {_ADAPTER}: drop",
)
def release_empties_the_hand(bench: Bench) -> str:
    step = episode_of(bench).step("release", needs=full_handed)
    answer = f"{step.answer}; the hand {'is empty' if step.held() is None else 'still holds it'}"
    return expect(step.error is None and step.held() is None, answer)


@CHECKS.assume(
    Topic.CARRYING,
    "A released thing is in the room of the robot.",
    source="adapters/omnigibson/simulator.py: _room_at; it falls at the robot's feet",
)
def a_released_thing_is_in_the_room(bench: Bench) -> str:
    thing = episode_of(bench).things.thing
    step = episode_of(bench).step("release", needs=holding(thing))
    room, here = step.after.room_of(thing), step.after.room_of(step.after.agent().id)
    answer = f"{step.answer}; it is in the room {room}, the robot in {here}"
    return expect(room is not None and room == here, answer)


@CHECKS.assume(
    Topic.HANDS,
    "A thing that was released can be grasped again.",
    source=f"{_PRIMITIVES}: the messages of EXECUTION_ERROR; {_ADAPTER}: the next try of a put",
)
def a_released_thing_is_grasped_again(bench: Bench) -> str:
    episode = episode_of(bench)
    if episode.step("release", needs=full_handed).error is not None:
        raise CannotTell("nothing was released")
    step = episode.step("grasp what was released", needs=empty_handed)
    return expect(step.error is None and step.held() == episode.things.thing, step.answer)


@CHECKS.assume(
    Topic.CARRYING,
    "What is held stays in the hand while the robot goes.",
    source="adapters/omnigibson/adapter.py: go_to with a full hand",
)
def the_held_goes_along(bench: Bench) -> str:
    thing = episode_of(bench).things.thing
    step = episode_of(bench).step("travel", needs=holding(thing))
    answer = f"{step.answer}; the hand holds {named(step.held(), thing)}"
    return expect(step.held() == thing, answer)


@CHECKS.assume(
    Topic.REFUSALS,
    "CUT with an empty hand is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _cut; {_ADAPTER}: slice",
)
def cut_refuses_an_empty_hand(bench: Bench) -> str:
    return refused(
        episode_of(bench).step("cut with nothing", needs=empty_handed),
        Error.PRE_CONDITION,
    )


@CHECKS.assume(
    Topic.REFUSALS,
    "CUT with what is no knife is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _cut asks for the ability slicer; {_ADAPTER}: slice",
)
def cut_refuses_what_is_no_knife(bench: Bench) -> str:
    return refused(
        episode_of(bench).step("cut with no knife", needs=full_handed),
        Error.PRE_CONDITION,
    )


@CHECKS.assume(
    Topic.REFUSALS,
    "WIPE with an empty hand is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _wipe; {_ADAPTER}: wipe",
)
def wipe_refuses_an_empty_hand(bench: Bench) -> str:
    return refused(
        episode_of(bench).step("wipe with nothing", needs=empty_handed),
        Error.PRE_CONDITION,
    )

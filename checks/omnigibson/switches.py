"""What is assumed of doors and switches."""

from __future__ import annotations

from collections.abc import Callable

from ...adapters.omnigibson.primitives import Error
from ...scene_graph.node import Relation, State
from ..assumption import Checks, Topic, expect
from ..bench import Bench
from .episode import Step, empty_handed, episode_of, full_handed, lying, refused, worded
from .places import changed_nothing_but

CHECKS = Checks("omnigibson")

_PRIMITIVES = "symbolic primitives"
_ADAPTER = "adapters/omnigibson/adapter.py"


@CHECKS.assume(
    Topic.STATES,
    "OPEN of a shut container makes its state Open true.",
    source=f"{_PRIMITIVES}: _open_or_close; {_ADAPTER}: open",
)
def open_opens(bench: Bench) -> str:
    box = episode_of(bench).things.box
    return _became(episode_of(bench).step("open", needs=_was(box, State.CLOSED)), box, State.OPEN)


@CHECKS.assume(
    Topic.STATES,
    "CLOSE of an open container makes its state Open false.",
    source=f"{_PRIMITIVES}: _open_or_close; {_ADAPTER}: close",
)
def close_closes(bench: Bench) -> str:
    box = episode_of(bench).things.box
    return _became(episode_of(bench).step("close", needs=_was(box, State.OPEN)), box, State.CLOSED)


@CHECKS.assume(
    Topic.ACTIONS,
    "OPEN of what is open succeeds and changes nothing.",
    source=f"{_PRIMITIVES}: _open_or_close returns at once",
)
def open_of_the_open_is_nothing(bench: Bench) -> str:
    box = episode_of(bench).things.box
    return changed_nothing_but(episode_of(bench).step("open again", needs=_was(box, State.OPEN)))


@CHECKS.assume(
    Topic.STATES,
    "A door stays open while the robot goes.",
    source="skills/dynamics: go_to; a door of a simulation may swing back",
)
def a_door_stays_open(bench: Bench) -> str:
    box = episode_of(bench).things.box
    step = episode_of(bench).step("go to an open box", needs=_was(box, State.OPEN))
    states = step.after[box].states
    return expect(State.OPEN in states, f"afterwards it is {', '.join(sorted(states))}")


@CHECKS.assume(
    Topic.CARRYING,
    "What is in a container stays in it while its door opens and closes.",
    source="skills/dynamics: open and close move nothing",
)
def doors_move_no_contents(bench: Bench) -> str:
    things = episode_of(bench).things
    inside = lying(things.thing, Relation.INSIDE, things.box)
    answers = []
    for name in ("open", "close"):
        step = episode_of(bench).step(name, needs=inside)
        at = worded(step.after.places(things.thing)) or "nowhere"
        answers.append(f"after {step.primitive} it is {at}")
        expect(step.after.has_edge(things.thing, Relation.INSIDE, things.box), answers[-1])
    return "; ".join(answers)


@CHECKS.assume(
    Topic.REFUSALS,
    "OPEN of what has no door is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _open_or_close; {_ADAPTER}: NOT_OPENABLE",
)
def open_refuses_what_has_no_door(bench: Bench) -> str:
    return refused(episode_of(bench).step("open a table", needs=empty_handed), Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.REFUSALS,
    "OPEN with a full hand is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _open_or_close; {_ADAPTER}: needs_free_hand",
)
def open_refuses_a_full_hand(bench: Bench) -> str:
    step = episode_of(bench).step("open with a full hand", needs=full_handed)
    return refused(step, Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.REFUSALS,
    "CLOSE with a full hand is a PRE_CONDITION_ERROR, also of what is shut.",
    source=f"{_PRIMITIVES}: _open_or_close; {_ADAPTER}: needs_free_hand",
)
def close_refuses_a_full_hand(bench: Bench) -> str:
    step = episode_of(bench).step("close with a full hand", needs=full_handed)
    return refused(step, Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.STATES,
    "TOGGLE_ON of a device makes its state ToggledOn true.",
    source=f"{_PRIMITIVES}: _toggle; {_ADAPTER}: turn_on",
)
def toggle_switches_on(bench: Bench) -> str:
    device = episode_of(bench).things.device
    step = episode_of(bench).step("switch on", needs=_was(device, State.OFF))
    return _became(step, device, State.ON)


@CHECKS.assume(
    Topic.STATES,
    "TOGGLE_OFF of a device makes its state ToggledOn false.",
    source=f"{_PRIMITIVES}: _toggle; {_ADAPTER}: turn_off",
)
def toggle_switches_off(bench: Bench) -> str:
    device = episode_of(bench).things.device
    step = episode_of(bench).step("switch off", needs=_was(device, State.ON))
    return _became(step, device, State.OFF)


@CHECKS.assume(
    Topic.ACTIONS,
    "TOGGLE_ON of what is on succeeds and leaves it on.",
    source=f"{_PRIMITIVES}: _toggle returns at once",
)
def toggle_is_no_change_over(bench: Bench) -> str:
    device = episode_of(bench).things.device
    step = episode_of(bench).step("switch on again", needs=_was(device, State.ON))
    return _became(step, device, State.ON)


@CHECKS.assume(
    Topic.STATES,
    "Switching a device changes nothing but this device.",
    source="skills/effects: turn_on",
)
def switching_changes_nothing_else(bench: Bench) -> str:
    device = episode_of(bench).things.device
    step = episode_of(bench).step("switch on", needs=_was(device, State.OFF))
    return changed_nothing_but(step, device)


@CHECKS.assume(
    Topic.REFUSALS,
    "TOGGLE_ON of what has no switch is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _toggle; {_ADAPTER}: NOT_SWITCHABLE",
)
def toggle_refuses_what_has_no_switch(bench: Bench) -> str:
    step = episode_of(bench).step("switch a table", needs=empty_handed)
    return refused(step, Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.REFUSALS,
    "TOGGLE_ON with a full hand is a PRE_CONDITION_ERROR.",
    source=f"{_PRIMITIVES}: _toggle; {_ADAPTER}: needs_free_hand",
)
def toggle_refuses_a_full_hand(bench: Bench) -> str:
    step = episode_of(bench).step("switch with a full hand", needs=full_handed)
    return refused(step, Error.PRE_CONDITION)


@CHECKS.assume(
    Topic.CALLS,
    "Every error of a primitive has one of the five reasons, and words.",
    source=f"{_PRIMITIVES}: ActionPrimitiveError.Reason; {_ADAPTER}: _failure",
)
def errors_have_reasons_and_words(bench: Bench) -> str:
    steps = episode_of(bench).steps.values()
    failed = [step for step in steps if step.error is not None]
    odd = [
        step
        for step in failed
        if step.error in (Error.UNSUPPORTED, Error.BROKEN) or not step.result.message
    ]
    answer = "; ".join(f"{step.primitive}: {step.answer}" for step in odd[:3])
    return expect(bool(failed) and not odd, answer or f"{len(failed)} errors, all of the five")


def _was(thing: int, state: State) -> Callable[[Step], bool]:
    """Before it, a thing had a state, and the hand was free for it."""
    return lambda step: state in step.before[thing].states and empty_handed(step)


def _became(step: Step, thing: int, state: State) -> str:
    states = step.after[thing].states
    answer = f"{step.answer}; it is {', '.join(sorted(states))}"
    return expect(step.error is None and state in states, answer)

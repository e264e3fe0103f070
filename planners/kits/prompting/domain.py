"""The domain in words: preconditions and effects of actions, the body, goals, and rewards.

For planners whose model gets a description that other models learn by trial, such as ReAct* and
Reflexion* of Tru-POMDP (2025), appendix A.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....scene_graph.rules import Ends, RefusedText
from ....skills.actions import Verb
from ....skills.embodiment import Embodiment
from ...contract import Brief

_CLOSE = "needs the thing close to you"
_HELD = "needs the thing in your hand"
#: The precondition of an action, and its effect.
_ACTIONS = {
    Verb.GO_TO: (
        "needs no more than that the place is known",
        "you are close to it and to what is on or in it",
    ),
    Verb.PICK_UP: (
        "needs an empty hand, and the thing close to you, movable, and in nothing that is closed",
        "you hold it",
    ),
    Verb.PUT: (
        "needs the thing in your hand, the place close to you and, to put it inside, open",
        "the thing is there and your hand is empty",
    ),
    Verb.OPEN: (f"{_CLOSE}, closed, and not running", "what is inside can be seen and taken"),
    Verb.CLOSE: (f"{_CLOSE} and open", "what is inside is hidden again"),
    Verb.TURN_ON: (f"{_CLOSE}, off, and with a switch", "it is on"),
    Verb.TURN_OFF: (f"{_CLOSE} and on", "it is off"),
    Verb.PLUG_IN: (f"{_CLOSE} and unplugged", "it can be turned on"),
    Verb.PLUG_OUT: (f"{_CLOSE}, plugged in and off", "it cannot be turned on"),
    Verb.SLICE: ("needs the thing close to you", "it is in slices"),
    Verb.DROP: (_HELD, "it lies where you stand"),
    Verb.POUR: (f"{_HELD}, and the other close to you", "it is in the other"),
    Verb.SIT: ("needs a free seat close to you", "you sit until you stand up"),
    Verb.LIE_DOWN: ("needs a free bed or sofa close to you", "you lie until you stand up"),
    Verb.STAND_UP: ("needs that you sit or lie", "you can walk again"),
    Verb.PUT_ON: (_HELD, "you wear it"),
    Verb.TAKE_OFF: ("needs that you wear it", "it lies where you stand"),
    Verb.LOOK: ("needs nothing", "you are told what can be seen"),
    Verb.WAIT: ("needs nothing", "time passes"),
}


def domain_text(brief: Brief) -> str:
    """A description of the domain, in sections with titles."""
    sections = {
        "Actions": _actions(brief),
        "Body": _body(brief.embodiment),
        "Goals": _goals(),
        "Limits and costs": _costs(brief),
    }
    return "\n\n".join(
        "\n".join([f"# {title}", *(f"- {line}" for line in lines)])
        for title, lines in sections.items()
    )


def _actions(brief: Brief) -> Iterator[str]:
    others = []
    for verb in Verb:
        if verb not in brief.actions:
            continue
        if verb in _ACTIONS:
            needs, does = _ACTIONS[verb]
            yield f"{_name(verb)}: {needs}; then {does}."
        else:
            others.append(_name(verb))
    if others:
        yield f"{', '.join(others)}: done with what is close to you; nothing else changes."


def _name(verb: Verb) -> str:
    return verb.replace("_", " ")


def _body(body: Embodiment) -> Iterator[str]:
    yield f"You hold {'one thing' if body.hands == 1 else f'{body.hands} things'} at a time."
    if body.approaches:
        yield "You go by yourself to what you act on: all in your room counts as close to you."
    if body.needs_free_hand:
        names = ", ".join(_name(verb) for verb in sorted(body.needs_free_hand))
        yield f"These take an empty hand: {names}."
    if body.needs_tool:
        yield "Slicing takes a knife in your hand."
    for place, count in sorted(body.capacity.items()):
        yield f"A {place} takes {count} thing{'' if count == 1 else 's'} at a time."
    for place, things in sorted(body.accepts.items()):
        yield f"A {place} takes only these things: {', '.join(sorted(things))}."
    if body.closed_to_run:
        yield f"To be turned on these have to be closed: {', '.join(sorted(body.closed_to_run))}."


def _goals() -> Iterator[str]:
    yield "A task asks that things are at places, in states such as open or on, or in your hand."
    yield "Which things are meant and where they are may not be told; look where they usually are."
    yield "What is open and was looked at hides nothing more; do not search it again."


def _costs(brief: Brief) -> Iterator[str]:
    rules, rewards = brief.rules, brief.rules.rewards
    yield f"You have {brief.budgets.steps} actions."
    if rules.ends is Ends.GOAL_REACHED:
        yield "As long as you are asked, the task is not done yet."
    if rules.refused is RefusedText.STEP:
        yield "What names nothing that you have seen is tried, fails and counts as an action."
    if rules.infeasible_in_a_row is not None:
        yield f"After {rules.infeasible_in_a_row} failed actions in a row all is over."
    if rules.infeasible_fails:
        yield "An action that cannot be done fails the task, whatever else is achieved."
    if rewards.progress:
        yield f"What is achieved of the task gives up to {rewards.progress:g}."
    if rewards.goal:
        yield f"The whole task gives {rewards.goal:g}."
    if rewards.step:
        yield f"Every action adds {rewards.step:g}."
    if rewards.failed:
        yield f"A failed action adds {rewards.failed:g}."
    for verb, worth in sorted(rewards.verbs.items()):
        yield f"To {verb.replace('_', ' ')} adds {worth:g}."
    ways = [worth for ends in rewards.travel.values() for worth in ends.values()]
    if ways:
        yield f"The way to what you act on adds {min(ways):g} to {max(ways):g}, by its length."
    if rules.confirms_placements:
        yield "You are told which things in view lie where the task may have them; leave them."

"""The PDDL domain of planners on scene graphs.

It is the domain of Onishchenko et al., LookPlanGraph (2025), appendix D, with its names. It is
corrected where plans of the printed domain cannot be executed; docs/planners/llm_plus_p.md lists
the corrections. One thing is held at a time, as printed, whatever the body. Not modelled are the
capacity of places, what they accept, and plugs. Where a body turns something on only while it is
closed, plans close all that opens before they turn it on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Relation
from ....skills.actions import Action, Verb, go_to, stand_up
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ....skills.reach import bases, reachable
from ..prompting.templates import Templates

_PROMPTS = Templates(__file__)
NAME = "instruction-following"
ROOM, THING = "room", "thing"

ROBOT_IN, OBJECT_ROOM = "robot-in", "object-room"
HOLDS, HAND_EMPTY = "agent-hold", "hand-empty"
ON, INSIDE = "ontop", "inside"
CLOSED, RUNNING = "closed", "on-state"
#: The predicates for affordances.
AFFORDANCES = {
    str(affordance): affordance
    for affordance in (
        *(Affordance.GRASPABLE, Affordance.SURFACE, Affordance.CONTAINER),
        *(Affordance.OPENABLE, Affordance.SWITCHABLE),
    )
}
#: The predicates of problems, with the types of their arguments.
PREDICATES: dict[str, tuple[str, ...]] = {
    ROBOT_IN: (ROOM,),
    OBJECT_ROOM: (THING, ROOM),
    HOLDS: (THING,),
    HAND_EMPTY: (),
    ON: (THING, THING),
    INSIDE: (THING, THING),
    CLOSED: (THING,),
    RUNNING: (THING,),
    **dict.fromkeys(AFFORDANCES, (THING,)),
}


class PlanStep(NamedTuple):
    """A step of a plan: the name of an action, and its arguments."""

    action: str
    things: tuple[str, ...]

    def __str__(self) -> str:
        return f"({' '.join([self.action, *self.things])})"


#: The effect of each action of a plan: the verb, and the positions of its target and place among
#: the step's things. Other actions change nothing in the world.
VERBS: dict[str, tuple[Verb, int, int | None]] = {
    "go_to": (Verb.GO_TO, 1, None),
    "pick_up": (Verb.PICK_UP, 0, None),
    "pick_up_in": (Verb.PICK_UP, 0, None),
    "put_on": (Verb.PUT, 0, 1),
    "put_inside": (Verb.PUT, 0, 1),
    "open": (Verb.OPEN, 0, None),
    "close": (Verb.CLOSE, 0, None),
    "turn_on": (Verb.TURN_ON, 0, None),
    "turn_off": (Verb.TURN_OFF, 0, None),
}
_RELATIONS = {"put_on": Relation.ON, "put_inside": Relation.INSIDE}
#: The opposite of each predicate for places, in domains that have it.
OPPOSITES = {ON: "not-ontop", INSIDE: "not-inside"}


def domain_text(body: Embodiment, held: int = 0, *, opposites: bool = False) -> str:
    """The domain for a body.

    held: the number of things in hand at the start. opposites: add predicates for a thing that is
    not on or in another one. Without them Fast Downward tries every combination of the other places
    of all things in a `not` of the goal.
    """
    # Plans take one thing at a time, so one of two hands is free unless both are full at the start.
    full = body.hands < 2 or held >= body.hands
    needing = body.needs_free_hand if full else frozenset()
    text = _PROMPTS.render(
        "domain",
        domain=NAME,
        predicates="\n    ".join(map(_declared, PREDICATES)),
        free_hand={str(verb): " (hand-empty)" if verb in needing else "" for verb in Verb},
        closed=" (or (closed ?d) (not (openable ?d)))" if body.closed_to_run else "",
        opposites=opposites,
    )
    return f"{text}\n"


def predicates_text() -> str:
    """The predicates of problems, as the domain declares them, one per line."""
    return "\n".join(map(_declared, PREDICATES))


def _declared(predicate: str) -> str:
    pairs = zip("ab", PREDICATES[predicate], strict=False)
    terms = [f"?{variable} - {type_}" for variable, type_ in pairs]
    return f"({' '.join([predicate, *terms])})"


# --- plans as actions of the household -----------------------------------------------------------


def actions_of(
    steps: Iterable[PlanStep],
    thing: Callable[[str], int],
    graph: SceneGraph,
    body: Embodiment,
    agent: int,
) -> Iterator[Action]:
    """Yield the actions of a plan: its steps, and the walks to their things.

    The domain distinguishes rooms, not places within them. thing: the node of a name. graph: the
    known scene before the plan.
    """
    after = graph.copy()
    if not POSTURES.isdisjoint(after[agent].states):
        yield _done(after, stand_up(), body, agent)
    for each in steps:
        action = action_of(each, thing)
        if action is None:
            continue
        used = action.target if action.place is None else action.place
        assert used is not None
        near = reachable(after, agent, used, approaches=body.approaches)
        if action.verb is not Verb.GO_TO and not near:
            at = next(iter(bases(after, used)), used)  # its base is known even where it is empty
            yield _done(after, go_to(at), body, agent)
        yield _done(after, action, body, agent)


def action_of(each: PlanStep, thing: Callable[[str], int]) -> Action | None:
    """The action of a step; None where it changes nothing in the world."""
    if each.action not in VERBS:
        return None
    verb, target, place = VERBS[each.action]
    return Action(
        verb,
        thing(each.things[target]),
        _RELATIONS.get(each.action),
        None if place is None else thing(each.things[place]),
    )


def _done(after: SceneGraph, action: Action, body: Embodiment, agent: int) -> Action:
    """The action, applied to the graph where possible."""
    step(after, action, body, agent)
    return action

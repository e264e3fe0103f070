"""The PDDL domain of planners on scene graphs.

It is the domain of Onishchenko et al., LookPlanGraph (2025), appendix D, with its names. It is
corrected where plans of the printed domain cannot be executed:

- The printed types are `room object agent`. `object` is PDDL's own root type, so rooms would be
  objects. Here the types are `room` and `thing`; no `agent` is ever used.
- The printed domain has `or` and `not` in preconditions without the requirements. Here it has them.
- A picked thing keeps its `object-room`, so a put elsewhere leaves it in two rooms. Things in a
  carried basket stay behind. Here only things that are on and in nothing else have `object-room`,
  mostly furniture. The place of other things follows from what keeps them.
- Things in a closed container inside another are in reach. Here things on or in anything movable
  are reached step by step. `access` turns to a thing on or in another that is not closed,
  `access_further` goes on from there, and `leave` goes back to the room.
- Anything can be picked up, opened and put anywhere. Here the affordances of the graph decide:
  `graspable`, `surface`, `container`, `openable` and `switchable`.
- A thing that stands in a room by itself cannot be picked up. Here `pick_up_in` does.
- A running appliance can be opened, which simulators refuse. Here it is turned off first.
- Some bodies need a free hand to open or switch. Here the domain says so.

One thing is held at a time, as printed, whatever the body. Not modelled are the capacity of places,
what they accept, and plugs.
"""

from __future__ import annotations

from typing import NamedTuple

from ....scene_graph.node import Affordance
from ....skills.actions import Verb
from ....skills.embodiment import Embodiment

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
        Affordance.GRASPABLE,
        Affordance.SURFACE,
        Affordance.CONTAINER,
        Affordance.OPENABLE,
        Affordance.SWITCHABLE,
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


#: The opposite of each predicate for places, in domains that have it.
OPPOSITES = {ON: "not-ontop", INSIDE: "not-inside"}


def domain_text(body: Embodiment, held: int = 0, *, opposites: bool = False) -> str:
    """The domain for a body.

    held: the number of things in hand at the start. opposites: add predicates for a thing that is
    not on or in another one. Without them Fast Downward tries every combination of the other places
    of all things in a `not` of the goal.
    """
    added = {f"{word}_{end}": "" for word in OPPOSITES for end in ("begins", "ends", "declared")}
    for word, opposite in OPPOSITES.items() if opposites else ():
        added[f"{word}_declared"] = f"\n    ({opposite} ?a - thing ?b - thing)"
        added[f"{word}_begins"] = f" (not ({opposite} ?o {_PLACED[word]}))"
        added[f"{word}_ends"] = f" ({opposite} ?o ?s)"
    return _DOMAIN.format(
        **added,
        name=NAME,
        predicates="\n    ".join(map(_declared, PREDICATES)),
        opening=_free_hand(body, held, Verb.OPEN),
        closing=_free_hand(body, held, Verb.CLOSE),
        turning_on=_free_hand(body, held, Verb.TURN_ON),
        turning_off=_free_hand(body, held, Verb.TURN_OFF),
        s_reached=_reached("?s"),
        c_reached=_reached("?c"),
        d_reached=_reached("?d"),
    )


#: The name of the place in `put_on` and `put_inside`.
_PLACED = {ON: "?s", INSIDE: "?c"}


def predicates_text() -> str:
    """The predicates of problems, as the domain declares them, one per line."""
    return "\n".join(map(_declared, PREDICATES))


def _declared(predicate: str) -> str:
    types = PREDICATES[predicate]
    variables = ["?a - {}", "?b - {}"][: len(types)]
    terms = [variable.format(type_) for variable, type_ in zip(variables, types, strict=True)]
    return f"({' '.join([predicate, *terms])})"


def _free_hand(body: Embodiment, held: int, verb: Verb) -> str:
    """The condition of a free hand.

    Plans take one thing at a time, so one of two hands is free unless both are full at the start.
    """
    needed = verb in body.needs_free_hand and (body.hands < 2 or held >= body.hands)
    return " (hand-empty)" if needed else ""


def _reached(variable: str) -> str:
    """The condition that a thing is in reach: in the robot's room by itself, or turned to."""
    in_room = f"(exists (?r - room) (and (robot-in ?r) (object-room {variable} ?r)))"
    return f"(or (and (not (accessing)) {in_room}) (accessed {variable}))"


_DOMAIN = """\
(define (domain {name})
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
    :existential-preconditions)
  (:types room thing)
  (:predicates
    {predicates}
    (accessed ?a - thing)
    (accessing){ontop_declared}{inside_declared})
  (:action go_to
    :parameters (?from ?to - room)
    :precondition (and (robot-in ?from) (not (= ?from ?to)) (not (accessing)))
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action access
    :parameters (?o ?s - thing ?r - room)
    :precondition (and (robot-in ?r) (object-room ?s ?r) (not (accessing))
      (or (ontop ?o ?s) (and (inside ?o ?s) (not (closed ?s)))))
    :effect (and (accessing) (accessed ?o)))
  (:action access_further
    :parameters (?o ?s - thing)
    :precondition (and (accessed ?s) (or (ontop ?o ?s) (and (inside ?o ?s) (not (closed ?s)))))
    :effect (and (accessed ?o) (not (accessed ?s))))
  (:action leave
    :parameters (?o - thing)
    :precondition (accessed ?o)
    :effect (and (not (accessing)) (not (accessed ?o))))
  (:action pick_up
    :parameters (?o ?s - thing)
    :precondition (and (graspable ?o) (hand-empty) {s_reached}
      (or (ontop ?o ?s) (and (inside ?o ?s) (not (closed ?s)))))
    :effect (and (agent-hold ?o) (not (hand-empty))
      (not (ontop ?o ?s)) (not (inside ?o ?s)){ontop_ends}{inside_ends}))
  (:action pick_up_in
    :parameters (?o - thing ?r - room)
    :precondition (and (graspable ?o) (hand-empty) (robot-in ?r) (object-room ?o ?r)
      (not (accessing)))
    :effect (and (agent-hold ?o) (not (object-room ?o ?r)) (not (hand-empty))))
  (:action put_on
    :parameters (?o ?s - thing)
    :precondition (and (agent-hold ?o) (surface ?s) {s_reached})
    :effect (and (ontop ?o ?s) (not (agent-hold ?o)) (hand-empty){ontop_begins}))
  (:action put_inside
    :parameters (?o ?c - thing)
    :precondition (and (agent-hold ?o) (container ?c) (not (closed ?c)) {c_reached})
    :effect (and (inside ?o ?c) (not (agent-hold ?o)) (hand-empty){inside_begins}))
  (:action turn_on
    :parameters (?d - thing)
    :precondition (and (switchable ?d) (not (on-state ?d)){turning_on} {d_reached})
    :effect (on-state ?d))
  (:action turn_off
    :parameters (?d - thing)
    :precondition (and (switchable ?d) (on-state ?d){turning_off} {d_reached})
    :effect (not (on-state ?d)))
  (:action open
    :parameters (?c - thing)
    :precondition (and (openable ?c) (closed ?c) (not (on-state ?c)){opening} {c_reached})
    :effect (not (closed ?c)))
  (:action close
    :parameters (?c - thing)
    :precondition (and (openable ?c) (not (closed ?c)){closing} {c_reached})
    :effect (closed ?c)))
"""

"""The PDDL domain of planners on scene graphs.

It is that of Onishchenko et al., LookPlanGraph (2025), appendix D, with its names, corrected where
plans made with the printed one cannot be carried out:

- The printed domain declares the types `room object agent`; `object` is PDDL's own root type, so
  that rooms would be objects. Here the types are `room` and `thing`; no `agent` is ever used.
- It has `or` and `not` in preconditions and requires neither. Here the requirements say so.
- What is picked up keeps its `object-room`, and is in two rooms once it was put down elsewhere;
  what lies in a basket that is carried stays behind. Here `object-room` is said only of what is on
  and in nothing else, furniture above all; where other things are follows from what keeps them.
- Things in a closed container inside another are in reach. Here they, and what lies on or in any
  thing that can be carried, are reached step by step: `access` turns to a thing on or in another,
  where that is not closed, `access_further` on from there, and `leave` back to the room.
- Anything can be picked up, opened and put anywhere. Here the affordances of the graph say what
  can: `graspable`, `surface`, `container`, `openable` and `switchable`.
- What stands in a room by itself cannot be picked up. Here `pick_up_in` does.
- What runs can be opened, which simulators refuse. Here it is turned off first.
- Where a body needs a free hand to open or switch, the domain says so.

One thing is held at a time, as printed, whatever the body could. Not modelled are how many things
a place takes, which it accepts, and plugs.
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
#: The predicates for what can be done with a thing.
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
#: The predicates that problems speak of, with the types of what they are said of.
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
    """A step of a plan: the name of an action, and what it is done with."""

    action: str
    things: tuple[str, ...]

    def __str__(self) -> str:
        return f"({' '.join([self.action, *self.things])})"


#: What each action of a plan does: the verb, and the positions of its target and place among the
#: step's things. What is not here changes nothing in the world.
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


#: Of each predicate for places the one that says the opposite, in domains that have it.
OPPOSITES = {ON: "not-ontop", INSIDE: "not-inside"}


def domain_text(body: Embodiment, held: int = 0, *, opposites: bool = False) -> str:
    """The domain for a body.

    held: how many things it has in hand at the start.
    opposites: with predicates for that a thing is not on or in another one. Fast Downward tries
    every combination of the other places of all things of which the goal says `not`.
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


#: What `put_on` and `put_inside` call the place.
_PLACED = {ON: "?s", INSIDE: "?c"}


def predicates_text() -> str:
    """The predicates that a problem may speak of, as the domain declares them, a line each."""
    return "\n".join(map(_declared, PREDICATES))


def _declared(predicate: str) -> str:
    types = PREDICATES[predicate]
    variables = ["?a - {}", "?b - {}"][: len(types)]
    terms = [variable.format(type_) for variable, type_ in zip(variables, types, strict=True)]
    return f"({' '.join([predicate, *terms])})"


def _free_hand(body: Embodiment, held: int, verb: Verb) -> str:
    """The condition of a free hand. Plans take one thing at a time, so that of two hands one is
    free unless both are full at the start.
    """
    needed = verb in body.needs_free_hand and (body.hands < 2 or held >= body.hands)
    return " (hand-empty)" if needed else ""


def _reached(variable: str) -> str:
    """That a thing is in reach: in the robot's room by itself, or turned to."""
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

"""The part of a problem that its plans need.

It has the things of the goal, held things, everything that keeps one of these at any depth, and
their rooms. For each such room it has one piece of furniture that the goal does not name, for
temporary puts.

A cheapest plan of the part is a cheapest plan of the whole. It is a plan of the whole, since no
action needs that something is absent. The reverse: any plan of the whole gives a plan of the part
that is no longer. Leave out the steps with things outside the part, and put things down on the
spare furniture of the same room instead. This changes only places that the goal leaves open.

There is one exception: a plan that carries a thing outside the part to another room with something
on it. Such a plan saves at most the two walks between the rooms for each thing on it, and needs one
more put and pick.

A goal with quantifiers concerns everything, so its problem stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....scene_graph.s_expressions import words
from . import domain
from .problem import Problem

_QUANTIFIERS = {"forall", "exists"}
_PLACES = {domain.ON, domain.INSIDE, domain.OBJECT_ROOM}


def relevant_part(problem: Problem) -> Problem:
    """The part of a problem that its plans need; it has a plan if the whole has one."""
    named = set(words(problem.goal))
    if named & _QUANTIFIERS:
        return problem
    keepers: dict[str, list[str]] = {}
    held: list[str] = []
    for predicate, *terms in problem.facts:
        if predicate in _PLACES:
            keepers.setdefault(terms[0], []).append(terms[1])
        elif predicate == domain.HOLDS:
            held.append(terms[0])
    kept = _with_keepers([*held, *named.intersection(problem.things)], keepers)
    robot_in = [fact[1] for fact in problem.facts if fact[0] == domain.ROBOT_IN]
    rooms = (kept | named | {*robot_in}).intersection(problem.rooms)
    kept |= _spare_places(problem, rooms, named)
    rooms |= _with_keepers(kept, keepers).intersection(problem.rooms)
    kept |= rooms
    return Problem(
        tuple(room for room in problem.rooms if room in rooms),
        tuple(thing for thing in problem.things if thing in kept),
        tuple(fact for fact in problem.facts if all(term in kept for term in fact[1:])),
        problem.goal,
    )


def _with_keepers(things: Iterable[str], keepers: dict[str, list[str]]) -> set[str]:
    """Things with all that keeps them, up to their rooms."""
    kept = dict.fromkeys(things)
    todo = list(kept)
    for thing in todo:  # grows during the loop
        for keeper in keepers.get(thing, ()):
            if keeper not in kept:
                kept[keeper] = None
                todo.append(keeper)
    return {*kept}


def _spare_places(problem: Problem, rooms: set[str], named: set[str]) -> set[str]:
    """For each room its first spare furniture; another room's if it has none."""
    facts = {*problem.facts}
    spare: dict[str, str] = {}
    for predicate, *terms in problem.facts:
        if (
            predicate == domain.OBJECT_ROOM
            and terms[0] not in named
            and ("surface", terms[0]) in facts
            and ("graspable", terms[0]) not in facts
        ):
            spare.setdefault(terms[1], terms[0])
    there = {spare[room] for room in rooms if room in spare}
    return there or {*list(spare.values())[:1]}

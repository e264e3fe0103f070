"""The goal of a game as a goal over the scene graph.

ALFWorld has six kinds of goals. All ask for something that is in a receptacle, or held where a lamp
is on; some ask that it was heated, cooled or cleaned, or for two of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...adapters.alfworld.pddl import Expression, Problem
from ...errors import BadInput
from ...scene_graph.goals import And, AtLeast, Domain, Exists, Goal, HasState, Or, Related
from ...scene_graph.node import Kind, Relation, State

_STATES = {
    "ishot": State.HOT,
    "iscool": State.COLD,
    "isclean": State.CLEAN,
    "issliced": State.SLICED,
    "istoggled": State.ON,
}
#: Facts that are true of all things of a kind that can be in a state.
_ABILITIES = frozenset({"cleanable", "heatable", "coolable", "sliceable", "toggleable"})
_ME = Domain(kind=Kind.AGENT)
_UNKNOWN = BadInput("its goal is none of ALFWorld's six kinds")


def goal_of(problem: Problem) -> Goal:
    """The goal of a problem. Raises BadInput for one of another kind."""
    match problem.goal:
        case ["and", *parts]:
            found = [_part(list(_literals(part))) for part in parts]
        case part:
            found = [_part(list(_literals(part)))]
    return found[0] if len(found) == 1 else And(tuple(found))


def _literals(expression: Expression) -> Iterator[Sequence[str]]:
    """The facts of a conjunction with what exists in it; of an inequality, its words with "not"."""
    match expression:
        case ["exists", list(), part]:
            yield from _literals(part)
        case ["and", *parts]:
            for part in parts:
                yield from _literals(part)
        case ["not", ["=", str(one), str(other)]]:
            yield ["not=", one, other]
        case [str(), *words] if all(isinstance(word, str) for word in words):
            yield [str(word) for word in expression]
        case _:
            raise _UNKNOWN


def _part(literals: list[Sequence[str]]) -> Goal:
    """A part of a goal: about one kind of things."""
    kinds = {
        words[1]: words[2].removesuffix("type") for words in literals if words[0] == "objecttype"
    }
    places = {words[2] for words in literals if words[0] == "inreceptacle"}
    two = [words[1:] for words in literals if words[0] == "not="]
    if not kinds or len(places) > 1 or len(two) > 1 or len(kinds) != 1 + len(two):
        raise _UNKNOWN
    thing, kind = next(iter(kinds.items()))
    about = [words for words in literals if words[1] == thing or words[0] == "receptacletype"]
    if len(set(kinds.values())) != 1:
        raise _UNKNOWN
    conditions: list[Goal] = []
    placed = False
    for predicate, *_ in about:
        if predicate in _STATES:
            conditions.append(HasState("thing", _STATES[predicate]))
        elif predicate == "inreceptacle":
            placed = True
        elif predicate not in _ABILITIES | {"objecttype", "receptacletype", "not="}:
            raise _UNKNOWN
    held = any(words[0] == "holds" and words[2] == thing for words in literals)
    domain = Domain(categories=frozenset({kind}), kind=Kind.OBJECT)
    if held:
        return Exists("me", _ME, Exists("thing", domain, Related("me", Relation.HOLDS, "thing")))
    if not placed:
        raise _UNKNOWN
    sort = next((w[2].removesuffix("type") for w in literals if w[0] == "receptacletype"), None)
    conditions.append(_kept("thing", "place"))
    if sort is None:  # where the agent stands, as under a lamp
        near = And((Related("me", Relation.CLOSE, "place"), *conditions))
        place = Domain(kind=Kind.FIXTURE)
        return Exists("me", _ME, Exists("place", place, Exists("thing", domain, near)))
    wanted = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
    many = AtLeast(2, "thing", domain, wanted) if two else Exists("thing", domain, wanted)
    return Exists("place", Domain(categories=frozenset({sort}), kind=Kind.FIXTURE), many)


def _kept(thing: str, place: str) -> Goal:
    """That a thing is directly in or on a place."""
    return Or(
        (
            Related(thing, Relation.ON, place),
            Related(thing, Relation.INSIDE, place, direct=True),
        )
    )

"""Goals that only place things: their alternatives, and the short form of many alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from .goals import And, Goal, Or, Related

#: Relations between named things, all of which must hold.
Placements = tuple[Related, ...]


def alternatives(goal: Goal, limit: int = 100_000) -> list[Placements] | None:
    """List the alternatives of a placement goal, without repeats; None for any other goal.

    A placement goal joins relations between named things by `and` and `or`. One with more than
    `limit` alternatives gives None too.
    """
    distinct = _alternatives(goal, limit)
    return None if distinct is None else list(dict.fromkeys(distinct))


def _alternatives(goal: Goal, limit: int) -> list[Placements] | None:
    match goal:
        case Related(int(), _, int()):
            return [(goal,)]
        case Or(parts):
            collected: list[Placements] = []
            for part in parts:
                of_part = _alternatives(part, limit)
                if of_part is None or len(collected) + len(of_part) > limit:
                    return None
                collected += of_part
            return collected
        case And(parts):
            joined: list[Placements] = [()]
            for part in parts:
                of_part = _alternatives(part, limit)
                if of_part is None or len(joined) * len(of_part) > limit:
                    return None
                pairs = product(joined, of_part)
                joined = [tuple(dict.fromkeys((*one, *more))) for one, more in pairs]
            return joined
    return None


def short_form(alternatives: Iterable[Placements]) -> Or:
    """Make the shortest goal that holds if one of the alternatives holds.

    Alternatives for the same things become one branch. If their places combine freely, each thing
    gets its own `or` of places. So hundreds of alternatives are evaluated in microseconds.
    """
    groups: dict[tuple[int, ...], dict[Placements, None]] = {}
    for each in alternatives:
        placements = tuple(sorted(set(each), key=_order))
        groups.setdefault(tuple(_source(p) for p in placements), {})[placements] = None
    branches: list[Goal] = []
    for things, members in groups.items():
        choices = [tuple(dict.fromkeys(column)) for column in zip(*members, strict=True)]
        count = 1
        for choice in choices:
            count *= len(choice)
        if len(set(things)) == len(things) and count == len(members):
            branches.append(_conjunction([_disjunction(choice) for choice in choices]))
        else:
            branches += [_conjunction(member) for member in members]
    return Or(tuple(branches))


def _conjunction(parts: Sequence[Goal]) -> Goal:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _disjunction(parts: Sequence[Goal]) -> Goal:
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def _source(placement: Related) -> int:
    assert isinstance(placement.source, int), "alternatives name things"
    return placement.source


def _order(placement: Related) -> tuple[int, str, int]:
    target = placement.target
    assert isinstance(target, int), "alternatives name places"
    return _source(placement), placement.relation, target

"""The states in which a goal would hold: an exhaustive search among the possible ones.

The goal is written as truth values of single facts over the existing objects. So are the rules of
all states that the agent can cause: which facts no action causes, one place for each object, the
capacity of places and hands, and the states that an object can have. Where no values satisfy all of
that, the goal can never hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..scene_graph.goals import Goal
from ..scene_graph.graph import SceneGraph
from .constraints import Constraints, SearchOutcome
from .laws import Laws
from .literals import GOAL_RULE, Literals, goal_literal
from .world_rules import NOT_IN_ITSELF, circle_of_places, keep_world_rules


@dataclass(frozen=True)
class FinalState:
    """The result of a search among final states."""

    facts: tuple[Goal, ...] | None = None
    """A state in which the goal would hold, or None."""
    impossible: bool = False
    """Whether there is no such state."""
    reasons: tuple[str, ...] = ()
    """Why facts that the goal could use never hold, in words."""
    rules: tuple[str, ...] = ()
    """Rules of the world that make it impossible."""
    searched: bool = True
    """Whether that took a search."""
    choices: int = 0
    """Number of values tried."""


def final_state(
    graph: SceneGraph, goal: Goal, laws: Laws, name: Callable[[int], str], limit: int
) -> FinalState:
    """Search for a state in which a goal would hold. limit: of tried values."""
    literals = Literals(graph, laws, name)
    root = goal_literal(literals, goal)
    if not isinstance(root, bool):
        literals.constraints.at_least([root], 1, GOAL_RULE)
    if laws.strict:
        keep_world_rules(literals)
    reasons = tuple(dict.fromkeys(literals.reasons))
    if root is False:
        return FinalState(impossible=True, reasons=reasons, searched=False)
    answer = _solve(literals, limit)
    if answer.values is not None:
        return FinalState(facts=literals.changes(answer.values), choices=answer.choices)
    if not answer.exhausted:
        return FinalState(choices=answer.choices)
    rules = _needed_rules(literals.constraints, limit)
    return FinalState(impossible=True, reasons=reasons, rules=rules, choices=answer.choices)


def _solve(literals: Literals, limit: int) -> SearchOutcome:
    """Search; a circle of objects on each other is ruled out when it appears."""
    choices = 0
    while True:
        answer = literals.constraints.solve(limit - choices)
        choices += answer.choices
        circle = circle_of_places(literals, answer.values or frozenset())
        if not circle:
            return replace(answer, choices=choices)
        literals.constraints.at_most(circle, len(circle) - 1, NOT_IN_ITSELF)


def _needed_rules(constraints: Constraints, limit: int) -> tuple[str, ...]:
    """The rules without any of which the goal could hold, as far as a limited search shows."""
    rules = dict.fromkeys(each.rule for each in constraints.kept if each.rule != GOAL_RULE)
    left_out: list[str] = []
    for rule in rules:
        if constraints.solve(limit, [*left_out, rule]).exhausted:
            left_out.append(rule)
    return tuple(rule for rule in rules if rule not in left_out)

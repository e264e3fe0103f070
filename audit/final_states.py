"""The states in which a goal would hold: an exhaustive search among those the world could be in.

The goal is written out over the things there are, as truth values of single facts, and so is what
is known of every state that the agent can bring about: which facts no action brings about, that a
thing is put at one place at a time, how much a place and the hands take, which states a thing can
be in. Where no values keep all of that, the goal can never hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..scene_graph.goals import Goal
from ..scene_graph.graph import SceneGraph
from .constraints import Constraints, SearchOutcome
from .goal_literals import goal_literal
from .laws import Laws
from .literals import GOAL_RULE, Literals
from .world_rules import NOT_IN_ITSELF, circle_of_places, keep_world_rules


@dataclass(frozen=True)
class FinalState:
    """What a search among final states found.

    facts: of a state in which the goal would hold, or None. impossible: whether there is no such
    state. reasons: why facts that the goal could use are never so, in words. rules: those of the
    world without which some state could be. searched: whether that took a search. choices: how many
    values it tried.
    """

    facts: tuple[Goal, ...] | None = None
    impossible: bool = False
    reasons: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    searched: bool = True
    choices: int = 0


def final_state(
    graph: SceneGraph, goal: Goal, laws: Laws, name: Callable[[int], str], limit: int
) -> FinalState:
    """Search for a state in which a goal would hold. limit: of the values that are tried."""
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
    """Search, ruling out what is on itself as it turns up."""
    choices = 0
    while True:
        answer = literals.constraints.solve(limit - choices)
        choices += answer.choices
        circle = circle_of_places(literals, answer.values or frozenset())
        if not circle:
            return replace(answer, choices=choices)
        literals.constraints.at_most(circle, len(circle) - 1, NOT_IN_ITSELF)


def _needed_rules(constraints: Constraints, limit: int) -> tuple[str, ...]:
    """The rules without any of which the goal could hold, as far as is seen within a limit."""
    rules = dict.fromkeys(each.rule for each in constraints.kept if each.rule != GOAL_RULE)
    left_out: list[str] = []
    for rule in rules:
        if constraints.solve(limit, [*left_out, rule]).exhausted:
            left_out.append(rule)
    return tuple(rule for rule in rules if rule not in left_out)

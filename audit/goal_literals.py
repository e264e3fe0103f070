"""A goal as a literal, written out over the existing objects."""

from __future__ import annotations

from collections.abc import Mapping

from ..scene_graph.goals import And, AtLeast, Domain, Exists, ForAll, Goal, Not, Or
from ..scene_graph.node import Kind
from .facts import ground
from .literals import Literals, Value


def goal_literal(
    literals: Literals, goal: Goal, bound: Mapping[str, int] | None = None, *, positive: bool = True
) -> Value:
    """The literal of a goal or of its negation, or its constant value.

    bound: the objects that variables of quantifiers stand for.
    """
    bound = bound or {}
    match goal:
        case Not(part):
            return goal_literal(literals, part, bound, positive=not positive)
        case And(parts) | Or(parts):
            values = [goal_literal(literals, part, bound, positive=positive) for part in parts]
            return literals.joined(values, every=isinstance(goal, And) is positive)
        case ForAll() | Exists():
            values = _instances(literals, goal, bound, positive=positive)
            return literals.joined(values, every=isinstance(goal, ForAll) is positive)
        case AtLeast(count):
            values = _instances(literals, goal, bound, positive=positive)
            return literals.counted(values, count if positive else len(values) - count + 1)
        case _:
            return literals.of(ground(goal, bound), positive=positive)


def _instances(
    literals: Literals, goal: ForAll | Exists | AtLeast, bound: Mapping[str, int], *, positive: bool
) -> list[Value]:
    nodes = [node for node in literals.graph.nodes() if goal.domain.admits(node)]
    values = [
        goal_literal(literals, goal.body, {**bound, goal.variable: node.id}, positive=positive)
        for node in nodes
    ]
    if not literals.laws.strict and _may_come_to_be(literals, goal.domain):
        values += [True] * (goal.count if isinstance(goal, AtLeast) else 1)
    needed = goal.count if isinstance(goal, AtLeast) else 1
    if positive and not isinstance(goal, ForAll) and len(values) < needed:
        kind = _kind(goal.domain)
        missing = f"is no {kind}" if not nodes else f"are {len(nodes)} ({kind}), not {needed},"
        literals.reasons.append(f"there {missing} in the scene")
    return values


def _may_come_to_be(literals: Literals, domain: Domain) -> bool:
    """Whether the engine may make such objects of others, as slices."""
    wanted = domain.categories and {each.split()[0] for each in domain.categories | domain.also}
    return any(
        wanted is None or not wanted or node.category.split()[0] in wanted
        for node in literals.graph.nodes(Kind.OBJECT)
    )


def _kind(domain: Domain) -> str:
    if domain.categories:
        return " or ".join(sorted(domain.categories))
    return "such thing"

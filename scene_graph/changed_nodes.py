"""The nodes that a goal asks to change, and how many of them are right at the end.

Their ratio is the plan precision of LookPlanGraph (appendix B). The paper compares the initial
graph with the goal graph; goals here are expressions, so the nodes are read from them:

- A node has to change if some literal about it does not hold at the start. It is right if all
  literals about it hold at the end.
- A counted quantifier stands for as many nodes as it asks for, less those that fulfil it at the
  start. The paper counts relations in the same way instead of comparing ids.
- Of alternatives, the nearest counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .goal_evaluation import progress, satisfied, sorted_members
from .goals import (
    And,
    AtLeast,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    Term,
    bind,
)
from .graph import SceneGraph
from .node import Relation


@dataclass(frozen=True, slots=True)
class ChangedNodes:
    """Counts of nodes: how many the goal asks to change, and how many of these are right."""

    changed: int = 0
    correct: int = 0

    def __add__(self, other: ChangedNodes) -> ChangedNodes:
        return ChangedNodes(self.changed + other.changed, self.correct + other.correct)


@dataclass(frozen=True, slots=True)
class _Literal:
    """Whether a literal holds before and after. node: the one that it is about, or None."""

    node: int | None
    before: bool
    after: bool


def changed_nodes(
    goal: Goal, before: SceneGraph, after: SceneGraph, events: Sequence[Event] = ()
) -> ChangedNodes:
    """Compare the start of a task with its end. events: what happened in between, oldest first."""
    total = ChangedNodes()
    of_node: dict[int, list[_Literal]] = {}
    for part in _Reader(before, after, events).parts(goal):
        if isinstance(part, ChangedNodes):
            total += part
        elif part.node is None:
            total += _compared([part])
        else:
            of_node.setdefault(part.node, []).append(part)
    return sum((_compared(literals) for literals in of_node.values()), total)


def _compared(literals: Sequence[_Literal]) -> ChangedNodes:
    """Count one node, from all literals about it."""
    if all(literal.before for literal in literals):
        return ChangedNodes()
    return ChangedNodes(1, int(all(literal.after for literal in literals)))


class _Reader:
    """Reads literals and counts from a goal without free variables."""

    def __init__(self, before: SceneGraph, after: SceneGraph, events: Sequence[Event]) -> None:
        self._before = before
        self._after = after
        self._events = events

    def parts(self, goal: Goal) -> Iterator[_Literal | ChangedNodes]:
        match goal:
            case And(parts):
                for part in parts:
                    yield from self.parts(part)
            case Or(parts):
                yield from self._nearest(parts)
            case ForAll(variable, domain, body):
                for member in sorted_members(domain, self._after):
                    yield from self.parts(bind(body, variable, member))
            case Exists(variable, domain, body):
                members = sorted_members(domain, self._after)
                yield from self._nearest([bind(body, variable, member) for member in members])
            case AtLeast():
                yield self._counted(goal)
            case InOrder(parts):
                for i, event in enumerate(parts):
                    after = self._after_holds(InOrder(parts[: i + 1]))
                    yield _Literal(_node_of(event), before=False, after=after)
            case _:
                before = satisfied(goal, self._before)
                yield _Literal(_node_of(goal), before, self._after_holds(goal))

    def _nearest(self, branches: Sequence[Goal]) -> Iterator[_Literal | ChangedNodes]:
        """The parts of the branch nearest to the goal; of equals, the one farthest at the start."""
        if not branches:
            yield ChangedNodes(1, 0)
            return
        nearest = max(
            branches,
            key=lambda goal: (
                progress(goal, self._after, self._events).value,
                -progress(goal, self._before).value,
            ),
        )
        yield from self.parts(nearest)

    def _counted(self, goal: AtLeast) -> ChangedNodes:
        def number(graph: SceneGraph, events: Sequence[Event]) -> int:
            members = sorted_members(goal.domain, graph)
            bodies = (bind(goal.body, goal.variable, member) for member in members)
            return min(goal.count, sum(satisfied(body, graph, events) for body in bodies))

        before = number(self._before, ())
        gained = number(self._after, self._events) - before
        return ChangedNodes(goal.count - before, max(0, gained))

    def _after_holds(self, goal: Goal) -> bool:
        return satisfied(goal, self._after, self._events)


def _node_of(goal: Goal) -> int | None:
    """The node whose place or state a literal is about; for `holds`, the thing held."""
    term: Term | None = None
    match goal:
        case HasState(thing, _):
            term = thing
        case Related(_, Relation.HOLDS, target):
            term = target
        case Related(source, _, _):
            term = source
        case MeasureInRange(_, things, _, _) | EventOccurred(_, things, _) if things:
            term = things[0]
        case Not(part):
            return _node_of(part)
    return term if isinstance(term, int) else None

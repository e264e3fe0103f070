"""The nodes that a goal asks to change, and how many of them came out right.

The plan precision of LookPlanGraph (appendix B): of the nodes that differ between the initial and
the goal graph, the share that is as the goal has it at the end. Goals here are expressions, so the
nodes are read off them: a node has to change where something that the goal says of it did not hold
at the start, and it is right where all that the goal says of it holds at the end. A counted
quantifier stands for as many nodes as it asks for, less those that fulfilled it at the start,
whichever they are, as the paper counts relations instead of comparing ids. Of alternatives the one
counts that came nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .events import Event
from .goal_evaluation import bind, progress, satisfied, sorted_members
from .goals import (
    And,
    AtLeast,
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
)
from .graph import SceneGraph
from .node import Relation


@dataclass(frozen=True, slots=True)
class ChangedNodes:
    """changed: how many nodes the goal asks to change. correct: how many of them are right."""

    changed: int = 0
    correct: int = 0

    def __add__(self, other: ChangedNodes) -> ChangedNodes:
        return ChangedNodes(self.changed + other.changed, self.correct + other.correct)


@dataclass(frozen=True, slots=True)
class _Literal:
    """What a goal says of one node. node: None for what concerns no node."""

    node: int | None
    before: bool
    after: bool


def changed_nodes(
    goal: Goal,
    before: SceneGraph,
    after: SceneGraph,
    events: Sequence[Event] = (),
) -> ChangedNodes:
    """Compare the start of a task and its end. events: that happened between, oldest first."""
    found = ChangedNodes()
    of_node: dict[int, list[_Literal]] = {}
    for part in _Reader(before, after, events).parts(goal):
        if isinstance(part, ChangedNodes):
            found += part
        elif part.node is None:
            found += _compared([part])
        else:
            of_node.setdefault(part.node, []).append(part)
    return sum((_compared(literals) for literals in of_node.values()), found)


def _compared(literals: Sequence[_Literal]) -> ChangedNodes:
    """One node by what the goal says of it."""
    if all(literal.before for literal in literals):
        return ChangedNodes()
    return ChangedNodes(1, int(all(literal.after for literal in literals)))


class _Reader:
    """Reads literals and counts off a goal without free variables."""

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
        """The parts of the branch that came nearest, of these the one that was farthest before."""
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
    """The node whose place or state a literal is about: of what an agent holds, the thing."""
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

"""Algorithm 2 of ReAcTree: what a control flow node makes of what its children come to."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from ..contract import Decision, Percept
from .nodes import ControlFlow, Status

Child = TypeVar("Child")
#: A node being carried out: it yields decisions, and returns what came of it.
Execution = Generator[Decision, Percept, Status]


def execute(
    control_flow: ControlFlow, children: Sequence[Child], run: Callable[[Child], Execution]
) -> Execution:
    """Carry out the children of a control flow node by its type."""
    match control_flow:
        case ControlFlow.SEQUENCE:
            for child in children:
                if (yield from run(child)) is Status.FAILURE:
                    return Status.FAILURE
            return Status.SUCCESS
        case ControlFlow.FALLBACK:
            for child in children:
                if (yield from run(child)) is Status.SUCCESS:
                    return Status.SUCCESS
            return Status.FAILURE
        case ControlFlow.PARALLEL:
            statuses = []
            for child in children:
                statuses.append((yield from run(child)))
            return majority(statuses)


def majority(statuses: Sequence[Status]) -> Status:
    """What more than half of them are; a tie is a failure."""
    successes = sum(status is Status.SUCCESS for status in statuses)
    return Status.SUCCESS if 2 * successes > len(statuses) else Status.FAILURE

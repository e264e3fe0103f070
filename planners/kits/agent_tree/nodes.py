"""The nodes of an agent tree, their control flow, and the notes on its growth.

`execute_flow` is Algorithm 2 of ReAcTree (Choi et al., 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from ...contract import Decision, Note, Percept
from ..prompting.templates import Templates

_TEMPLATES = Templates(__file__)


class Status(StrEnum):
    """The outcome of a node."""

    SUCCESS = "success"
    FAILURE = "failure"


class ControlFlow(StrEnum):
    """How the children of a control flow node are executed.

    SEQUENCE: in order, until one fails. FALLBACK: in order, until one succeeds. PARALLEL: all of
    them, whatever the outcomes of the others.
    """

    SEQUENCE = "sequence"
    FALLBACK = "fallback"
    PARALLEL = "parallel"


class ControlFlows(StrEnum):
    """The settings of the paper's ablation (section 5.4), and the default of a dialect.

    AUTO: ALL, but for ALFRED's dialect SEQ_FALLBACK, as in the paper's prompts.
    """

    AUTO = "auto"
    ALL = "all"
    SEQ_FALLBACK = "seq_fallback"
    SEQ = "seq"

    def types(self, dialect: str) -> tuple[ControlFlow, ...]:
        """The control flow types on offer."""
        sequence, fallback, parallel = ControlFlow
        if self is ControlFlows.SEQ:
            return (sequence,)
        if self is ControlFlows.SEQ_FALLBACK or (self is ControlFlows.AUTO and dialect == _ALFRED):
            return (sequence, fallback)
        return (sequence, fallback, parallel)


_ALFRED = "reactree_thor"


#: The state of a running node, and of an agent node that has expanded its goal.
RUNNING, EXPANDED = "running", "expand"


@dataclass(eq=False)
class AgentNode:
    """An agent with a goal in words."""

    id: int
    """Its number in the tree."""
    goal: str
    """In words."""
    flow: FlowNode | None = None
    """The control flow node that it belongs to; None for the root."""
    state: str = RUNNING
    """RUNNING, EXPANDED or a `Status`."""
    decisions: int = 0
    """The kinds of the model's samples so far."""
    lines: list[str] = field(default_factory=list)
    """Its prompt history."""

    @property
    def depth(self) -> int:
        """The number of agents from the root to here."""
        return 1 if self.flow is None else self.flow.parent.depth + 1

    @property
    def goals(self) -> list[str]:
        """Its own goal and those of its ancestors, the root's last."""
        return [self.goal, *([] if self.flow is None else self.flow.parent.goals)]


@dataclass(eq=False)
class FlowNode:
    """A control flow node, the one child of the agent that expanded."""

    id: int
    """Its number in the tree."""
    control_flow: ControlFlow
    """How its children are executed."""
    parent: AgentNode
    """The agent that expanded."""
    children: list[AgentNode] = field(default_factory=list)
    """One agent for each subgoal."""
    state: str = RUNNING
    """RUNNING or a `Status`."""


class AgentTree:
    """The factory of one tree's nodes, and of the notes on its changes."""

    def __init__(self, goal: str, first: int = 0) -> None:
        """first: the number of the root; later nodes count on."""
        self._count = first
        self.root = AgentNode(self._number(), goal)

    @property
    def count(self) -> int:
        """The number of the next node."""
        return self._count

    def expand(
        self, node: AgentNode, control_flow: ControlFlow, subgoals: Sequence[str]
    ) -> FlowNode:
        """Attach a control flow node to an agent node, and an agent node for each subgoal."""
        flow = FlowNode(self._number(), control_flow, node)
        flow.children = [AgentNode(self._number(), subgoal, flow) for subgoal in subgoals]
        node.state = EXPANDED
        return flow

    def _number(self) -> int:
        self._count += 1
        return self._count - 1


def growth_note(node: AgentNode, flow: FlowNode) -> Note:
    """The note on an expansion."""
    text = f"{node.id} {node.goal}: {flow.control_flow} of {len(flow.children)}"
    nodes = [_data(node), _data(flow), *map(_data, flow.children)]
    return Note("tree", text, {"nodes": nodes})


def end_note(node: AgentNode | FlowNode) -> Note:
    """The note on the end of a node."""
    goal = node.goal if isinstance(node, AgentNode) else str(node.control_flow)
    return Note("tree", f"{node.id} {goal}: {node.state}", {"nodes": [_data(node)]})


def _data(node: AgentNode | FlowNode) -> dict[str, Any]:
    """A node as data; with its text once it has ended."""
    if isinstance(node, FlowNode):
        return {
            "id": node.id,
            "parent": node.parent.id,
            "kind": str(node.control_flow),
            "goal": "",
            "state": str(node.state),
            "decisions": 0,
        }
    data = {
        "id": node.id,
        "parent": None if node.flow is None else node.flow.id,
        "kind": "agent",
        "goal": node.goal,
        "state": str(node.state),
        "decisions": node.decisions,
    }
    return data if node.state == RUNNING else {**data, "text": "\n".join(node.lines)}


def task_of(node: AgentNode, observation: str) -> str:
    """The first message of a node: its task, the goals of its ancestors, and the present place."""
    return _TEMPLATES.render("task", node=node, observation=observation)


# --- control flow --------------------------------------------------------------------------------

Child = TypeVar("Child")
#: A running node: it yields decisions, and returns its outcome.
Execution = Generator[Decision, Percept, Status]


def execute_flow(
    control_flow: ControlFlow, children: Sequence[Child], run: Callable[[Child], Execution]
) -> Execution:
    """Execute the children of a control flow node by its type."""
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
    """The status of more than half of them; a tie is a failure."""
    successes = sum(status is Status.SUCCESS for status in statuses)
    return Status.SUCCESS if 2 * successes > len(statuses) else Status.FAILURE

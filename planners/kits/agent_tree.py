"""Trees of agents that divide goals, in words, joined by control flow (ReAcTree, 2025).

The reply of an agent node is one decision, or with a working memory also a recall:

    {"decision": {"think": "…"}}
    {"decision": {"act": "go to kitchen 1"}}
    {"decision": {"expand": {"control_flow": "sequence", "subgoals": ["…", "…"]}}}
    {"decision": {"recall": "apple"}}

One sample gives the kind of decision and its content. The control flow types are part of the shape.
The menu changes with every step and comes with each question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Tag, create_model

from ...data_files import json_data, lines_of
from ..contract import Decision, Note, Percept
from .memory.working import RECALL
from .prompting.conversation import cut_to
from .prompting.templates import Templates

_TEMPLATES = Templates(__file__)
Kind = Literal["act", "think", "recall", "expand"]
#: The actions that end a node.
DONE, FAILURE = "done", "failure"


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

    AUTO: ALL, but for ALFRED's dialects SEQ_FALLBACK, as in the paper's prompts.
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
        if self is ControlFlows.SEQ_FALLBACK or (self is ControlFlows.AUTO and dialect in _ALFRED):
            return (sequence, fallback)
        return (sequence, fallback, parallel)


_ALFRED = ("reactree_thor", "reactree_thor_plain")


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
    return _TEMPLATES.render("agent_task", node=node, observation=observation)


# --- control flow: Algorithm 2 of the paper -------------------------------------------------------

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


# --- decisions as replies -------------------------------------------------------------------------


_ONE_FIELD = ConfigDict(extra="forbid")


@lru_cache(maxsize=64)
def shape_of(flows: tuple[str, ...], thought_length: int, recalls: bool) -> type[BaseModel]:
    """The shape of a reply; `choices_of` has the actions on offer."""
    contents: dict[str, Any] = {
        "act": str,
        "think": Annotated[str, cut_to(thought_length)],
        "expand": _object("Expansion", control_flow=Literal[flows], subgoals=list[str]),
    }
    if recalls:
        contents["recall"] = str
    kinds: Any = tuple(
        Annotated[_object(kind.capitalize(), **{kind: content}), Tag(kind)]
        for kind, content in contents.items()
    )
    message = f"It has to be one of {', '.join(contents)}"
    which = Discriminator(_kind, custom_error_type="kind", custom_error_message=message)
    return _object("Reply", decision=Annotated[Union[kinds], which])  # noqa: UP007  (of a tuple)


def choices_of(actions: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The permitted texts of `act`: the menu, and the two actions that end a node."""
    return {"decision.act": [*actions, DONE, FAILURE]}


def _object(name: str, **fields: Any) -> type[BaseModel]:
    made: Any = {field: (kind, ...) for field, kind in fields.items()}
    return cast(type[BaseModel], create_model(name, __config__=_ONE_FIELD, **made))


def _kind(decision: Any) -> str | None:
    """The kind of a decision, which is its first field."""
    if isinstance(decision, dict):
        return next(iter(decision), None)
    return next(iter(getattr(type(decision), "model_fields", ())), None)


def read(reply: BaseModel) -> tuple[Kind, Any]:
    """The kind of the decision in a reply, and its content."""
    ((kind, content),) = reply.model_dump()["decision"].items()
    return kind, content


def reply_of(kind: str, content: Any) -> str:
    """A decision as the text of a reply."""
    return json.dumps({"decision": {kind: content}}, ensure_ascii=False)


# --- decisions as lines of a node's text ---------------------------------------------------------


def line_of(kind: Kind, content: Any) -> str:
    """A decision as a line: "Act: go to kitchen 1"."""
    match kind:
        case "expand":
            return f"Expand: {json.dumps(content, ensure_ascii=False)}"
        case "recall":
            return f"Act: {RECALL} {_one_line(content)}"
        case _:
            return f"{kind.capitalize()}: {_one_line(content)}"


def kind_of(line: str) -> str:
    """The kind of decision in a line of a node's text; "" for an observation."""
    word, colon, content = line.partition(": ")
    if word == "Act" and content.startswith(f"{RECALL} "):
        return "recall"
    return word.lower() if colon and word in ("Act", "Think", "Expand") else ""


def as_replies(text: str) -> str:
    """A node's text with its decisions in the form of replies."""
    return "\n".join(map(_as_reply, lines_of(text)))


def _as_reply(line: str) -> str:
    word, _, content = line.partition(": ")
    match word:
        case "Think":
            return reply_of("think", content)
        case "Act" if content.startswith(f"{RECALL} "):
            return reply_of("recall", content.removeprefix(f"{RECALL} "))
        case "Act":
            return reply_of("act", content)
        case "Expand" if content.startswith("{"):
            return reply_of("expand", json_data(content))
    return line


def _one_line(text: str) -> str:
    return " ".join(text.split())


# --- expansions ----------------------------------------------------------------------------------


def refusal(
    node: AgentNode, subgoals: Sequence[str], max_depth: int, max_subgoals: int
) -> str | None:
    """Why a node cannot be expanded into these subgoals, in one sentence; None where it can."""
    if node.depth >= max_depth:
        return "This task is part of too many others to be divided again; act, or say failure."
    if not subgoals or not all(map(_plain, subgoals)):
        return "An expansion needs at least one subgoal, each of them in words."
    if len(subgoals) > max_subgoals:
        return f"An expansion has {max_subgoals} subgoals at most; group them."
    above = {_plain(goal) for goal in node.goals}
    same = next((subgoal for subgoal in subgoals if _plain(subgoal) in above), None)
    if same is not None:
        return f"The subgoal '{same}' is the task itself, or one above it; divide it, or act."
    return None


def _plain(goal: str) -> str:
    return _one_line(goal.lower()).rstrip(".! ")

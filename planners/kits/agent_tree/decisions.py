"""The decisions of an agent node, as the shape of the model's reply.

A reply is one decision, or with a working memory also a recall:

    {"decision": {"think": "…"}}
    {"decision": {"act": "go to kitchen 1"}}
    {"decision": {"expand": {"control_flow": "sequence", "subgoals": ["…", "…"]}}}
    {"decision": {"recall": "apple"}}

One sample gives the kind of decision and its content. The control flow types are part of the shape.
The menu changes with every step and comes with each question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Tag, create_model

from .nodes import AgentNode

Kind = Literal["act", "think", "recall", "expand"]
#: The actions that end a node.
DONE, FAILURE = "done", "failure"
#: The beginning of a recall, as an action.
RECALL = "recall location of"

_ONE_FIELD = ConfigDict(extra="forbid")


@lru_cache(maxsize=64)
def shape_of(flows: tuple[str, ...], thought_length: int, recalls: bool) -> type[BaseModel]:
    """The shape of a reply; `choices_of` has the actions on offer.

    A longer thought is cut, not refused.
    """

    def cut(thought: object) -> object:
        return thought[:thought_length] if isinstance(thought, str) else thought

    contents: dict[str, Any] = {
        "act": str,
        "think": Annotated[str, BeforeValidator(cut)],
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
    return "\n".join(map(_as_reply, text.splitlines()))


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
            return reply_of("expand", json.loads(content))
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

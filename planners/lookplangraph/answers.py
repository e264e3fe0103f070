"""The model's answers: a reason and a function call (paper, appendix F3)."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from ...scene_graph.node import Relation
from ...skills.actions import Verb
from ..kits.map.whole_plan import TEXT, Schema, any_of, one_of


class FunctionName(StrEnum):
    """The functions that the model can call."""

    DISCOVER = "discover_objects"
    GO_TO = "go_to"
    PICK_UP = "pick_up"
    REARRANGE = "rearrange"
    OPEN = "open"
    CLOSE = "close"
    TURN_ON = "turn_on"
    TURN_OFF = "turn_off"
    DONE = "done"


#: The functions that stand for one action on a node.
VERBS = {
    FunctionName.GO_TO: Verb.GO_TO,
    FunctionName.PICK_UP: Verb.PICK_UP,
    FunctionName.OPEN: Verb.OPEN,
    FunctionName.CLOSE: Verb.CLOSE,
    FunctionName.TURN_ON: Verb.TURN_ON,
    FunctionName.TURN_OFF: Verb.TURN_OFF,
}
#: Relations of `rearrange`, by their names in answers.
RELATIONS = {"inside": Relation.INSIDE, "ontop": Relation.ON, "under": Relation.UNDER}


class FunctionCall(BaseModel):
    """A function call. node: what it is about; relation, destination: of `rearrange`."""

    model_config = ConfigDict(extra="forbid")

    function_name: FunctionName
    node: str = ""
    relation: Literal["inside", "ontop", "under", ""] | None = None
    destination: str | None = None

    def __str__(self) -> str:
        if self.function_name is FunctionName.REARRANGE:
            return f"{self.function_name}({self.node}, {self.relation}, {self.destination})"
        return f"{self.function_name}({self.node})"


@cache
def answer_shape(
    reason_length: int, functions: tuple[FunctionName, ...] = tuple(FunctionName)
) -> Any:
    """The shape of an answer; a longer reason is cut, not refused.

    functions: those on offer. The schema is stricter than the check here: a server that enforces it
    permits only the arguments that each function takes.
    """

    def cut(reason: object) -> object:
        return reason[:reason_length] if isinstance(reason, str) else reason

    def narrowed(schema: Schema) -> None:
        schema["properties"]["action"] = _call_schema(functions)

    text: Any = Annotated[str, BeforeValidator(cut), Field(max_length=reason_length)]
    config = ConfigDict(json_schema_extra=narrowed)
    return create_model("Answer", __config__=config, reason=(text, ...), action=(FunctionCall, ...))


def _call_schema(functions: tuple[FunctionName, ...]) -> Schema:
    """The JSON schema of a call: `rearrange` with its four arguments, the others with a node."""
    others = [function for function in functions if function is not FunctionName.REARRANGE]
    kinds = [{"function_name": one_of(others), "node": TEXT}]
    if FunctionName.REARRANGE in functions:
        where = {"relation": one_of(("inside", "ontop")), "destination": TEXT}
        kinds.append({"function_name": one_of([FunctionName.REARRANGE]), "node": TEXT, **where})
    return any_of(*kinds)

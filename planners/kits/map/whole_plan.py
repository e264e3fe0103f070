"""What planners of whole plans share: rules for the prompt, the shape of a plan, and execution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, create_model
from pydantic_core import PydanticCustomError

from ....models.contract import Unusable
from ....scene_graph.graph import SceneGraph
from ....skills.actions import Action, Verb
from ...contract import Act, Brief, Decisions, Done, GiveUp
from ..prompting.body import body_values, enumerated
from ..prompting.templates import Templates
from .plan_language import PlanLanguage, PutStyle

_PROMPTS = Templates(__file__)


def granted_map(brief: Brief) -> SceneGraph:
    """The graph of a planner with the grant MAP."""
    assert brief.map is not None, "a map is granted"
    return brief.map


def plan_rules(brief: Brief, language: PlanLanguage) -> str:
    """The rules of graphs, functions and the body, for the prompt."""
    needing = brief.embodiment.needs_free_hand - {Verb.PICK_UP}
    values = body_values(brief, {function.verb for function in language.functions})
    named = (function.name for function in language.functions if function.verb in needing)
    return _PROMPTS.render(
        "plan_rules",
        functions=language.functions,
        releases=language.placing is PutStyle.RELEASE,
        **{**values, "free_hand": enumerated(named)},
    )


def plan_shape(language: PlanLanguage) -> Any:
    """The shape of an answer whose plan calls only existing functions and nodes.

    For any other plan the model is asked again, with the reason.
    """

    def readable(plan: list[str]) -> list[str]:
        try:
            language.calls(plan)
        except Unusable as error:
            sentence = str(error).removesuffix(".")
            raise PydanticCustomError("call", "{sentence}", {"sentence": sentence}) from None
        return plan

    steps: Any = Annotated[list[str], AfterValidator(readable)]
    return create_model("WrittenPlan", plan=(steps, ...))


def about_plan(kind: str, language: PlanLanguage, *, thinks: bool = False) -> dict[str, Any]:
    """What a question for a plan is about: the functions, and whether a thought is wanted."""
    functions = [function.name for function in language.functions]
    return {"kind": kind, "functions": functions, "thinks": thinks}


def plan_line(plan: Sequence[str]) -> str:
    """A plan in one line."""
    return ", ".join(plan) or "an empty plan"


def carry_out(actions: Iterable[Action]) -> Decisions:
    """Execute a plan as it is, whatever the outcomes of its actions."""
    for action in actions:
        yield Act(action, continued=True)
    percept = yield Done("The plan was carried out.")
    if percept.feedback is not None:
        yield GiveUp("The plan came to its end and did not reach the goal.")


# --- schemas of replies whose fields depend on the function ---------------------------------------


Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def one_of(texts: Iterable[object]) -> Schema:
    """The schema of a text that is one of these."""
    return {**TEXT, "enum": [str(text) for text in texts]}


def any_of(*kinds: dict[str, Schema]) -> Schema:
    """The schema of an object of one of these kinds, each with all of its fields."""
    return {"anyOf": [{"type": "object", "properties": fields} for fields in kinds]}

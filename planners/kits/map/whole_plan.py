"""What planners of whole plans share: the rules they tell, the shape of a plan, carrying it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, create_model
from pydantic_core import PydanticCustomError

from ....models.contract import Unusable
from ....scene_graph.graph import SceneGraph
from ....skills.actions import Action, Verb
from ...contract import Act, Brief, Decisions, Done, GiveUp
from ..prompting.templates import Templates
from .plan_language import PlanLanguage, PutStyle

_PROMPTS = Templates(__file__)


def granted_map(brief: Brief) -> SceneGraph:
    """The graph that a planner with the grant MAP has."""
    assert brief.map is not None, "a map is granted"
    return brief.map


def plan_rules(brief: Brief, language: PlanLanguage) -> str:
    """What the model is told of graphs, functions and the body."""
    body = brief.embodiment
    return _PROMPTS.render(
        "plan_rules",
        functions=language.functions,
        releases=language.placing is PutStyle.RELEASE,
        hands=body.hands,
        free_hand=_enumerated(
            function.name
            for function in language.functions
            if function.verb in body.needs_free_hand and function.verb is not Verb.PICK_UP
        ),
    )


def _enumerated(words: Iterable[str]) -> str:
    """ "open, close or turn_on"; empty for no words."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} or {last}" if most else last


def plan_shape(language: PlanLanguage) -> Any:
    """The shape of an answer whose plan calls only functions and nodes that there are.

    The model is asked again, with the reason, for one that does not.
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
    """What a question for a plan is about: the functions, and whether a thought is asked for."""
    functions = [function.name for function in language.functions]
    return {"kind": kind, "functions": functions, "thinks": thinks}


def told(plan: Sequence[str]) -> str:
    """A plan in one line."""
    return ", ".join(plan) or "an empty plan"


def carry_out(actions: Sequence[Action]) -> Decisions:
    """Do a plan as it stands, whatever comes of its actions."""
    for action in actions:
        yield Act(action, continued=True)
    percept = yield Done("The plan was carried out.")
    if percept.feedback is not None:
        yield GiveUp("The plan came to its end and did not reach the goal.")


# --- schemas of replies in which the fields follow from what is called ----------------------------


Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def one_of(texts: Iterable[object]) -> Schema:
    """A text that is one of these."""
    return {**TEXT, "enum": [str(text) for text in texts]}


def any_of(*kinds: dict[str, Schema]) -> Schema:
    """An object of one of these kinds, each with all of its fields."""
    return {"anyOf": [{"type": "object", "properties": fields} for fields in kinds]}

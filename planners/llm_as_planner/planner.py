"""The planner `llm_as_planner`: one answer with a plan for the whole map, carried out unchanged.

After LLM-as-P of Liu et al., LLM+P (2023), as the baseline of Onishchenko et al., LookPlanGraph
(2025), section VI-A and appendix F1. The wording is Peephole's own.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from ...models.contract import LONG_ANSWER
from ..contract import Brief, Decisions, Grant, Internal, Note, Percept, Planner
from ..kits.map.json_graph import json_graph
from ..kits.map.layout import layout_of
from ..kits.map.names import NodeNames
from ..kits.map.plan_language import PlanLanguage, actions_of
from ..kits.map.whole_plan import (
    about_plan,
    carry_out,
    granted_map,
    plan_line,
    plan_rules,
    plan_shape,
)
from ..kits.prompting.conversation import giving_up, prompt
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)


class Options(BaseModel):
    """Options of `llm_as_planner`."""

    example: bool = Field(True, description="show the model an example of a task with its plan")


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask for a plan and carry it out."""
    graph, names = granted_map(brief), NodeNames(percept.names)
    language = PlanLanguage(names, brief.actions)
    system = _PROMPTS.render(
        "system",
        rules=plan_rules(brief, language),
        walks=language.walks,
        example=brief.options_of(Options).example,
    )
    task = _PROMPTS.render(
        "task",
        instruction=brief.instruction,
        graph=json_graph(graph, names),
        layout=layout_of(graph, brief, names),
    )
    answer = brief.model.answer(
        prompt(system, task),
        plan_shape(language),
        purpose="plan",
        needs=LONG_ANSWER,
        about=lambda: about_plan("map_plan", language),
    )
    calls = language.calls(answer.plan)
    lines = [call.text for call in calls]
    yield Internal("plan", plan_line(lines))
    yield Note("plan", plan_line(lines), {"lines": lines})
    yield from carry_out(actions_of(calls, graph, brief.embodiment, language.placing))


PLANNER = Planner(
    name="llm_as_planner",
    summary="a language model that reads the whole map and writes one plan (LLM-as-Planner)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph", "reactree_plain", "reactree"),
    models=("planner",),
    options=Options,
)

"""The planner `zsp`: a whole plan before the first action, carried out without changes.

After Huang et al., Language Models as Zero-Shot Planners (2022), as the baseline of Choi et al.,
ReAcTree (2025), appendix C. Sentence embeddings turn each line of a plan into the most similar
skill. The wording is Peephole's own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field

from ...models.contract import LONG_ANSWER
from ..contract import Act, Brief, Decisions, Done, GiveUp, Internal, Note, Percept, SubPlan
from ..kits.prompting.conversation import giving_up
from ..kits.written_plans.prompting import PlanPrompt
from ..kits.written_plans.reading import PURPOSE, PlanOptions, lines_of, plan_writer
from ..kits.written_plans.skills import DONE, Skill


class Options(PlanOptions):
    """Options of `zsp`."""

    line_by_line: bool = Field(
        True,
        description="ask for one line at a time, after the skills of earlier lines, as in the "
        "paper; false: ask for the whole plan at once",
    )


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Write a plan and carry it out."""
    options = brief.options_of(Options)
    asked = PlanPrompt(brief, percept, options, line_by_line=options.line_by_line)
    written = yield from (_line_by_line if options.line_by_line else _at_once)(brief, asked)
    lines = [skill.text for skill in written]
    yield Note("plan", "; ".join(lines) or "an empty plan", {"lines": lines})
    for skill in written:
        percept = yield Act(asked.skills.action(skill, percept), continued=True)
    percept = yield Done("The plan was carried out.")
    if percept.feedback is not None:
        yield GiveUp("The plan came to its end and did not reach the goal.")


def _line_by_line(brief: Brief, asked: PlanPrompt) -> SubPlan[list[Skill]]:
    """The plan, line by line; each line but the end is a decision.

    It also ends where one line comes more often in a row than the agent has hands, since small
    models may repeat it for ever.
    """
    plan: list[Skill] = []
    often = brief.embodiment.hands + 1
    while len(plan) < asked.most and not (len(plan) >= often and len(set(plan[-often:])) == 1):
        lines = [skill.text for skill in plan]
        line, *_ = brief.model.read(
            asked.messages(lines),
            lines_of,
            purpose=PURPOSE,
            stop=("\n",),
            max_tokens=64,  # without limits some models would never stop
            about=partial(dict[str, Any], kind="plan_line", lines=lines),
        )
        skill = asked.skills.meant_by(line)
        if skill == DONE:
            break
        yield Internal("plan", line, {"skill": skill.text})
        plan.append(skill)
    return plan


def _at_once(brief: Brief, asked: PlanPrompt) -> SubPlan[list[Skill]]:
    """The whole plan in one answer, which is one decision."""
    reply = brief.model.read(
        asked.messages(),
        lines_of,
        purpose=PURPOSE,
        needs=LONG_ANSWER,
        about=lambda: {"kind": "plan_lines"},
    )
    yield Internal("plan", "\n".join(reply))
    return asked.plan_of(reply)


PLANNER = plan_writer(
    "zsp",
    "a language model that writes a whole plan and sticks to it (zero-shot planner)",
    plan,
    Options,
)

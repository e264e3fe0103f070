"""The planner `tree_planner`: many whole plans, merged into a tree, and a way down it.

After Hu et al., Tree-Planner (2024), as the baseline of Choi et al., ReAcTree (2025), appendix C:
plans are sampled with the prompt of `zsp`, plans that begin alike are merged, and the model decides
at each fork by what is observed. Where an action fails, it is told why, what would follow is cut
off, and it decides again at the nearest fork above. What was done stays done. The wording is
Peephole's own.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence

from pydantic import Field

from ...models.contract import Message, NoAnswer, Request
from ...models.embedding import missing
from ..contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Internal,
    Note,
    Percept,
    Planner,
)
from ..kits.prompting.conversation import Conversation
from ..kits.prompting.templates import Templates
from ..kits.written_plans.prompting import PlanPrompt
from ..kits.written_plans.reading import (
    PURPOSE,
    PlanOptions,
    lines_of,
    more_grants,
    prepare,
    read_plan,
)
from ..kits.written_plans.skills import DONE, Skill, Skills
from .tree import ActionNode, ActionState, ActionTree

_PROMPTS = Templates(__file__)


class Options(PlanOptions):
    """Options of `tree_planner`."""

    plans: int = Field(25, ge=1, le=1000, description="plans to sample; the paper has 25 and 50")
    temperature: float = Field(0.8, ge=0, le=2, description="at which plans are sampled")
    top_p: float = Field(0.95, gt=0, le=1, description="nucleus that plans are sampled from")


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Sample plans, and find a way through them."""
    options = brief.options_of(Options)
    skills = Skills(brief, options.embedder)
    asked = PlanPrompt(brief, percept, skills, options.memory, line_by_line=False)
    request = Request(
        asked.messages(),
        parse=lines_of,
        temperature=options.temperature,
        top_p=options.top_p,
        purpose=PURPOSE,
    )
    most = min(options.plan_length, brief.budgets.steps)
    plans: list[Sequence[Skill]] = []
    for answer in brief.model.samples(request, options.plans):
        if isinstance(answer, NoAnswer):
            yield Note("plan", f"a sample is no plan: {answer}")
            continue
        yield Internal("plan", "\n".join(answer))
        plans.append((*read_plan(answer, skills, most), DONE))
    if not plans:
        yield GiveUp("None of the samples is a plan.")
        return
    tree = ActionTree(brief.instruction, plans)
    yield Note("tree", f"{len(plans)} plans in a tree of {len(tree)} actions", tree.changes())
    try:
        yield from _Decider(brief, percept, skills, tree).run()
    except NoAnswer as error:
        yield GiveUp(str(error))


class _Decider:
    """A way down the tree: at each fork the model decides by what is observed."""

    def __init__(self, brief: Brief, percept: Percept, skills: Skills, tree: ActionTree) -> None:
        self._brief = brief
        self._percept = percept
        self._skills = skills
        self._tree = tree
        system = _PROMPTS.render("system", example=f"example_{brief.dialect}.jinja")
        self._talk = Conversation(system, f"Task: {brief.instruction}\n{percept.text}")

    def run(self) -> Decisions:
        """Act down to the end of a plan, or until none is left."""
        node: ActionNode | None = self._tree.root
        while node is not None:
            choices = node.choices()
            chosen = choices[0]
            if len(choices) > 1:  # with one there is nothing to decide
                node.asked += 1
                chosen = yield from self._choose(choices)
            succeeded = yield from self._do(chosen, continued=len(choices) == 1)
            if succeeded:
                chosen.state = ActionState.SUCCESS
                node = chosen
                continue
            node = self._tree.cut(chosen)
            assert chosen.skill is not None, "the root is not done"
            yield Note("tree", f"cut off: {chosen.skill.text}", self._tree.changes())
        yield GiveUp("No plan is left.")

    def _choose(self, choices: Sequence[ActionNode]) -> Generator[Decision, Percept, ActionNode]:
        """Ask what to do next."""
        by_text = {child.skill.text: child for child in choices if child.skill is not None}

        def question(messages: list[Message]) -> str:
            return self._brief.model.choose(messages, [*by_text], purpose="decide")

        menu = "\n".join(["Choose one of these:", *by_text])
        return by_text[(yield from self._talk.ask(question, menu))]

    def _do(self, chosen: ActionNode, *, continued: bool) -> Generator[Decision, Percept, bool]:
        """Do what was chosen; whether it succeeded."""
        skill = chosen.skill
        assert skill is not None, "the root is not done"
        if skill == DONE:
            self._tree.finish(chosen)
            yield Note("tree", "the end of a plan", self._tree.changes())
            percept = yield Done("A plan was carried out to its end.")
            said, told, succeeded = skill.text, percept.feedback or "", False
        else:
            said = self._skills.action(skill, self._percept)
            self._percept = percept = yield Act(said, continued=continued)
            told, succeeded = percept.text, percept.outcome is not None and percept.outcome.success
        came = f"Done: {said}\n{told}" if succeeded else f"Failed: {said}\n{told}"
        self._talk.add(json.dumps({"choice": skill.text}, ensure_ascii=False), came)
        return succeeded


PLANNER = Planner(
    name="tree_planner",
    summary="a language model that samples whole plans and finds a way through them (Tree-Planner)",
    plan=plan,
    grants=frozenset({Grant.FIXTURES, Grant.INVENTORY}),
    dialects=("reactree", "reactree_plain", "reactree_thor"),
    models=("planner",),
    options=Options,
    prepare=prepare,
    more_grants=more_grants,
    missing=missing,
)

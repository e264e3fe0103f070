"""The planner `sayplan`: semantic search on a collapsed scene graph, then replanning by a verifier.

After Rana et al., SayPlan (2023), as the baseline of Onishchenko et al., LookPlanGraph (2025),
section VI-A. The wording is Peephole's own.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...models.contract import LONG_ANSWER
from ..contract import Brief, Decisions, GiveUp, Grant, Percept, Planner, SubPlan
from ..kits.map.map_search import CommandName, MapSearch, MapSearchOptions, narrowed
from ..kits.map.plan_language import PlanProblem, PutStyle
from ..kits.map.whole_plan import TEXTS, about_plan, carry_out, plan_line, plan_rules
from ..kits.prompting.conversation import ask_within_context, giving_up, prompt
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)


class Command(BaseModel):
    """A command of the model. node_name: of the search; plan: of verify_plan."""

    model_config = ConfigDict(json_schema_extra=narrowed({"plan": TEXTS}))

    command_name: CommandName
    node_name: str = ""
    plan: list[str] = []


class Turn(BaseModel):
    """A reply of the model."""

    mode: Literal["exploring", "planning"]
    chain_of_thought: list[str]
    reasoning: str
    command: Command


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Search, plan, verify plans, and carry out the first possible one."""
    yield from _Dialogue(brief, percept).play()


class _Dialogue:
    """The commands of the model on the collapsed graph, and their results."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._search = MapSearch(brief, percept, PutStyle.RELEASE)
        self._history: list[str] = []
        language = self._search.language
        self._system = _PROMPTS.render(
            "system", rules=plan_rules(brief, language), walks=language.walks
        )

    def play(self) -> Decisions:
        """Carry out commands until a plan is possible, and then the plan."""
        options, searched, verified = self._search.options, 0, 0
        while True:
            turn = yield from self._ask()
            command = turn.command
            if command.command_name != "verify_plan":
                searched += 1
                decision, entry = self._search.carry_out(
                    command.command_name, command.node_name, turn.reasoning
                )
                self._history.append(entry)
                yield decision
                if searched >= options.commands:
                    yield GiveUp(f"The search ended after {searched} commands without a plan.")
                    return
                continue
            verified += 1
            verdict = yield from self._search.verified(command.plan, turn.reasoning)
            if not isinstance(verdict, PlanProblem):
                yield from carry_out(verdict)
                return
            self._history.append(f"verify_plan({plan_line(command.plan)}): {verdict.sentence}")
            if verified >= options.rounds:
                yield GiveUp(f"None of {verified} plans was possible. {verdict.sentence}")
                return

    def _ask(self) -> SubPlan[Turn]:
        search = self._search

        def question() -> Turn:
            task = _PROMPTS.render(
                "task",
                instruction=search.brief.instruction,
                graph=search.graph_text(),
                layout=search.layout(),
                expanded=search.collapsed.expanded_names(),
                history=self._history,
            )
            return search.brief.model.answer(
                prompt(self._system, task),
                Turn,
                purpose="plan",
                needs=LONG_ANSWER,
                about=lambda: about_plan("map_search", search.language) | search.about_expanded(),
            )

        return ask_within_context(self._history, question, "commands")


PLANNER = Planner(
    name="sayplan",
    summary="a language model that searches a map by rooms and has its plans verified (SayPlan)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph", "reactree_plain", "reactree"),
    models=("planner",),
    options=MapSearchOptions,
)

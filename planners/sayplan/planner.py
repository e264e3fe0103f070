"""The planner `sayplan`: semantic search on a collapsed scene graph, then replanning by a verifier.

After Rana et al., SayPlan (2023), as the baseline of Onishchenko et al., LookPlanGraph (2025),
section VI-A. The model sees the rooms, and expands and contracts them until it sees what the
instruction needs. Each prompt lists its commands so far. The command verify_plan submits a plan. A
verifier tries it on the map and reports the first impossible step, until a plan is possible or the
rounds are used up. The wording is Peephole's own.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...models.contract import Message, NoAnswer
from ...skills.actions import Action
from ..contract import (
    Brief,
    Decision,
    Decisions,
    GiveUp,
    Grant,
    Internal,
    Note,
    Percept,
    Planner,
)
from ..kits.map.json_graph import json_graph
from ..kits.map.map_search import (
    CollapsedGraph,
    MapSearchOptions,
    found_plan,
    refused_plan,
    search_command,
)
from ..kits.map.names import NodeNames
from ..kits.map.plan_language import PlanLanguage, PlanProblem, PutStyle, verify
from ..kits.map.whole_plan import (
    TEXT,
    TEXTS,
    Schema,
    about_plan,
    any_of,
    carry_out,
    granted_map,
    one_of,
    plan_line,
    plan_rules,
)
from ..kits.prompting.conversation import ask_within_context, prompt
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)


def _narrowed(schema: Schema) -> None:
    schema |= any_of(
        {"command_name": one_of(("expand_node", "contract_node")), "node_name": TEXT},
        {"command_name": one_of(["verify_plan"]), "plan": TEXTS},
    )
    del schema["properties"], schema["required"], schema["type"]


class Command(BaseModel):
    """A command of the model. node_name: of the search; plan: of verify_plan."""

    model_config = ConfigDict(json_schema_extra=_narrowed)

    command_name: Literal["expand_node", "contract_node", "verify_plan"]
    node_name: str = ""
    plan: list[str] = []


class Turn(BaseModel):
    """A reply of the model."""

    mode: Literal["exploring", "planning"]
    chain_of_thought: list[str]
    reasoning: str
    command: Command


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Search, plan, verify plans, and carry out the first possible one."""
    actions = yield from _Dialogue(brief, percept).decide()
    if actions is not None:
        yield from carry_out(actions)


class _Dialogue:
    """The commands of the model on the collapsed graph, and their results."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._brief = brief
        self._options = brief.options_of(MapSearchOptions)
        self._map = granted_map(brief)
        self._names = NodeNames(percept.names)
        self._language = PlanLanguage(self._names, brief.actions, PutStyle.RELEASE)
        self._collapsed = CollapsedGraph(self._map, self._names)
        self._history: list[str] = []
        rules = plan_rules(brief, self._language)
        self._system = _PROMPTS.render("system", rules=rules)

    def decide(self) -> Generator[Decision, Percept, list[Action] | None]:
        """The actions of the first possible plan; None after giving up."""
        options, searched, verified = self._options, 0, 0
        while True:
            try:
                turn = yield from self._ask()
            except NoAnswer as error:
                yield GiveUp(str(error))
                return None
            if turn.command.command_name != "verify_plan":
                searched += 1
                yield self._search(turn)
                if searched >= options.commands:
                    yield GiveUp(f"The search ended after {searched} commands without a plan.")
                    return None
                continue
            verified += 1
            verdict = self._verify(turn)
            if not isinstance(verdict, PlanProblem):
                yield from found_plan(turn.command.plan, turn.reasoning)
                return verdict
            yield refused_plan(turn.command.plan, verdict)
            if verified >= options.rounds:
                yield GiveUp(f"None of {verified} plans was possible. {verdict.sentence}")
                return None

    def _ask(self) -> Generator[Note, Percept, Turn]:
        def question() -> Turn:
            return self._brief.model.answer(
                self._messages(), Turn, purpose="plan", about=self._about
            )

        return ask_within_context(self._history, question, "commands")

    def _about(self) -> dict[str, object]:
        expanded = [*map(self._names.name, self._collapsed.expanded)]
        return about_plan("map_search", self._language) | {"expanded": expanded}

    def _messages(self) -> list[Message]:
        task = _PROMPTS.render(
            "task",
            instruction=self._brief.instruction,
            graph=json_graph(self._collapsed.shown, self._names),
            expanded=self._collapsed.expanded_names(),
            history=self._history,
        )
        return prompt(self._system, task)

    def _search(self, turn: Turn) -> Internal:
        """Expand or contract a room."""
        decision, entry = search_command(
            self._collapsed, turn.command.command_name, turn.command.node_name, turn.reasoning
        )
        self._history.append(entry)
        return decision

    def _verify(self, turn: Turn) -> list[Action] | PlanProblem:
        written = turn.command.plan
        verdict = verify(written, self._language, self._map, self._brief.embodiment)
        if isinstance(verdict, PlanProblem):
            self._history.append(f"verify_plan({plan_line(written)}): {verdict.sentence}")
        return verdict


PLANNER = Planner(
    name="sayplan",
    summary="a language model that searches a map by rooms and has its plans verified (SayPlan)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph", "reactree", "reactree_plain"),
    models=("planner",),
    options=MapSearchOptions,
)

"""The planner `sayplan_lite`: SayPlan with search and planning strictly apart.

After Onishchenko et al., LookPlanGraph (2025), section VI-A and appendices D and F4. In the search
the model has only search commands, and the prompt shows only the last one; verify_plan ends the
search. Then it has only the functions of plans: put_on and put_inside instead of SayPlan's access
and release; access is inserted by rule. An impossible plan goes back with the verifier's sentence,
as in SayPlan. The wording is Peephole's own.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...models.contract import NoAnswer
from ...skills.actions import Action
from ..contract import Brief, Decision, Decisions, GiveUp, Grant, Internal, Percept, Planner
from ..kits.map.json_graph import json_graph
from ..kits.map.map_search import (
    CollapsedGraph,
    MapSearchOptions,
    found_plan,
    refused_plan,
    search_command,
)
from ..kits.map.names import NodeNames
from ..kits.map.plan_language import PlanLanguage, PlanProblem, verify
from ..kits.map.whole_plan import (
    TEXT,
    Schema,
    about_plan,
    any_of,
    carry_out,
    granted_map,
    one_of,
    plan_line,
    plan_rules,
)
from ..kits.prompting.conversation import prompt
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)


def _narrowed(schema: Schema) -> None:
    schema |= any_of(
        {"command_name": one_of(("expand_node", "contract_node")), "node_name": TEXT},
        {"command_name": one_of(["verify_plan"])},
    )
    del schema["properties"], schema["required"], schema["type"]


class SearchCommand(BaseModel):
    """A command of the search. node_name: the room, of all but verify_plan."""

    model_config = ConfigDict(json_schema_extra=_narrowed)

    command_name: Literal["expand_node", "contract_node", "verify_plan"]
    node_name: str = ""


class Search(BaseModel):
    """A reply in the search."""

    chain_of_thought: list[str]
    reasoning: str
    command: SearchCommand


class WrittenPlan(BaseModel):
    """A reply in planning."""

    chain_of_thought: list[str]
    plan: list[str]


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Search, then plan until a plan is possible, and carry it out."""
    session = _Session(brief, percept)
    try:
        actions = None
        if (yield from session.search()):
            actions = yield from session.plan()
    except NoAnswer as error:
        yield GiveUp(str(error))
        return
    if actions is not None:
        yield from carry_out(actions)


class _Session:
    """The two stages of one task."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        self._brief = brief
        self._options = brief.options_of(MapSearchOptions)
        self._map = granted_map(brief)
        self._names = NodeNames(percept.names)
        self._language = PlanLanguage(self._names, brief.actions)
        self._collapsed = CollapsedGraph(self._map, self._names)

    def search(self) -> Generator[Decision, Percept, bool]:
        """Expand and contract rooms until the model ends the search; False after giving up."""
        system, last = _PROMPTS.render("search"), ""
        for _ in range(self._options.commands):
            task = self._task("search_task", expanded=self._collapsed.expanded_names(), last=last)
            turn = self._brief.model.answer(
                prompt(system, task), Search, purpose="search", about=self._about_search
            )
            command = turn.command
            if command.command_name == "verify_plan":
                yield Internal("end_search", turn.reasoning)
                return True
            decision, last = search_command(
                self._collapsed, command.command_name, command.node_name, turn.reasoning
            )
            yield decision
        yield GiveUp(f"The search did not end within {self._options.commands} commands.")
        return False

    def plan(self) -> Generator[Decision, Percept, list[Action] | None]:
        """The actions of the first possible plan; None after giving up."""
        system = _PROMPTS.render("plan", rules=plan_rules(self._brief, self._language))
        written, why = "", ""
        for _ in range(self._options.rounds):
            task = self._task("plan_task", written=written, why=why)
            turn = self._brief.model.answer(
                prompt(system, task),
                WrittenPlan,
                purpose="plan",
                about=lambda: about_plan("map_plan", self._language, thinks=True),
            )
            verdict = verify(turn.plan, self._language, self._map, self._brief.embodiment)
            if not isinstance(verdict, PlanProblem):
                yield from found_plan(turn.plan, "; ".join(turn.chain_of_thought))
                return verdict
            yield refused_plan(turn.plan, verdict)
            written, why = plan_line(turn.plan), verdict.sentence
        yield GiveUp(f"None of {self._options.rounds} plans was possible. {why}")
        return None

    def _about_search(self) -> dict[str, object]:
        expanded = [*map(self._names.name, self._collapsed.expanded)]
        return {"kind": "map_search", "expanded": expanded, "functions": []}

    def _task(self, template: str, **values: str) -> str:
        graph = json_graph(self._collapsed.shown, self._names)
        return _PROMPTS.render(template, instruction=self._brief.instruction, graph=graph, **values)


PLANNER = Planner(
    name="sayplan_lite",
    summary="SayPlan with search and planning strictly apart (SayPlan Lite of LookPlanGraph)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph", "reactree", "reactree_plain"),
    models=("planner",),
    options=MapSearchOptions,
)

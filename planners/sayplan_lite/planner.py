"""The planner `sayplan_lite`: SayPlan with search and planning strictly apart.

After Onishchenko et al., LookPlanGraph (2025), section VI-A and appendices D and F4. Plans have
put_on and put_inside instead of SayPlan's access and release; access is inserted by rule. The
wording is Peephole's own.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ...models.contract import LONG_ANSWER
from ..contract import Brief, Decisions, GiveUp, Grant, Internal, Percept, Planner, SubPlan
from ..kits.map.map_search import CommandName, MapSearch, MapSearchOptions, narrowed
from ..kits.map.plan_language import PlanProblem
from ..kits.map.whole_plan import about_plan, carry_out, plan_line, plan_rules
from ..kits.prompting.conversation import giving_up, prompt
from ..kits.prompting.templates import Templates

_PROMPTS = Templates(__file__)


class SearchCommand(BaseModel):
    """A command of the search. node_name: the room, of all but verify_plan."""

    model_config = ConfigDict(json_schema_extra=narrowed({}))

    command_name: CommandName
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


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Search, then plan until a plan is possible, and carry it out."""
    search = MapSearch(brief, percept)
    if (yield from _search(search)):
        yield from _plan(search)


def _search(search: MapSearch) -> SubPlan[bool]:
    """Expand and contract rooms until the model ends the search; False after giving up."""
    system, last = _PROMPTS.render("search", walks=search.language.walks), ""
    for _ in range(search.options.commands):
        expanded = search.collapsed.expanded_names()
        turn = search.brief.model.answer(
            prompt(system, _task(search, "search_task", expanded=expanded, last=last)),
            Search,
            purpose="search",
            about=lambda: {"kind": "map_search", "functions": [], **search.about_expanded()},
        )
        command = turn.command
        if command.command_name == "verify_plan":
            yield Internal("end_search", turn.reasoning)
            return True
        decision, last = search.carry_out(command.command_name, command.node_name, turn.reasoning)
        yield decision
    yield GiveUp(f"The search did not end within {search.options.commands} commands.")
    return False


def _plan(search: MapSearch) -> Decisions:
    """Ask for a plan until one is possible, and carry it out."""
    language = search.language
    system = _PROMPTS.render("plan", rules=plan_rules(search.brief, language), walks=language.walks)
    written, why = "", ""
    for _ in range(search.options.rounds):
        turn = search.brief.model.answer(
            prompt(system, _task(search, "plan_task", written=written, why=why)),
            WrittenPlan,
            purpose="plan",
            needs=LONG_ANSWER,
            about=lambda: about_plan("map_plan", language, thinks=True),
        )
        verdict = yield from search.verified(turn.plan, "; ".join(turn.chain_of_thought))
        if not isinstance(verdict, PlanProblem):
            yield from carry_out(verdict)
            return
        written, why = plan_line(turn.plan), verdict.sentence
    yield GiveUp(f"None of {search.options.rounds} plans was possible. {why}")


def _task(search: MapSearch, template: str, **values: str) -> str:
    return _PROMPTS.render(
        template,
        instruction=search.brief.instruction,
        graph=search.graph_text(),
        layout=search.layout(),
        **values,
    )


PLANNER = Planner(
    name="sayplan_lite",
    summary="SayPlan with search and planning strictly apart (SayPlan Lite of LookPlanGraph)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph", "reactree_plain", "reactree"),
    models=("planner",),
    options=MapSearchOptions,
)

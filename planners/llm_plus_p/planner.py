"""The planner `llm_plus_p`: a language model writes the problem, Fast Downward makes the plan.

After Liu et al., LLM+P (2023), as the baseline of Onishchenko et al., LookPlanGraph (2025),
appendices A2, D and F2. With `partial` only the goal of the file is used, and the planner searches
for things that are not where the map has them (`looking`). The wording is Peephole's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from ...data_files import cache_folder
from ...errors import Missing
from ...skills.actions import Verb
from ..contract import (
    HOMES,
    Brief,
    Decisions,
    GiveUp,
    Grant,
    Internal,
    Note,
    Percept,
    Planner,
    Preparation,
    SubPlan,
)
from ..kits.household import prior
from ..kits.map.json_graph import json_graph
from ..kits.map.layout import layout_of
from ..kits.map.memory_graph import MemoryGraph
from ..kits.map.names import NodeNames
from ..kits.map.whole_plan import carry_out
from ..kits.pddl import domain, solving
from ..kits.pddl.checking import InvalidProblem, Scene, read_problem, scene_of
from ..kits.pddl.domain import actions_of
from ..kits.pddl.problem import Problem, facts_of, relevant_part, things_of
from ..kits.pddl.solving import FastDownward, Unsolved
from ..kits.prompting.conversation import Conversation, giving_up
from ..kits.prompting.templates import Templates
from .looking import LookingPlanner, plan_note

PURPOSE = "plan"
_PROMPTS = Templates(__file__)


class Options(BaseModel):
    """Options of `llm_plus_p`."""

    repairs: int = Field(
        1, ge=0, description="how often the model may rewrite a problem file with mistakes"
    )
    max_tokens: int = Field(8192, ge=256, description="most tokens of a problem file")
    slicing: bool = Field(
        True, description="plan on the relevant part of the problem only; plans cost the same"
    )
    partial: bool = Field(
        False,
        description="treat the map as incomplete: search for things that are not where it has "
        "them; the paper does not",
    )
    deadline_s: float = Field(30.0, gt=0, description="most seconds for one call of Fast Downward")
    cache: bool = Field(True, description="store plans in the user's cache folder, for later runs")


@giving_up
def plan(brief: Brief, percept: Percept) -> Decisions:
    """Ask the model for a problem, and carry out its plan."""
    options = brief.options_of(Options)
    names = NodeNames(percept.names)
    memory = MemoryGraph(brief.map, percept)
    folder = cache_folder("plans") if options.cache else None
    with solving.solver(folder, options.deadline_s) as engine:
        writer = _Writer(brief, options, memory, names, engine)
        try:
            if options.partial:
                problem = yield from writer.problem()
                looking = LookingPlanner(brief, percept, memory, names, engine, problem.goal)
                yield from looking.run()
            else:
                steps, graph = (yield from writer.solved()), memory.graph
                yield from carry_out(
                    actions_of(steps, names.id, graph, brief.embodiment, brief.agent)
                )
        except (InvalidProblem, Unsolved) as error:
            yield GiveUp(f"There is no plan. {error}")


class _Writer:
    """Asks the model for the problem, and again if it has mistakes."""

    def __init__(
        self,
        brief: Brief,
        options: Options,
        memory: MemoryGraph,
        names: NodeNames,
        engine: FastDownward,
    ) -> None:
        self._brief = brief
        self._options = options
        self._engine = engine
        self._memory, self._names = memory, names
        self._scene: Scene = scene_of(memory.graph, names.name, brief.agent)
        self._repairs = options.repairs
        system = _PROMPTS.render(
            "system",
            domain=domain.NAME,
            predicates=domain.predicates_text(),
            walks=Verb.GO_TO in brief.actions,
        )
        graph = json_graph(memory.graph, names)
        layout = layout_of(memory.graph, brief, names)
        task = _PROMPTS.render("task", instruction=brief.instruction, graph=graph, layout=layout)
        self._talk = Conversation(system, task)

    def _about(self) -> dict[str, object]:
        """The data of the question for a problem."""
        graph, name, agent = self._memory.graph, self._names.name, self._brief.agent
        return {
            "kind": "problem",
            "verbs": sorted({str(verb) for verb, _, _ in domain.VERBS.values()}),
            "rooms": [name(room) for room in graph.room_ids],
            "things": [name(thing) for thing in things_of(graph, agent)],
            "facts": [list(fact) for fact in facts_of(graph, name, agent)],
        }

    def problem(self) -> SubPlan[Problem]:
        """A problem without mistakes. Raises InvalidProblem, NoAnswer."""
        while True:
            reply: str = yield from self._talk.ask(
                lambda messages: self._brief.model.complete(
                    messages,
                    max_tokens=self._options.max_tokens,
                    purpose=PURPOSE,
                    about=self._about,
                )
            )
            try:
                problem = read_problem(reply, self._scene)
            except InvalidProblem as invalid:
                refused = {"refused": "problem file", "mistakes": list(invalid.mistakes)}
                yield Internal("refused", reply, {**refused, "sentence": str(invalid)})
                self._ask_again(reply, invalid)
                continue
            yield Internal("formalise", reply)
            self._last = reply
            return problem

    def solved(self) -> SubPlan[tuple[domain.PlanStep, ...]]:
        """The plan for a problem. Raises InvalidProblem, NoAnswer, Unsolved."""
        while True:
            problem = yield from self.problem()
            part = relevant_part(problem) if self._options.slicing else problem
            try:
                solved = self._engine.solve(self._brief.embodiment, part)
            except Unsolved as unsolved:
                yield Note("plan", str(unsolved), {"things": len(part.things)})
                if not self._repairs:
                    raise
                self._ask_again(self._last, InvalidProblem([str(unsolved)]))
                continue
            yield plan_note(solved, part)
            return solved.steps

    def _ask_again(self, reply: str, invalid: InvalidProblem) -> None:
        """Tell the model what is wrong. Raises the error where no repair is left."""
        if not self._repairs:
            raise invalid
        self._repairs -= 1
        self._talk.add(reply, _PROMPTS.render("repair", mistakes=invalid.mistakes))


def prepare(preparation: Preparation) -> Mapping[str, Any]:
    """Check that the prior of the search is installed. Raises Missing."""
    assert isinstance(preparation.options, Options)
    reason = prior.missing() if preparation.options.partial else None
    if reason is not None:
        raise Missing(reason)
    return {}


PLANNER = Planner(
    name="llm_plus_p",
    summary="a language model that writes problems for Fast Downward (LLM+P)",
    plan=plan,
    grants=frozenset({Grant.MAP}),
    dialects=("lookplangraph", *HOMES, "alfworld"),
    models=("planner",),
    options=Options,
    prepare=prepare,
    missing=solving.missing,
)

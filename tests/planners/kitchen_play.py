"""A kitchen task, and a model that gives the replies of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import peephole
from peephole.models.answers import read_answer
from peephole.models.contract import NoAnswer, Request, Unusable
from peephole.observation_text.dialects.tru_pomdp.grammar import called
from peephole.planners.contract import Act, Decision, GiveUp, Internal, Note, Planner
from peephole.scene_graph.goals import And, Or
from peephole.scene_graph.node import Kind

TASK = "easy/one_wall-1"


@dataclass
class ListedModel:
    """A model that answers by a function, and again after an unusable reply."""

    says: Callable[[str, str, Request], str]
    """Gives the reply to a purpose, the text of the question and the request; may raise."""
    attempts: int = 2
    """The most replies to one question."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """The purpose and text of each question."""
    batches: list[int] = field(default_factory=list)
    """The number of questions asked at once, each time."""
    name: str = "listed"
    """The name of the model."""

    def many(self, requests: Sequence[Request]) -> list[Any]:
        self.batches.append(len(requests))
        return [self._answer(request) for request in requests]

    def samples(self, request: Request, n: int) -> list[Any]:
        return self.many([replace(request, sample=number) for number in range(n)])

    def _answer(self, request: Request) -> Any:
        text = request.messages[-1]["content"]
        reason = ""
        for _ in range(self.attempts):
            self.asked.append((request.purpose, text))
            try:
                return read_answer(request, self.says(request.purpose, text, request))
            except Unusable as error:
                reason = str(error)
        return NoAnswer(reason)


@dataclass
class Truth:
    """The truth of a task: the areas of all objects, and one acceptable goal, by names."""

    at: dict[str, str]
    goal: dict[str, str]
    areas: list[str]


@dataclass
class Played:
    """The result of an episode."""

    success: bool
    steps: int
    decisions: list[Decision]

    def notes(self, name: str) -> list[Note]:
        return [d for d in self.decisions if isinstance(d, Note) and d.name == name]

    def refused(self) -> list[str]:
        kinds = [d.data.get("refused") for d in self.decisions if isinstance(d, Internal)]
        return [str(each) for each in kinds if each]

    @property
    def acts(self) -> list[str]:
        return [str(d.action) for d in self.decisions if isinstance(d, Act)]


def truth_of(environment: Any) -> Truth:
    """The truth of an environment that was reset."""
    graph = environment.adapter.graph()
    names = {node.id: called(node.category, 1) for node in graph.nodes()}
    at = {
        names[node.id]: names[place]
        for node in graph.nodes(Kind.OBJECT)
        for _, place in graph.places(node.id)
    }
    goal = environment.task.goal
    while isinstance(goal, Or):
        goal = goal.parts[0]
    parts = goal.parts if isinstance(goal, And) else (goal,)
    firsts = [part.parts[0] if isinstance(part, Or) else part for part in parts]
    targets = {names[part.source]: names[part.target] for part in firsts}
    areas = [names[node.id] for node in graph.nodes(Kind.FIXTURE)]
    return Truth(at, targets, areas)


def play_kitchen(
    planner: Planner,
    says: Callable[..., str],
    *,
    steps: int = 25,
    last_step: int | None = None,
    prepared: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[Played, ListedModel, Truth]:
    """Play the task with a planner. says: the model's replies; its first argument is the truth.

    last_step: the step after which no steps are left; one more action follows.
    """
    with peephole.make("kitchens:easy", task=TASK) as environment:
        percept = environment.reset()
        truth = truth_of(environment)
        model = ListedModel(lambda *asked: says(truth, *asked))
        assert planner.options is not None
        brief = replace(
            environment.brief(),
            models={"planner": model},
            options=planner.options(**options),
            prepared=prepared,
        )
        turns = planner.plan(brief, percept)
        decisions = [next(turns)]
        while not isinstance(decisions[-1], GiveUp) and percept.ended in (None, "steps"):
            if isinstance(decisions[-1], Act):
                if percept.step >= steps:
                    break
                if percept.ended == "steps":
                    break
                percept = environment.step(decisions[-1].action)
                if percept.step == last_step and percept.ended is None:
                    percept = replace(percept, ended="steps")
            decisions.append(turns.send(percept))
        score = environment.score()
        return Played(bool(score.success), percept.step, decisions), model, truth

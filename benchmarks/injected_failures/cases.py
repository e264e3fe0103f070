"""The labelled episodes, by their causes."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog
from peephole.episodes.result import EpisodeResult
from peephole.models.config import ModelConfig
from peephole.models.connection import ModelConnection
from peephole.models.served_model import ModelEndpoint
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Grant, Planner
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task

from .planners import (
    Plan,
    asks,
    confuses,
    expands_too_little,
    expands_wrongly,
    guesses,
    repeats,
    searches_again,
    searches_little,
    skips,
    stays_in_one_room,
    takes_the_wrong_one,
    tries,
)
from .tasks import STEPS, hidden_choice, tasks, vague
from .worlds import Blocked, Clumsy, Dying, DyingAtOnce, DyingLate, NoSpot, Refusing


@dataclass(frozen=True)
class InjectedFailure:
    """One labelled episode. faults: of a model's endpoint, for the classes about models."""

    label: str
    number: int
    task: Task
    plan: Plan
    adapter: Callable[[], SymbolicAdapter] = SymbolicAdapter
    faults: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.label}-{self.number}"

    def play(self, path: Path) -> EpisodeResult:
        """Play the episode and record it at a path."""
        if not self.faults:
            return self._run(path, None)
        with _endpoint_module().EndpointStandIn() as endpoint:
            endpoint.faults.extend(self.faults * 20)
            config = ModelConfig("stand-in")
            with ModelConnection(config, ModelEndpoint(endpoint.url, "stand-in")) as model:
                return self._run(path, model)

    def _run(self, path: Path, model: ModelConnection | None) -> EpisodeResult:
        planner = Planner(
            name="injected",
            summary=self.label,
            plan=self.plan,
            grants=frozenset({Grant.TRUTH, Grant.GOAL}),
            models=() if model is None else ("planner",),
        )
        context = EpisodeContext(
            adapter=self.adapter(),
            planner=planner,
            models={} if model is None else {"planner": model},
            dialect=DIALECT,
            rules=Rules(ends=Ends.PLANNER_DONE),
            budgets=Budgets(steps=STEPS),
        )
        with EpisodeLog(path) as log:
            return run_episode(context, self.task, log)


def _endpoint_module() -> ModuleType:
    path = Path(__file__).parents[2] / "tests" / "endpoint_stand_in.py"
    spec = importlib.util.spec_from_file_location("endpoint_stand_in", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class _Cause:
    """A label with what causes it. worlds: of each number, one for all where there is one."""

    label: str
    plan: Callable[[Task, int], Plan]
    first: int = 0
    worlds: tuple[Callable[[], SymbolicAdapter], ...] = (SymbolicAdapter,)
    reworded: Callable[[Task, int], Task] = field(default=lambda task, number: task)


_CAUSES = (
    _Cause("search_incomplete", searches_little),
    _Cause("search_same_room", stays_in_one_room, 10),
    _Cause("search_revisit", searches_again, 20),
    _Cause("execution_confusion", confuses, 30),
    _Cause("execution_repeat", repeats, 40),
    _Cause("execution_skipping", skips, 50),
    _Cause("expand_missing", expands_too_little, 60),
    _Cause("expand_wrong", expands_wrongly, 70),
    _Cause("ambiguous", guesses, 80, reworded=vague),
    _Cause("execution_skill", tries, 90, (Clumsy, NoSpot, Blocked, Refusing)),
)
#: What an endpoint answers, by the class that comes of it.
_REPLIES = {
    "model_no_answer": (("empty",), ("context",), ("all_thought",)),
    "model_refused": (("withheld",), ("filtered",), ("free_text", "withheld", "withheld")),
    "model_malformed": (("free_text",), ("invalid_json",), ("wrong_enum",)),
}


def injected_failures(shift: int = 0) -> Iterator[InjectedFailure]:
    """All of them, by label. shift: take the tasks that come so much later in the suite."""
    for cause in _CAUSES:
        for number, task in enumerate(tasks(cause.first + shift)):
            world = cause.worlds[number % len(cause.worlds)]
            task = cause.reworded(task, number)
            yield InjectedFailure(cause.label, number, task, cause.plan(task, number), world)
    for label, looks in (("belief_plan", False), ("belief_analysis", True)):
        for number, base in enumerate(tasks(100 + shift)):
            task, right, wrong = hidden_choice(base, number)
            yield InjectedFailure(
                label, number, task, takes_the_wrong_one(right, wrong, looks=looks)
            )
    (task, *_) = tasks(110 + shift)
    for label, lists in _REPLIES.items():
        for number, faults in enumerate(lists):
            yield InjectedFailure(label, number, task, asks, faults=faults)
    for number, world in enumerate((Dying, DyingAtOnce, DyingLate)):
        yield InjectedFailure("simulator", number, task, tries(task, number), world)

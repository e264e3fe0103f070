"""Runs one episode: a planner's decisions through an adapter, recorded event by event.

An episode that was cut off is continued from its recording: the simulator is brought back by the
recorded tries, the planner by feeding it the same percepts again, and every decision and
observation is compared with the recorded one. Where they differ, and where the simulator is lost
for good, the episode is voided and begins anew; voided starts stay in the recording.
"""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from ..adapters.contract import Adapter
from ..adapters.scenes import load_scene
from ..observation_text.dialect import Dialect, Refusal
from ..observation_text.names import Names
from ..observation_text.observer import Observer
from ..planners.contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Note,
    Percept,
    Planner,
    Thing,
)
from ..planners.llm.connection import ModelConnection
from ..planners.llm.episode_model import EpisodeModel
from ..planners.llm.failures import ModelFailure
from ..planners.llm.record import RecordDiffers
from ..planners.llm.spending import spent
from ..planners.model import Model, NoAnswer
from ..scene_graph.events import Event
from ..scene_graph.goal_evaluation import Progress, progress, satisfied
from ..scene_graph.goals import named_ids
from ..scene_graph.graph import SceneGraph
from ..scene_graph.json_codec import digest
from ..scene_graph.node import Kind, State
from ..scene_graph.rules import Budgets, Ends, Rules
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.appliance_events import events_of
from ..skills.arm.measurement_events import measurement_events
from ..skills.executor import EpisodeVoided, Executor, RetryPolicy, SimulatorDied
from ..skills.outcomes import FailureClass, Outcome
from . import event_data
from .recording import EpisodeLog, EventData
from .result import EpisodeResult, to_data

#: Starts of one episode before it is given up as voided.
MAX_STARTS = 3


class Diverged(EpisodeVoided):
    """A continued episode did not come out as recorded."""


@dataclass(frozen=True)
class EpisodeContext:
    """All that an episode needs besides its task.

    model: the connection of a planner that needs one. watch: called with every event as it is
    recorded. sources: of the suite.
    """

    adapter: Adapter
    planner: Planner
    dialect: Dialect
    rules: Rules
    budgets: Budgets
    seed: int
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    model: ModelConnection | None = None
    watch: Callable[[EventData], None] | None = None
    sources: frozenset[str] = frozenset()


def run_episode(setting: EpisodeContext, task: Task, log: EpisodeLog) -> EpisodeResult:
    """Run or continue one episode and record it to its end.

    Raises BadInput or Missing when the adapter cannot load the task's scene, and ModelFailure when
    the model cannot be asked; the episode is then left to be continued.
    """
    while True:
        episode = _Episode(setting, task, log)
        try:
            return episode.run()
        except (EpisodeVoided, SimulatorDied) as error:
            episode.record("void", {"reason": str(error)})
            log.voided += 1
            if log.voided >= MAX_STARTS:
                return episode.end("voided", str(error))
            log.restart()
            setting.adapter.close()


def namer(truth: SceneGraph, names: Names) -> Callable[[int], str]:
    """What a planner is told of things by: their names, and "you"."""
    agent = truth.agent().id
    return lambda node_id: "you" if node_id == agent else names(node_id)


def instruction_of(task: Task, name: Callable[[int], str]) -> str:
    """A task's instruction with the names of its things in their places."""
    text = task.instruction
    for node_id in named_ids(task.goal):
        if f"{{{node_id}}}" in text:
            text = text.replace(f"{{{node_id}}}", name(node_id))
    return text


class _Episode:
    """One start of an episode."""

    def __init__(self, setting: EpisodeContext, task: Task, log: EpisodeLog) -> None:
        self.setting = setting
        self.task = task
        self.log = log
        self.past = [event for event in log.events if event["event"] != "model"]
        self.past.reverse()  # the next recorded event is the last of the list
        self.step = 0
        self.decisions = 0
        self.planning_s = 0.0
        self.duration_s = 0.0
        self.retries = 0
        self.failures: Counter[str] = Counter()
        self.happened: list[Event] = []
        self.truth: SceneGraph | None = None
        self.state = Progress(0.0, ())
        self.fulfilled_at = 0  # the step from which on the goal holds, while it does
        self.model = self._model()

    # --- the loop --------------------------------------------------------------------------

    def run(self) -> EpisodeResult:
        setting, task = self.setting, self.task
        adapter = setting.adapter
        adapter.reset(task, setting.seed)
        self.truth = adapter.graph()
        if self.truth is None:
            raise EpisodeVoided(f"The adapter {adapter.spec.name} gives no true state to score by.")
        self.observer = Observer(self.truth, setting.dialect, adapter.spec.actions)
        self.executor = Executor(adapter, self._restart, setting.policy, state=self.truth)
        self.all_names = Names(self.truth)  # for the goal's things; planners get perceived ones
        self.name = namer(self.truth, self.all_names)
        self.instruction = instruction_of(task, self.name)
        self._score()
        text = self.observer.start(self.executor.read(adapter.view))
        self._record_or_match(
            "start",
            {
                "task": task.id,
                "instruction": self.instruction,
                "scene": task.scene,
                "state": digest(self.truth),
                "observation": text,
                "progress": self.state.value,
            },
        )
        percept = self._percept(text)
        plan = setting.planner.plan(self._brief(), percept)
        first = True
        while True:
            began, apart = time.perf_counter(), self._apart()
            try:
                decision = self._next(plan, None if first else percept)
            except NoAnswer as error:
                return self.end("no_answer", str(error))
            except (EpisodeVoided, ModelFailure):
                raise
            except Exception as error:  # a planner is anybody's code; the run goes on without it
                return self.end("planner_error", _where(error))
            first = False
            took = time.perf_counter() - began + self._apart() - apart
            ended = self._decide(decision, took)
            if ended is not None:
                return self.end(*ended)
            if isinstance(decision, Act):
                percept = self._act(decision)
                if self.truth is not None and State.BROKEN in self.truth.agent().states:
                    return self.end("stopped")
                if setting.rules.ends is Ends.GOAL_REACHED and self.state.value >= 1.0:
                    return self.end("goal_reached")

    def _next(self, plan: Decisions, percept: Percept | None) -> Decision:
        """The planner's next decision; what befell its model comes through, caught or not."""
        try:
            return next(plan) if percept is None else plan.send(percept)
        except StopIteration:
            return Done()
        finally:
            trouble = None if self.model is None else self.model.trouble
            if isinstance(trouble, RecordDiffers):
                raise Diverged(str(trouble))
            if trouble is not None:
                raise trouble

    def _apart(self) -> float:
        """Seconds of planning that the clock does not show, less those that are not planning's.

        Replies from the recording took their time when they were made; HTTP errors of the model's
        endpoint, and the pauses after them, are never counted against a planner.
        """
        return 0.0 if self.model is None else self.model.replayed_s - self.model.waited_s

    def _decide(self, decision: Decision, took: float) -> tuple[str, str] | None:
        """Record a decision. Why the episode ends here, if it does."""
        budgets = self.setting.budgets
        data = event_data.of_decision(decision)
        recorded = self._record_or_match("decision", data, planning_s=round(took, 6))
        self.planning_s += recorded.get("planning_s", took)
        if isinstance(decision, Done):
            return "done", decision.reason
        if isinstance(decision, GiveUp):
            return "gave_up", decision.reason
        if not isinstance(decision, Note):
            self.decisions += 1
        if self.decisions > budgets.decisions:
            return "decisions", f"{budgets.decisions} decisions allowed"
        if self.planning_s > budgets.planning_s:
            return "planning_time", f"{budgets.planning_s:g} s of planning allowed"
        if isinstance(decision, Act) and self.step >= budgets.steps:
            return "steps", f"{budgets.steps} steps allowed"
        return None

    def _act(self, decision: Act) -> Percept:
        action = decision.action
        if isinstance(action, str):
            try:
                action = self.observer.parse(action)
            except Refusal as refusal:
                return self._percept(str(refusal), refused=str(refusal))
        self.step += 1
        wording = self.observer.word(action)
        recorded = self._next_recorded("step")
        if recorded is None:
            outcome = self._execute(action)
        else:
            outcome = event_data.to_outcome(recorded["outcome"])
            self.executor.replay(
                (action, attempt.variation)
                for attempt in outcome.attempts
                if attempt.failure is None
                or attempt.failure.kind is not FailureClass.INFRASTRUCTURE
            )
        if outcome.success:
            assert self.truth is not None
            self.happened += events_of(self.truth, action, self.step)
        self.truth = self.executor.read(self.setting.adapter.graph)
        view = self.executor.read(self.setting.adapter.view)
        self.happened += measurement_events(
            action, outcome, view.graph, view.arm, self.happened, self.step
        )
        self._score()
        text, told = self.observer.after(view, action, outcome)
        data: EventData = {
            "action": wording,
            "observation": text,
            "progress": self.state.value,
            "outcome": event_data.of_outcome(outcome),
        }
        if recorded is None:
            self.record("step", data)
        elif recorded["observation"] != text or recorded["progress"] != self.state.value:
            raise Diverged(f"Step {self.step} came out differently than recorded.")
        self.duration_s += outcome.duration_s
        self.retries += outcome.retries
        if told.failure is not None:
            self.failures[str(told.failure.reason)] += 1
        return self._percept(text, outcome=told)

    def _execute(self, action: Action) -> Outcome:
        failure = self.observer.admit(action)
        return Outcome(failure) if failure is not None else self.executor.execute(action)

    def end(self, ended: str, detail: str = "") -> EpisodeResult:
        spending = spent(event_data.to_model_event(event) for event in self.log.models).total
        calls, usage = spending.calls, spending.usage
        model = self.setting.model
        result = EpisodeResult(
            task=self.task.id,
            success=self._succeeded(ended),
            progress=self.state.value,
            ended=ended,
            steps=self.step,
            decisions=self.decisions,
            planning_s=self.planning_s,
            duration_s=self.duration_s,
            retries=self.retries,
            voided=self.log.voided,
            failures=dict(self.failures),
            subgoals=self.state.subgoals,
            detail=detail,
            calls=calls,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            usd=0.0 if model is None else usage.usd(model.config),
            informed=self._informed(ended),
        )
        self.record("end", to_data(result))
        return result

    # --- the simulator ---------------------------------------------------------------------

    def _restart(self) -> None:
        self.setting.adapter.close()
        self.setting.adapter.reset(self.task, self.setting.seed)

    def _score(self) -> None:
        assert self.truth is not None
        before = self.state.value
        self.all_names.append(self.truth.nodes())  # what has appeared meanwhile, such as slices
        self.state = progress(self.task.goal, self.truth, self.happened, self.name)
        if before < 1.0:
            self.fulfilled_at = self.step

    def _succeeded(self, ended: str) -> bool:
        """Whether the goal holds; a real arm that was stopped has failed, whatever it did."""
        return ended not in ("voided", "stopped") and self.state.value >= 1.0

    def _informed(self, ended: str) -> bool | None:
        """Whether the goal holds and what it depends on was found out by then; None: nothing."""
        if self.task.required_evidence is None or self.truth is None:
            return None
        known = [event for event in self.happened if event.step <= self.fulfilled_at]
        return self._succeeded(ended) and satisfied(self.task.required_evidence, self.truth, known)

    # --- what the planner gets -------------------------------------------------------------

    def _thing(self, node_id: int) -> Thing:
        assert self.truth is not None
        return Thing(node_id, self.all_names(node_id), self.truth[node_id].category)

    def _brief(self) -> Brief:
        setting, truth = self.setting, self.truth
        assert truth is not None
        grants = setting.planner.grants
        goal = self.task.goal if Grant.GOAL in grants else None
        inventory = None
        if Grant.INVENTORY in grants:
            inventory = tuple(self._thing(node.id) for node in truth.nodes(Kind.OBJECT))
        return Brief(
            instruction=self.instruction,
            agent=truth.agent().id,
            rooms=tuple(self._thing(node.id) for node in truth.nodes(Kind.ROOM)),
            embodiment=setting.adapter.spec.embodiment,
            actions=setting.adapter.spec.actions,
            budgets=setting.budgets,
            dialect=setting.dialect.name,
            seed=_planner_seed(setting.seed, self.task.id),
            goal=goal,
            goal_things=None
            if goal is None
            else {i: self._thing(i) for i in sorted(named_ids(goal)) if i in truth},
            inventory=inventory,
            map=self._map(truth) if Grant.MAP in grants else None,
            models={} if self.model is None else {"planner": cast(Model, self.model)},
            sources=setting.sources,
        )

    def _map(self, truth: SceneGraph) -> SceneGraph:
        """The graph that was recorded before the episode."""
        return load_scene(self.task.map) if self.task.map else truth.copy()

    def _model(self) -> EpisodeModel | None:
        """The model for this start of the episode, which knows the replies recorded in it."""
        if self.setting.model is None or not self.setting.planner.models:
            return None
        recorded = [
            event_data.to_model_event(event)
            for event in self.log.events
            if event["event"] == "model"
        ]
        return self.setting.model.for_episode(
            "planner",
            lambda event: self.record("model", event_data.of_model_event(event)),
            recorded,
        )

    def _percept(
        self, text: str, outcome: Outcome | None = None, refused: str | None = None
    ) -> Percept:
        granted = Grant.TRUTH in self.setting.planner.grants
        return Percept(
            text=text,
            view=self.observer.view,
            names=self.observer.names,
            step=self.step,
            outcome=outcome,
            refused=refused,
            truth=self.truth if granted else None,
            options=self.observer.menu,
        )

    # --- recording and continuing ----------------------------------------------------------

    def record(self, event: str, data: EventData) -> None:
        self.log.write(event, self.step, data)
        if self.setting.watch is not None:
            self.setting.watch({"event": event, "step": self.step, **data})

    def _next_recorded(self, event: str) -> EventData | None:
        """The next event of the recording that is being continued; None at its end."""
        if not self.past:
            return None
        recorded = self.past.pop()
        if recorded["event"] != event or recorded["step"] != self.step:
            raise Diverged(
                f"The recording has '{recorded['event']}' at step {recorded['step']} where "
                f"'{event}' of step {self.step} came now."
            )
        return recorded

    def _record_or_match(self, event: str, data: EventData, **timing: float) -> EventData:
        """Record an event, or compare it with the recorded one, all but its timing."""
        recorded = self._next_recorded(event)
        if recorded is None:
            self.record(event, {**data, **timing})
            return {**data, **timing}
        for key, value in json.loads(json.dumps(data)).items():  # tuples become lists
            if recorded.get(key) != value:
                raise Diverged(f"At step {self.step} '{key}' of '{event}' differs from the record.")
        return recorded


def _planner_seed(seed: int, task_id: str) -> int:
    """Another seed for every task, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{task_id}".encode()).digest()[:8])


def _where(error: Exception) -> str:
    """An error with the place it came from, on one line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}: {text} ({frame.name}, line {frame.lineno})"

"""Runs one episode: a planner's decisions in an environment, within budgets.

An episode that was cut off is continued from its recording: the environment comes back by the
recorded attempts, the planner by being sent the same percepts again, and every decision and
observation is compared with the recorded one. Where they differ, and where the simulator is lost
for good, the episode is voided and begins anew; voided starts stay in the recording.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..adapters.contract import Adapter
from ..errors import BadInput, Missing
from ..models.connection import ModelConnection
from ..models.contract import NoAnswer
from ..models.episode_model import EpisodeModel
from ..models.failures import ModelFailure
from ..models.record import RecordDiffers
from ..models.spending import planning_tokens, spent
from ..observation_text.dialect import Dialect
from ..planners.account import Account
from ..planners.contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Internal,
    NewTrial,
    Note,
    Percept,
    Planner,
    counts,
)
from ..scene_graph.rules import Budgets, Ends, Feedback, Rules
from ..scene_graph.task import Task
from ..skills.executor import EpisodeVoided, RetryPolicy, SimulatorDied
from .augmentation import AugmentationScore, total
from .environment import Environment, check_action
from .events import Decided, RecordedEvent, to_line
from .faults import Faults
from .images import RecordedImages
from .journal import Diverged, Journal
from .planner_faults import fault, full_traceback
from .recording import Log, RecordingFailed
from .refusals import WORDS, completed_calls, refused_kind, refused_replies
from .result import EpisodeResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

#: Starts of one episode before it is given up as voided.
MAX_STARTS = 3


@dataclass(frozen=True)
class EpisodeContext:
    """All that an episode needs besides its task.

    rules, budgets, sources: of the suite. options: an instance of the planner's. prepared: what its
    `prepare` gave. models: the connections of the roles that it asks. watch: called with every
    event as it is recorded. save_image: keeps what the camera sees; the name of the file. images:
    keeps what the planner looks at, and what models are shown. faults: put into the simulator.
    """

    adapter: Adapter
    planner: Planner
    dialect: Dialect
    rules: Rules = field(default_factory=Rules)
    budgets: Budgets = field(default_factory=Budgets)
    seed: int = 0
    policy: RetryPolicy | None = None
    options: BaseModel | None = None
    prepared: Mapping[str, Any] | None = None
    models: Mapping[str, ModelConnection] = field(default_factory=dict)
    watch: Callable[[RecordedEvent], None] | None = None
    save_image: Callable[[NDArray[np.uint8]], str] | None = None
    images: RecordedImages | None = None
    sources: frozenset[str] = frozenset()
    faults: Faults | None = None


def run_episode(context: EpisodeContext, task: Task, log: Log) -> EpisodeResult:
    """Run or continue one episode and record it to its end.

    A log that is complete is compared with all that happens; where it differs Diverged is raised.

    Raises BadInput or Missing when the adapter cannot load the task's scene, ModelFailure when a
    model cannot be asked, ConnectionLost when a real room is lost, and RecordingFailed when nothing
    more can be written; the episode is then left to be continued.
    """
    while True:
        start = _Start(context, task, log)
        try:
            return start.play()
        except (EpisodeVoided, SimulatorDied) as error:
            if log.complete:
                raise
            start.void(str(error))
            if log.voided >= MAX_STARTS:
                return start.end("voided", str(error))
            log.restart()
            context.adapter.close()


class _Start:
    """One start of an episode."""

    def __init__(self, context: EpisodeContext, task: Task, log: Log) -> None:
        self._context = context
        self._log = log
        self._journal = Journal(log, context.watch, context.save_image, context.images)
        self._earlier_calls = len(log.models) - len(self._journal.model_events)
        self._environment = Environment(
            context.adapter,
            task,
            context.dialect,
            rules=context.rules,
            budgets=context.budgets,
            grants=context.planner.grants,
            seed=context.seed,
            policy=context.policy,
            journal=self._journal,
            faults=context.faults,
        )
        self._models: dict[str, EpisodeModel] = {
            role: context.models[role].for_episode(
                role,
                self._journal.model_event,
                self._journal.model_events,
                seed=context.seed,
            )
            for role in context.planner.models
        }
        self._decisions = 0
        self._returned = False  # the planner has nothing more to say
        self._planning_s = 0.0
        self._models_s = 0.0
        self._augmentation: AugmentationScore | None = None
        self._refused: Counter[str] = Counter()
        self._corrections = 0

    def play(self) -> EpisodeResult:
        """Play to the end."""
        percept = self._environment.reset()
        brief = self._brief()
        self._account = Account(brief, percept) if self._is_accounted() else None
        for model in self._models.values() if self._account is not None else ():
            model.account = self._account.data
        plan: Decisions | None = None
        answer: Percept | None = None  # a generator is begun with nothing
        while True:
            began = time.perf_counter() - self._asking_s()
            model_s = self._model_s()
            try:
                plan = plan or self._plan(brief, percept)
                decision = self._next(plan, answer)
                own_s = max(0.0, time.perf_counter() - self._asking_s() - began)
                _check(decision)
            except NoAnswer as error:
                return self.end("no_answer", str(error))
            except (EpisodeVoided, Missing, ModelFailure, RecordingFailed):
                raise
            except (Exception, SystemExit) as error:  # a planner is anybody's code
                return self._failed(error, plan)
            model_s = self._model_s() - model_s
            ended = self._record(decision, own_s, model_s) or self._carry_out(decision)
            if isinstance(ended, tuple):
                return self.end(*ended)
            if ended is not None and self._account is not None:
                self._account.add(ended)
            answer = ended or answer or percept

    def void(self, reason: str) -> None:
        """Record that this start came to nothing."""
        self._journal.voided(reason)
        self._log.voided += 1

    def end(self, ended: str, detail: str = "") -> EpisodeResult:
        """Record the episode's end."""
        for model in self._models.values() if self._log.complete else ():
            left = model.record.left()
            if left:
                raise Diverged(left)
        result = self._result(ended, detail)
        self._journal.ended(result)
        return result

    # --- the planner -----------------------------------------------------------------------

    def _is_accounted(self) -> bool:
        """Whether a model reads what the planner knows as data."""
        return any(model.reads_aside for model in self._models.values())

    def _brief(self) -> Brief:
        context = self._context
        return replace(
            self._environment.brief(),
            models=self._models,
            sources=context.sources,
            options=context.options,
            prepared=context.prepared,
            searches=self._journal.searches(),
        )

    def _plan(self, brief: Brief, percept: Percept) -> Decisions:
        plan = self._context.planner.plan(brief, percept)
        if not isinstance(plan, Generator):
            raise BadInput(f"a planner's plan is a generator, not {plan!r}")
        return plan

    def _failed(self, error: BaseException, plan: Decisions | None) -> EpisodeResult:
        """Record what broke in the planner, and the episode's end; the run goes on without it."""
        told = fault(self._context.planner.plan, error, plan)
        self._journal.planner_failed(told, full_traceback(error))
        return self.end("planner_error", told)

    def _next(self, plan: Decisions, answer: Percept | None) -> Decision:
        """The planner's next decision; what befell its models comes through, caught or not."""
        try:
            return next(plan) if answer is None else plan.send(answer)
        except StopIteration:
            self._returned = True
            return Done()
        finally:
            if self._journal.failed is not None:
                raise self._journal.failed
            for model in self._models.values():
                if isinstance(model.trouble, RecordDiffers):
                    raise Diverged(str(model.trouble))
                if model.trouble is not None:
                    raise model.trouble

    def _asking_s(self) -> float:
        """Seconds that passed in questions to models, which never count against a planner."""
        return sum(model.asking_s for model in self._models.values())

    def _model_s(self) -> float:
        """Seconds that models took for their replies, now or when they were recorded."""
        return sum(model.model_s for model in self._models.values())

    def _record(
        self, decision: Decision, planning_s: float, model_s: float
    ) -> tuple[str, str] | None:
        """Record a decision and count it. Why the episode ends over a budget, if it does.

        One decision too many is neither recorded nor counted.
        """
        budgets = self._environment.budgets
        if counts(decision) and self._decisions >= budgets.decisions:
            return "decisions", f"{budgets.decisions} decisions allowed"
        score = self._environment.augmentation(decision)
        decided = self._journal.decided(decision, planning_s, model_s, score)
        self._augmentation = total((self._augmentation, decided.augmentation))
        kind = refused_kind(decision)
        if kind is not None:
            self._refused[kind] += 1
        self._corrections += completed_calls(decision)
        self._planning_s += decided.planning_s
        self._models_s += decided.model_s
        self._decisions += counts(decision)
        if self._planning_s > budgets.planning_s:
            return "planning_time", f"{budgets.planning_s:g} s of planning allowed"
        if isinstance(decision, Act) and self._environment.steps >= budgets.steps:
            return "steps", f"{budgets.steps} steps allowed"
        return None

    def _carry_out(self, decision: Decision) -> tuple[str, str] | Percept | None:
        """What comes of a decision: the episode's end, a percept, or nothing."""
        environment = self._environment
        match decision:
            case Act(action):
                percept = environment.step(action)
                if percept.refused is not None:
                    self._refused[WORDS] += 1
            case Done(reason):
                if environment.rules.feedback is Feedback.NONE:
                    return "done", reason
                percept = environment.check_goal()
                if percept.ended == "goal_reached" or self._returned:
                    return "done", reason
            case NewTrial(reason):
                if environment.trial >= environment.rules.trials:
                    return "gave_up", reason
                percept = environment.new_trial()
                if self._account is not None:
                    self._account.begin(percept)
            case GiveUp(reason):
                return "gave_up", reason
            case _:
                return None
        if percept.ended not in (None, "steps"):  # after the last step it may still say "done"
            return str(percept.ended), ""
        return percept

    # --- the result ------------------------------------------------------------------------

    def _result(self, ended: str, detail: str) -> EpisodeResult:
        context, environment = self._context, self._environment
        score = environment.score() if environment.begun else None
        lost = ended == "voided"
        # Whoever does not say that it is done, where it has to, has not shown that it knew.
        unclaimed = ended != "done" and environment.rules.ends is Ends.PLANNER_DONE
        cost = spent(self._log.models)
        usd = usd_worth = 0.0
        for role, connection in context.models.items():
            if role in cost.by_role:
                usd += cost.by_role[role].paid.usd(connection.config)
                usd_worth += cost.by_role[role].usage.usd(connection.config)
        models = self._log.models[self._earlier_calls :]
        result = EpisodeResult(
            task=environment.task.id,
            success=None,
            progress=None,
            ended=ended,
            steps=environment.steps,
            step_limit=environment.budgets.steps,
            decisions=self._decisions,
            planning_s=self._planning_s,
            model_s=self._models_s,
            duration_s=0.0,
            voided=self._log.voided,
            detail=detail,
            calls=cost.total.calls,
            tokens_in=cost.total.usage.tokens_in,
            tokens_out=cost.total.usage.tokens_out,
            peak_tokens_in=cost.total.peak_tokens_in,
            purposes={name: part.usage.tokens for name, part in cost.by_purpose.items()},
            usd=usd,
            planning_tokens=planning_tokens(models),
            tokens_cached=cost.total.usage.cached,
            calls_cached=cost.total.from_cache,
            usd_saved=usd_worth - usd,
            refused=dict((self._refused + refused_replies(models)).most_common()),
            corrections=self._corrections,
        )
        if score is None:
            return result
        return replace(
            result,
            success=None if lost else score.success,
            progress=None if lost else score.progress,
            duration_s=score.duration_s,
            reward=score.reward,
            trials=score.trials,
            retries=score.retries,
            failures=score.failures,
            subgoals=score.subgoals,
            informed=None if lost else score.informed and not unclaimed,
            augmentation=self._augmentation,
            changed_nodes=None if lost else score.changed_nodes,
            correct_nodes=None if lost else score.correct_nodes,
            infeasible=score.infeasible,
        )


def _check(decision: object) -> None:
    """Raise BadInput for what is no decision, or one that cannot be carried out or recorded."""
    if not isinstance(decision, Decision):
        raise BadInput(f"a planner yields decisions, not {decision!r}")
    if isinstance(decision, Act):
        check_action(decision.action)
    if isinstance(decision, Note | Internal):
        to_line(Decided(decision=decision, planning_s=0.0, step=0))

"""Runs one episode: a planner's decisions in an environment, within budgets.

An episode that was cut off is continued from its recording. The recorded attempts bring the
environment back, and the planner gets the same percepts again. Every decision and observation is
compared with the recorded one. Where they differ, or the simulator is lost for good, the episode is
voided and begins again. Voided starts stay in the recording.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..adapters.contract import Adapter
from ..errors import BadInput, Missing
from ..models.connection import ModelConnection
from ..models.contract import NoAnswer
from ..models.episode_model import EpisodeModel
from ..models.failures import Interrupted, ModelFailure
from ..models.record import RecordDiffers
from ..models.spending import planning_tokens, spent
from ..observation_text.dialect import Dialect
from ..planners.contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    EpisodeOver,
    GiveUp,
    Internal,
    NewTrial,
    Note,
    Percept,
    Planner,
    counts,
)
from ..planners.kits.account import Account, tell
from ..scene_graph.rules import Budgets, Ends, Feedback, Rules
from ..scene_graph.task import Task
from ..skills.executor import EpisodeVoided, RetryPolicy, SimulatorDied
from .approval.approver import Approver
from .augmentation import AugmentationScore, total
from .branches.following import Following
from .branches.point import BranchPoint
from .environment import Environment, check_action
from .events import Decided, RecordedEvent, to_line
from .faults import Faults
from .journal import Diverged, Journal
from .planner_faults import fault, full_traceback
from .planner_turn import TurnTooLong, take_turn
from .recording import Log, RecordedImages, RecordingFailed
from .result import (
    WORDS,
    EpisodeResult,
    completed_calls,
    refused_kind,
    refused_replies,
    with_reason,
)
from .simulator import Simulator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

#: Seconds beyond its budget after which a planner's turn is ended; until then it may end itself.
_GRACE_S = 5.0
#: Seconds that a planner has for its last words.
_LAST_WORDS_S = 30.0
#: Starts of one episode before it is voided for good.
MAX_STARTS = 3


#: Why an episode ends, as `EpisodeResult.ended` and `EpisodeResult.detail` say it.
_Ending = tuple[str, str]


@dataclass(frozen=True)
class EpisodeContext:
    """All that an episode needs besides its task."""

    adapter: Adapter
    """The simulator or real room."""
    planner: Planner
    """Whose decisions are played."""
    dialect: Dialect
    """The wording of observations and actions."""
    rules: Rules = field(default_factory=Rules)
    """Of the suite."""
    budgets: Budgets = field(default_factory=Budgets)
    """Of the suite."""
    seed: int = 0
    """Of the episode."""
    policy: RetryPolicy | None = None
    """Of retries."""
    options: BaseModel | None = None
    """An instance of the planner's options."""
    prepared: Mapping[str, Any] | None = None
    """The result of the planner's `prepare`."""
    models: Mapping[str, ModelConnection] = field(default_factory=dict)
    """Connections by role."""
    watch: Callable[[RecordedEvent], None] | None = None
    """Called with every event as it is recorded."""
    save_image: Callable[[NDArray[np.uint8]], str] | None = None
    """Stores a camera image of each step; returns the name of the file."""
    images: RecordedImages | None = None
    """Stores what the planner looks at and what models are shown."""
    sources: frozenset[str] = frozenset()
    """Of the suite; see `Suite.sources`."""
    faults: Faults | None = None
    """Failures to inject."""
    approver: Approver | None = None
    """Allows or denies each action before it reaches the world."""
    hidden: tuple[Path, ...] = ()
    """As in `Brief`."""
    files: Path | None = None
    """Where the adapter keeps files of its own, in a folder for each start of the episode."""
    model_seed: int | None = None
    """Of the models' replies; None for the episode's own seed."""
    point: BranchPoint | None = None
    """Where a branch leaves its parent; None for an episode of its own."""
    stopped: Callable[[], bool] = lambda: False
    """Whether to end now, to be continued later; asked by other threads, too."""


def run_episode(context: EpisodeContext, task: Task, log: Log) -> EpisodeResult:
    """Run or continue one episode and record it to its end.

    A complete log is compared with what happens now; Diverged is raised where it differs.

    Raises BadInput or Missing where the adapter cannot load the scene. Raises ModelFailure where a
    model cannot be asked, ConnectionLost where a real room is lost, Interrupted where the context
    is stopped, and RecordingFailed where nothing can be written. The episode can be continued
    later.
    """
    while True:
        start = _Start(context, task, log)
        try:
            return start.play()
        except (EpisodeVoided, SimulatorDied) as error:
            if log.complete:
                raise
            if isinstance(error, Diverged) and start.following.repeats:
                raise start.following.refusal(str(error)) from None
            start.void(str(error))
            if log.voided >= MAX_STARTS:
                return start.end("voided", str(error))
            log.restart()
            with suppress(SimulatorDied):
                Simulator(context.adapter).close()


class _Start:
    """One start of an episode."""

    def __init__(self, context: EpisodeContext, task: Task, log: Log) -> None:
        self._context = context
        self._log = log
        by_deed = context.point is not None and context.point.any_question
        self._journal = Journal(
            log, context.watch, context.save_image, context.images, by_deed=by_deed
        )
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
            approver=context.approver,
        )
        self.following = Following(context.point)
        self._models: dict[str, EpisodeModel] = {
            role: context.models[role].for_episode(
                role,
                self._journal.model_event,
                self._journal.model_events,
                seed=context.seed if context.model_seed is None else context.model_seed,
                is_recorded=self.following.is_recorded,
            )
            for role in context.planner.models
        }
        self._plan: Decisions | None = None
        self._decisions = 0
        self._planned_at = 0  # the steps before the last counted decision
        self._returned = False  # the planner has nothing more to say
        self._planning_s = 0.0
        self._models_s = 0.0
        self._augmentation: AugmentationScore | None = None
        self._refused: Counter[str] = Counter()
        self._corrections = 0

    def play(self) -> EpisodeResult:
        """Play to the end."""
        if self._context.files is not None:
            self._context.adapter.keep(self._context.files / str(self._log.voided + 1))
        try:
            return self._played()
        finally:
            self._close_plan()

    def _played(self) -> EpisodeResult:
        first = self._environment.reset()
        self._percept = self.following.taken_over(self._environment, self._journal, first)
        brief = self._brief()
        self._account: Account | None = None
        if any(model.reads_aside for model in self._models.values()):
            self._account = Account(brief, self._percept)
            tell(self._models, self._account)
        answer: Percept | None = None  # a generator starts without a value
        while True:
            self._check_going_on()
            began = time.perf_counter() - self._asking_s()
            model_s = self._model_s()
            try:
                plan = self._plan = self._plan or self._planned(brief, self._percept)
                decision = self._next(plan, answer, began)
                own_s = max(0.0, time.perf_counter() - self._asking_s() - began)
                _check(decision)
            except TurnTooLong:
                self._check_going_on()
                return self.end(*self._too_long())
            except NoAnswer as error:
                return self.end("no_answer", str(error))
            except (EpisodeVoided, Missing, ModelFailure, RecordingFailed, KeyboardInterrupt):
                raise
            except BaseException as error:  # a planner is anybody's code, and may raise any class
                return self._failed(error, self._plan)
            decision = self.following.changed(decision, self._environment, self._percept)
            model_s = self._model_s() - model_s
            before = self._percept
            ending = self._record(decision, own_s, model_s) or self._carry_out(decision)
            if ending is not None:
                return self.end(*ending)
            answer = self._percept
            if self._account is not None and answer is not before:
                self._account.add(answer)

    def _check_going_on(self) -> None:
        """Raise Interrupted where the episode is to be continued later."""
        if self._context.stopped():
            raise Interrupted("The run was interrupted.")

    def void(self, reason: str) -> None:
        """Record that this start is voided."""
        self._journal.voided(reason)
        self._log.voided += 1

    def end(self, ended: str, detail: str = "") -> EpisodeResult:
        """Record the episode's end."""
        for model in self._models.values() if self._log.complete else ():
            left = model.record.left()
            if left:
                raise Diverged(left)
        self._last_words(ended)
        result = self._result(ended, detail)
        self._journal.ended(result)
        return result

    # --- the planner -----------------------------------------------------------------------

    def _brief(self) -> Brief:
        context = self._context
        return replace(
            self._environment.brief(),
            models=self._models,
            sources=context.sources,
            options=context.options,
            prepared=context.prepared,
            searches=self._journal.searches(),
            hidden=context.hidden,
            recorded=self._journal.decisions(),
        )

    def _planned(self, brief: Brief, percept: Percept) -> Decisions:
        plan = self._context.planner.plan(brief, percept)
        if not isinstance(plan, Generator):
            raise BadInput(f"a planner's plan is a generator, not {plan!r}")
        return plan

    def _close_plan(self) -> None:
        """Let the planner's code clean up, within bounds; errors no longer matter."""
        plan = self._plan
        if plan is None:
            return
        began = time.perf_counter()
        with _errors_ignored():
            take_turn(plan.close, lambda: time.perf_counter() - began > _GRACE_S)

    def _last_words(self, ended: str) -> None:
        """Tell the planner how the episode ended; record the notes that it answers with."""
        plan = self._plan
        if plan is None:
            return
        began = time.perf_counter()

        def turn(take: Callable[[], Decision]) -> Decision | None:
            with _errors_ignored():
                return take_turn(take, lambda: time.perf_counter() - began > _LAST_WORDS_S)
            return None

        said = turn(lambda: plan.throw(EpisodeOver(self._percept, ended)))
        while isinstance(said, Note):
            self._record(said, 0.0, 0.0)
            said = turn(lambda: next(plan))

    def _failed(self, error: BaseException, plan: Decisions | None) -> EpisodeResult:
        """Record an error of the planner's code and the episode's end; the run goes on."""
        line = fault(self._context.planner.plan, error, plan)
        self._journal.planner_failed(line, full_traceback(error))
        return self.end("planner_error", line)

    def _next(self, plan: Decisions, answer: Percept | None, began: float) -> Decision:
        """The planner's next decision. Raises errors of its models even where it caught them.

        began: when its turn did, without the time of its models. Raises TurnTooLong.
        """
        left_s = self._environment.budgets.planning_s - self._planning_s + _GRACE_S

        def is_late() -> bool:
            if self._context.stopped() and not any(m.is_asking for m in self._models.values()):
                return True  # a reply that comes is recorded first
            return time.perf_counter() - self._asking_s() - began > left_s

        try:
            return take_turn(lambda: plan.send(answer) if answer else next(plan), is_late)
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
        """Seconds spent in questions to models, which do not count as planning."""
        return sum(model.asking_s for model in self._models.values())

    def _model_s(self) -> float:
        """Seconds of the models' replies, now or when they were recorded."""
        return sum(model.model_s for model in self._models.values())

    def _record(self, decision: Decision, planning_s: float, model_s: float) -> _Ending | None:
        """Record and count a decision; returns the ending where it exceeds a budget.

        A decision beyond the budget of decisions is neither recorded nor counted.
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
        if counts(decision):
            self._decisions += 1
            self._planned_at = self._environment.steps
        if self._planning_s > budgets.planning_s:
            return self._too_long()
        if isinstance(decision, Act) and self._environment.steps >= budgets.steps:
            return _out_of_steps(budgets)
        return None

    def _too_long(self) -> _Ending:
        return "planning_time", f"{self._environment.budgets.planning_s:g} s of planning allowed"

    def _carry_out(self, decision: Decision) -> _Ending | None:
        """Carry out a decision and keep the percept; returns the ending, if it is one."""
        environment = self._environment
        match decision:
            case Act(action):
                self._percept = environment.step(action, planned_at=self._planned_at)
                if self._percept.refused is not None:
                    self._refused[with_reason(WORDS, self._percept.refused)] += 1
            case Done(reason):
                if environment.rules.feedback is Feedback.NONE:
                    return "done", reason
                self._percept = environment.check_goal()
                if self._percept.ended == "goal_reached" or self._returned:
                    return "done", reason
            case NewTrial(reason):
                if environment.trial >= environment.rules.trials:
                    return "gave_up", reason
                self._percept = environment.new_trial()
                if self._account is not None:
                    self._account.begin(self._percept)
            case GiveUp(reason):
                return "gave_up", reason
            case _:
                return None
        ended = self._percept.ended
        if ended == "steps":  # after the last one the planner may still say "done", if that counts
            last_word = environment.rules.ends is Ends.PLANNER_DONE
            return None if last_word else _out_of_steps(environment.budgets)
        return None if ended is None else (ended, "")

    # --- the result ------------------------------------------------------------------------

    def _result(self, ended: str, detail: str) -> EpisodeResult:
        context, environment = self._context, self._environment
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
        if not environment.begun:
            return result
        score = environment.score()
        # A planner that had to say "done" and did not has not shown that it knew.
        unclaimed = ended != "done" and environment.rules.ends is Ends.PLANNER_DONE
        score = replace(score, informed=score.informed and not unclaimed)
        if ended == "voided":
            score = replace(
                score,
                success=None,
                progress=None,
                informed=None,
                changed_nodes=None,
                correct_nodes=None,
            )
        return replace(result, augmentation=self._augmentation, **vars(score))


def _out_of_steps(budgets: Budgets) -> _Ending:
    return "steps", f"{budgets.steps} steps allowed"


@contextmanager
def _errors_ignored() -> Iterator[None]:
    """Run a planner's code whose errors no longer matter."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException:
        return


def _check(decision: object) -> None:
    """Raise BadInput for what is no decision, or cannot be carried out or recorded."""
    if not isinstance(decision, Decision):
        raise BadInput(f"a planner yields decisions, not {decision!r}")
    if isinstance(decision, Act):
        check_action(decision.action)
    if isinstance(decision, Note | Internal):
        to_line(Decided(decision=decision, planning_s=0.0, step=0))

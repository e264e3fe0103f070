"""The seat of the built-in world: what an environment does, without what only a recording needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...adapters.scenes import load_scene
from ...adapters.symbolic import SymbolicAdapter
from ...observation_text.dialect import Dialect, Refusal
from ...observation_text.menu import Offers
from ...observation_text.names import Names
from ...observation_text.observer import Observer
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import State
from ...scene_graph.rules import Budgets, Ends, Feedback, RefusedText, Rules
from ...scene_graph.task import Task
from ...skills.actions import Action
from ...skills.dynamics import unachieved
from ...skills.executor import RetryPolicy
from ...skills.outcomes import Failure, FailureClass, Outcome, Reason
from ..briefing import Briefing, ReaderNames, worded_instruction
from ..environment import GOAL_NOT_REACHED, GOAL_REACHED, Standing
from ..referee import Tally
from ..world import Moment
from .live_referee import LiveReferee
from .seat import Seat

_SUCCESS = Outcome(None)
_ATTEMPTS = RetryPolicy().attempts
_NO_ACTION = Failure(Reason.UNKNOWN)
_FINAL = (FailureClass.PRECONDITION, FailureClass.DENIED)
_BROKEN = State.BROKEN


@lru_cache(maxsize=128)  # a batch comes back to a scene only after all its other tasks
def _start(scene: str) -> SceneGraph:
    """The scene that an episode begins in, for all seats."""
    return load_scene(scene)


class BuiltInSeat(Seat):
    """A seat in the built-in world, equal to `EnvironmentSeat` there and many times as fast.

    The true state is read where it is, not copied after each action. There are no percepts, no
    events and no clock.
    """

    def __init__(
        self, adapter: SymbolicAdapter, dialect: Dialect, rules: Rules, budgets: Budgets
    ) -> None:
        self._adapter, self._dialect = adapter, dialect
        self._suite_rules, self._suite_budgets = rules, budgets

    def begin(self, task: Task, seed: int) -> None:
        adapter, spec = self._adapter, self._adapter.spec
        self.rules = task.rules or self._suite_rules
        limits = task.budgets or self._suite_budgets
        self._budgets = limits.of_body(approaches=spec.embodiment.approaches)
        self._tally = Tally()
        adapter.restore(_start(task.scene))
        self._world = world = adapter.live()
        self._view = view = adapter.view()
        self._me = me = view.agent().id
        names = Names()
        reader_names = ReaderNames(names)

        def name(node_id: int) -> str:
            return reader_names.of(node_id, me, world)

        observer = Observer(names, self._dialect, spec.actions, spec.embodiment)
        Briefing(task, Moment(world, view), frozenset(), names, seed).name_in_advance(observer)
        self._observer = observer
        text = observer.start(view)
        self.instruction = worded_instruction(task, name, self._dialect, world)
        self._referee = LiveReferee(task, self.rules.rewards, name, None)
        self._referee.begin(world, view)
        self._offers: Offers | None = None
        self._texts: list[str] = []
        self._tell(text)

    def step(self, action: str) -> None:
        if self._offers is None:
            self.menu()
        assert self._offers is not None
        try:
            read = self._offers[self._texts.index(action)][1]
        except ValueError:
            try:
                read = self._observer.parse(action)
            except Refusal as refusal:
                self.refuse(action, str(refusal))
                return
            self._act(read, self._observer.admit(read))
        else:
            self._act(read, None)

    def _act(self, action: Action, refused: Failure | None) -> None:
        """Try an action. refused: why it must not reach the world."""
        referee, tally, observer = self._referee, self._tally, self._observer
        tally.steps += 1
        events = referee.expected(action, tally.steps)
        failure = refused or self._executed(action)
        outcome = _SUCCESS if failure is None else Outcome(failure)
        referee.settle(action, outcome, events, self._adapter.changed())
        view, state = self._view, observer.state
        if self._adapter.changed():
            self._view = self._adapter.view()
        text, redacted = observer.after(self._view, action, outcome)
        if self._view is not view or observer.state is not state:
            self._offers = None
        tally.done(outcome, redacted)
        self._tell(text, redacted.failure)

    def _executed(self, action: Action) -> Failure | None:
        """Why an action failed after all attempts, or None; as `Executor.execute`."""
        failure = None
        for variation in range(_ATTEMPTS):
            failure = self._adapter.attempt(action, variation).failure
            if failure is None:
                if not unachieved(self._world, action, self._me):
                    return None
                failure = Failure(Reason.NOT_CONFIRMED)
            elif failure.kind in _FINAL:
                return failure
        return failure

    def refuse(self, said: str, reason: str) -> None:
        is_free = self.rules.refused is RefusedText.FREE
        self._tally.refused(costs_step=not is_free)
        if not is_free:
            self._referee.refused()
        self._take_in(reason, None if is_free else _NO_ACTION, is_refused=True)

    def done(self) -> None:
        if self.rules.feedback is Feedback.NONE:
            self.ended = "done"
            return
        reached = bool(self._referee.reached)
        self._take_in(GOAL_REACHED if reached else GOAL_NOT_REACHED)
        self.ended = "goal_reached" if reached else self.ended

    def menu(self) -> Sequence[str]:
        if self._offers is None:
            self._offers = self._observer.menu()
            self._texts = [text for text, _ in self._offers]
        return self._texts

    def standing(self) -> Standing:
        referee = self._referee
        failed = self.ended == "stopped" or self._tally.fails(self.rules)
        return Standing(False if failed else referee.reached, referee.value, referee.reward)

    def close(self) -> None:
        self._adapter.close()

    def _tell(self, text: str, failure: Failure | None = None) -> None:
        """Keep an observation, with what lies right already if the rules want it."""
        if self.rules.confirms_placements:
            seen = self._view.graph
            right = frozenset(i for i in self._referee.rightly_placed if i in seen)
            confirmed = self._observer.confirmed(right)
            text = f"{text} {confirmed}" if confirmed else text
        self._take_in(text, failure)

    def _take_in(
        self, text: str, failure: Failure | None = None, *, is_refused: bool = False
    ) -> None:
        """Keep what the agent gets."""
        self.text, self.ended, self.steps = text, self._end(), self._tally.steps
        self.is_refused = is_refused
        self.failure = None if failure is None else str(failure.reason)

    def _end(self) -> str | None:
        """Why the episode is over; None while it goes on."""
        if _BROKEN in self._world.by_id[self._me].states:
            return "stopped"
        reached = self.rules.ends is Ends.GOAL_REACHED and self._referee.reached
        if self._tally.steps and reached:
            return "goal_reached"
        return self._tally.ends(self.rules, self._budgets)

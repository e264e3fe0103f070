"""The contract of an episode in a batch, and the episode of any adapter."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from ...adapters.contract import Adapter
from ...observation_text.dialect import Dialect
from ...planners.contract import Percept
from ...scene_graph.rules import Budgets, Feedback, Rules
from ...scene_graph.task import Task
from ...skills.executor import EpisodeVoided, SimulatorDied
from ..environment import Environment, Standing

#: The last observation where the simulator is lost.
VOID = "The simulator is lost. This episode does not count."


class Seat(ABC):
    """A place of a batch, in which one episode is played after the other."""

    text: str
    """The last observation."""
    ended: str | None
    """Why the episode is over; None while it goes on."""
    instruction: str
    """The task, with the names that the agent knows."""
    steps: int
    """Actions so far."""
    is_refused: bool
    """Whether the last text was no action."""
    failure: str | None
    """Why the last action failed; None if it did not."""

    @abstractmethod
    def begin(self, task: Task, seed: int) -> None:
        """Begin an episode."""

    @abstractmethod
    def step(self, action: str) -> None:
        """Try a text of the dialect. Only while the episode goes on."""

    @abstractmethod
    def refuse(self, said: str, reason: str) -> None:
        """Tell the agent that what it said is no action, as `step` does. reason: a sentence."""

    @abstractmethod
    def done(self) -> None:
        """The agent says that it is done. Only while the episode goes on."""

    @abstractmethod
    def menu(self) -> Sequence[str]:
        """The actions on offer now; the caller does not modify them."""

    @abstractmethod
    def standing(self) -> Standing:
        """How the episode stands now."""

    @abstractmethod
    def close(self) -> None:
        """Close the simulator."""


#: What an agent does in its seat.
Move = Callable[[Seat], None]


class EnvironmentSeat(Seat):
    """A seat with an ordinary environment, for any adapter.

    A simulator that is lost costs its episode and a warning. environment: of the present episode.
    """

    environment: Environment

    def __init__(self, adapter: Adapter, dialect: Dialect, rules: Rules, budgets: Budgets) -> None:
        self._adapter, self._dialect = adapter, dialect
        self._rules, self._budgets = rules, budgets

    def begin(self, task: Task, seed: int) -> None:
        self.environment = Environment(
            self._adapter, task, self._dialect, rules=self._rules, budgets=self._budgets, seed=seed
        )
        self._take_in(self.environment.reset())
        self.instruction = self.environment.instruction

    def step(self, action: str) -> None:
        try:
            self._take_in(self.environment.step(action))
        except (EpisodeVoided, SimulatorDied) as error:
            warnings.warn(f"An episode is void: {error}", stacklevel=2)
            self._adapter.close()
            self.text, self.ended = VOID, "voided"

    def refuse(self, said: str, reason: str) -> None:
        self._take_in(self.environment.refuse(said, reason))

    def done(self) -> None:
        if self.environment.rules.feedback is Feedback.NONE:
            self.ended = "done"
        else:
            self._take_in(self.environment.check_goal())

    def menu(self) -> Sequence[str]:
        return self.environment.menu()

    def standing(self) -> Standing:
        now = self.environment.standing()
        return now._replace(success=False) if self.ended == "voided" else now

    def close(self) -> None:
        self._adapter.close()

    def _take_in(self, percept: Percept) -> None:
        """Keep what the agent gets."""
        failure = None if percept.outcome is None else percept.outcome.failure
        self.text, self.ended, self.steps = percept.text, percept.ended, percept.step
        self.is_refused = percept.refused is not None
        self.failure = None if failure is None else str(failure.reason)

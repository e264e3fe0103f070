"""The contract of an episode in a batch, and the episode of any adapter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ...adapters.contract import Adapter
from ...observation_text.dialect import Dialect
from ...scene_graph.rules import Budgets, Feedback, Rules
from ...scene_graph.task import Task
from ..environment import Environment, Standing


class Seat(ABC):
    """A place of a batch, in which one episode is played after the other.

    text: the last observation. ended: why the episode is over; None while it goes on. instruction:
    with the names that the agent knows.
    """

    text: str
    ended: str | None
    instruction: str

    @abstractmethod
    def begin(self, task: Task, seed: int) -> None:
        """Begin an episode."""

    @abstractmethod
    def step(self, action: str) -> None:
        """Try a text of the dialect. Only while the episode goes on."""

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


class EnvironmentSeat(Seat):
    """A seat with an ordinary environment, for any adapter."""

    def __init__(self, adapter: Adapter, dialect: Dialect, rules: Rules, budgets: Budgets) -> None:
        self._adapter, self._dialect = adapter, dialect
        self._rules, self._budgets = rules, budgets

    def begin(self, task: Task, seed: int) -> None:
        self._environment = Environment(
            self._adapter, task, self._dialect, rules=self._rules, budgets=self._budgets, seed=seed
        )
        percept = self._environment.reset()
        self.text, self.ended = percept.text, percept.ended
        self.instruction = self._environment.instruction

    def step(self, action: str) -> None:
        percept = self._environment.step(action)
        self.text, self.ended = percept.text, percept.ended

    def done(self) -> None:
        if self._environment.rules.feedback is Feedback.NONE:
            self.ended = "done"
        else:
            percept = self._environment.check_goal()
            self.text, self.ended = percept.text, percept.ended

    def menu(self) -> Sequence[str]:
        return self._environment.menu()

    def standing(self) -> Standing:
        return self._environment.standing()

    def close(self) -> None:
        self._adapter.close()

"""What is counted while an episode is played, and the ends and failures that follow from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..scene_graph.rules import Budgets, Rules
from ..skills.outcomes import FailureClass, Outcome, Reason


@dataclass
class Tally:
    """What is counted of an episode.

    reward: of the trials before this one. in_a_row: the newest actions that came to nothing.
    infeasible: the actions of this trial that could not be done as the world was. All else is of
    the whole episode.
    """

    steps: int = 0
    retries: int = 0
    duration_s: float = 0.0
    reward: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    in_a_row: int = 0
    infeasible: int = 0

    def new_trial(self) -> None:
        """Count anew what is counted by trial."""
        self.in_a_row = self.infeasible = 0

    def done(self, outcome: Outcome, redacted: Outcome) -> None:
        """Count what came of an action. redacted: as whoever acts is told it."""
        self.duration_s += outcome.duration_s
        self.retries += outcome.retries
        self.in_a_row = 0 if outcome.success else self.in_a_row + 1
        if outcome.failure is not None and outcome.failure.kind is FailureClass.PRECONDITION:
            self.infeasible += 1
        if redacted.failure is not None:
            self.failures[str(redacted.failure.reason)] += 1

    def refused(self, *, costs_step: bool) -> None:
        """Count words that are no action."""
        self.in_a_row += 1
        if costs_step:
            self.steps += 1
            self.infeasible += 1
            self.failures[str(Reason.UNKNOWN)] += 1

    def fails(self, rules: Rules) -> bool:
        """Whether an action was infeasible where none may be."""
        return rules.infeasible_fails and self.infeasible > 0

    def ends(self, rules: Rules, budgets: Budgets) -> str | None:
        """Why the episode is over by what was counted, None while it goes on."""
        limit = rules.infeasible_in_a_row
        if limit is not None and self.in_a_row >= limit:
            return "infeasible"
        return "steps" if self.steps >= budgets.steps else None

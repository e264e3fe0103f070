"""The rules of an episode: its budgets, its end, and its rewards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..errors import BadInput


@dataclass(frozen=True)
class Budgets:
    """Limits of an episode.

    steps: actions that reach the world, over all trials. decisions: as counted by
    `planners.contract.counts`. planning_s: seconds of planning, without waiting for a model.
    walking_steps: actions of a body that has to go to what it acts on, where `steps` are those of
    one that approaches by itself; None: as many.
    """

    steps: int = 200
    decisions: int = 400
    planning_s: float = 600.0
    walking_steps: int | None = None

    def of_body(self, *, approaches: bool) -> Budgets:
        """The limits for a body. approaches: whether it goes by itself to what it acts on."""
        if approaches or self.walking_steps is None:
            return self
        return replace(self, steps=self.walking_steps)


class Ends(StrEnum):
    """When an episode ends within its budgets."""

    GOAL_REACHED = "goal_reached"
    PLANNER_DONE = "planner_done"  # scored when the planner declares that it is done


class RefusedText(StrEnum):
    """The cost of action text that the dialect cannot parse."""

    FREE = "free"  # the planner gets the reason; no step is counted
    STEP = "step"  # fails as an unknown thing and costs a step (LLM-State)


class Feedback(StrEnum):
    """The answer to a planner that declares that it is done."""

    NONE = "none"  # the episode ends
    GOAL_CHECK = "goal_check"  # whether the goal holds; if not, the episode goes on


@dataclass(frozen=True)
class Rewards:
    """Rewards and costs, all in one unit without a name."""

    goal: float = 1.0
    """Once, when the goal is reached."""
    progress: float = 0.0
    """Times the share of the goal's literals that a step fulfils; negative if it undoes some."""
    step: float = 0.0
    """For every action."""
    failed: float = 0.0
    """For every failed action."""
    verbs: Mapping[str, float] = field(default_factory=dict)
    """For every action of a verb that was done."""
    travel: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """For an action that takes the agent from one piece of furniture to another, by category."""

    def __post_init__(self) -> None:
        """Raise BadInput for a number that is not finite; results have no means of such."""
        ways = (each for row in self.travel.values() for each in row.values())
        numbers = (self.goal, self.progress, self.step, self.failed, *self.verbs.values(), *ways)
        for number in numbers:
            if not math.isfinite(number):
                raise BadInput(f"A reward is {number}; give the suite's rewards finite numbers.")

    def way(self, start: str | None, end: str | None) -> float:
        """The reward for going from one piece of furniture to another; 0 by default."""
        if start is None or end is None:
            return 0.0
        return self.travel.get(start, {}).get(end, 0.0)


@dataclass(frozen=True)
class Rules:
    """How an episode goes, apart from its budgets."""

    ends: Ends = Ends.GOAL_REACHED
    """When the episode ends."""
    refused: RefusedText = RefusedText.FREE
    """The cost of action text that cannot be parsed."""
    feedback: Feedback = Feedback.NONE
    """The answer to a planner that declares that it is done."""
    rewards: Rewards = field(default_factory=Rewards)
    """Rewards and costs."""
    infeasible_in_a_row: int | None = None
    """Consecutive failed or refused actions that end the episode; None for no limit."""
    infeasible_fails: bool = False
    """Whether one failed action fails the episode although its goal holds (the validator of
    GraSIF).
    """
    trials: int = 1
    """How often a planner may start the task within the budgets."""
    confirms_placements: bool = False
    """Whether each observation lists the visible things that lie where an acceptable goal puts them
    (Tru-POMDP, appendix A.1).
    """

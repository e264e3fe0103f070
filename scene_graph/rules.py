"""The rules of an episode: its budgets, how it ends, and what it is rewarded for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True)
class Budgets:
    """How long an episode may be.

    steps: actions that reach the world, over all trials. decisions: what a planner yields, see
    `planners.contract.counts`. planning_s: seconds of the planner's own; those in
    which it waits for a model do not count.
    """

    steps: int = 200
    decisions: int = 400
    planning_s: float = 600.0


class Ends(StrEnum):
    """When an episode ends before its budgets are used up."""

    GOAL_REACHED = "goal_reached"
    PLANNER_DONE = "planner_done"  # scored when the planner says that it is done


class RefusedText(StrEnum):
    """What an action in words costs that the dialect cannot parse."""

    FREE = "free"  # the planner is told why, and the world stands still
    STEP = "step"  # it is tried, fails as an unknown thing, and costs a step (LLM-State)


class Feedback(StrEnum):
    """What a planner that says it is done is told."""

    NONE = "none"  # the episode ends
    GOAL_CHECK = "goal_check"  # whether the goal holds; where it does not, the episode goes on


@dataclass(frozen=True)
class Rewards:
    """What an episode is rewarded for and what actions cost, in one unit without a name.

    goal: once, when the goal is reached. progress: times the share of the goal's literals that a
    step fulfils (negative where it undoes some). step: added for every action. failed: added for
    an action that failed. verbs: added for an action of this verb that was done. travel: added for
    an action by which the agent comes from one piece of furniture to another, by their categories.
    """

    goal: float = 1.0
    progress: float = 0.0
    step: float = 0.0
    failed: float = 0.0
    verbs: Mapping[str, float] = field(default_factory=dict)
    travel: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def way(self, start: str | None, end: str | None) -> float:
        """What the way between two pieces of furniture adds; 0 where nothing is said of it."""
        if start is None or end is None:
            return 0.0
        return self.travel.get(start, {}).get(end, 0.0)


@dataclass(frozen=True)
class Rules:
    """How an episode goes, apart from its budgets.

    infeasible_in_a_row: failed or refused actions after which the episode ends, None for no limit.
    infeasible_fails: whether an episode fails in which an action could not be done, although its
    goal holds (the validator of GraSIF). trials: how often a planner may begin the task anew within
    the budgets. confirms_placements: whether whoever acts is told at every step which things in
    view lie where some acceptable goal has them (Tru-POMDP, appendix A.1).
    """

    ends: Ends = Ends.GOAL_REACHED
    refused: RefusedText = RefusedText.FREE
    feedback: Feedback = Feedback.NONE
    rewards: Rewards = field(default_factory=Rewards)
    infeasible_in_a_row: int | None = None
    infeasible_fails: bool = False
    trials: int = 1
    confirms_placements: bool = False

"""The figures of a run, by their field names, each with an interval.

GSR: goal success rate (= SR), the share of episodes whose goal holds at the end, with the Wilson
score interval. Episodes whose simulator was lost for good (voided) and those that nobody could
score are counted beside it, see `Outcomes`, and are in no figure. Informed: of the tasks that
depend on something hidden, the share whose goal holds and not by luck (`Task.required_evidence`).
SSR: subgoal success rate, the mean over episodes of the share of literals fulfilled. APP: average
plan precision, the mean over episodes of the share of the nodes to change that are right at the
end. steps_or_limit: steps, with all that were allowed where an episode failed (LLM-State). TPA: tokens per action, the mean over successful episodes of the tokens of planning, in and
out, by the actions tried. Both are LookPlanGraph's (appendix B); `EpisodeResult` says what is
counted. Means carry a percentile bootstrap interval over tasks. All intervals are 95 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .result import EpisodeResult, failure_histogram

_Z95 = 1.959963984540054
_RESAMPLES = 2000
#: Kinds of tasks in a table at most.
_KINDS = 24
_SEED = 20240229  # fixed, so that the same results always give the same interval


@dataclass(frozen=True)
class Estimate:
    """A mean or rate with its 95 % interval."""

    mean: float
    low: float
    high: float


def wilson(successes: int, trials: int) -> Estimate:
    """A rate with the Wilson score interval. Raises ValueError unless 0 <= successes <= trials."""
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} successes of {trials} trials have no rate")
    rate = successes / trials
    square = _Z95 * _Z95
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    spread = (
        _Z95
        / (1 + square / trials)
        * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    )
    # At the ends the bounds are the rate itself, which rounding would miss.
    low = middle - spread if successes else 0.0
    high = middle + spread if successes < trials else 1.0
    return Estimate(rate, low, high)


def bootstrap(values: Sequence[float]) -> Estimate:
    """A mean with the percentile bootstrap interval, from a fixed seed. values: at least one."""
    import numpy as np

    data = np.asarray(values, dtype=float)
    picks = np.random.default_rng(_SEED).integers(0, len(data), size=(_RESAMPLES, len(data)))
    means = data[picks].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(data.mean()), float(low), float(high))


@dataclass(frozen=True)
class Outcomes:
    """How many of a run's finished episodes are in its figures, and how many are not.

    scored: in all figures. voided: the simulator was lost for good. unscored: nobody could tell
    whether the goal holds.
    """

    scored: int
    voided: int
    unscored: int

    @classmethod
    def of(cls, results: Sequence[EpisodeResult]) -> Outcomes:
        scored, voided = len(scored_of(results)), sum(result.is_voided for result in results)
        return cls(scored, voided, len(results) - scored - voided)

    @property
    def text(self) -> str:
        """Such as "18 scored episodes, 2 voided"."""
        told = f"{self.scored} scored episode{'s' if self.scored != 1 else ''}"
        told += f", {self.voided} voided" if self.voided else ""
        return told + (f", {self.unscored} not scored" if self.unscored else "")


def scored_of(results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """The episodes that figures are made of."""
    return [result for result in results if result.success is not None]


def summarize(results: Sequence[EpisodeResult]) -> dict[str, Estimate]:
    """The figures of a run's scored episodes, by name; empty where there are none."""
    results = scored_of(results)
    if not results:
        return {}
    figures = {
        "gsr": wilson(sum(bool(result.success) for result in results), len(results)),
        "ssr": bootstrap([result.progress or 0.0 for result in results]),
        "steps": bootstrap([result.steps for result in results]),
        "steps_or_limit": bootstrap([result.steps_or_limit for result in results]),
        "failed_actions": bootstrap([sum(result.failures.values()) for result in results]),
        "reward": bootstrap([result.reward for result in results]),
        "decisions": bootstrap([result.decisions for result in results]),
        "retries": bootstrap([result.retries for result in results]),
        "planning_s": bootstrap([result.planning_s for result in results]),
    }
    hidden = [result for result in results if result.informed is not None]
    if hidden:
        figures["informed"] = wilson(
            sum(bool(r.success and r.informed) for r in hidden), len(hidden)
        )
    precise = [(r.correct_nodes or 0) / r.changed_nodes for r in results if r.changed_nodes]
    if precise:
        figures["app"] = bootstrap(precise)
    if any(result.calls for result in results):
        figures |= {
            "calls": bootstrap([result.calls for result in results]),
            "model_s": bootstrap([result.model_s for result in results]),
            "tokens": bootstrap([result.tokens for result in results]),
            "tokens_in": bootstrap([result.tokens_in for result in results]),
            "tokens_cached": bootstrap([result.tokens_cached for result in results]),
            "tokens_out": bootstrap([result.tokens_out for result in results]),
            "peak_tokens_in": bootstrap([result.peak_tokens_in for result in results]),
            "usd": bootstrap([result.usd for result in results]),
        }
        fresh = [(r.tokens_in - r.tokens_cached) / r.steps for r in results if r.steps]
        if fresh:
            figures["fresh_tokens_per_step"] = bootstrap(fresh)
        if any(result.calls_cached for result in results):
            figures["calls_cached"] = bootstrap([result.calls_cached for result in results])
            figures["usd_saved"] = bootstrap([result.usd_saved for result in results])
        per_action = [r.planning_tokens / r.steps for r in results if r.success and r.steps]
        if per_action:
            figures["tpa"] = bootstrap(per_action)
    return figures


@dataclass(frozen=True)
class KindFigures:
    """What came of the tasks of one kind. informed: None where they depend on nothing hidden."""

    episodes: int
    successes: int
    informed: int | None
    steps: float


def by_kind(runs: Sequence[Sequence[EpisodeResult]]) -> dict[str, list[KindFigures | None]]:
    """Of each kind of task, in order, its figures in every run; None where a run has none of it.

    The kind is what a task's id has before its last slash. Empty where there is one kind only, or
    too many for a table. Of scored episodes only.
    """
    grouped: list[dict[str, list[EpisodeResult]]] = []
    for results in runs:
        of_kind: dict[str, list[EpisodeResult]] = {}
        for result in scored_of(results):
            of_kind.setdefault(result.task.rpartition("/")[0], []).append(result)
        grouped.append(of_kind)
    kinds = dict.fromkeys(kind for of_kind in grouped for kind in of_kind)
    if not 1 < len(kinds) <= _KINDS:
        return {}
    return {
        kind: [_kind_figures(of_kind[kind]) if kind in of_kind else None for of_kind in grouped]
        for kind in kinds
    }


def _kind_figures(results: Sequence[EpisodeResult]) -> KindFigures:
    hidden = [result for result in results if result.informed is not None]
    return KindFigures(
        episodes=len(results),
        successes=sum(bool(result.success) for result in results),
        informed=sum(bool(r.success and r.informed) for r in hidden) if hidden else None,
        steps=sum(result.steps for result in results) / len(results),
    )


def run_data(folder: str, results: Sequence[EpisodeResult]) -> dict[str, Any]:
    """The one JSON document of `run --json`."""
    return {
        "run": folder,
        "episodes": len(results),
        **asdict(Outcomes.of(results)),
        "results": {name: asdict(figure) for name, figure in summarize(results).items()},
        "kinds": {kind: asdict(own) for kind, (own,) in by_kind([results]).items() if own},
        "failures": failure_histogram(scored_of(results)),
        "ended": dict(Counter(result.ended for result in results).most_common()),
    }

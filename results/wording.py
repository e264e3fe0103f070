"""Results in words: endings, verdicts, refused answers, and detections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..episodes.augmentation import total
from ..episodes.result import EpisodeResult, histogram
from ..planners.kits.detectors.from_model import FAILURES
from ..skills.outcomes import Outcome, Reason
from .metrics import FIGURES, scored_of, summarize, unknown_of

#: Why episodes ended, in words.
ENDINGS = {
    "goal_reached": "the goal was reached",
    "done": "the planner said that it was done",
    "gave_up": "the planner gave up",
    "no_answer": "the model gave no usable answer",
    "steps": "no steps were left",
    "decisions": "no decisions were left",
    "planning_time": "no planning time was left",
    "infeasible": "too many actions in a row failed",
    "planner_error": "the planner failed",
    "voided": "the simulator was lost",
    "stopped": "the arm's protective stop was tripped",
}

#: The verdict of an episode, by `EpisodeResult.success`.
VERDICTS = {True: "Success", False: "Failure", None: "Not scored"}

#: Figures of detections, in words.
_FIGURES = {"node_f1": "node F1", "edge_f1": "edge F1", "exact_looks": "all right"}


def augmentation_text(results: Sequence[EpisodeResult]) -> str:
    """Such as "40 looks, 3 of them where nothing was; node F1 91.0 % [87.1, 95.0] …".

    Empty where nothing was looked for.
    """
    score = total(result.augmentation for result in scored_of(results))
    if score is None:
        return ""
    figures = summarize(results)
    looks = f"{score.looks} look{'s' if score.looks != 1 else ''}"
    parts = [f"{looks}, {score.empty} of them where nothing was" if score.empty else looks]
    for key, words in _FIGURES.items():
        if key in figures:
            parts.append(f"{words} {' % '.join(figures[key].lines(100))}")
    parts += [f"{score.failed} without an image or an answer"] if score.failed else []
    unusable = {why: count for why, count in score.unusable.items() if why not in FAILURES}
    if unusable:
        counts = ", ".join(f"{why.replace('_', ' ')} {n}" for why, n in sorted(unusable.items()))
        parts.append(f"left out of answers: {counts}")
    return "; ".join(parts)


def unknown_text(results: Sequence[EpisodeResult]) -> str:
    """Such as "SSR % of 2 of 20 episodes, which are left out of its mean"; empty for none."""
    counts = {FIGURES[name][0]: count for name, count in unknown_of(results).items()}
    scored = len(scored_of(results))
    return "; ".join(
        f"{head} of {count} of {scored} episodes, which are left out of its mean"
        for head, count in counts.items()
    )


def refusals_text(results: Sequence[EpisodeResult]) -> str:
    """Such as "4 refused (unknown node 3, words 1); 12 completed by rule"; empty for none."""
    results = scored_of(results)
    counts = histogram(result.refused for result in results)
    completed = sum(result.corrections for result in results)
    kinds = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    parts = [f"{sum(counts.values())} refused ({kinds})"] if counts else []
    parts += [f"{completed} completed by rule"] if completed else []
    return "; ".join(parts)


def failure_text(outcome: Outcome) -> str:
    """Why an action failed, in words; for one that was not confirmed, what does not hold, and for
    one that was denied, why.
    """
    if outcome.failure is None:
        return ""
    text = outcome.failure.reason.replace("_", " ")
    if outcome.failure.reason is Reason.DENIED:
        return ": ".join(filter(None, (text, outcome.failure.detail)))
    if outcome.failure.reason is not Reason.NOT_CONFIRMED or not outcome.attempts:
        return text
    return ": ".join(filter(None, (text, outcome.attempts[-1].message)))


def rewarded(rewards: Iterable[float]) -> bool:
    """Whether rewards say more than success does; by default the goal alone gives 1."""
    return any(each not in (0.0, 1.0) for each in rewards)

"""The figures of a run by name, each with a 95 % interval; docs/reference/results.md defines them.

Voided episodes and those that nobody could score are counted separately (`Outcomes`) and are in no
figure. A value that nobody knows, such as the progress of a goal that nobody can check, or a reward
that is no finite number, is in no mean either (`unknown_of`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..episodes.result import EpisodeResult, histogram
from ..errors import BadInput
from .statistics.estimates import Estimate, mean_over_tasks, rate_over_tasks, ratio_over_tasks

#: Most kinds of tasks in a table.
_KINDS = 24
#: The kind of tasks without one.
OTHER = "other"


#: Headings of figures in tables, with their factors.
FIGURES = {
    "gsr": ("GSR %", 100.0),
    "ssr": ("SSR %", 100.0),
    "steps": ("steps", 1.0),
    "limit_steps": ("steps, failures at the limit", 1.0),
    "decisions": ("decisions", 1.0),
    "informed": ("informed %", 100.0),
    "app": ("APP %", 100.0),
    "tpa": ("TPA", 1.0),
    "reward": ("reward", 1.0),
    "planning_s": ("planning s", 1.0),
    "thinking_s": ("planning s with the models' replies", 1.0),
    "tokens": ("tokens", 1.0),
    "tokens_in": ("tokens in", 1.0),
    "peak_tokens_in": ("peak tokens in", 1.0),
    "node_f1": ("node F1 %", 100.0),
    "edge_f1": ("edge F1 %", 100.0),
    "exact_looks": ("all right %", 100.0),
}


def check_figures(names: Iterable[str]) -> None:
    """Raise BadInput for a name that is none of `FIGURES`."""
    for name in names:
        if name not in FIGURES:
            raise BadInput(f"There is no figure '{name}'; choose among {', '.join(FIGURES)}.")


@dataclass(frozen=True)
class Outcomes:
    """Finished episodes of a run: those in its figures, and those left out.

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
        text = f"{self.scored} scored episode{'s' if self.scored != 1 else ''}"
        text += f", {self.voided} voided" if self.voided else ""
        return text + (f", {self.unscored} not scored" if self.unscored else "")


def scored_of(results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """The scored episodes, of which figures are made."""
    return [result for result in results if result.success is not None]


_Value = Callable[[EpisodeResult], float | None]

#: Means of all scored episodes whose value is known, by name.
_MEANS: dict[str, _Value] = {
    "ssr": lambda r: r.progress,
    "steps": lambda r: r.steps,
    "failed_actions": lambda r: sum(r.failures.values()),
    "reward": lambda r: r.reward,
    "decisions": lambda r: r.decisions,
    "retries": lambda r: r.retries,
    "planning_s": lambda r: r.planning_s,
    "thinking_s": lambda r: r.planning_s + r.model_s,
}
#: Means of all scored episodes, where models were asked.
_MODEL_MEANS: dict[str, _Value] = {
    "calls": lambda r: r.calls,
    "model_s": lambda r: r.model_s,
    "tokens": lambda r: r.tokens,
    "tokens_in": lambda r: r.tokens_in,
    "tokens_cached": lambda r: r.tokens_cached,
    "tokens_out": lambda r: r.tokens_out,
    "peak_tokens_in": lambda r: r.peak_tokens_in,
    "usd": lambda r: r.usd,
}
#: Means of all scored episodes, where some replies came from the reply cache.
_CACHED_MEANS: dict[str, _Value] = {
    "calls_cached": lambda r: r.calls_cached,
    "usd_saved": lambda r: r.usd_saved,
}


def value_of(figure: str, result: EpisodeResult) -> float | None:
    """An episode's value of a figure that is a mean over scored episodes.

    None where it is unknown, and for other figures.
    """
    match figure:
        case "gsr":
            return float(bool(result.success))
        case "limit_steps" if result.success or result.step_limit is not None:
            return _limited(result)
    value = (_MEANS | _MODEL_MEANS).get(figure)
    return None if value is None else _known(value(result))


def _known(value: float | None) -> float | None:
    """The value if it is a finite number."""
    return value if value is not None and math.isfinite(value) else None


def unknown_of(results: Sequence[EpisodeResult]) -> dict[str, int]:
    """The number of scored episodes whose value is unknown, by figure; only such figures."""
    scored = scored_of(results)
    counts = {name: sum(_known(value(r)) is None for r in scored) for name, value in _MEANS.items()}
    return {name: count for name, count in counts.items() if count}


def _limited(result: EpisodeResult) -> float:
    """The steps of an episode; a failure counts as all its allowed steps."""
    return result.steps if result.success else result.step_limit or result.steps


def _precision(result: EpisodeResult) -> float:
    """The share of the nodes to change that are right."""
    return (result.correct_nodes or 0) / (result.changed_nodes or 1)


def _fresh_tokens(result: EpisodeResult) -> float:
    """Tokens of a step that the servers had not read before."""
    return (result.tokens_in - result.tokens_cached) / result.steps


def summarize(results: Sequence[EpisodeResult]) -> dict[str, Estimate]:
    """The figures of a run's scored episodes, by name; empty where there are none."""
    results = scored_of(results)
    if not results:
        return {}
    figures = {"gsr": rate_over_tasks([(r.task, bool(r.success)) for r in results])}
    figures |= _means(results, _MEANS)
    limited = [result for result in results if result.success or result.step_limit is not None]
    if len(limited) == len(results):
        figures |= _means(results, {"limit_steps": _limited})
    hidden = [result for result in results if result.informed is not None]
    if hidden:
        figures["informed"] = rate_over_tasks(
            [(r.task, bool(r.success and r.informed)) for r in hidden]
        )
    precise = [result for result in results if result.changed_nodes]
    if precise:
        figures |= _means(precise, {"app": _precision})
    figures |= _augmentation(results)
    if any(result.refused for result in results):
        figures |= _means(results, {"refused_answers": lambda r: sum(r.refused.values())})
    if any(result.corrections for result in results):
        figures |= _means(results, {"corrections": lambda r: r.corrections})
    if not any(result.calls for result in results):
        return figures
    figures |= _means(results, _MODEL_MEANS)
    acted = [result for result in results if result.steps]
    if acted:
        figures |= _means(acted, {"fresh_tokens_per_step": _fresh_tokens})
    if any(result.calls_cached for result in results):
        figures |= _means(results, _CACHED_MEANS)
    succeeded = [result for result in acted if result.success]
    if succeeded:
        figures |= _means(succeeded, {"tpa": lambda r: r.planning_tokens / r.steps})
    return figures


def _augmentation(results: Sequence[EpisodeResult]) -> dict[str, Estimate]:
    """The figures of detections; empty where nothing was looked for."""
    looked = [(r.task, r.augmentation) for r in results if r.augmentation is not None]
    if not looked:
        return {}
    tasks = [task for task, _ in looked]
    figures = {"looks": mean_over_tasks([score.looks for _, score in looked], tasks)}
    parts = {
        "node_f1": [(2 * s.nodes.right, s.nodes.compared) for _, s in looked],
        "edge_f1": [(2 * s.edges.right, s.edges.compared) for _, s in looked],
        "exact_looks": [(s.exact, s.looks - s.empty) for _, s in looked],
    }
    for name, pairs in parts.items():
        above, below = zip(*pairs, strict=True)
        if sum(below):
            figures[name] = ratio_over_tasks(above, below, tasks)
    return figures


def _means(results: Sequence[EpisodeResult], values: Mapping[str, _Value]) -> dict[str, Estimate]:
    """The means over the episodes whose value is known, by name; none where it is never known."""
    found = {}
    for name, value in values.items():
        pairs = ((result.task, _known(value(result))) for result in results)
        known = [(task, each) for task, each in pairs if each is not None]
        if known:
            tasks, numbers = zip(*known, strict=True)
            found[name] = mean_over_tasks(numbers, tasks)
    return found


@dataclass(frozen=True)
class KindFigures:
    """The results of one kind of tasks. informed: None where they depend on nothing hidden."""

    episodes: int
    successes: int
    informed: int | None
    steps: float


def kind_by_id(task: str) -> str:
    """The kind of a task by its id: the part before the last slash, "other" without one."""
    return task.rpartition("/")[0] or OTHER


def by_kind(
    runs: Sequence[Sequence[EpisodeResult]], kind_of: Callable[[str], str] = kind_by_id
) -> dict[str, list[KindFigures | None]]:
    """Figures by kind of task and run, from scored episodes; None where a run has none.

    kind_of: the kind of a task, by its id. Empty for a single kind, or too many for a table.
    """
    grouped: list[dict[str, list[EpisodeResult]]] = []
    for results in runs:
        of_kind: dict[str, list[EpisodeResult]] = {}
        for result in scored_of(results):
            of_kind.setdefault(kind_of(result.task), []).append(result)
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
        "unknown": unknown_of(results),
        "results": {name: asdict(figure) for name, figure in summarize(results).items()},
        "kinds": {kind: asdict(own) for kind, (own,) in by_kind([results]).items() if own},
        "failures": histogram(result.failures for result in scored_of(results)),
        "refused": histogram(result.refused for result in scored_of(results)),
        "ended": dict(Counter(result.ended for result in results).most_common()),
    }

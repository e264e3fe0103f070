"""Comparisons on a page: rates, paired differences, failures, costs, figures of papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

from ...episodes.result import EpisodeResult
from ..metrics import FIGURES, scored_of, summarize
from ..pairing import Paired, paired_results
from ..papers import Grid, GridRow, results_of_row, rows_of
from ..statistics.estimates import Estimate, rate_over_tasks
from ..statistics.paired_tests import Key, holm
from .runs import Episode, ReportedRun

#: Most pairs of planners in a suite; with more planners, each is compared with the best.
_MOST_PAIRS = 21


@dataclass(frozen=True)
class Contender:
    """A planner with its episodes by suite.

    label: as in results, with the folder of the run where several runs have the same episodes.
    """

    label: str
    episodes: Mapping[str, tuple[Episode, ...]]

    @property
    def everything(self) -> list[Episode]:
        return [episode for each in self.episodes.values() for episode in each]

    def results_in(self, suite: str) -> list[EpisodeResult]:
        """Results of its scored episodes in a suite, or "" for all suites."""
        own = self.episodes.get(suite, ()) if suite else self.everything
        return scored_of([episode.result for episode in own if episode.result is not None])


@dataclass(frozen=True)
class Difference:
    """Two planners on the tasks of a suite that both played.

    comparison: the result, or a sentence on why there is none. holm: the p of success, corrected
    for the comparisons of the suite.
    """

    first: str
    second: str
    comparison: Paired | str
    holm: float | None

    @property
    def size(self) -> float:
        found = self.comparison
        return -1.0 if isinstance(found, str) else abs(found.success.difference.value)


def contenders(runs: Sequence[ReportedRun]) -> list[Contender]:
    """The planners of runs with their episodes, all seeds of a planner together."""
    by_planner: dict[str, list[ReportedRun]] = {}
    for run in runs:
        by_planner.setdefault(run.planner, []).append(run)
    found = []
    for planner, own in by_planner.items():
        played = [(run.suite, e.name, e.seed) for run in own for e in run.episodes]
        if len(set(played)) == len(played):
            found.append(_contender(planner, own))
        else:  # runs of the same episodes stay apart
            found += [_contender(run.label, [run]) for run in own]
    return found


def _contender(label: str, runs: Sequence[ReportedRun]) -> Contender:
    episodes: dict[str, tuple[Episode, ...]] = {}
    for run in runs:
        episodes[run.suite] = (*episodes.get(run.suite, ()), *run.episodes)
    return Contender(label, episodes)


def rate_of(episodes: Sequence[Episode]) -> tuple[Estimate, int] | None:
    """The success rate of episodes with its interval, and the number of scored ones."""
    scored = scored_of([episode.result for episode in episodes if episode.result is not None])
    if not scored:
        return None
    return rate_over_tasks([(result.task, bool(result.success)) for result in scored]), len(scored)


def differences(everyone: Sequence[Contender], suite: str) -> list[Difference]:
    """The paired comparisons of a suite, the largest difference first."""
    own = {c.label: results for c in everyone if (results := _by_key(c.episodes.get(suite, ())))}
    found = [(a, b, paired_results(own[a], own[b])) for a, b in _pairs(own)]
    corrected = iter(holm([p.success.p for _, _, p in found if isinstance(p, Paired)]))
    compared = [
        Difference(a, b, each, next(corrected) if isinstance(each, Paired) else None)
        for a, b, each in found
    ]
    return sorted(compared, key=lambda each: -each.size)


def _pairs(own: Mapping[str, Mapping[Key, EpisodeResult]]) -> Iterator[tuple[str, str]]:
    labels = list(own)
    if len(labels) * (len(labels) - 1) // 2 <= _MOST_PAIRS:
        yield from combinations(labels, 2)
        return
    best = max(labels, key=lambda label: fmean(bool(r.success) for r in own[label].values()))
    yield from ((best, label) for label in labels if label != best)


def _by_key(episodes: Sequence[Episode]) -> dict[Key, EpisodeResult]:
    return {
        (episode.task, episode.seed): episode.result
        for episode in episodes
        if episode.result is not None and episode.result.success is not None
    }


@dataclass(frozen=True)
class FailureCounts:
    """A class of docs/reference/failures.md with its number of episodes by planner."""

    words: str
    counts: Mapping[str, int]


def failure_classes(everyone: Sequence[Contender]) -> list[FailureCounts]:
    """The classes of failures, the most frequent first."""
    counts = {c.label: Counter(e.why.kind.words for e in c.everything if e.why) for c in everyone}
    total: Counter[str] = Counter()
    for each in counts.values():
        total.update(each)
    return [
        FailureCounts(words, {label: own[words] for label, own in counts.items()})
        for words, _ in total.most_common()
    ]


@dataclass(frozen=True)
class Cost:
    """The total cost of a planner's scored episodes: replies, tokens, US dollars, seconds."""

    label: str
    """The planner."""
    episodes: int
    """Scored episodes."""
    successes: int
    """Successful ones."""
    calls: int
    """Replies of models."""
    tokens_in: int
    """Tokens read by models."""
    tokens_out: int
    """Tokens written by models."""
    usd: float
    """US dollars."""
    planning_s: float
    """Seconds of the planner."""
    model_s: float
    """Seconds of the models' replies."""
    simulator_s: float
    """Seconds in the simulator."""
    purposes: Mapping[str, int]
    """Tokens by purpose."""

    def per_episode(self, value: float) -> float:
        return value / self.episodes

    def per_success(self, value: float) -> float | None:
        """The cost of a success, failures included; None without success."""
        return value / self.successes if self.successes else None


def costs(everyone: Sequence[Contender]) -> list[Cost]:
    """The cost of each planner with scored episodes."""
    return [_cost(c.label, results) for c in everyone if (results := c.results_in(""))]


def _cost(label: str, results: Sequence[EpisodeResult]) -> Cost:
    purposes: Counter[str] = Counter()
    for result in results:
        purposes.update(result.purposes)
    return Cost(
        label=label,
        episodes=len(results),
        successes=sum(bool(result.success) for result in results),
        calls=sum(result.calls for result in results),
        tokens_in=sum(result.tokens_in for result in results),
        tokens_out=sum(result.tokens_out for result in results),
        usd=sum(result.usd for result in results),
        planning_s=sum(result.planning_s for result in results),
        model_s=sum(result.model_s for result in results),
        simulator_s=sum(result.duration_s for result in results),
        purposes=dict(purposes.most_common()),
    )


@dataclass(frozen=True)
class PaperRow:
    """A row of a table. cells: by figure, the runs' value and the paper's; None for none."""

    name: str
    scored: int
    cells: tuple[tuple[Estimate | None, float | None], ...]


@dataclass(frozen=True)
class PaperTable:
    """The table of a suite. figures: headings of the columns."""

    suite: str
    figures: tuple[str, ...]
    rows: tuple[PaperRow, ...]


def paper_tables(grid: Grid, folder: Path) -> list[PaperTable]:
    """The tables of a grid whose runs are in a folder, for suites that were played."""
    tables = []
    for suite in grid.suites:
        results = {
            row.name: results_of_row(grid, folder, suite, row) or [] for row in rows_of(grid)
        }
        if any(results.values()):
            heads = tuple(FIGURES[name][0] for name in grid.figures)
            rows = [_row(grid, suite, row, results[row.name]) for row in rows_of(grid)]
            tables.append(PaperTable(suite, heads, tuple(rows)))
    return tables


def _row(grid: Grid, suite: str, row: GridRow, results: Sequence[EpisodeResult]) -> PaperRow:
    figures, paper = summarize(results), row.paper(suite)
    cells = tuple(
        (figures[name].times(FIGURES[name][1]) if name in figures else None, paper.get(name))
        for name in grid.figures
    )
    return PaperRow(row.name, len(scored_of(results)), cells)

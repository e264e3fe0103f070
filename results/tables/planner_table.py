"""Planners by suites as a table of a paper: each figure with its interval, the best marked.

In each column the best mean over the tasks that all planners have is marked, and every planner that
is not significantly worse on these, at p > 0.05 after Holm's correction over the column. Equal
means are marked alike. Where the tasks are too few for any significant difference, only the best
mean is marked. A planner with too few of the common tasks is not marked. The notes say so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from ...episodes.result import EpisodeResult
from ...episodes.run_file import read_run
from ...errors import BadInput
from ..experiments import experiments, task_names
from ..metrics import FIGURES, check_figures, scored_of, summarize, unknown_of, value_of
from ..run_episodes import ended_by_key
from ..statistics.estimates import Estimate
from ..statistics.paired_tests import Key, PairedComparison, compare_pairs, holm, pair_up

#: Results by planner, suite, and task with seed.
PlannerResults = dict[str, dict[str, dict[Key, EpisodeResult]]]


def planner_results(runs: Sequence[Path]) -> PlannerResults:
    """The finished episodes of runs, voided ones included, by what makes runs one experiment.

    Raises BadInput where two runs have the same episode of the same experiment.
    """
    contents = [read_run(run) for run in runs]
    (played,) = experiments(contents)
    names = task_names(list(zip(runs, contents, strict=True)))
    found: PlannerResults = {}
    for run, content, where, own in zip(runs, contents, played, names, strict=True):
        together = found.setdefault(where.label, {}).setdefault(where.suite, {})
        for key, result in ended_by_key(run, content, own):
            if key in together:
                raise BadInput(
                    f"Two runs of {where.label} on {where.suite} have the same tasks and seeds; "
                    f"leave {run} out."
                )
            together[key] = result
    return found


#: The figures of a table by default.
USUAL = ("gsr",)
#: Figures for which less is better.
_LESS = frozenset({"steps", "limit_steps", "decisions", "tpa", "planning_s", "thinking_s"}) | {
    "tokens",
    "tokens_in",
    "peak_tokens_in",
}
_LEVEL = 0.05


@dataclass(frozen=True)
class Cell:
    """A figure of a planner on a suite. value: in the unit of the column's heading.

    marked: whether it is the best, or not significantly worse. p: of the comparison with the best,
    corrected; None for the best itself, and where nothing was tested.
    """

    episodes: int
    value: Estimate
    marked: bool = False
    p: float | None = None


@dataclass(frozen=True)
class PlannerTable:
    """A table of planners by suites."""

    planners: tuple[str, ...]
    """Labels of the rows."""
    suites: tuple[str, ...]
    """Names of the suites."""
    figures: tuple[str, ...]
    """Names of `FIGURES`."""
    cells: Mapping[tuple[str, str, str], Cell]
    """By planner, suite and figure; a missing one was not played."""
    notes: tuple[str, ...] = ()
    """Sentences that a reader needs."""

    def episodes_text(self, suite: str) -> str:
        """The number of episodes of planners on a suite, such as "20" or "18 to 20"."""
        counts = sorted({c.episodes for (_, s, _), c in self.cells.items() if s == suite})
        return " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))


def planner_table(runs: Sequence[Path], figures: Sequence[str] = ()) -> PlannerTable:
    """The table of runs. Raises BadInput for an unknown figure, a run twice, or no results."""
    check_figures(figures)
    found = planner_results(runs)
    shown = tuple(dict.fromkeys(figures)) or USUAL
    suites = tuple(dict.fromkeys(suite for by_suite in found.values() for suite in by_suite))
    notes = _Notes()
    cells: dict[tuple[str, str, str], Cell] = {}
    for suite in suites:
        for figure in shown:
            for planner, cell in _column(found, suite, figure, notes).items():
                cells[planner, suite, figure] = cell
    if not cells:
        raise BadInput(
            "These runs have no results for a table; finish one with: peephole run --resume --out "
            "FOLDER"
        )
    played, on, had = (set(each) for each in zip(*cells, strict=True))
    for figure in shown:
        if figure not in had:
            notes.absent.append(FIGURES[figure][0])
    return PlannerTable(
        planners=tuple(planner for planner in found if planner in played),
        suites=tuple(suite for suite in suites if suite in on),
        figures=tuple(figure for figure in shown if figure in had),
        cells=cells,
        notes=(*notes.sentences(), *_stand_ins(runs)),
    )


@dataclass
class _Notes:
    """The material of the notes: tests used, figures and suites that lack something."""

    tests: set[str] = field(default_factory=set)
    """Names of the tests used."""
    absent: list[str] = field(default_factory=list)
    """Figures that no run has."""
    few: list[str] = field(default_factory=list)
    """Suites with too few tasks, with their number."""
    untested: list[str] = field(default_factory=list)
    """Figures without any test."""
    tied: list[str] = field(default_factory=list)
    """Figures of suites with several best means."""
    shared: list[str] = field(default_factory=list)
    """Suites with fewer common tasks than a planner has, with their number."""
    unknown: list[str] = field(default_factory=list)
    """Planners and suites with the figure and the number of its unknown values."""
    unshared: list[str] = field(default_factory=list)
    """Planners with too few common tasks, with their suite."""

    def sentences(self) -> list[str]:
        sentences = [
            "In brackets: 95 % intervals, Wilson's for the share of tasks solved, bootstrap over "
            "tasks for means; none from one task, or from tasks that are all alike."
        ]
        if self.tests:
            sentences.append(
                f"Bold: the best of a column and those not significantly worse on the tasks that "
                f"all have ({' or '.join(sorted(self.tests))}, p > {_LEVEL} after Holm's "
                f"correction over the column), which does not prove that they are equally good."
            )
        if self.shared:
            suites = ", ".join(dict.fromkeys(self.shared))
            sentences.append(f"Ranked by the tasks that all compared planners have: {suites}.")
        if self.tied:
            names = ", ".join(dict.fromkeys(self.tied))
            sentences.append(f"Several planners have the best mean: {names}.")
        if self.untested:
            names = ", ".join(dict.fromkeys(self.untested))
            sentences.append(f"For {names} only the best mean is bold; nothing was tested.")
        if self.few:
            suites = ", ".join(dict.fromkeys(self.few))
            sentences.append(
                f"Too few for a significant difference, so only the best mean is bold: {suites}."
            )
        if self.unshared:
            names = ", ".join(dict.fromkeys(self.unshared))
            sentences.append(f"Not compared, since too few tasks are common: {names}.")
        if self.unknown:
            names = ", ".join(self.unknown)
            sentences.append(
                f"Episodes that a mean leaves out, as their value is unknown: {names}."
            )
        if self.absent:
            sentences.append(f"No run has {', '.join(self.absent)}.")
        return sentences


def _column(found: PlannerResults, suite: str, figure: str, notes: _Notes) -> dict[str, Cell]:
    """The cells of a column, by planner."""
    times = FIGURES[figure][1]
    cells: dict[str, Cell] = {}
    for planner, by_suite in found.items():
        scored = scored_of(list(by_suite.get(suite, {}).values()))
        value = summarize(scored).get(figure)
        if value is not None:
            cells[planner] = Cell(len(scored), value.times(times))
        if figure in (unknown := unknown_of(scored)):
            notes.unknown.append(f"{planner} on {suite} ({FIGURES[figure][0]} {unknown[figure]})")
    ranked = _Ranking({planner: found[planner][suite] for planner in cells}, figure)
    if len(ranked.means) < 2:
        return cells
    notes.unshared += [f"{planner} on {suite}" for planner in cells if planner not in ranked.means]
    if any(cells[planner].episodes > ranked.episodes(planner) for planner in ranked.means):
        notes.shared.append(f"{len(ranked.tasks)} tasks of {suite}")
    ps = _compared_with_best(ranked, suite, notes)
    return {
        planner: replace(
            cell,
            marked=ranked.is_best(planner) or ps.get(planner, 0.0) > _LEVEL,
            p=ps.get(planner),
        )
        for planner, cell in cells.items()
    }


class _Ranking:
    """The planners of a column by their means over the tasks that all of them have.

    A planner with less than half of the tasks is left out, so that it does not take the others'
    tasks away. Means over different tasks say nothing of planners.
    """

    def __init__(self, found: Mapping[str, Mapping[Key, EpisodeResult]], figure: str) -> None:
        self.figure = figure
        scored = {
            planner: {key: each for key, each in results.items() if each.success is not None}
            for planner, results in found.items()
        }
        tasks = {planner: {task for task, _ in results} for planner, results in scored.items()}
        self.tasks: set[str] = set()
        self._results: dict[str, dict[Key, EpisodeResult]] = {}
        for planner in sorted(tasks, key=lambda planner: -len(tasks[planner])):
            common = tasks[planner] & self.tasks if self._results else tasks[planner]
            if 2 * len(common) >= len(self.tasks):
                self.tasks = common
                self._results[planner] = scored[planner]
        sign = -1 if figure in _LESS else 1
        self.means: dict[str, float] = {}
        for planner in found:
            if planner in self._results:
                own = self._results[planner]
                self._results[planner] = {k: each for k, each in own.items() if k[0] in self.tasks}
                mean = self._mean(planner)
                if mean is not None:
                    self.means[planner] = sign * mean

    def _mean(self, planner: str) -> float | None:
        values = self.values(planner)
        if values:
            return fmean(values.values())
        figure = summarize(list(self._results[planner].values())).get(self.figure)
        return None if figure is None else figure.mean

    def episodes(self, planner: str) -> int:
        """The number of a planner's episodes of common tasks."""
        return len(self._results[planner])

    def is_best(self, planner: str) -> bool:
        """Whether no planner has a better mean."""
        best = max(self.means.values())
        return planner in self.means and math.isclose(self.means[planner], best, rel_tol=1e-12)

    @property
    def best(self) -> str:
        return max(self.means, key=lambda planner: self.means[planner])

    def values(self, planner: str) -> dict[Key, float]:
        """The known values of a planner's episodes, where the figure is a mean of such."""
        return {
            key: value
            for key, result in self._results[planner].items()
            if (value := value_of(self.figure, result)) is not None
        }


def _compared_with_best(ranked: _Ranking, suite: str, notes: _Notes) -> dict[str, float]:
    """The corrected p of each other planner against the best, where it was tested."""
    best = ranked.best
    ours = ranked.values(best)
    figure = FIGURES[ranked.figure][0]
    if not ours:
        notes.untested.append(figure)
        return {}
    compared: dict[str, PairedComparison] = {}
    for planner in ranked.means:
        pairs = pair_up(ours, ranked.values(planner)) if planner != best else ""
        if not isinstance(pairs, str):
            compared[planner] = compare_pairs(pairs)
    if any(ranked.is_best(planner) for planner in compared):
        notes.tied.append(f"{figure} on {suite}")
    if not compared:
        return {}
    tasks = max(each.tasks for each in compared.values())
    if len(compared) * 0.5 ** (tasks - 1) > _LEVEL:  # p where all tasks favour the best
        notes.few.append(f"{tasks} tasks of {suite}")
        return {}
    notes.tests |= {each.test for each in compared.values()}
    corrected = holm([each.p for each in compared.values()])
    return dict(zip(compared, corrected, strict=True))


def _stand_ins(runs: Sequence[Path]) -> list[str]:
    """A sentence about each stand-in."""
    found = dict.fromkeys(each for run in runs for each in read_run(run).stand_ins)
    return [f"Mechanism check: {each.text}" for each in found]

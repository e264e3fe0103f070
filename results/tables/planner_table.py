"""Planners by suites as a table of a paper: each figure with its interval, the best marked.

In each column the best mean is marked, and every planner that is not significantly worse. Each is
compared with the best on the episodes that both have, at p > 0.05 after Holm's correction over the
column. Equal means are marked alike. Where the tasks are too few for any significant difference,
only the best mean is marked. A planner without common episodes is not marked. The notes say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...episodes.result import EpisodeResult
from ...episodes.run_file import read_run
from ...errors import BadInput
from ..metrics import FIGURES, check_figures, scored_of, summarize, value_of
from ..run_episodes import ended_by_key
from ..statistics.estimates import Estimate
from ..statistics.paired_tests import Key, PairedComparison, compare_pairs, holm, pair_up

#: Results by planner, suite, and task with seed.
PlannerResults = dict[str, dict[str, dict[Key, EpisodeResult]]]


def planner_results(runs: Iterable[Path]) -> PlannerResults:
    """The finished episodes of runs, voided ones included.

    Raises BadInput where two runs have the same episode of the same planner.
    """
    found: PlannerResults = {}
    for run in runs:
        content = read_run(run)
        label, suite = content.label, content.config.suite
        together = found.setdefault(label, {}).setdefault(suite, {})
        for key, result in ended_by_key(run):
            if key in together:
                raise BadInput(
                    f"Two runs of {label} on {suite} have the same tasks and seeds; "
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
    unpaired: list[str] = field(default_factory=list)
    """Planners without common tasks, with their suite."""

    def sentences(self) -> list[str]:
        sentences = [
            "In brackets: 95 % intervals, Wilson's for the share of tasks solved, bootstrap over "
            "tasks for means."
        ]
        if self.tests:
            sentences.append(
                f"Bold: the best of a column and those not significantly worse on the episodes "
                f"that both have ({' or '.join(sorted(self.tests))}, p > {_LEVEL} after Holm's "
                f"correction over the column), which does not prove that they are equally good."
            )
        if self.untested:
            names = ", ".join(dict.fromkeys(self.untested))
            sentences.append(f"For {names} only the best mean is bold; nothing was tested.")
        if self.few:
            suites = ", ".join(dict.fromkeys(self.few))
            sentences.append(
                f"Too few for a significant difference, so only the best mean is bold: {suites}."
            )
        if self.unpaired:
            names = ", ".join(dict.fromkeys(self.unpaired))
            sentences.append(f"Not compared, since there are no common tasks: {names}.")
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
    if len(cells) < 2:
        return cells
    sign = -1 if figure in _LESS else 1
    best = max(cells, key=lambda planner: sign * cells[planner].value.mean)
    ps = _compared_with(best, cells, found, suite, figure, notes)
    return {
        planner: Cell(
            cell.episodes,
            cell.value,
            cell.value.mean == cells[best].value.mean or ps.get(planner, 0.0) > _LEVEL,
            ps.get(planner),
        )
        for planner, cell in cells.items()
    }


def _compared_with(
    best: str,
    planners: Iterable[str],
    found: PlannerResults,
    suite: str,
    figure: str,
    notes: _Notes,
) -> dict[str, float]:
    """The corrected p of each other planner against the best, where it was tested."""
    ours = _values(found[best][suite], figure)
    if not ours:
        notes.untested.append(FIGURES[figure][0])
        return {}
    compared: dict[str, PairedComparison] = {}
    for planner in planners:
        if planner != best:
            pairs = pair_up(ours, _values(found[planner][suite], figure))
            if isinstance(pairs, str):
                notes.unpaired.append(f"{planner} on {suite}")
            else:
                compared[planner] = compare_pairs(pairs)
    if not compared:
        return {}
    tasks = max(each.tasks for each in compared.values())
    if len(compared) * 0.5 ** (tasks - 1) > _LEVEL:  # p where all tasks favour the best
        notes.few.append(f"{tasks} tasks of {suite}")
        return {}
    notes.tests |= {each.test for each in compared.values()}
    corrected = holm([each.p for each in compared.values()])
    return dict(zip(compared, corrected, strict=True))


def _values(results: Mapping[Key, EpisodeResult], figure: str) -> dict[Key, float]:
    return {
        key: value
        for key, result in results.items()
        if result.success is not None and (value := value_of(figure, result)) is not None
    }


def _stand_ins(runs: Sequence[Path]) -> list[str]:
    """A sentence about each stand-in."""
    found = dict.fromkeys(each for run in runs for each in read_run(run).stand_ins)
    return [f"Mechanism check: {each.text}" for each in found]

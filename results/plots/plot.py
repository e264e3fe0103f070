"""Figures for papers: the data of a plot, group by group and planner by planner.

A group is a suite; each figure is a panel. `drawing` draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...episodes.result import EpisodeResult
from ...episodes.run_file import read_run
from ...episodes.runner import results_of
from ...errors import BadInput
from ..metrics import FIGURES, Estimate, scored_of, summarize
from ..papers.rows import rows_of, runs_of
from ..papers.spec import Grid
from ..tables.planner_results import planner_results

#: The figures of a plot of runs by default.
_USUAL = ("gsr", "steps")


@dataclass(frozen=True)
class Series:
    """The data of one colour. figures: by group, then by name, in the unit of the axis."""

    name: str
    figures: Mapping[str, Mapping[str, Estimate]]


@dataclass(frozen=True)
class Plot:
    """Panels of bars, or of lines from group to group."""

    figures: tuple[str, ...]
    """A panel each, by the names of `FIGURES`."""
    groups: tuple[str, ...]
    """Names of the suites."""
    series: tuple[Series, ...]
    """The planners."""
    lines: bool = False
    """Whether lines are drawn instead of bars."""
    limits: Mapping[str, int] | None = None
    """Allowed steps of a group, where all its tasks allow the same."""
    caption: str = ""
    """What a reader has to know, for the text below the picture."""
    left_out: tuple[str, ...] = ()
    """Series without any episode."""


#: Results by series, whose names have the marks of stand-ins, and group.
_Results = Mapping[str, Mapping[str, Sequence[EpisodeResult]]]


def plot_of_grid(grid: Grid, folder: Path, figures: Sequence[str] = ()) -> Plot:
    """The plot of a grid's runs in a folder. Raises BadInput where there is none."""
    found: dict[str, dict[str, list[EpisodeResult]]] = {row.name: {} for row in rows_of(grid)}
    marks: dict[str, str] = {}
    for run in runs_of(grid, folder):
        if (run.folder / "run.json").exists():
            name = run.row.name
            found[name].setdefault(run.suite, []).extend(results_of(run.folder))
            marks[name] = read_run(run.folder).mark
    if not marks:
        raise BadInput(
            f"{folder} has no run of this grid; play it with: peephole run --grid FILE --out "
            f"{folder}"
        )
    named = {_marked(name, marks.get(name, "")): results for name, results in found.items()}
    return _plot(figures or grid.figures, grid.suites, named, grid.lines, grid.title)


def plot_of_runs(runs: Sequence[Path], figures: Sequence[str] = (), lines: bool = False) -> Plot:
    """The plot of runs, a planner in one colour. Raises BadInput for a run twice."""
    found = {
        label: {suite: list(results.values()) for suite, results in of_planner.items()}
        for label, of_planner in planner_results(runs).items()
    }
    suites = list(dict.fromkeys(suite for each in found.values() for suite in each))
    if not any(results for each in found.values() for results in each.values()):
        raise BadInput(
            "No episode of these runs has finished; continue one with: peephole run --resume --out "
            "FOLDER"
        )
    return _plot(figures or _USUAL, suites, found, lines)


def _plot(
    figures: Sequence[str],
    groups: Sequence[str],
    results: _Results,
    lines: bool,
    title: str = "",
) -> Plot:
    for figure in figures:
        if figure not in FIGURES:
            raise BadInput(f"There is no figure '{figure}'; choose among {', '.join(FIGURES)}.")
    series = [
        Series(name, {group: _scaled(each) for group, each in by_group.items() if each})
        for name, by_group in results.items()
    ]
    played = {g: [r for each in results.values() for r in each.get(g, ())] for g in groups}
    limits = {group: each for group, rs in played.items() if (each := _limit(rs)) is not None}
    return Plot(
        figures=tuple(figures),
        groups=tuple(group for group in groups if played[group]),
        series=tuple(each for each in series if any(each.figures.values())),
        lines=lines,
        limits=limits,
        caption=_caption(title, figures, results, bool(limits)),
        left_out=tuple(each.name for each in series if not any(each.figures.values())),
    )


def _caption(title: str, figures: Sequence[str], results: _Results, limited: bool) -> str:
    """The content of the picture, in sentences."""
    counts = sorted({len(scored_of(each)) for by in results.values() for each in by.values()})
    counts = [count for count in counts if count]
    episodes = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1])))) if counts else "0"
    sentences = [f"{title.rstrip('.')}."] if title else []
    sentences.append(f"Means of {episodes} episodes of each planner on each suite.")
    sentences.append(
        "Whiskers are 95 % intervals: Wilson's for the share of tasks solved, bootstrap over "
        "tasks for means."
    )
    if limited and "limit_steps" in figures:
        sentences.append("Dashed: the steps that tasks allow.")
    return " ".join(sentences)


def _marked(name: str, mark: str) -> str:
    return f"{name} (stand-in {mark})" if mark else name


def _scaled(results: Sequence[EpisodeResult]) -> dict[str, Estimate]:
    """The figures in the units of tables."""
    return {
        name: Estimate(*(FIGURES[name][1] * v for v in (each.mean, each.low, each.high)))
        for name, each in summarize(results).items()
        if name in FIGURES
    }


def _limit(results: Iterable[EpisodeResult]) -> int | None:
    """The steps that all tasks allow; None where they differ."""
    limits = {result.step_limit for result in results}
    return limits.pop() if len(limits) == 1 else None

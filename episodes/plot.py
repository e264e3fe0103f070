"""Figures of papers: what is drawn of runs, group by group and planner by planner.

A group is a suite; each figure is a panel. `plot_svg` draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import BadInput
from .grid import FIGURES, Grid, rows_of, runs_of
from .metrics import Estimate, summarize
from .result import EpisodeResult
from .run_file import read_run
from .runner import results_of

#: What is drawn of runs where nobody says.
_USUAL = ("gsr", "steps")


@dataclass(frozen=True)
class Series:
    """What is drawn in one colour. figures: by group, then by name, in the unit of the axis."""

    name: str
    figures: Mapping[str, Mapping[str, Estimate]]


@dataclass(frozen=True)
class Plot:
    """Panels of bars, or of lines from group to group.

    figures: a panel each, by the names of `FIGURES`. limits: the steps that the tasks of a group
    allow, where all allow the same. note: below the panels. left_out: series of which nothing was
    played.
    """

    title: str
    figures: tuple[str, ...]
    groups: tuple[str, ...]
    series: tuple[Series, ...]
    lines: bool = False
    limits: Mapping[str, int] | None = None
    note: str = ""
    left_out: tuple[str, ...] = ()


#: Results with the mark of their stand-ins, by series and group.
_Results = Mapping[str, Mapping[str, Sequence[EpisodeResult]]]


def plot_of_grid(grid: Grid, folder: Path, figures: Sequence[str] = ()) -> Plot:
    """What a grid's runs in a folder came to. Raises BadInput where none is there."""
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
    return _plot(grid.title, figures or grid.figures, grid.suites, named, grid.lines)


def plot_of_runs(runs: Sequence[Path], figures: Sequence[str] = (), lines: bool = False) -> Plot:
    """What runs came to, those of a planner in one colour. Raises BadInput for a run twice."""
    found: dict[str, dict[str, Sequence[EpisodeResult]]] = {}
    for run in runs:
        content = read_run(run)
        of_planner = found.setdefault(content.label, {})
        if content.config.suite in of_planner:
            raise BadInput(
                f"Of {content.label} on {content.config.suite} there are two runs; leave {run} out."
            )
        of_planner[content.config.suite] = results_of(run)
    suites = list(dict.fromkeys(suite for each in found.values() for suite in each))
    return _plot("", figures or _USUAL, suites, found, lines)


def _plot(
    title: str, figures: Sequence[str], groups: Sequence[str], results: _Results, lines: bool
) -> Plot:
    for figure in figures:
        if figure not in FIGURES:
            raise BadInput(f"There is no figure '{figure}'; there are {', '.join(FIGURES)}.")
    series = [
        Series(name, {group: _scaled(each) for group, each in by_group.items() if each})
        for name, by_group in results.items()
    ]
    played = {g: [r for each in results.values() for r in each.get(g, ())] for g in groups}
    return Plot(
        title=title,
        figures=tuple(figures),
        groups=tuple(group for group in groups if played[group]),
        series=tuple(each for each in series if any(each.figures.values())),
        lines=lines,
        limits={group: each for group, rs in played.items() if (each := _limit(rs)) is not None},
        note="Whiskers: 95 % intervals.",
        left_out=tuple(each.name for each in series if not any(each.figures.values())),
    )


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

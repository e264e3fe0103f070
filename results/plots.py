"""Figures for papers: the data of a plot, and its picture as PDF, SVG or PNG by matplotlib.

A group is a suite; each figure is a panel. Series differ without colour too: bars by hatches, lines
by markers and dashes. Text stays text: a PDF embeds its font, an SVG names it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..episodes.result import EpisodeResult
from ..episodes.run_file import is_run, read_run
from ..errors import BadInput, Missing
from ..installed import Lack
from .metrics import FIGURES, check_figures, scored_of, summarize
from .papers import Grid, results_of_row, rows_of, runs_of
from .statistics.estimates import Estimate
from .tables.planner_table import planner_results

#: The figures of a plot of runs by default.
_USUAL = ("gsr", "steps")


@dataclass(frozen=True)
class Series:
    """The data of one colour. figures: by group, then by name, in the unit of the axis."""

    name: str
    figures: Mapping[str, Mapping[str, Estimate]]


@dataclass(frozen=True)
class Plot:
    """Panels of bars, or of lines from group to group (suites). figures: a panel each.

    limits: allowed steps of a group, where all its tasks allow the same. left_out: series without
    any episode.
    """

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
    """The plot of a grid's runs in a folder. Raises BadInput if there is none."""
    found = {
        row.name: {
            suite: results
            for suite in grid.suites
            if (results := results_of_row(grid, folder, suite, row)) is not None
        }
        for row in rows_of(grid)
    }
    marks = {
        run.row.name: read_run(run.folder).mark
        for run in runs_of(grid, folder)
        if is_run(run.folder)
    }
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
    figures: Sequence[str], groups: Sequence[str], results: _Results, lines: bool, title: str = ""
) -> Plot:
    check_figures(figures)
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
        "tasks for means; none from one task, or from tasks that are all alike."
    )
    if limited and "limit_steps" in figures:
        sentences.append("Dashed: the steps that tasks allow.")
    return " ".join(sentences)


def _marked(name: str, mark: str) -> str:
    return f"{name} (stand-in {mark})" if mark else name


def _scaled(results: Sequence[EpisodeResult]) -> dict[str, Estimate]:
    """The figures in the units of tables."""
    figures = summarize(results)
    return {name: each.times(FIGURES[name][1]) for name, each in figures.items() if name in FIGURES}


def _limit(results: Iterable[EpisodeResult]) -> int | None:
    """The steps that all tasks allow; None where they differ."""
    limits = {result.step_limit for result in results}
    return limits.pop() if len(limits) == 1 else None


#: Suffixes of pictures.
ENDINGS = (".pdf", ".svg", ".png")
#: Colours for any colour vision (Okabe and Ito, 2008), neighbours of different lightness; then
#: the hatches, markers and dashes that differ in grey.
_COLOURS = ("#0072b2", "#e69f00", "#56b4e9", "#d55e00", "#f0e442", "#009e73", "#cc79a7", "#999999")
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oooo", "++++")
_MARKERS, _DASHES = "os^DvPX*", ("-", "--", "-.", ":")
#: Sizes in inches: height of a panel, its axis with labels, a bar, the gap between groups.
_TALL, _AXIS, _BAR, _GAP = 1.45, 0.5, 0.13, 0.14
#: Inches of a letter; most panels in a row; smallest width of a panel.
_LETTER, _IN_A_ROW, _NARROWEST = 0.056, 4, 1.55
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 7.0,
    "axes.titlesize": 7.0,
    "axes.linewidth": 0.5,
    "axes.axisbelow": True,
    "grid.linewidth": 0.4,
    "grid.color": "#dddddd",
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "pdf.fonttype": 42,  # TrueType, which publishers ask for, instead of Type 3
    "svg.fonttype": "none",
    "svg.hashsalt": "peephole",  # the same plot gives the same file
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
}


def check_picture(path: Path) -> None:
    """Raise BadInput for a file name without the suffix of a picture."""
    if path.suffix not in ENDINGS:
        raise BadInput(f"{path} has no suffix of a picture; use one of {', '.join(ENDINGS)}.")


def write_plot(plot: Plot, path: Path, width: float, title: str = "") -> None:
    """Write the picture of a plot. width: in inches.

    Raises Missing without matplotlib and BadInput for a path that cannot be written.
    """
    check_picture(path)
    try:
        import matplotlib
    except ImportError:
        raise Missing(Lack("Pictures of plots need matplotlib", "plot")) from None
    with matplotlib.rc_context(_STYLE):
        figure = _drawn(plot, width, title)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, dpi=300, metadata=_metadata(path.suffix, plot.caption))
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}.") from None


def _metadata(ending: str, caption: str) -> dict[str, str | None]:
    """The metadata of the file, without a date, so that the same plot gives the same file."""
    match ending:
        case ".pdf":
            return {"Subject": caption, "CreationDate": None}
        case ".svg":
            return {"Description": caption, "Date": None}
    return {"Description": caption}


def _drawn(plot: Plot, width: float, title: str) -> Any:
    """The picture as a matplotlib figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)  # knows the width of a legend
    columns = _columns(plot, width)
    rows = -(-len(plot.figures) // columns)
    names = _shown(plot.groups)
    slanted = _is_slanted(names, width / columns)
    below = max(map(len, names)) * _LETTER * 0.5 if slanted else 0.0
    figure.set_size_inches(width, rows * (_TALL + below + 0.45))
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    for panel, name in zip(panels, plot.figures, strict=False):
        _panel(panel, plot, name)
        panel.set_xticks(
            range(len(names)),
            names,
            rotation=30 if slanted else 0,
            ha="right" if slanted else "center",
            rotation_mode="anchor",
        )
    for panel in panels[len(plot.figures) :]:
        panel.set_axis_off()
    if title:
        figure.suptitle(title, fontsize=8)
    lines = _add_legend(figure, panels[0], len(plot.series))
    figure.set_size_inches(width, figure.get_figheight() + 0.16 * lines + 0.2 * bool(title))
    return figure


def _add_legend(figure: Any, panel: Any, series: int) -> int:
    """Add the names of the series in as few lines as fit; returns their number."""
    handles, labels = panel.get_legend_handles_labels()
    if series < 2:
        return 0
    for columns in range(len(labels), 0, -1):
        legend = figure.legend(
            handles,
            labels,
            loc="outside upper left",
            ncols=columns,
            handlelength=1.6,
            columnspacing=1.0,
            borderaxespad=0.2,
        )
        wide = legend.get_window_extent(figure.canvas.get_renderer()).width / figure.dpi
        if wide <= figure.get_figwidth() or columns == 1:
            return -(-len(labels) // columns)
        legend.remove()
    return 0


def _columns(plot: Plot, width: float) -> int:
    """Number of panels side by side."""
    bars = 1.5 if plot.lines else len(plot.series)
    panel = max(_NARROWEST, _AXIS + len(plot.groups) * (_GAP + _BAR * bars))
    return max(1, min(_IN_A_ROW, len(plot.figures), int(width / panel)))


def _is_slanted(names: Sequence[str], panel: float) -> bool:
    """Whether the names of the groups are too long for horizontal text."""
    return (panel - _AXIS) / len(names) < _LETTER * max(map(len, names)) + 0.05


def _shown(groups: Sequence[str]) -> list[str]:
    """The groups without their common first words: easy, medium and hard of kitchens."""
    words = [re.findall(r"[^_:]+[_:]?", group) for group in groups]
    common = 0
    while len(groups) > 1 and len({tuple(each[: common + 1]) for each in words}) == 1:
        common += 1
    return ["".join(each[common:]) or group for each, group in zip(words, groups, strict=True)]


def _panel(panel: Any, plot: Plot, figure: str) -> None:
    """One figure of all series; groups are at 0, 1, 2 …"""
    panel.set_title(FIGURES[figure][0].replace("%", "(%)"), loc="left")
    panel.grid(axis="y")
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(axis="x", length=0)
    for place, series in enumerate(plot.series):
        (_add_line if plot.lines else _add_bars)(panel, plot, figure, place, series)
    if not plot.lines:
        panel.axhline(0, color="black", linewidth=0.5)
    if figure == "limit_steps":
        for number, group in enumerate(plot.groups):
            if (limit := (plot.limits or {}).get(group)) is not None:
                panel.hlines(limit, number - 0.45, number + 0.45, "black", "dashed", linewidth=0.7)
    if FIGURES[figure][0].endswith("%"):
        panel.set_ylim(-3 if plot.lines else 0, 103)
        panel.set_yticks(range(0, 101, 25))
    panel.set_xlim(-0.55, len(plot.groups) - 0.45)


def _values(plot: Plot, figure: str, series: Series) -> list[tuple[int, str, Estimate]]:
    """The figure of a series in each group that has it, with the group's index."""
    return [
        (number, group, value)
        for number, group in enumerate(plot.groups)
        if (value := series.figures.get(group, {}).get(figure)) is not None
    ]


def _add_bars(panel: Any, plot: Plot, figure: str, place: int, series: Series) -> None:
    wide = 0.84 / len(plot.series)
    found = _values(plot, figure, series)
    bars = panel.bar(
        [number + wide * (place - (len(plot.series) - 1) / 2) for number, _, _ in found],
        [value.mean for _, _, value in found],
        width=0.9 * wide,
        color=_COLOURS[place % len(_COLOURS)],
        hatch=_HATCHES[place % len(_HATCHES)],
        edgecolor="black",
        linewidth=0.5,
        yerr=_whiskers(found),
        error_kw={"elinewidth": 0.8, "ecolor": "black", "capsize": 1.5, "capthick": 0.8},
        label=series.name,
    )
    for bar, (_, group, _) in zip(bars, found, strict=True):
        bar.set_gid(f"{figure} {group} {place}")  # to be found in an SVG


def _add_line(panel: Any, plot: Plot, figure: str, place: int, series: Series) -> None:
    aside = 0.05 * (place - (len(plot.series) - 1) / 2)  # so that whiskers do not overlap
    found = _values(plot, figure, series)
    drawn = panel.errorbar(
        [number + aside for number, _, _ in found],
        [value.mean for _, _, value in found],
        yerr=_whiskers(found),
        color=_COLOURS[place % len(_COLOURS)],
        marker=_MARKERS[place % len(_MARKERS)],
        linestyle=_DASHES[place % len(_DASHES)],
        markeredgecolor="black",
        markeredgewidth=0.4,
        elinewidth=0.8,
        capsize=1.5,
        label=series.name,
    )
    drawn.lines[0].set_gid(f"{figure} {place}")


def _whiskers(found: Sequence[tuple[int, str, Estimate]]) -> list[list[float]]:
    """The lengths of whiskers below and above; nan draws none, where there is no interval."""
    sizes = [
        (math.nan, math.nan)
        if value.bounds is None
        else (max(0.0, value.mean - value.bounds[0]), max(0.0, value.bounds[1] - value.mean))
        for _, _, value in found
    ]
    return [[below for below, _ in sizes], [above for _, above in sizes]]

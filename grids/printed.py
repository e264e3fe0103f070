"""The table of a grid for a terminal: the results of its runs, and the paper's figures below."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..episodes.result import EpisodeResult
from ..results.metrics import FIGURES, run_data, summarize
from ..results.papers import Grid, rows_of
from ..results.statistics.estimates import Estimate
from ..results.tables.folding import FoldingTable

if TYPE_CHECKING:
    from .session import GridSession

#: Most characters in a line of a heading.
_HEADER = 16


def grid_table(
    grid: Grid, suite: str, results: Mapping[str, Sequence[EpisodeResult]], marks: Mapping[str, str]
) -> FoldingTable:
    """A suite's rows: results with 95 % intervals, and the paper's figures below.

    results: of all seeds, by the row's name. marks: what stands in: "model" or "engine".
    """
    table = FoldingTable(f"{grid.title}: {suite} [95 % intervals]")
    table.add_column("planner", overflow="fold", min_width=17)
    table.add_numbers("n")
    for figure in grid.figures:
        header = "\n".join(textwrap.wrap(FIGURES[figure][0], _HEADER))
        table.add_numbers(header)
    for row in rows_of(grid):
        found = results.get(row.name, ())
        figures = summarize(found)
        paper = row.paper(suite)
        table.add_row(
            row.name + (f"\n(stand-in {mark})" if (mark := marks.get(row.name)) else ""),
            str(len(found)),
            *(_cell(figures.get(name), FIGURES[name][1], paper.get(name)) for name in grid.figures),
        )
    return table


def kinds_table(
    grid: Grid,
    suite: str,
    figure: str,
    results: Mapping[str, Sequence[EpisodeResult]],
    kinds: Mapping[str, str],
) -> FoldingTable:
    """One figure of a suite's rows, a column for each kind of task. kinds: of the tasks."""
    names = list(dict.fromkeys(kinds[r.task] for each in results.values() for r in each))
    head, times = FIGURES[figure]
    table = FoldingTable(f"{grid.title}: {suite}, {head} by {grid.by} [95 % intervals]")
    table.add_column("planner", overflow="fold", min_width=17)
    for name in names:
        header = "\n".join(textwrap.wrap(name.replace("_", " "), _HEADER))
        table.add_numbers(header)
    for row in rows_of(grid):
        cells = []
        for name in names:
            found = [result for result in results.get(row.name, ()) if kinds[result.task] == name]
            cells.append(
                _cell(summarize(found).get(figure), times, row.paper(suite, name).get(figure))
            )
        table.add_row(row.name, *cells)
    return table


def _cell(figure: Estimate | None, times: float, paper: float | None) -> str:
    lines = []
    if figure is not None:
        lines = list(figure.lines(times))
    return "\n".join([*lines, *([] if paper is None else [f"paper: {paper:g}"])])


def grid_document(session: GridSession) -> dict[str, Any]:
    """The results of a grid as JSON data: each row of its table with its runs."""
    rows = []
    for suite in session.grid.suites:
        for row in session.rows:
            folders = [r.folder for r in session.runs if (r.suite, r.row) == (suite, row)]
            rows.append(
                {"suite": suite, "planner": row.name, "stand_in": session.mark_of(suite, row)}
                | run_data(str(session.folder), session.results_of(suite, row))
                | {"runs": [str(folder) for folder in folders]}
                | {"paper": dict(row.paper(suite))}
            )
    verdicts = session.stopping.sentences() if session.stopping is not None else []
    return {
        "title": session.grid.title,
        "source": session.grid.source,
        "folder": str(session.folder),
        "episodes": session.total,
        "ended": len(session.results),
        "not_needed": session.spared,
        "verdicts": verdicts,
        "rows": rows,
    }

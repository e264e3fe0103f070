"""The figures of a grid's runs beside those of its paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...episodes.result import EpisodeResult
from ...episodes.runner import results_of
from ..metrics import FIGURES, Estimate, scored_of, summarize
from ..papers.rows import GridRow, rows_of, runs_of
from ..papers.spec import Grid


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
        results = {row.name: list(_results(grid, folder, suite, row)) for row in rows_of(grid)}
        if any(results.values()):
            heads = tuple(FIGURES[name][0] for name in grid.figures)
            rows = [_row(grid, suite, row, results[row.name]) for row in rows_of(grid)]
            tables.append(PaperTable(suite, heads, tuple(rows)))
    return tables


def _results(grid: Grid, folder: Path, suite: str, row: GridRow) -> Iterator[EpisodeResult]:
    for run in runs_of(grid, folder):
        if (run.suite, run.row) == (suite, row) and (run.folder / "run.json").is_file():
            yield from results_of(run.folder)


def _row(grid: Grid, suite: str, row: GridRow, results: Sequence[EpisodeResult]) -> PaperRow:
    figures, paper = summarize(results), row.paper(suite)
    cells = tuple(
        (_scaled(figures.get(name), FIGURES[name][1]), paper.get(name)) for name in grid.figures
    )
    return PaperRow(row.name, len(scored_of(results)), cells)


def _scaled(figure: Estimate | None, times: float) -> Estimate | None:
    if figure is None:
        return None
    return Estimate(times * figure.mean, times * figure.low, times * figure.high)

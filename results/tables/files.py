"""Tables of planners by suites as text: CSV, Markdown, or LaTeX with booktabs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...data_files import csv_text
from ..metrics import FIGURES
from ..statistics.estimates import NO_INTERVAL
from .planner_table import Cell, PlannerTable

#: Characters that LaTeX needs escaped.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


def as_csv(table: PlannerTable) -> str:
    """A row for each planner, suite and figure, with a header; in the unit of the tables.

    marked: the best, or not significantly worse. p: of the comparison with the best, corrected.
    """
    head = ("suite", "figure", "planner", "episodes", "mean", "low", "high", "marked", "p")
    rows: list[tuple[object, ...]] = [head]
    for suite in table.suites:
        for figure in table.figures:
            for planner in table.planners:
                cell = table.cells.get((planner, suite, figure))
                if cell is not None:
                    value = cell.value
                    what = (suite, FIGURES[figure][0], planner, cell.episodes)
                    low, high, p = (
                        "" if each is None else repr(each)
                        for each in (value.low, value.high, cell.p)
                    )
                    marked = "yes" if cell.marked else "no"
                    rows.append((*what, repr(value.mean), low, high, marked, p))
    return csv_text(rows)


def as_markdown(table: PlannerTable) -> str:
    """A row for each planner, a column for each suite and figure; notes below."""
    heads = [
        f"{suite} {FIGURES[figure][0]} (n = {table.episodes_text(suite)})"
        for suite in table.suites
        for figure in table.figures
    ]
    rows = [["planner", *heads], ["---", *(["---:"] * len(heads))]]
    for planner in table.planners:
        cells = _row(table, planner, lambda cell: _text(cell, "**", "**"))
        rows.append([planner, *cells])
    escaped = ([" ".join(cell.split()).replace("|", r"\|") for cell in row] for row in rows)
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([*lines, "", " ".join(table.notes), ""])


def as_latex(table: PlannerTable) -> str:
    """A LaTeX table with its caption; needs the package booktabs."""
    per_suite = len(table.figures)
    heads, rules = [""], []
    for number, suite in enumerate(table.suites):
        first = 2 + number * per_suite
        head = f"{_latex(suite)} ($n={table.episodes_text(suite).replace(' to ', '$--$')}$)"
        heads.append(rf"\multicolumn{{{per_suite}}}{{c}}{{{head}}}")
        rules.append(rf"\cmidrule(lr){{{first}-{first + per_suite - 1}}}")
    names = [_latex(FIGURES[figure][0]) for figure in table.figures] * len(table.suites)
    body = [[_latex(planner), *_row(table, planner, _latex_cell)] for planner in table.planners]
    return "\n".join(
        [
            "% It needs \\usepackage{booktabs}.",
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{_latex(' '.join(table.notes))}}}",
            r"  \label{tab:planners}",
            rf"  \begin{{tabular}}{{l{'r' * len(names)}}}",
            r"    \toprule",
            rf"    {' & '.join(heads)} \\",
            f"    {' '.join(rules)}",
            rf"    {' & '.join(['Planner', *names])} \\",
            r"    \midrule",
            *(rf"    {' & '.join(row)} \\" for row in body),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


#: The formats of a table by name.
FORMS: dict[str, Callable[[PlannerTable], str]] = {
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}


def _row(table: PlannerTable, planner: str, shown: Callable[[Cell], str]) -> Iterator[str]:
    for suite in table.suites:
        for figure in table.figures:
            cell = table.cells.get((planner, suite, figure))
            yield "" if cell is None else shown(cell)


def _text(cell: Cell, begin: str, end: str) -> str:
    mean = _number(cell.value.mean)
    mean = f"{begin}{mean}{end}" if cell.marked else mean
    return f"{mean} {_bounds(cell, _number)}"


def _latex_cell(cell: Cell) -> str:
    mean = _latex_number(cell.value.mean)
    mean = rf"\textbf{{{mean}}}" if cell.marked else mean
    return rf"{mean} {{\scriptsize {_bounds(cell, _latex_number)}}}"


def _bounds(cell: Cell, number: Callable[[float], str]) -> str:
    bounds = cell.value.bounds
    return NO_INTERVAL if bounds is None else f"[{', '.join(map(number, bounds))}]"


def _number(value: float) -> str:
    return f"{value:.2f}" if 0 < abs(value) < 0.95 else f"{value:,.1f}"


def _latex_number(value: float) -> str:
    return _number(value).replace("-", "$-$")


def _latex(text: str) -> str:
    return re.sub(r'[\\~^<>|"&%$#_{}]', lambda sign: _LATEX[sign[0]], " ".join(text.split()))

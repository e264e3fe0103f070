"""`peephole plot`: the figures of a paper, or of any runs, as a picture."""

from __future__ import annotations

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .completion import found_grid, grid_names
from .options import Json
from .output import print_json

if TYPE_CHECKING:
    from ..results.plots.plot import Plot


class Width(StrEnum):
    """How wide a picture is."""

    COLUMN = "column"
    PAGE = "page"


_INCHES = {Width.COLUMN: 3.3, Width.PAGE: 6.9}


def plot(
    runs: Annotated[list[Path], typer.Argument(help="Runs, or the folder of a grid.")],
    out: Annotated[
        Path, typer.Option(metavar="FILE.pdf", help="The picture to write: .pdf, .svg or .png.")
    ],
    grid: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|NAME",
            help="The grid that the runs are of: its names and order.",
            callback=found_grid,
            autocompletion=grid_names,
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="What is drawn, such as gsr or reward; may be repeated."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Draw lines from suite to suite instead of bars.")
    ] = False,
    width: Annotated[
        Width, typer.Option(help="3.3 inches, a column of a paper, or 6.9, a page.")
    ] = Width.PAGE,
    title: Annotated[str, typer.Option(metavar="TEXT", help="A title; none by default.")] = "",
    as_json: Json = False,
) -> None:
    """Draw figures of runs with their 95 % intervals: bars by suite and planner, or lines."""
    from ..results.plots.drawing import check_picture, write_plot

    check_picture(out)
    found = _found(runs, grid, figure or [], lines)
    write_plot(found, out, _INCHES[width], title)
    if found.left_out:
        print(f"peephole: not played yet: {', '.join(found.left_out)}", file=sys.stderr)
    if as_json:
        print_json({"file": str(out)} | asdict(found))
    else:
        print(f"Written to {out}. Caption: {found.caption}")


def _found(runs: list[Path], grid: Path | None, figures: list[str], lines: bool) -> Plot:
    from ..episodes.run_folders import run_folders
    from ..results.papers.spec import read_grid
    from ..results.plots.plot import plot_of_grid, plot_of_runs

    if grid is None:
        return plot_of_runs([run for each in runs for run in run_folders(each)], figures, lines)
    if len(runs) > 1 or lines:
        raise BadInput(
            "With --grid give the folder of its runs alone; the file itself says whether lines are "
            "drawn."
        )
    return plot_of_grid(read_grid(grid), runs[0], figures)

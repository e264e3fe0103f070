"""`peephole plot`: draw the figures of a paper or of any runs as a picture."""

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
    """The width of a picture."""

    COLUMN = "column"
    PAGE = "page"


_INCHES = {Width.COLUMN: 3.3, Width.PAGE: 6.9}


def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Folders of runs, or the folder of a grid."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE.pdf", help="Picture to write: .pdf, .svg or .png.")
    ],
    grid: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|NAME",
            help="Grid of the runs, for the names and order of its rows.",
            callback=found_grid,
            autocompletion=grid_names,
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Figure to draw, such as gsr or reward. May be repeated."
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Draw lines from suite to suite instead of bars.")
    ] = False,
    width: Annotated[
        Width, typer.Option(help="Width: a column of a paper (3.3 inches) or a page (6.9 inches).")
    ] = Width.PAGE,
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="Title of the picture. By default none.")
    ] = "",
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
    from ..episodes.run_file import run_folders
    from ..results.papers.spec import read_grid
    from ..results.plots.plot import plot_of_grid, plot_of_runs

    if grid is None:
        return plot_of_runs([run for each in runs for run in run_folders(each)], figures, lines)
    if len(runs) > 1 or lines:
        raise BadInput(
            "--grid needs one folder with all its runs, and its file sets whether lines are drawn; "
            "leave other folders and --lines out."
        )
    return plot_of_grid(read_grid(grid), runs[0], figures)

"""`peephole plot`: the figures of a paper, or of any runs, as a picture."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .options import Json
from .output import print_json

if TYPE_CHECKING:
    from ..episodes.plot import Plot


def plot(
    runs: Annotated[
        list[Path], typer.Argument(help="Runs, or with --grid the folder of its runs.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.svg", help="The picture to write.")],
    grid: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The grid that the runs are of.")
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="What is drawn, such as gsr or reward; may be repeated."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Draw lines from suite to suite instead of bars.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Draw figures of runs with their 95 % intervals: bars by suite and planner, or lines."""
    from ..episodes.plot_svg import svg

    if out.suffix != ".svg":
        raise BadInput(f"{out} has no name of a picture; call it FILE.svg.")
    found = _found(runs, grid, figure or [], lines)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(svg(found), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}.") from None
    if found.left_out:
        print(f"peephole: not played yet: {', '.join(found.left_out)}", file=sys.stderr)
    if as_json:
        print_json({"file": str(out)} | asdict(found))
    else:
        print(f"Written to {out}; open it in a browser.")


def _found(runs: list[Path], grid: Path | None, figures: list[str], lines: bool) -> Plot:
    from ..episodes.grid import read_grid
    from ..episodes.plot import plot_of_grid, plot_of_runs

    if grid is None:
        return plot_of_runs(runs, figures, lines)
    if len(runs) > 1 or lines:
        raise BadInput(
            "With --grid give the folder of its runs alone; the file itself says whether lines are "
            "drawn."
        )
    return plot_of_grid(read_grid(grid), runs[0], figures)

"""Commands that make something else of recordings: `peephole export`, `plot` and `compare`."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from .options import GridOption, Json, RunFolder, with_groups
from .output import print_json

if TYPE_CHECKING:
    from ..results.compare.branches import BranchedEpisode
    from ..results.plots import Plot


@dataclass(frozen=True)
class ExportOptions:
    """What is exported, and where to. The texts of the fields are the help's."""

    run: RunFolder
    to: Annotated[str, typer.Option(metavar="FORMAT")]
    """Format: chat, instructions, lerobot, mcap, minari, parquet, rerun."""
    out: Path
    """New file or folder to write."""
    episodes: Annotated[str, typer.Option(metavar="all|successful")] = ""
    """Which episodes to write. By default all, or the successful ones for chat and instructions."""
    each: Annotated[str, typer.Option(metavar="reply|episode")] = ""
    """What a line of chat is. By default a reply, or an episode for a run without a model."""
    recent_turns: Annotated[int | None, typer.Option(metavar="N", min=1)] = None
    """Write conversations as planner react has them with recent_turns=N. By default as in the
    run."""
    first_replies: Annotated[int | None, typer.Option(metavar="N", min=1)] = None
    """Write only the first N replies of each episode. By default all."""
    as_json: Json = False


@with_groups
def export(what: ExportOptions) -> None:
    """Write a run in the format of another tool, or as data to fine-tune a model."""
    from ..episodes.run_file import read_run
    from ..models import serving
    from ..results.exports.export import Wanted
    from ..results.exports.export import export as write

    wanted = Wanted(what.episodes, what.each, what.recent_turns, what.first_replies)
    written = write(what.run, what.to, what.out, wanted)
    config = read_run(what.run).config
    models = dict.fromkeys(config.models.values())
    note = " ".join(serving.note(model, config.dialect) for model in models)
    if what.as_json:
        document = {
            "file": str(what.out),
            "format": what.to,
            **written.counts,
            "hint": written.hint,
        }
        print_json(document | ({"note": note} if note else {}))
        return
    if note:
        print(note)
    counts = ", ".join(f"{count} {name}" for name, count in written.counts.items())
    print(f"{counts} written to {what.out}. {written.hint}".rstrip())


class Width(StrEnum):
    """The width of a picture."""

    COLUMN = "column"
    PAGE = "page"


_INCHES = {Width.COLUMN: 3.3, Width.PAGE: 6.9}


@dataclass(frozen=True)
class PlotOptions:
    """What is drawn, and how. The texts of the fields are the help's."""

    runs: Annotated[list[Path], typer.Argument()]
    """Folders of runs, or the folder of a grid."""
    out: Annotated[Path, typer.Option(metavar="FILE.pdf")]
    """Picture to write: .pdf, .svg or .png."""
    grid: Annotated[Path | None, GridOption()] = None
    """Grid of the runs, for the names and order of its rows."""
    figure: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None
    """Figure to draw, such as gsr or reward. May be repeated."""
    lines: Annotated[bool, typer.Option("--lines")] = False
    """Draw lines from suite to suite instead of bars."""
    width: Width = Width.PAGE
    """Width: a column of a paper (3.3 inches) or a page (6.9 inches)."""
    title: Annotated[str, typer.Option(metavar="TEXT")] = ""
    """Title of the picture. By default none."""
    as_json: Json = False


@with_groups
def plot(what: PlotOptions) -> None:
    """Draw figures of runs with their 95 % intervals: bars by suite and planner, or lines."""
    from ..results.plots import check_picture, write_plot

    check_picture(what.out)
    found = _found(what.runs, what.grid, what.figure or [], what.lines)
    write_plot(found, what.out, _INCHES[what.width], what.title)
    if found.left_out:
        print(f"peephole: not played yet: {', '.join(found.left_out)}", file=sys.stderr)
    if what.as_json:
        print_json({"file": str(what.out)} | asdict(found))
    else:
        print(f"Written to {what.out}. Caption: {found.caption}")


def _found(runs: list[Path], grid: Path | None, figures: list[str], lines: bool) -> Plot:
    from ..episodes.run_file import run_folders
    from ..results.papers import read_grid
    from ..results.plots import plot_of_grid, plot_of_runs

    if grid is None:
        return plot_of_runs([run for each in runs for run in run_folders(each)], figures, lines)
    if len(runs) > 1 or lines:
        raise BadInput(
            "--grid needs one folder with all its runs, and its file sets whether lines are drawn; "
            "leave other folders and --lines out."
        )
    return plot_of_grid(read_grid(grid), runs[0], figures)


def compare(
    sim: Annotated[
        Path,
        typer.Argument(help="Folder of a run in simulation, or of several runs; or of a parent."),
    ],
    real: Annotated[
        list[Path],
        typer.Argument(help="Folder of the same tasks on the real robot; or folders of branches."),
    ],
    calibrate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the failure rates that the simulation lacks, for `peephole run "
            "--faults`.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure how well a simulation predicts reality: success, skills, observations, ranking.

    Any two runs of the same tasks can be compared. A run is compared with its branches otherwise:
    which decision lost the episode?
    """
    from ..episodes.run_file import is_run, run_folders
    from ..results.compare.branches import branched_episodes
    from ..results.compare.comparison import compare as compared

    others = [folder for each in real for folder in run_folders(each)]
    if is_run(sim) and (branched := branched_episodes(sim, others)):
        _print_branches(branched, calibrate, as_json=as_json)
        return
    if len(real) > 1:
        raise BadInput(f"Only branches of {sim} are compared by several folders; name one folder.")
    found = compared(run_folders(sim), others)
    if calibrate is not None:
        from ..episodes.faults import write_faults
        from ..results.compare.calibration import calibration_of

        rates = calibration_of(found)
        write_faults(calibrate, rates)
    if as_json:
        from ..results.compare.comparison import comparison_document

        print_json(comparison_document(found))
        return
    from ..results.compare.page import comparison_view
    from ..terminal import terminal_console

    console = terminal_console()
    console.print(comparison_view(found))
    if calibrate is not None:
        console.print(
            f"Written to {calibrate}; use it in simulation with: "
            f"peephole run --faults {calibrate} …",
            soft_wrap=True,
        )


def _print_branches(
    branched: list[BranchedEpisode], calibrate: Path | None, *, as_json: bool
) -> None:
    """Print episodes with their branches."""
    from ..results.compare.branches import branches_document, branches_view
    from ..terminal import terminal_console

    if calibrate is not None:
        raise BadInput("--calibrate needs a run in simulation and a real one; leave it out.")
    if as_json:
        print_json(branches_document(branched))
    else:
        terminal_console().print(branches_view(branched))

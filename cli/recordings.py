"""Commands that read recordings: `peephole show`, `report`, `replay` and `film`."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import BadInput, PeepholeError
from .options import GridOption, Json, RunFolder, RunFolders, with_groups
from .output import json_alone, print_json, signs_of_life, write_file


class TableForm(StrEnum):
    """The format of a table."""

    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"


@dataclass(frozen=True)
class ShowOptions:
    """What is shown, and in which form. The texts of the fields are the help's."""

    runs: RunFolders
    episode: Annotated[str | None, typer.Option("--episode", "-e", metavar="NAME")] = None
    """Number or task of an episode."""
    as_json: Json = False
    as_csv: Annotated[bool, typer.Option("--csv")] = False
    """Print a row for each episode, or for each of several runs."""
    by: Annotated[str | None, typer.Option(metavar="LABEL")] = None
    """Group tasks by a label of theirs, such as category."""
    svg: Annotated[Path | None, typer.Option(metavar="FILE.svg")] = None
    """Also write the output as a picture."""
    table: TableForm | None = None
    """Print a table for a paper: planners by suites, the best in bold."""
    figure: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None
    """Figure that --table shows, such as gsr, ssr or reward. May be repeated."""


@with_groups
def show(what: ShowOptions) -> None:
    """Show a run, an episode of it (RUN EPISODE), or a comparison of runs (RUN RUN …)."""
    runs, episode, by, svg = what.runs, what.episode, what.by, what.svg
    if what.table is not None or what.figure:
        alone = not (what.as_json or what.as_csv) and (episode, by, svg) == (None, None, None)
        _print_table(runs, what.table, what.figure or [], alone=alone)
        return
    if episode is None and len(runs) == 2 and not runs[1].exists():
        runs, episode = runs[:1], str(runs[1])  # `peephole show RUN EPISODE`
    elif episode is not None and len(runs) > 1:
        raise BadInput("--episode shows an episode of one run; give only that run.")
    if by is not None and (episode is not None or what.as_json or what.as_csv):
        raise BadInput(
            "--by excludes --episode, --json and --csv; use the column 'labels' of their rows."
        )
    if what.as_json + what.as_csv + (svg is not None) > 1:
        raise BadInput("--json, --csv and --svg exclude each other; choose one.")
    if episode is None:
        runs = _folders(runs)
    if what.as_json:
        print_json(_document(runs, episode))
    elif what.as_csv:
        print(_table(runs, episode), end="")
    else:
        _view(runs, episode, by, svg)


def _print_table(runs: list[Path], form: TableForm | None, figures: list[str], alone: bool) -> None:
    """Print the table of runs. alone: whether the command has no other options."""
    from ..results.tables.files import FORMS
    from ..results.tables.planner_table import planner_table

    if form is None:
        raise BadInput("--figure needs --table, whose figures it chooses; give both.")
    if not alone:
        raise BadInput("--table excludes other options than --figure; leave them out.")
    print(FORMS[form](planner_table(_folders(runs), figures)), end="")


def _folders(runs: list[Path]) -> list[Path]:
    """The folders of the runs. A folder of runs, such as a grid's, stands for all of them."""
    from ..episodes.run_file import run_folders

    return [folder for run in runs for folder in run_folders(run)]


def _document(runs: list[Path], episode: str | None) -> dict[str, Any]:
    from ..episodes.run_file import read_run
    from ..results.pairing import paired_documents
    from ..results.show.episode_view import find_episode
    from ..results.tables.rows import episode_document, run_document

    if episode is not None:
        content = read_run(runs[0])
        return episode_document(runs[0], content, find_episode(runs[0], content, episode))
    documents = [run_document(run) for run in runs]
    return documents[0] if len(runs) == 1 else {"runs": documents, "paired": paired_documents(runs)}


def _table(runs: list[Path], episode: str | None) -> str:
    from ..results.tables.rows import episodes_csv, runs_csv

    if episode is not None:
        raise BadInput("--csv has one row for an episode; use --json for its steps.")
    return episodes_csv(runs[0]) if len(runs) == 1 else runs_csv(runs)


def _view(runs: list[Path], episode: str | None, by: str | None, svg: Path | None) -> None:
    from ..results.show.episode_view import episode_view
    from ..results.show.runs import compare_view, label_view, run_view
    from ..terminal import terminal_console

    console = terminal_console(record=svg is not None)
    if episode is not None:
        console.print(episode_view(runs[0], episode), soft_wrap=svg is None)
    elif by is not None:
        console.print(label_view(runs, by))
    elif len(runs) > 1:
        console.print(compare_view(runs))
    else:
        console.print(run_view(runs[0]))
    if svg is not None:
        picture = console.export_svg(title="peephole show")
        picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # loaded from the web
        write_file(svg, picture, "--svg")


def report(
    runs: RunFolders,
    out: Annotated[Path, typer.Option(metavar="FILE.html", help="Page to write.")],
    grid: Annotated[
        Path | None,
        GridOption(help="Grid of the runs; the page compares them with the figures of its paper."),
    ] = None,
) -> None:
    """Write an HTML page to read offline: results, comparisons and every step of every episode.

    A folder of runs, such as a grid's, stands for all of them. Camera images go to a folder beside
    the page. So do the episodes, if they are too many for one file.
    """
    from ..episodes.run_file import run_folders
    from ..results.papers import read_grid
    from ..results.report.page import write_report

    if grid is not None and len(runs) > 1:
        raise BadInput("--grid needs one folder with all its runs; leave the other folders out.")
    played = None if grid is None else (read_grid(grid), runs[0])
    write_report([folder for path in runs for folder in run_folders(path)], out, played)
    print(f"Written to {out}; open it in a browser.")


def replay(
    run: RunFolder,
    episode: Annotated[
        str | None, typer.Argument(help="Number or task of an episode. By default all episodes.")
    ] = None,
    film: Annotated[
        Path | None, typer.Option(metavar="FILE.mp4", help="Also write a film of the episode.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Repeat the actions of a recorded run in its simulator and verify every outcome."""
    from ..episodes.recording import episode_path
    from ..episodes.run_file import read_run
    from ..results.replay import replay_run
    from ..results.show.episode_view import episode_number

    config = read_run(run).config
    number = None if episode is None else episode_number(run, config, episode)
    if film is not None:
        if number is None:
            raise BadInput("--film makes a film of one episode; give its number after the run.")
        if not episode_path(run, number, config.episodes[number - 1].task).exists():
            raise BadInput(f"Episode {number} of {run} has not begun; play it with --resume first.")
    rows = []
    only = frozenset() if number is None else frozenset({number})
    telling = nullcontext() if film is None else signs_of_life(f"Filming episode {number}")
    with json_alone(as_json), telling as reached:
        for replayed in replay_run(run, only, film, reached=reached):
            rows.append(replayed)
            if not as_json:
                steps = "1 step" if replayed.steps == 1 else f"{replayed.steps} steps"
                verdict = replayed.difference or f"{steps} as recorded"
                print(f"{replayed.task:40} {verdict}")
    differing = sum(row.difference is not None for row in rows)
    if as_json:
        print_json(
            {
                "run": str(run),
                "episodes": len(rows),
                "steps": sum(row.steps for row in rows),
                "differing": {r.task: r.difference for r in rows if r.difference is not None},
                **({"film": str(film)} if film is not None else {}),
            }
        )
    elif film is not None:
        print(f"Written to {film}.")
    if differing:
        raise PeepholeError(f"{differing} of {len(rows)} episodes differ from their recording.")


def film(
    run: RunFolder,
    episode: Annotated[str, typer.Argument(help="Number or task of an episode.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.mp4",
            help="Film to write. By default in the run's folder, where `peephole report` finds it.",
        ),
    ] = None,
    drawn: Annotated[
        bool,
        typer.Option("--drawn", help="Draw a floor plan, even if there is a camera or images."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a film of a recorded episode, with actions and outcomes as subtitles.

    A simulator with a camera plays the episode again. Without one, the film shows the recorded
    images, or a floor plan with what the agent sees, knows and holds.
    """
    from ..results.films.film import film_episode

    with json_alone(as_json), signs_of_life(f"Filming episode {episode}") as reached:
        filmed = film_episode(run, episode, out, drawn=drawn, reached=reached)
    if as_json:
        print_json(asdict(filmed) | {"file": str(filmed.file)})
    else:
        print(f"Written to {filmed.file}: {filmed.shows}.")
    if filmed.difference is not None:
        raise PeepholeError(f"The episode differs from its recording: {filmed.difference}.")

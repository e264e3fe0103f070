"""`peephole run --grid`: play all runs of a table or figure in one pool of workers."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Missing, PeepholeError
from .model_options import config_fields, model_configs
from .options import PERSON, ModelOptions, RecordingOptions, TaskOptions
from .output import json_alone, print_json, tell_tasks
from .playing import engine_name, event_printer, print_start

if TYPE_CHECKING:
    from rich.console import Console

    from ..grids.session import GridSession, GridSettings
    from ..results.papers import Grid

#: Seconds between two updates of the table while a grid is played.
_TABLE_EVERY_S = 120.0


def run_grid(
    file: Path, what: TaskOptions, asks: ModelOptions, recording: RecordingOptions
) -> None:
    """Play or continue all runs of a grid; print its tables."""
    from ..episodes.engines.choice import make_engine
    from ..grids.session import GridSession
    from ..terminal import terminal_console

    folder = _checked(what, recording)
    grid = _grid(file, what, asks)
    console = terminal_console(stderr=recording.as_json)

    watch = event_printer(console) if recording.watch else None
    name, workers = engine_name(recording), recording.workers
    engine = make_engine(name, workers, folder, watch)
    settings = _settings(grid, what, asks, recording, console)
    if not name and workers > 1:
        settings = replace(settings, in_threads=make_engine("threads", workers, folder))
    session = GridSession(grid, folder, engine, settings)
    with json_alone(recording.as_json), session:
        _tell_beginning(session, what.tasks, console)
        ended_by: PeepholeError | None = None
        try:
            with _table_at_the_end(session):
                _play(session, console, watched=recording.watch)
        except PeepholeError as error:
            ended_by = error
    _print_results(session, recording, ended_by)


def _checked(what: TaskOptions, recording: RecordingOptions) -> Path:
    """The grid's folder. Raises BadInput for options that the grid itself sets."""
    given = (what.suite, what.planner, what.set_, what.adapter, what.dialect, what.seed)
    alone = (what.replay_replies, recording.resume, what.planning_time)
    if any(given) or what.repeats != 1 or any(each not in (None, False) for each in alone):
        raise BadInput(
            "--grid sets what is run, and continues by itself; leave --suite, --planner, --set, "
            "--adapter, --dialect, --seed, --repeats, --planning-time, --replay-replies and "
            "--resume out."
        )
    if what.approve == PERSON:
        raise BadInput(
            "--grid plays many episodes, and asks nobody about their actions; give --approve a "
            "file of rules, or play the planners one by one."
        )
    if recording.log:
        raise BadInput(
            "--log follows one run; leave it out, and log each run of the grid afterwards with "
            "peephole run --resume --out RUN --log NAME."
        )
    if recording.out is None:
        raise BadInput("--grid needs a folder for its runs: --out DIR.")
    if recording.out.exists() and not recording.out.is_dir():
        raise BadInput(f"{recording.out} is a file; choose a new folder as --out.")
    return recording.out


def _grid(file: Path, what: TaskOptions, asks: ModelOptions) -> Grid:
    """The grid of a file, with --stop-when and the budgets of the command. Raises BadInput."""
    from ..episodes.settings import SpendingLimit
    from ..results.papers import StopWhenDecided, read_grid

    grid = read_grid(file)
    if grid.models and asks.model:
        raise BadInput(f"The grid {file} names its models; leave --model out.")
    changes: dict[str, Any] = {}
    if what.stop_when is not None and grid.stop_when is None:
        changes["stop_when"] = StopWhenDecided()
    tokens, money = asks.model_tokens, asks.model_money
    if tokens is not None or money is not None:
        changes["budget"] = SpendingLimit(
            tokens=tokens if tokens is not None else grid.budget.tokens,
            money=money if money is not None else grid.budget.money,
        )
    return grid.model_copy(update=changes)


def _settings(
    grid: Grid, what: TaskOptions, asks: ModelOptions, recording: RecordingOptions, console: Console
) -> GridSettings:
    """The settings of the command that a grid file does not have."""
    from ..episodes.approval.choice import approval_of
    from ..episodes.faults import read_faults
    from ..grids.session import GridSettings
    from ..results.papers import config_of

    asks = asks.without_budgets()
    return GridSettings(
        partial(
            config_of,
            grid,
            models={} if grid.models else model_configs(asks),
            data=what.data_path,
            settings=config_fields(asks.asked()),
            images=recording.images,
            isolate=recording.isolate,
            faults=None if what.faults is None else read_faults(what.faults),
            approval=approval_of(what.approve) if what.approve else None,
        ),
        what.tasks,
        what.data_path,
        lambda sentence: print(f"peephole: {sentence}", file=sys.stderr),
        partial(print_start, console),
    )


def _tell_beginning(session: GridSession, tasks: str, console: Console) -> None:
    """Print what is going to be played, and what the user has to know about it."""
    from ..models import serving

    for suite in session.suites.values():
        tell_tasks(suite, tasks or session.grid.tasks)
    asked = ((m, c.dialect) for c in session.configs for m in c.models.values())
    for note in dict.fromkeys(serving.note(*each) for each in dict.fromkeys(asked)):
        if note:
            console.print(note, style="yellow", soft_wrap=True)
    grid = session.grid
    counts = [(len(grid.suites), "suite"), (len(session.rows), "row"), (len(grid.seeds), "seed")]
    parts = " × ".join(f"{count} {name}{'s' if count != 1 else ''}" for count, name in counts)
    workers = session.engine.workers
    console.print(
        f"{grid.title}: {parts}, {session.total} episodes, "
        f"{workers} worker{'s' if workers > 1 else ''}",
        soft_wrap=True,
    )
    if session.before:
        verb = "is" if session.open == 1 else "are"
        left = f"{session.open} {verb} left" if session.open else "none is left"
        console.print(f"{session.before} episodes have ended already; {left}.", soft_wrap=True)


def _play(session: GridSession, console: Console, *, watched: bool) -> None:
    """Play what is left, with progress on the terminal."""
    from ..grids.progress import GridProgress

    if not session.open:
        return
    written = time.monotonic()
    with GridProgress(console, session, watched=watched) as progress:
        try:
            for played in session.play():
                progress.add_played(played)
                if time.monotonic() - written > _TABLE_EVERY_S:
                    _write_table(session)
                    written = time.monotonic()
        except KeyboardInterrupt:
            raise PeepholeError(
                f"Interrupted after {len(session.results)} of {session.total} episodes. These are "
                f"recorded; continue with the same command."
            ) from None


@contextmanager
def _table_at_the_end(session: GridSession) -> Iterator[None]:
    """Write the table at the end, also after an error."""
    try:
        yield
    except PeepholeError:
        _write_table(session)
        raise
    problem = _write_table(session)
    if problem:
        raise PeepholeError(problem)


def _write_table(session: GridSession) -> str:
    """Write `episodes.parquet`. Returns what went wrong, or ""."""
    from ..grids.table import write_table

    try:
        write_table(session)
    except Missing as missing:
        print(f"peephole: {missing}", file=sys.stderr)
    except PeepholeError as error:
        return str(error)
    return ""


def _print_results(
    session: GridSession, recording: RecordingOptions, ended_by: PeepholeError | None
) -> None:
    """Print a table for each suite, or one JSON document. Raises the error that ended the grid."""
    from ..grids.printed import grid_document, grid_table, kinds_table
    from ..terminal import terminal_console

    if recording.as_json:
        print_json(grid_document(session))
    else:
        console = terminal_console()
        grid = session.grid
        for suite in grid.suites:
            results = {row.name: session.results_of(suite, row) for row in session.rows}
            marks = {row.name: session.mark_of(suite, row) for row in session.rows}
            console.print(grid_table(grid, suite, results, marks))
            if grid.by and any(results.values()):
                kinds = session.kinds_of(suite)
                for figure in grid.figures:
                    console.print(kinds_table(grid, suite, figure, results, kinds))
        for line in (*_verdicts(session), grid.source, grid.note, *_where(session)):
            if line:
                console.print(line, soft_wrap=True)
    if ended_by is not None:
        raise ended_by
    left_out = "; ".join(f"{names}: {failure}" for names, failure in session.left_out.items())
    if left_out:
        raise PeepholeError(
            f"{session.open} episodes are left, because a model did not answer; fix that and "
            f"repeat the command. {left_out}"
        )


def _verdicts(session: GridSession) -> list[str]:
    """The verdicts of --stop-when, and how many episodes they saved."""
    if session.stopping is None:
        return []
    sentences = session.stopping.sentences()
    if session.spared:
        sentences.append(f"{session.spared} episodes were not needed for that and are left out.")
    return sentences


def _where(session: GridSession) -> list[str]:
    """Where the recordings are, and the commands that read them."""
    folder = session.folder
    table = folder / "episodes.parquet"
    lines = [f"Recorded in {folder}; make a page with: peephole report {folder} --out grid.html"]
    if table.exists():
        lines.append(f"Every episode is a row of {table}.")
    broken = [t for t, result in session.results.items() if result.ended == "planner_error"]
    if broken:
        run, number = session.runs[broken[0].run].folder, broken[0].episode.number
        lines.append(
            f"The planner failed in {len(broken)} episodes; see the first with: "
            f"peephole show {run} {number}"
        )
    return lines

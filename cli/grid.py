"""`peephole run --grid`: all runs of a table or figure, one after the other."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInput
from .options import ModelOptions, RecordingOptions, TaskOptions
from .output import json_alone, print_json
from .playing import play_recorded
from .run import continued, made, model_configs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..episodes.grid import Grid
    from ..episodes.result import EpisodeResult
    from ..episodes.run_file import RunConfig

#: Suite and planner, by the names in a grid.
_Row = tuple[str, str]


def run_grid(file: Path, what: TaskOptions, asks: ModelOptions, how: RecordingOptions) -> None:
    """Play, or continue, all runs of a grid; print its tables."""
    from rich.console import Console

    from ..episodes.grid import check_names, config_of, read_grid, runs_of
    from ..episodes.resolve import resolve
    from ..episodes.run_file import read_run
    from ..episodes.runner import results_of

    given = (what.suite, what.planner, what.set_, what.adapter, what.dialect, what.seed)
    if any(given) or what.repeats != 1 or what.replay_replies or how.resume:
        raise BadInput(
            "--grid says itself what is run, and goes on with what is there already; leave "
            "--suite, --planner, --set, --adapter, --dialect, --seed, --repeats, --replay-replies "
            "and --resume out."
        )
    if how.out is None:
        raise BadInput("--grid needs a folder for its runs: --out DIR.")
    grid = read_grid(file)
    check_names(grid, what.data_path)
    models = model_configs(asks)
    console = Console(stderr=how.as_json, highlight=False, markup=False)
    found: dict[_Row, list[EpisodeResult]] = {}
    marks: dict[_Row, str] = {}
    with json_alone(how.as_json):
        for part in runs_of(grid, how.out):
            console.print(f"{part.suite}, {part.planner.name}, seed {part.seed}", soft_wrap=True)
            config = config_of(grid, part, models, what.data_path)
            begun = (part.folder / "run.json").exists()
            if begun:
                _check_same(part.folder, config)
                resumed = replace(what, grid=None, tasks="", data=None)
                run, _ = continued(resumed, ModelOptions(), replace(how, out=part.folder))
            else:
                run = resolve(config, what.tasks or grid.tasks)
            with nullcontext() if begun else made(run, part.folder):
                play_recorded(run, part.folder, replace(how, resume=begun), with_notes=not marks)
            marks[part.suite, part.planner.name] = read_run(part.folder).mark
            found.setdefault((part.suite, part.planner.name), []).extend(results_of(part.folder))
    _print_tables(grid, found, marks, how)


def _print_tables(
    grid: Grid,
    found: Mapping[_Row, Sequence[EpisodeResult]],
    marks: Mapping[_Row, str],
    how: RecordingOptions,
) -> None:
    """Print a table a suite, or all as one JSON document."""
    from rich.console import Console

    from ..episodes.grid import grid_table
    from ..episodes.metrics import run_data

    if how.as_json:
        rows = [
            {"suite": suite, "planner": name, "stand_in": marks[suite, name]}
            | run_data(str(how.out), found[suite, name])
            for suite, name in found
        ]
        print_json({"title": grid.title, "source": grid.source, "rows": rows})
        return
    console = Console(highlight=False, markup=False)
    for suite in grid.suites:
        of_suite = {name: results for (of, name), results in found.items() if of == suite}
        marked = {name: mark for (of, name), mark in marks.items() if of == suite}
        console.print(grid_table(grid, suite, of_suite, marked))
    for line in (grid.source, grid.note, f"Recorded in {how.out}."):
        if line:
            console.print(line, soft_wrap=True)


def _check_same(folder: Path, wanted: RunConfig) -> None:
    """Refuse to go on with a run that a grid has changed since."""
    from ..episodes.run_file import read_run
    from ..planners.options import changed_options, parse_options
    from ..planners.registry import load_planner

    stored = read_run(folder).config
    planner = load_planner(wanted.planner)
    options = changed_options(planner, parse_options(planner, wanted.options))
    for what, then, now in (
        ("options", dict(stored.options), dict(options)),
        ("repeats", stored.repeats, wanted.repeats),
        ("model", *({r: m.name for r, m in c.models.items()} for c in (stored, wanted))),
    ):
        if then != now:
            raise BadInput(
                f"{folder} was run with the {what} {then}, and the grid wants {now}; choose "
                f"another --out."
            )

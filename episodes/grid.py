"""Grids: the runs that make up a table or figure of a paper, as a file says.

A grid file is YAML, see `Grid`. Each of its suites is played by each of its planners with each of
its seeds; every run has its folder, which is continued where it is there already.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import BadInput
from ..planners.llm.config import ModelConfig
from ..planners.options import parse_options
from ..planners.registry import load_planner
from .metrics import Estimate, summarize
from .result import EpisodeResult
from .run_file import RunConfig
from .suites.registry import load_suite
from .tables import FoldingTable

#: Figures as tables head them, with what they are multiplied by.
FIGURES = {
    "gsr": ("GSR %", 100.0),
    "ssr": ("SSR %", 100.0),
    "steps": ("steps", 1.0),
    "limit_steps": ("steps, failures at the limit", 1.0),
    "decisions": ("decisions", 1.0),
    "app": ("APP %", 100.0),
    "tpa": ("TPA", 1.0),
    "reward": ("reward", 1.0),
    "planning_s": ("planning s", 1.0),
    "thinking_s": ("planning s with the models' replies", 1.0),
    "tokens": ("tokens", 1.0),
    "tokens_in": ("tokens in", 1.0),
    "peak_tokens_in": ("peak tokens in", 1.0),
    "node_f1": ("node F1 %", 100.0),
    "edge_f1": ("edge F1 %", 100.0),
    "exact_looks": ("all right %", 100.0),
}
#: Characters of a line of a column's head.
_HEADER = 16


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GridPlanner(_Strict):
    """One row of a table.

    label: what the row is called; the planner's name by default. paper: the paper's figures, by
    suite, in the unit of the table.
    """

    planner: str
    label: str = ""
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    dialect: str = ""
    paper: dict[str, dict[str, float]] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.label or self.planner


class Grid(_Strict):
    """The runs of a table or figure.

    source: the paper with its table, and the model that its figures here are of. tasks: of each
    suite, as `--tasks` has them; all by default. figures: columns, by the names of `FIGURES`. note:
    what a reader of the table has to know. lines: plotted from suite to suite instead of bars.
    """

    title: str
    source: str = ""
    note: str = ""
    suites: list[str] = Field(min_length=1)
    adapter: str = ""
    tasks: str = ""
    planners: list[GridPlanner] = Field(min_length=1)
    seeds: list[int] = Field(default=[0], min_length=1)
    repeats: int = Field(1, ge=1)
    figures: list[str] = Field(default=["gsr", "ssr"], min_length=1)
    lines: bool = False


@dataclass(frozen=True)
class GridRun:
    """One run of a grid. folder: of its recording, within that of the grid."""

    suite: str
    planner: GridPlanner
    seed: int
    folder: Path


def read_grid(path: Path) -> Grid:
    """The grid of a file. Raises BadInput naming what is wrong with it."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The grid {path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        told = " ".join(str(error).split())
        raise BadInput(f"The grid {path} is no YAML ({told}); correct it.") from None
    try:
        grid = Grid.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        told = first["msg"][:1].lower() + first["msg"][1:]
        raise BadInput(f"The grid {path}: '{where}' is wrong: {told}; correct it.") from None
    _check(grid, path)
    return grid


def _check(grid: Grid, path: Path) -> None:
    """Refuse unknown figures, and rows that nobody could tell apart."""
    named = [*grid.figures, *(f for p in grid.planners for s in p.paper.values() for f in s)]
    for figure in named:
        if figure not in FIGURES:
            raise BadInput(
                f"The grid {path} names the figure '{figure}'; there are {', '.join(FIGURES)}."
            )
    for names, what in (
        ([planner.name for planner in grid.planners], "label"),
        (grid.suites, "suite"),
        ([str(seed) for seed in grid.seeds], "seed"),
    ):
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"The grid {path} has the {what} '{name}' twice; change one.")


def runs_of(grid: Grid, folder: Path) -> Iterator[GridRun]:
    """The runs of a grid, suite by suite and seed by seed, so that rows grow evenly."""
    for suite in grid.suites:
        for seed in grid.seeds:
            for number, planner in enumerate(grid.planners, start=1):
                name = re.sub(r"[^A-Za-z0-9_.-]+", "-", planner.name).strip("-")
                yield GridRun(suite, planner, seed, folder / suite / f"{number:02d}-{name}-{seed}")


def config_of(
    grid: Grid, run: GridRun, models: Mapping[str, ModelConfig], data: str = ""
) -> RunConfig:
    """What one run of a grid is started with.

    models: by role; left out are those that a planner with these options does not ask. data: of a
    suite whose tasks the user supplies, left out for others.
    """
    planner = load_planner(run.planner.planner)
    set_options = {key: _as_text(value) for key, value in run.planner.options.items()}
    roles = planner.granted_by(parse_options(planner, set_options)).models
    asked = {role: config for role, config in models.items() if role in (*roles, "planner")}
    return RunConfig(
        suite=run.suite,
        planner=run.planner.planner,
        adapter=grid.adapter,
        dialect=run.planner.dialect,
        options=set_options,
        seed=run.seed,
        repeats=grid.repeats,
        data=data,
        models=asked if roles else {},
    )


def check_names(grid: Grid, data: str = "") -> None:
    """Raise BadInput, or Missing, for a planner or suite that cannot be had."""
    for planner in grid.planners:
        load_planner(planner.planner)
    for suite in grid.suites:
        load_suite(suite, Path(data) if data else None)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def grid_table(
    grid: Grid,
    suite: str,
    results: Mapping[str, Sequence[EpisodeResult]],
    marks: Mapping[str, str],
) -> FoldingTable:
    """A suite's rows: what came of them with 95 % intervals, and the paper's figures below.

    results: of all seeds, by the planner's name in the grid. marks: which of "model" and "engine"
    is a stand-in.
    """
    table = FoldingTable(f"{grid.title}: {suite} [95 % intervals]")
    table.add_column("planner", overflow="fold", min_width=17)
    table.add_column("n", justify="right", no_wrap=True)
    for figure in grid.figures:
        header = "\n".join(textwrap.wrap(FIGURES[figure][0], _HEADER))
        table.add_column(header, justify="right", no_wrap=True)
    for planner in grid.planners:
        found = results.get(planner.name, ())
        figures = summarize(found)
        paper = planner.paper.get(suite, {})
        table.add_row(
            planner.name + (f"\n(stand-in {mark})" if (mark := marks.get(planner.name)) else ""),
            str(len(found)),
            *(_cell(figures.get(name), FIGURES[name][1], paper.get(name)) for name in grid.figures),
        )
    return table


def _cell(figure: Estimate | None, times: float, paper: float | None) -> str:
    lines = []
    if figure is not None:
        mean, low, high = (times * value for value in (figure.mean, figure.low, figure.high))
        lines = [f"{mean:.1f}", f"[{low:.1f}, {high:.1f}]"]
    return "\n".join([*lines, *([] if paper is None else [f"paper: {paper:g}"])])

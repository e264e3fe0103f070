"""The papers' tables: grids as their files describe them, their rows and runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from ..data_files import read_checked
from ..episodes.approval.choice import Approval
from ..episodes.faults import Faults
from ..episodes.result import EpisodeResult
from ..episodes.run_file import MOST_EPISODES, RunConfig, is_run, read_run
from ..episodes.settings import ModelSettings, SpendingLimit, Strict
from ..errors import BadInput
from ..models.config import ModelConfig
from ..planners.contract import Planner
from ..planners.options import parse_options, written
from ..planners.registry import load_planner
from ..suites.contract import path_name
from .experiments import check_one_experiment
from .metrics import FIGURES
from .run_episodes import results_in


class GridPlanner(Strict):
    """One row of a table, or one row for each of the grid's models."""

    planner: str
    """Name of the planner."""
    label: str = ""
    """Name of the row; the planner's name by default."""
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    """Options of the planner."""
    dialect: str = ""
    """Its dialect; the default one if empty."""
    models: list[str] = Field(default_factory=list)
    """Labels of the models that it is played with; all by default."""
    paper: dict[str, dict[str, float]] = Field(default_factory=dict)
    """The paper's figures in the unit of the table, by suite, or by suite and kind, such as
    "blocks/stack"; see `Grid`.
    """
    paper_of: dict[str, dict[str, dict[str, float]]] = Field(default_factory=dict)
    """The same for one of the grid's models, by its label."""

    @property
    def name(self) -> str:
        return self.label or self.planner


class GridModel(ModelSettings):
    """A model that planners are played with, and its name in rows."""

    label: str = ""
    """Its name in rows."""

    @property
    def name(self) -> str:
        return self.label or self.model


class StopWhenDecided(Strict):
    """When a suite has enough episodes to compare the first row with each of the others.

    on: what rows are compared by. difference: the smallest one that matters. alpha: the probability
    of a wrong verdict in a suite.
    """

    on: Literal["success", "progress"] = "success"
    difference: float = Field(default=0.1, gt=0, le=1)
    alpha: float = Field(default=0.05, gt=0, lt=0.5)

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, given: Any) -> Any:
        return {} if given == "decided" else given


class Grid(Strict):
    """The runs of a table or figure."""

    title: str
    """Title of the table."""
    source: str = ""
    """The paper with its table, and the model of the paper's figures here."""
    note: str = ""
    """What a reader of the table has to know."""
    suites: list[str] = Field(min_length=1)
    """Names of the suites."""
    adapter: str = ""
    """Name of the adapter; each suite's own by default."""
    tasks: str = ""
    """Of each suite, as `--tasks` takes them; all by default."""
    planners: list[GridPlanner] = Field(min_length=1)
    """The rows."""
    models: list[GridModel] = Field(default_factory=list)
    """Models that each planner is played with; by default the one of `--model`."""
    seeds: list[int] = Field(default=[0], min_length=1)
    """Seeds of the runs."""
    repeats: int = Field(default=1, ge=1, le=MOST_EPISODES)
    """How often each task is played in a run."""
    budget: SpendingLimit = Field(default_factory=SpendingLimit)
    """For all episodes together."""
    reply_cache: str = ""
    """Folder of the replies that runs share."""
    stop_when: StopWhenDecided | None = None
    """"decided", or a `StopWhenDecided`."""
    figures: list[str] = Field(default=["gsr", "ssr"], min_length=1)
    """Columns, by the names of `FIGURES`."""
    by: str = ""
    """A label of tasks, such as category. Adds a table for each figure, with columns by label."""
    lines: bool = False
    """Whether plots have lines from suite to suite instead of bars."""


def read_grid(path: Path) -> Grid:
    """The grid of a file. Raises BadInput naming what is wrong with it."""
    grid = read_checked(path, Grid, "grid")
    problem = _problem(grid)
    if problem:
        raise BadInput(f"The grid {path} {problem}")
    return grid


def _problem(grid: Grid) -> str:
    """What is wrong with a grid, as the rest of a sentence; "" where nothing is."""
    papers = [each for p in grid.planners for each in (p.paper, *p.paper_of.values())]
    named = [*grid.figures, *(f for paper in papers for figures in paper.values() for f in figures)]
    for figure in named:
        if figure not in FIGURES:
            return f"names the figure '{figure}'; choose among {', '.join(FIGURES)}."
    labels = [model.name for model in grid.models]
    for names, what in (
        ([planner.name for planner in grid.planners], "label"),
        (grid.suites, "suite"),
        (labels, "model"),
        ([str(seed) for seed in grid.seeds], "seed"),
    ):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            return f"has the {what} '{twice}' twice; change one."
    for planner in grid.planners:
        for name in planner.models:
            if name not in labels:
                known = ", ".join(labels) or "none"
                return f"plays {planner.name} with the model '{name}'; its models are: {known}."
    for suite in (suite for paper in papers for suite in paper):
        if suite.partition("/")[0] not in grid.suites:
            return f"has figures of the suite '{suite}', which it does not play; correct one."
    return _overlap(grid.seeds, grid.repeats)


def _overlap(seeds: Sequence[int], repeats: int) -> str:
    """What is wrong with seeds that are played twice; each repeat uses the next seed."""
    for one, other in combinations(sorted(seeds), 2):
        if other - one < repeats:
            return (
                f"would play the seed {other} twice: {repeats} repeats from the seed {one} on "
                f"reach it too; put the seeds further apart, or leave 'repeats' out."
            )
    return ""


@dataclass(frozen=True)
class GridRow:
    """A row of a grid: a planner, with one of the grid's models where it asks models.

    number: from 1, in the grid's order.
    """

    number: int
    name: str
    planner: GridPlanner
    model: GridModel | None = None

    def paper(self, suite: str, kind: str = "") -> Mapping[str, float]:
        """The paper's figures for a suite, or for one kind of its tasks."""
        figures = self.planner.paper
        if self.model is not None:
            figures = self.planner.paper_of.get(self.model.name, figures)
        return figures.get(f"{suite}/{kind}" if kind else suite, {})


@dataclass(frozen=True)
class GridRun:
    """One run of a grid. folder: of its recording, below that of the grid."""

    suite: str
    row: GridRow
    seed: int
    folder: Path


def rows_of(grid: Grid) -> list[GridRow]:
    """The rows of a grid. A row has its model's name where the grid has several."""
    rows: list[GridRow] = []
    for planner in grid.planners:
        models = [m for m in grid.models if not planner.models or m.name in planner.models]
        for model in models if models and _roles(planner) else [None]:
            is_named = model is not None and len(models) > 1
            name = f"{planner.name}, {model.name}" if model and is_named else planner.name
            rows.append(GridRow(len(rows) + 1, name, planner, model))
    return rows


def runs_of(grid: Grid, folder: Path) -> Iterator[GridRun]:
    """The runs of a grid, suite by suite and seed by seed."""
    rows = rows_of(grid)
    for suite in grid.suites:
        for seed in grid.seeds:
            for row in rows:
                name = re.sub(r"[^A-Za-z0-9_.-]+", "-", row.name).strip("-")
                path = folder / path_name(suite) / f"{row.number:02d}-{name}-{seed}"
                yield GridRun(suite, row, seed, path)


def results_of_row(
    grid: Grid, folder: Path, suite: str, row: GridRow
) -> list[EpisodeResult] | None:
    """The results of a row on a suite, over all seeds; None where it was not played.

    Raises BadInput where the runs of its seeds differ in more than the seed.
    """
    runs = [
        run.folder
        for run in runs_of(grid, folder)
        if (run.suite, run.row) == (suite, row) and is_run(run.folder)
    ]
    contents = [read_run(run) for run in runs]
    check_one_experiment(f"{row.name} on {suite}", contents)
    found = [
        r for run, content in zip(runs, contents, strict=True) for r in results_in(run, content)
    ]
    return found if runs else None


def config_of(
    grid: Grid,
    run: GridRun,
    models: Mapping[str, ModelConfig],
    data: str = "",
    *,
    settings: Mapping[str, Any] | None = None,
    images: bool = False,
    isolate: bool = False,
    faults: Faults | None = None,
    approval: Approval | None = None,
) -> RunConfig:
    """The config with which one run of a grid is started.

    models: those that the command names, by role; roles that the planner does not ask are left out.
    data: the tasks of a suite that has none of its own. settings: fields of `ModelConfig` for the
    grid's models. faults: failures to inject. approval: who approves actions.
    """
    planner = run.row.planner
    roles = _roles(planner)
    if run.row.model is not None:
        models = _configs(run.row.model, settings or {})
    asked = {role: config for role, config in models.items() if role in (*roles, "planner")}
    if grid.reply_cache:
        cache = str(Path(grid.reply_cache).resolve())
        asked = {role: replace(m, reply_cache=m.reply_cache or cache) for role, m in asked.items()}
    return RunConfig(
        suite=run.suite,
        planner=planner.planner,
        adapter=grid.adapter,
        dialect=planner.dialect,
        options=_options(planner),
        seed=run.seed,
        repeats=grid.repeats,
        data=data,
        isolate=isolate,
        images=images,
        models=asked if roles else {},
        faults=faults,
        approval=approval,
    )


def _configs(model: GridModel, settings: Mapping[str, Any]) -> dict[str, ModelConfig]:
    """The model settings of a grid's model by role."""
    own = model.model_dump(exclude={"model", "label", "roles"}, exclude_none=True)
    if "reply_tokens" in own:
        own["max_tokens"] = own.pop("reply_tokens")
    names = model.by_role.items()
    return {role: ModelConfig(name=name, **{**settings, **own}) for role, name in names}


def _roles(planner: GridPlanner) -> tuple[str, ...]:
    """The roles that a planner asks with its options."""
    loaded: Planner = load_planner(planner.planner)
    return tuple(loaded.granted_by(parse_options(loaded, _options(planner))).models)


def _options(planner: GridPlanner) -> dict[str, str]:
    return {key: written(value) for key, value in planner.options.items()}

"""A grid as its file says it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...data_files import read_checked
from ...errors import BadInput
from .figures import FIGURES


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GridPlanner(_Strict):
    """One row of a table, or one for each of the grid's models.

    label: what the row is called; the planner's name by default. models: labels of those that it is
    played with; all by default. paper: the paper's figures, by suite, in the unit of the table, or
    by suite and kind, such as "blocks/stack", see `Grid`. paper_of: the same with one of the grid's
    models, by its label.
    """

    planner: str
    label: str = ""
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    dialect: str = ""
    models: list[str] = Field(default_factory=list)
    paper: dict[str, dict[str, float]] = Field(default_factory=dict)
    paper_of: dict[str, dict[str, dict[str, float]]] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.label or self.planner


class GridModel(_Strict):
    """A model that planners are played with, or its name alone.

    label: what rows call it. roles: models of roles that have one of their own, such as vision. The
    others are those of the options of the same name.
    """

    model: str
    label: str = ""
    roles: dict[str, str] = Field(default_factory=dict)
    temperature: float | None = Field(default=None, ge=0)
    reply_tokens: int | None = Field(default=None, ge=1)
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = Field(default=None, ge=0)
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    price_cached: float | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, given: Any) -> Any:
        return {"model": given} if isinstance(given, str) else given

    @property
    def name(self) -> str:
        return self.label or self.model


class GridBudget(_Strict):
    """What all episodes of a grid together may take of its models: tokens, and US dollars."""

    tokens: int | None = Field(default=None, ge=1)
    money: float | None = Field(default=None, gt=0)


class StopWhenDecided(_Strict):
    """When enough was played to tell the first row from each of the others, suite by suite.

    on: what rows are compared by. difference: the smallest one that matters. alpha: the chance of a
    wrong verdict in a suite.
    """

    on: Literal["success", "progress"] = "success"
    difference: float = Field(default=0.1, gt=0, le=1)
    alpha: float = Field(default=0.05, gt=0, lt=0.5)

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, given: Any) -> Any:
        return {} if given == "decided" else given


class Grid(_Strict):
    """The runs of a table or figure.

    source: the paper with its table, and the model that its figures here are of. tasks: of each
    suite, as `--tasks` has them; all by default. models: each planner that asks a model is played
    with each of them; by default it is the one of `--model`. stop_when: "decided", or a
    `StopWhenDecided`. reply_cache: the folder of replies that runs share. figures: columns, by the
    names of `FIGURES`. by: a label of tasks, such as category; a table a figure follows with a
    column a kind. note: what a reader of the table has to know. lines: plotted from suite to suite
    instead of bars.
    """

    title: str
    source: str = ""
    note: str = ""
    suites: list[str] = Field(min_length=1)
    adapter: str = ""
    tasks: str = ""
    planners: list[GridPlanner] = Field(min_length=1)
    models: list[GridModel] = Field(default_factory=list)
    seeds: list[int] = Field(default=[0], min_length=1)
    repeats: int = Field(default=1, ge=1)
    budget: GridBudget = Field(default_factory=GridBudget)
    reply_cache: str = ""
    stop_when: StopWhenDecided | None = None
    figures: list[str] = Field(default=["gsr", "ssr"], min_length=1)
    by: str = ""
    lines: bool = False


def read_grid(path: Path) -> Grid:
    """The grid of a file. Raises BadInput naming what is wrong with it."""
    grid = read_checked(path, Grid, "grid")
    problem = _problem(grid)
    if problem:
        raise BadInput(f"The grid {path} {problem}")
    return grid


def _problem(grid: Grid) -> str:
    """What a grid says that cannot be, as the rest of a sentence; "" where all is well."""
    papers = [each for p in grid.planners for each in (p.paper, *p.paper_of.values())]
    named = [*grid.figures, *(f for paper in papers for figures in paper.values() for f in figures)]
    for figure in named:
        if figure not in FIGURES:
            return f"names the figure '{figure}'; there are {', '.join(FIGURES)}."
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
    """What is wrong with seeds of which one is played twice; a repeat is played with the next."""
    for one, other in combinations(sorted(seeds), 2):
        if other - one < repeats:
            return (
                f"would play the seed {other} twice: {repeats} repeats from the seed {one} on come "
                f"to it too; put the seeds further apart, or leave 'repeats' out."
            )
    return ""

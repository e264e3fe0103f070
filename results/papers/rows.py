"""The rows of a grid's tables, and the runs that fill them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...episodes.faults import Faults
from ...episodes.run_file import RunConfig
from ...models.config import ModelConfig
from ...planners.contract import Planner
from ...planners.options import parse_options
from ...planners.registry import load_planner
from ...suites.contract import path_name
from .spec import Grid, GridModel, GridPlanner


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
) -> RunConfig:
    """The config with which one run of a grid is started.

    models: those that the command names, by role; roles that the planner does not ask are left out.
    data: the tasks of a suite that has none of its own. settings: fields of `ModelConfig` for the
    grid's models. faults: failures to inject.
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
    )


def _configs(model: GridModel, settings: Mapping[str, Any]) -> dict[str, ModelConfig]:
    """The model settings of a grid's model by role."""
    own = {
        field: value
        for field, value in (
            ("temperature", model.temperature),
            ("max_tokens", model.reply_tokens),
            ("reasoning_effort", model.reasoning_effort),
            ("reasoning_tokens", model.reasoning_tokens),
            ("price_in", model.price_in),
            ("price_out", model.price_out),
            ("price_cached", model.price_cached),
        )
        if value is not None
    }
    names = {"planner": model.model, **model.roles}
    return {role: ModelConfig(name=name, **{**settings, **own}) for role, name in names.items()}


def _roles(planner: GridPlanner) -> tuple[str, ...]:
    """The roles that a planner asks with its options."""
    loaded: Planner = load_planner(planner.planner)
    return tuple(loaded.granted_by(parse_options(loaded, _options(planner))).models)


def _options(planner: GridPlanner) -> dict[str, str]:
    return {key: _as_text(value) for key, value in planner.options.items()}


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

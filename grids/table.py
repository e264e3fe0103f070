"""All episodes of a grid as one table, `episodes.parquet`, for pandas, polars and DuckDB.

A row is an episode that has ended. Lists and objects are JSON text. A missing value is null: it is
unknown, or the episode has none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..data_files import draft_of, json_text
from ..episodes.engines.contract import Ticket
from ..episodes.recording import episode_path, latest, read_events, unwritable
from ..episodes.result import EpisodeResult
from ..episodes.run_file import PlannedEpisode, RunFile, read_run
from ..errors import Missing
from ..installed import Lack
from ..models.events import ModelEvent, ModelReplied
from ..models.spending import spent
from ..results.failures.classify import diagnose
from .session import GridSession

NAME = "episodes.parquet"
#: The columns, with their types in Arrow.
COLUMNS: dict[str, str] = json.loads(
    Path(__file__).with_name("columns.json").read_text(encoding="utf-8")
)


def write_table(session: GridSession) -> Path:
    """Write the table of a grid, whole or not at all; returns its path.

    Recordings of episodes that the table already has are not read again. Raises Missing without
    pyarrow, and PeepholeError where the disk is full; the same command then writes it.
    """
    if find_spec("pyarrow") is None:
        raise Missing(
            Lack(f"The table {NAME} needs pyarrow; the same command writes it then", "table")
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = session.folder / NAME
    table = pa.Table.from_pylist(rows_of_session(session), pa.schema(COLUMNS))
    try:
        with draft_of(path) as draft:
            pq.write_table(table, draft)
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def rows_of_session(session: GridSession) -> list[dict[str, Any]]:
    """A row for every ended episode: suite by suite, row by row, seed by seed."""
    known = _written(session.folder / NAME)
    contents = [read_run(run.folder) for run in session.runs]
    rows = []
    for ticket in sorted(session.results, key=lambda each: (each.run, each.episode.number)):
        run = session.runs[ticket.run]
        name = str(run.folder.relative_to(session.folder))
        content, result = contents[ticket.run], session.results[ticket]
        what = {"run": name, "row": run.row.name, **_of_run(content)}
        row = what | _of_episode(ticket.episode, result)
        before = known.get((name, ticket.episode.number))
        rows.append(row | (_kept(before, row) or _recorded(run.folder, ticket)))
    return rows


def _kept(before: Mapping[str, Any] | None, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """An earlier table's row of an episode, if it is the same one."""
    if before is None or any(before[name] != value for name, value in row.items()):
        return None
    return dict(before)


def _of_run(content: RunFile) -> dict[str, Any]:
    """The columns that all episodes of a run share."""
    config = content.config
    names = {role: model.name for role, model in config.models.items()}
    return {
        "suite": config.suite,
        "planner": config.planner,
        "options": _json(config.options),
        "model": next(iter(names.values()), None) if len(set(names.values())) < 2 else _json(names),
        "adapter": config.adapter,
        "dialect": config.dialect,
        "stand_in": content.mark,
        "version": content.peephole,
    }


#: Columns that have another name in `EpisodeResult`.
_RESULT_NAMES = {"limit_steps": "step_limit", "money": "usd", "simulator_s": "duration_s"}


def _of_episode(episode: PlannedEpisode, result: EpisodeResult) -> dict[str, Any]:
    about = asdict(episode)
    about |= {"episode": episode.number, "tokens_uncached": result.tokens_in - result.tokens_cached}
    named = {name: _RESULT_NAMES.get(name, name) for name in COLUMNS if name not in about}
    own = {name: getattr(result, field) for name, field in named.items() if hasattr(result, field)}
    return {name: value for name, value in (about | own).items() if name in COLUMNS}


def _recorded(folder: Path, ticket: Ticket) -> dict[str, Any]:
    """The columns that only the recording has."""
    events = read_events(episode_path(folder, ticket.episode.number, ticket.episode.task))
    models = [event for event in events if isinstance(event, ModelEvent)]
    newest = latest(events)
    why = diagnose(newest)
    return {
        "failure_class": None if why is None else str(why.kind),
        "failure_step": None if why is None else why.step,
        "served_model": ", ".join(_answered(models)) or None,
        "tokens_by_purpose": _json(_tokens_by_purpose(models)),
        "wall_s": newest[-1].t,
    }


def _answered(events: Sequence[ModelEvent]) -> list[str]:
    """The names under which models answered, in order."""
    names = (event.served_model for event in events if isinstance(event, ModelReplied))
    return list(dict.fromkeys(filter(None, names)))


def _tokens_by_purpose(events: Sequence[ModelEvent]) -> dict[str, dict[str, int]]:
    """Tokens of an episode by purpose: in, out, and uncached ones of those in."""
    return {
        name or "planning": {
            "in": part.usage.tokens_in,
            "out": part.usage.tokens_out,
            "uncached": part.usage.tokens_in - part.usage.cached,
        }
        for name, part in spent(events).by_purpose.items()
    }


def _written(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The rows of the earlier table, by run and episode; none from another version."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid):
        return {}
    if table.column_names != list(COLUMNS):
        return {}
    return {(row["run"], row["episode"]): row for row in table.to_pylist()}


def _json(data: Mapping[str, Any]) -> str:
    return json_text(dict(data))

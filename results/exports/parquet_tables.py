"""Tables for pandas, polars and DuckDB: `episodes.parquet` and `steps.parquet`.

A row of episodes is like one of `peephole show --csv`; a row of steps is one try of an action.
Lists and objects are JSON text. Recorded images are copied to `images/`.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from ...data_files import json_text, read_yaml
from ...episodes.result import EpisodeResult
from ...planners.contract import Note
from ..pictures import copy_images
from ..run_episodes import RunEpisode
from ..tables.rows import episode_row
from .export import ExportSummary, Source
from .steps import ExportedStep, steps_of

if TYPE_CHECKING:
    import pyarrow as pa

#: Types of columns in Arrow, by table; of episodes besides the fields of `EpisodeResult`.
_COLUMNS: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("columns.yaml"))
#: Rows kept in memory before they are written.
_BATCH = 2000


def write(source: Source, out: Path) -> ExportSummary:
    """Write both tables into a new folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out.mkdir()
    episodes: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []
    count = 0
    schema = pa.schema(_COLUMNS["steps"])
    with pq.ParquetWriter(out / "steps.parquet", schema) as file:
        for episode in source.episodes:
            rows = list(_step_rows(episode))
            copy_images(source.run, out, _images(rows))
            episodes.append(_episode_row(source, episode))
            waiting += rows
            count += len(rows)
            if len(waiting) >= _BATCH:
                file.write_table(_table(waiting, schema))
                waiting = []
        file.write_table(_table(waiting, schema))
    columns = {name: _column_type(name) for name in episodes[0]}
    pq.write_table(_table(episodes, pa.schema(columns)), out / "episodes.parquet")
    return ExportSummary({"steps": count, "episodes": len(episodes)})


def _episode_row(source: Source, episode: RunEpisode) -> dict[str, Any]:
    row = episode_row(source.content, episode)
    steps = steps_of(episode.events)
    started = steps.started
    return {
        "run": str(source.run),
        **row,
        "instruction": started.instruction,
        "scene": started.scene,
        "last_thought": steps.last.thought,
        "options": dict(source.content.config.options),
        "models": {role: model.name for role, model in source.content.config.models.items()},
        "peephole": source.content.peephole,
    }


def _step_rows(episode: RunEpisode) -> Iterator[dict[str, Any]]:
    for step in steps_of(episode.events).steps:
        yield {
            "episode": episode.number,
            "task": episode.task,
            "repeat": episode.repeat,
            "trial": step.trial,
            "step": step.event.step,
            "t": step.t,
            "observation": step.before,
            "image": _image_path(step.image),
            "thought": step.deliberation.thought,
            "notes": notes_data(step.deliberation.notes),
            "answered": step.deliberation.answered,
            "said": step.event.said,
            "action": step.event.wording,
            **_action(step),
            "duration_s": step.event.outcome.duration_s,
            "sim_time_s": step.event.outcome.sim_time_s,
            "reward": step.event.reward,
            "progress": step.event.progress,
            "next_observation": step.event.observation,
            "next_image": _image_path(step.event.image),
        }


def _action(step: ExportedStep) -> dict[str, Any]:
    """The typed action with the simulator's ids, and its outcome."""
    action, outcome = step.event.action, step.event.outcome
    fields = dict.fromkeys(("verb", "target", "relation", "place", "pose"))
    if action is not None:
        fields |= {name: getattr(action, name) for name in fields}
    return {
        **fields,
        "success": outcome.success,
        "failure": None if outcome.failure is None else str(outcome.failure.reason),
        "attempts": len(outcome.attempts),
    }


def notes_data(notes: Sequence[Note]) -> list[dict[str, Any]]:
    """Notes as JSON data."""
    return [{"name": note.name, "text": note.text, "data": note.data} for note in notes]


def _image_path(name: str) -> str | None:
    return f"images/{name}" if name else None


def _images(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        for name in (row["image"], row["next_image"]):
            if name:
                yield name.removeprefix("images/")


# --- columns -------------------------------------------------------------------------------------


def _column_type(name: str) -> str:
    """The type of a column of episodes in Arrow; JSON text for lists and objects."""
    if name in _COLUMNS["episodes"]:
        return _COLUMNS["episodes"][name]
    hint = get_type_hints(EpisodeResult).get(name, str)
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(each for each in get_args(hint) if each is not type(None))
    return {bool: "bool", int: "int64", float: "float64"}.get(hint, "string")


def _table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    cells = [{name: _cell(value) for name, value in row.items()} for row in rows]
    return pa.Table.from_pylist(cells, schema=schema)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)  # names are subclasses of it
    if isinstance(value, dict | list | tuple):
        return json_text(value)
    return value

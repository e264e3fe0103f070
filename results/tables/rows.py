"""Runs as rows for other programs: an episode or a run a row, as JSON data or CSV."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ...data_files import csv_text, json_text
from ...episodes.events import to_line
from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunFile, read_run
from ...models.serving import ServedModels
from ..metrics import run_data, summarize
from ..provenance import provenance_data
from ..run_episodes import EpisodeSummary, RunEpisode, results_in, summaries_of

#: Fields of results that rows do not have under this name.
_NOT_IN_ROWS = {"task"}
_RESULT = [field.name for field in fields(EpisodeResult) if field.name not in _NOT_IN_ROWS]


def episode_row(content: RunFile, episode: RunEpisode | EpisodeSummary) -> dict[str, Any]:
    """One episode as JSON data: what it was, and the fields of its `EpisodeResult` or None.

    A failed episode also has its class of docs/reference/failures.md and the deciding step.
    """
    result = {} if episode.result is None else asdict(episode.result)
    why = episode.why
    return {
        "episode": episode.number,
        "task": episode.task,
        "repeat": episode.repeat,
        "labels": dict(episode.labels),
        **_what(content),
        "seed": episode.seed,
        "status": episode.status,
        **{name: result.get(name) for name in _RESULT},
        "failure_class": None if why is None else str(why.kind),
        "failure_step": None if why is None else why.step,
    }


def _what(content: RunFile) -> dict[str, Any]:
    """What was run; part of every row."""
    config = content.config
    return {
        "suite": config.suite,
        "planner": config.label,
        "adapter": config.adapter,
        "dialect": config.dialect,
        "seed": config.seed,
        "stand_in": content.mark,
    }


def run_document(folder: Path) -> dict[str, Any]:
    """A run as one JSON document: that of `run --json`, and a row for each episode."""
    content = read_run(folder)
    rows: list[dict[str, Any]] = []
    results: list[EpisodeResult] = []
    damage: list[str] = []
    asked = ServedModels()
    for episode in summaries_of(folder, content):
        rows.append(episode_row(content, episode))
        damage += episode.damage
        asked.add(episode.answered)
        if episode.result is not None:
            results.append(episode.result)
    classes = (row["failure_class"] for row in rows)
    return {
        **run_data(str(folder), results),
        **_what(content),
        "grants": ["view", *content.grants],
        "stand_ins": [asdict(stand_in) for stand_in in content.stand_ins],
        "created": content.created,
        "simulator": dict(content.adapter),
        "made_with": provenance_data(content),
        "served": asked.sentences(),
        "damage": damage,
        "failure_classes": dict(Counter(filter(None, classes)).most_common()),
        "rows": rows,
    }


def episode_document(folder: Path, content: RunFile, episode: RunEpisode) -> dict[str, Any]:
    """One episode as one JSON document: its row, and its recorded events."""
    return {
        "run": str(folder),
        **episode_row(content, episode),
        "stand_ins": [asdict(stand_in) for stand_in in content.stand_ins],
        "damage": list(episode.damage),
        "events": [json.loads(to_line(event)) for event in episode.events],
    }


def episodes_csv(folder: Path) -> str:
    """A run as CSV with a header, a row for each episode; lists and objects are JSON text."""
    content = read_run(folder)
    return _csv([episode_row(content, episode) for episode in summaries_of(folder, content)])


def runs_csv(folders: Sequence[Path]) -> str:
    """Runs as CSV with a header, a row each; a figure has columns NAME, NAME_low, NAME_high."""
    rows = []
    for folder in folders:
        content = read_run(folder)
        results = results_in(folder, content)
        data = run_data(str(folder), results)
        counts = {name: data[name] for name in ("episodes", "scored", "voided", "unscored")}
        row = {"run": str(folder), **_what(content), **counts}
        for name, figure in summarize(results).items():
            row |= {name: figure.mean, f"{name}_low": figure.low, f"{name}_high": figure.high}
        rows.append(row)
    return _csv(rows)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text([columns, *([_cell(row.get(name, "")) for name in columns] for row in rows)])


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json_text(value)
    return value

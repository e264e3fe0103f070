"""A dataset of LeRobot, format v3.0 with language columns, written with pyarrow.

A frame is an action with the observation before it, one second after the previous frame. Each trial
of an episode is an episode of the dataset. `lerobot_language` explains the language columns.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data_files import json_text
from ...episodes.events import beginning_of
from ...episodes.recording import image_file
from ...errors import BadInput
from ..pictures import image_of
from .export import ExportSummary, Source
from .lerobot_language import event_rows, persistent_rows, tool_schemas
from .lerobot_stats import Statistics
from .steps import Trial, sensor_numbers, trials_of

if TYPE_CHECKING:
    import pyarrow as pa

CODEBASE_VERSION = "v3.0"
CAMERA = "observation.images.camera"
STATE = "observation.state"
_DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_EPISODES = "meta/episodes/chunk-000/file-000.parquet"
#: Episodes in one file of frames, and files in one folder.
_EPISODES_A_FILE, _FILES_A_CHUNK = 500, 1000
#: Features of every dataset, with LeRobot's names of their types.
_SCALARS = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
    "next.reward": "float32",
    "next.done": "bool",
    "next.success": "bool",
    "peephole.observation": "string",
    "peephole.action": "string",
    "peephole.typed_action": "string",
    "peephole.failure": "string",
}
_LANGUAGE = ("language_persistent", "language_events")


@dataclass
class _Dataset:
    """The state of a dataset while it is written. features: those that not every dataset has."""

    source: Source
    """The exported run."""
    out: Path
    """Its folder."""
    features: dict[str, tuple[int, ...]]
    """Shapes of the features that not every dataset has."""
    tasks: dict[str, int] = field(default_factory=dict)
    """Index of each instruction."""
    episodes: list[dict[str, Any]] = field(default_factory=list)
    """Rows of the table of episodes."""
    frames: int = 0
    """Number of frames so far."""
    verbs: set[str] = field(default_factory=set)
    """Verbs of the actions so far."""
    statistics: Statistics = field(default_factory=Statistics)
    """Statistics of the frames so far."""
    of_episode: Statistics = field(default_factory=Statistics)
    """Statistics of the frames of the last episode."""


def write(source: Source, out: Path) -> ExportSummary:
    """Write the dataset into a new folder. Raises BadInput where no episode has an action."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    trials = (trial for episode in source.episodes for trial in trials_of(episode))
    first = next(trials, None)
    if first is None:
        raise BadInput(
            f"{source.run} has no episode with an action, so there is no frame; run more tasks."
        )
    dataset = _Dataset(source, out, _features(source, first))
    schema = _schema(dataset.features)
    file: pq.ParquetWriter | None = None
    try:
        for trial in chain([first], trials):
            number = len(dataset.episodes)
            if number % _EPISODES_A_FILE == 0:
                if file is not None:
                    file.close()
                path = out / _DATA.format(**_place(number))
                path.parent.mkdir(parents=True, exist_ok=True)
                file = pq.ParquetWriter(path, schema)
            assert file is not None
            file.write_table(pa.Table.from_pylist(_frames(dataset, trial), schema))
    finally:
        if file is not None:
            file.close()
    _write_meta(dataset)
    return ExportSummary({"episodes": len(dataset.episodes), "frames": dataset.frames})


def _place(episode: int) -> dict[str, int]:
    """The indices of the file with an episode's frames."""
    chunk, file = divmod(episode // _EPISODES_A_FILE, _FILES_A_CHUNK)
    return {"chunk_index": chunk, "file_index": file}


def _features(source: Source, trial: Trial) -> dict[str, tuple[int, ...]]:
    """The features that only some datasets have, by the first moment."""
    moment, found = trial.moments[0], {}
    if moment.image:
        found[CAMERA] = image_of(source.run, moment.image).shape
    if moment.sensors:
        found[STATE] = (len(sensor_numbers(moment.sensors)),)
    return found


# --- frames --------------------------------------------------------------------------------------


def _frames(dataset: _Dataset, trial: Trial) -> list[dict[str, Any]]:
    """The frames of a trial, which is added to the episodes."""
    started = beginning_of(trial.episode.events)
    task = dataset.tasks.setdefault(started.instruction, len(dataset.tasks))
    number, length = len(dataset.episodes), len(trial.steps)
    persistent = persistent_rows(trial)
    dataset.of_episode = Statistics()
    frames = []
    for at, step in enumerate(trial.steps):
        last = at == length - 1
        action, failure = step.event.action, step.event.outcome.failure
        events, typed = event_rows(step)
        dataset.verbs |= {action.verb} if action else set()
        frames.append(
            {
                "timestamp": float(at),
                "frame_index": at,
                "episode_index": number,
                "index": dataset.frames + at,
                "task_index": task,
                "next.reward": step.event.reward,
                "next.done": last,
                "next.success": last and trial.success,
                "peephole.observation": step.before,
                "peephole.action": step.event.wording,
                "peephole.typed_action": typed,
                "peephole.failure": "" if failure is None else str(failure.reason),
                "language_persistent": persistent,
                "language_events": events,
                **_seen(dataset, trial, at),
            }
        )
    dataset.of_episode.add(frames, [*_numeric(), *([STATE] if STATE in dataset.features else [])])
    dataset.statistics.include(dataset.of_episode)
    _enter(dataset, trial, started.instruction, length)
    return frames


def _numeric() -> list[str]:
    return [name for name, kind in _SCALARS.items() if kind not in ("string", "bool")]


def _seen(dataset: _Dataset, trial: Trial, at: int) -> dict[str, Any]:
    """Image and sensors at a frame. Raises BadInput where only some moments have them."""
    moment = trial.moments[at]
    found: dict[str, Any] = {}
    for name, there in ((CAMERA, moment.image), (STATE, moment.sensors)):
        if bool(there) != (name in dataset.features):
            raise BadInput(
                f"{dataset.source.run} has {name} of some moments only; LeRobot needs it in all or "
                f"none of them; export another format."
            )
    if moment.image:
        path = image_file(dataset.source.run, moment.image)
        dataset.of_episode.add_image(CAMERA, image_of(dataset.source.run, moment.image))
        found[CAMERA] = {"bytes": path.read_bytes(), "path": moment.image}
    if moment.sensors:
        found[STATE] = sensor_numbers(moment.sensors)
    return found


def _enter(dataset: _Dataset, trial: Trial, instruction: str, length: int) -> None:
    """Add a trial to the episodes."""
    number = len(dataset.episodes)
    place = _place(number)
    dataset.episodes.append(
        {
            "episode_index": number,
            "tasks": [instruction],
            "length": length,
            "dataset_from_index": dataset.frames,
            "dataset_to_index": dataset.frames + length,
            "data/chunk_index": place["chunk_index"],
            "data/file_index": place["file_index"],
            "meta/episodes/chunk_index": 0,
            "meta/episodes/file_index": 0,
            "peephole.task": trial.episode.task,
            "peephole.trial": trial.number,
            "peephole.success": trial.success,
            **dataset.of_episode.columns(),  # LeRobot's delete and split make new ones of them
        }
    )
    dataset.frames += length


# --- tables --------------------------------------------------------------------------------------


def _schema(features: dict[str, tuple[int, ...]]) -> pa.Schema:
    import pyarrow as pa

    fields = [pa.field(name, kind) for name, kind in _SCALARS.items()]
    text = [("role", False), ("content", True), ("style", True)]
    row = [pa.field(name, pa.string(), nullable=nullable) for name, nullable in text]
    timestamp = pa.field("timestamp", pa.float32(), nullable=False)
    rest = [pa.field("camera", pa.string()), pa.field("tool_calls", pa.list_(pa.string()))]
    for name, more in zip(_LANGUAGE, ([timestamp], []), strict=True):
        fields.append(pa.field(name, pa.list_(pa.struct([*row, *more, *rest]))))
    if CAMERA in features:
        fields.append(pa.field(CAMERA, pa.struct([("bytes", pa.binary()), ("path", pa.string())])))
    if STATE in features:
        fields.append(pa.field(STATE, pa.list_(pa.float32(), features[STATE][0])))
    return pa.schema(fields)


def _tasks_table(tasks: dict[str, int]) -> pa.Table:
    """The tasks, with the instructions as index of the pandas table that LeRobot reads."""
    import pyarrow as pa

    table = pa.table({"task_index": list(tasks.values()), "task": list(tasks)})
    columns = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": stored}
        | {"metadata": None}
        for name, kind, stored in (("task_index", "int64", "int64"), ("task", "unicode", "object"))
    ]
    pandas = {"index_columns": ["task"], "column_indexes": [], "columns": columns}
    return table.replace_schema_metadata({"pandas": json.dumps(pandas)})


# --- about the dataset ---------------------------------------------------------------------------


def _write_meta(dataset: _Dataset) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = dataset.out / _EPISODES
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(dataset.episodes), path)
    pq.write_table(_tasks_table(dataset.tasks), dataset.out / "meta" / "tasks.parquet")
    _write_json(dataset.out / "meta" / "stats.json", dataset.statistics.data())
    _write_json(dataset.out / "meta" / "info.json", _info(dataset))


def _info(dataset: _Dataset) -> dict[str, Any]:
    content = dataset.source.content
    features: dict[str, dict[str, Any]] = {
        name: {"dtype": kind, "shape": [1], "names": None} for name, kind in _SCALARS.items()
    }
    features |= {name: {"dtype": "language", "shape": [1], "names": None} for name in _LANGUAGE}
    for name, shape in dataset.features.items():
        kind = "image" if name == CAMERA else "float32"
        names = ["height", "width", "channels"] if name == CAMERA else None
        features[name] = {"dtype": kind, "shape": list(shape), "names": names}
    return {
        "codebase_version": CODEBASE_VERSION,
        "robot_type": content.config.adapter,
        "total_episodes": len(dataset.episodes),
        "total_frames": dataset.frames,
        "total_tasks": len(dataset.tasks),
        "chunks_size": _FILES_A_CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": 1,
        "splits": {"train": f"0:{len(dataset.episodes)}"},
        "data_path": _DATA,
        "video_path": None,
        "features": features,
        "tools": tool_schemas(dataset.verbs),
        "peephole": {
            "suite": content.config.suite,
            "planner": content.label,
            "dialect": content.config.dialect,
            "stand_in": content.mark,
        },
    }


def _write_json(path: Path, data: Any) -> None:
    path.write_text(json_text(data, indent=2) + "\n", encoding="utf-8")

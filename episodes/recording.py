"""Recordings: a run is a folder, an episode an append-only file of JSON lines.

    RUN/run.json                    all that is needed to run it again
    RUN/episodes/0001-TASK.jsonl    the events of one episode

Every event has the schema version `v`, its name `event`, the `step` it belongs to (0: before the
first action) and `t`, monotonic seconds since the episode began. A line is written whole, by one
call, before the next thing happens, so a killed process loses no finished step; a torn last line
is cut off when the file is opened again. An episode that was voided begins anew in the same file.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import BadInput
from .event_fields import check_fields

SCHEMA_VERSION = 1
_LOCK_PATIENCE_S = 5.0

_MEND = "correct what is there or choose another folder"

EventData = dict[str, Any]


class EpisodeLog:
    """The file of one episode, open for appending; no other process can write it meanwhile.

    events: what the file held when it was opened, from the newest start of the episode on.
    voided: how many starts before that one came to nothing. models: the events `model` of all
    starts, those written since included.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises BadInput where it is damaged or in use."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise BadInput(f"{path} cannot be written ({error.strerror}); {_MEND}.") from None
        try:
            _lock(self._fd, path)
            os.ftruncate(self._fd, _whole_lines(path))
            events = read_events(path)
        except BaseException:
            os.close(self._fd)
            raise
        starts = [i for i, event in enumerate(events) if event["event"] == "start"]
        self.events = events[starts[-1] :] if starts else []
        if self.events and self.events[-1]["event"] == "void":
            self.events = []
        self.voided = sum(event["event"] == "void" for event in events)
        self.models = [event for event in events if event["event"] == "model"]
        self._zero = time.monotonic() - (self.events[-1]["t"] if self.events else 0.0)

    def restart(self) -> None:
        """Begin the episode's clock anew."""
        self.events = []
        self._zero = time.monotonic()

    def write(self, event: str, step: int, data: EventData) -> None:
        line = {
            "v": SCHEMA_VERSION,
            "event": event,
            "step": step,
            "t": round(time.monotonic() - self._zero, 6),
            **data,
        }
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        os.write(self._fd, text.encode())
        if event == "model":
            self.models.append(line)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> EpisodeLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _lock(fd: int, path: Path) -> None:
    """Take the file's lock; the worker of a run that was just killed may need a moment to go."""
    end = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise BadInput(
                    f"Another process is writing {path}; wait for it or choose another --out."
                ) from None
            time.sleep(0.05)
        else:
            return


def _whole_lines(path: Path) -> int:
    """The length in bytes of the file's complete lines."""
    return path.read_bytes().rfind(b"\n") + 1


def read_events(path: Path) -> list[EventData]:
    """All events of an episode's file, in order; a torn last line is left out.

    Raises BadInput naming file, line and what was expected.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); {_MEND}.") from None
    events = []
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            event = json.loads(line)
        except ValueError:
            raise BadInput(
                f"{path}, line {number} is not JSON; expected one event a line."
            ) from None
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise BadInput(f"{path}, line {number} has no 'event'; expected its name.")
        if event.get("v") != SCHEMA_VERSION:
            raise BadInput(
                f"{path}, line {number} has the schema version {event.get('v')!r}; "
                f"this peephole reads version {SCHEMA_VERSION}."
            )
        if not isinstance(event.get("t"), int | float) or not isinstance(event.get("step"), int):
            raise BadInput(f"{path}, line {number} lacks the number 't' or 'step'.")
        events.append(event)
    return events


def read_episode(path: Path) -> list[EventData]:
    """The events of an episode's newest start, each with the fields that it has to have.

    Raises BadInput naming file, step and field.
    """
    events = latest(read_events(path))
    check_fields(events, path)
    return events


def latest(events: Sequence[EventData]) -> list[EventData]:
    """The events from the newest start of an episode on."""
    starts = [i for i, event in enumerate(events) if event["event"] == "start"]
    return list(events[starts[-1] :]) if starts else []


def without_times(events: Iterable[EventData]) -> list[EventData]:
    """Events without what differs between two runs of the same episode: clocks and durations."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k != "t" and not k.endswith("_s")}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return [strip(event) for event in events]


def episode_path(run: Path, number: int, task_id: str) -> Path:
    """The file of an episode. number: its place in the run, from 1."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", task_id)
    return run / "episodes" / f"{number:04d}-{safe}.jsonl"


def episode_files(run: Path) -> Iterator[Path]:
    return iter(sorted((run / "episodes").glob("*.jsonl")))


def write_run(run: Path, data: EventData) -> None:
    """Write run.json, whole or not at all. Raises BadInput where the folder cannot be written."""
    draft = run / "run.json.new"
    try:
        run.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(run / "run.json")
    except OSError as error:
        raise BadInput(
            f"The folder {run} cannot be written ({error.strerror}); choose another --out."
        ) from None


def read_run(run: Path) -> EventData:
    """The content of run.json. Raises BadInput naming what is wrong with the folder."""
    path = run / "run.json"
    if not path.is_file():
        raise BadInput(f"{run} is no run folder: it has no run.json.")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).") from None
    except ValueError as error:
        raise BadInput(f"{path} is not JSON ({error}).") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA_VERSION:
        found = data.get("schema") if isinstance(data, dict) else None
        raise BadInput(
            f"{path}: 'schema' is {found!r}; this peephole reads version {SCHEMA_VERSION}."
        )
    config = data.get("config")
    if not isinstance(config, dict):
        raise BadInput(f"{path}: 'config' is missing; expected what the run was started with.")
    grants = data.get("grants", [])
    if not isinstance(grants, list) or not all(isinstance(grant, str) for grant in grants):
        raise BadInput(f"{path}: 'grants' is {grants!r}; expected a list of names.")
    if not isinstance(data.get("adapter", {}), dict):
        raise BadInput(f"{path}: 'adapter' is {data['adapter']!r}; expected an object.")
    return data

"""Recordings: a run is a folder, an episode an append-only file of JSON lines.

RUN/run.json                    all that is needed to run it again
RUN/prepared.jsonl              what the planner asked once for the run
RUN/episodes/0001-TASK.jsonl    the events of one episode, see `events`
RUN/images/HASH.png             what a camera saw, by the hash of the file
RUN/films/0001-TASK.mp4         a film of an episode, where one was made
RUN/adapter/0001-TASK/1         files of an adapter for the first start of an episode

A line is written whole before the next thing happens, so a killed process loses no finished step. A
torn last line is cut off when the file is opened again. An episode that was voided begins again in
the same file. When a run is resumed, a file with a damaged line is kept as NAME.damaged.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import BadInput, PeepholeError
from ..models.events import ModelEvent
from ..models.images import file_name, is_file_name, png_bytes, rgb_of_png
from .events import SCHEMA_VERSION, RecordedEvent, Started, Voided, from_line, to_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: The file in a run's folder that its process keeps locked.
LOCK = ".lock"
_LOCK_PATIENCE_S = 5.0
#: Errors of the disk, not of the path.
OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class RecordingFailed(PeepholeError):
    """An event could not be written: the disk is full, or the file cannot be reached."""


class InUse(BadInput):
    """Another process writes the same recording."""


class Log(ABC):
    """What an episode is recorded in, or compared with.

    complete: the episode has ended and is played again for comparison. events: those that were
    recorded before, from the newest start of the episode. voided: number of voided starts before.
    models: the model events of all starts, new ones included.
    """

    complete = False

    def __init__(self, events: Sequence[RecordedEvent]) -> None:
        self.events, self.voided = newest_start(events)
        self.models = [event for event in events if isinstance(event, ModelEvent)]

    def restart(self) -> None:
        """Set the episode's clock to zero; a finished recording has none."""

    def now(self) -> float:
        """Seconds since the episode began."""
        return 0.0

    @abstractmethod
    def write(self, event: RecordedEvent) -> None:
        """Append an event."""

    def write_model_event(self, event: ModelEvent, step: int) -> None:
        """Append an event of a model, with its step and time."""
        self.write(replace(event, step=step, t=self.now()))


class EpisodeLog(Log):
    """The file of one episode, open for appending; no other process can write it meanwhile."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises BadInput where it is damaged or in use."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise unwritable(path, error) from None
        try:
            _lock(self._fd, f"{path}; wait for it or choose another --out")
            os.ftruncate(self._fd, path.read_bytes().rfind(b"\n") + 1)  # whole lines
            os.utime(self._fd)  # shows readers of the run that it is being played
            events = read_events(path)
        except BaseException:
            os.close(self._fd)
            raise
        super().__init__(events)
        self._set_clock()

    def restart(self) -> None:
        self.events = []
        self._set_clock()

    def _set_clock(self) -> None:
        """Go on from the time of the last event."""
        self._zero = time.monotonic() - (self.events[-1].t if self.events else 0.0)

    def now(self) -> float:
        return round(time.monotonic() - self._zero, 6)

    def write(self, event: RecordedEvent) -> None:
        """Append an event. Raises RecordingFailed where it cannot be written whole."""
        _write_whole(self._fd, to_line(event), self._path)
        if isinstance(event, ModelEvent):
            self.models.append(event)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> EpisodeLog:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _write_whole(fd: int, line: bytes, path: Path) -> None:
    """Append a line, all of it or nothing."""
    written = 0
    try:
        while written < len(line):
            written += os.write(fd, line[written:])
    except OSError as error:
        if written:
            os.ftruncate(fd, os.fstat(fd).st_size - written)
        raise _failed(path, error) from None


def unwritable(path: Path, error: OSError) -> PeepholeError:
    """The error for a file of a run that cannot be made, because of its path or the disk."""
    if error.errno in OUT_OF_SPACE:
        return _failed(path, error)
    return BadInput(f"{path} cannot be written ({error.strerror}); choose another folder as --out.")


def _failed(path: Path, error: OSError) -> RecordingFailed:
    return RecordingFailed(
        f"{path} cannot be written ({error.strerror}); nothing that was finished is lost; "
        f"correct that, then continue the run with --resume, or a grid with its command."
    )


@contextmanager
def run_lock(run: Path) -> Iterator[None]:
    """Keep other processes from the same folder. Raises InUse where one uses it."""
    try:
        run.mkdir(parents=True, exist_ok=True)
        fd = os.open(run / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise unwritable(run, error) from None
    try:
        _lock(fd, f"{run}; wait until it has ended, or choose another --out")
        yield
    finally:
        os.close(fd)


def _lock(fd: int, what: str) -> None:
    """Lock a file; waits a little, since the worker of a killed run may still be ending."""
    end = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise InUse(f"Another process is writing {what}.") from None
            time.sleep(0.05)
        else:
            return


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damage:
    """A line of a recording that cannot be read.

    found: the file, the line and what is wrong with it.
    """

    line: int
    found: str

    @property
    def problem(self) -> str:
        """One sentence: what is wrong, and what to do."""
        return (
            f"{self.found}; restore the file, or continue the run with --resume, which keeps the "
            f"damaged file and plays the episode again."
        )


def read_lines(path: Path) -> Iterator[RecordedEvent | Damage]:
    """The events of an episode's file, in order, without a torn last line.

    Raises BadInput where the file cannot be read at all.
    """
    for number, line in enumerate(whole_lines(path), start=1):
        yield read_line(path, number, line)


def whole_lines(path: Path) -> list[bytes]:
    """The lines of an episode's file, without a torn last one.

    Raises BadInput where the file cannot be read at all.
    """
    with opened(path) as file:
        return file.read().split(b"\n")[:-1]


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """An episode's file for reading. Raises BadInput where it cannot be read."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}); correct what is there or choose another "
            f"folder."
        ) from None


def read_line(path: Path, number: int, line: bytes) -> RecordedEvent | Damage:
    """The event of a line of an episode's file. Raises BadInput for another schema version."""
    try:
        event = from_line(line)
    except BadInput as error:
        return Damage(number, f"{path}, line {number} {error}")
    if isinstance(event, Started) and event.schema_version != SCHEMA_VERSION:
        raise BadInput(
            f"{path}, line {number} has the schema version {event.schema_version}; "
            f"this peephole reads version {SCHEMA_VERSION}."
        )
    return event


def read_events(path: Path) -> list[RecordedEvent]:
    """All events of an episode's file. Raises BadInput naming the first line that is damaged."""
    events = []
    for item in read_lines(path):
        if isinstance(item, Damage):
            raise BadInput(item.problem)
        events.append(item)
    return events


def read_episode(path: Path) -> list[RecordedEvent]:
    """The events of an episode's newest start. Raises BadInput as `read_events` does."""
    return latest(read_events(path))


def read_undamaged(path: Path) -> tuple[list[RecordedEvent], list[str]]:
    """The readable events of an episode's newest start, and the problems of the rest."""
    items = list(read_lines(path))
    events = [item for item in items if not isinstance(item, Damage)]
    return latest(events), [item.problem for item in items if isinstance(item, Damage)]


def latest(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """The events from the newest start of an episode; all events where it never started."""
    starts = [i for i, event in enumerate(events) if isinstance(event, Started)]
    return list(events[starts[-1] :] if starts else events)


def newest_start(events: Sequence[RecordedEvent]) -> tuple[list[RecordedEvent], int]:
    """The events of an episode's newest start, and the number of voided starts before it."""
    voided = sum(isinstance(event, Voided) for event in events)
    return [] if events and isinstance(events[-1], Voided) else latest(events), voided


def without_times(events: Iterable[RecordedEvent]) -> list[dict[str, Any]]:
    """Events as JSON data without times, the only difference between two runs of an episode."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k != "t" and not k.endswith("_s")}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return [strip(json.loads(to_line(event))) for event in events]


# --- run folders ---------------------------------------------------------------------------------


def episode_path(run: Path, number: int, task_id: str) -> Path:
    """The file of an episode. number: its place in the run, from 1."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", task_id)[:200]  # file systems take 255 characters
    return run / "episodes" / f"{number:04d}-{safe}.jsonl"


def adapter_folder(run: Path, number: int, task_id: str) -> Path:
    """The folder for an adapter's own files of an episode. number: its place in the run, from 1."""
    return run / "adapter" / episode_path(run, number, task_id).stem


def film_path(run: Path, number: int, task_id: str) -> Path:
    """The file for a film of an episode. number: its place in the run, from 1."""
    return run / "films" / f"{episode_path(run, number, task_id).stem}.mp4"


def episode_files(run: Path) -> Iterator[Path]:
    return iter(sorted((run / "episodes").glob("*.jsonl")))


def set_damaged_aside(run: Path) -> list[str]:
    """Rename the damaged files of a run, so that they are recorded again; a sentence for each.

    Raises BadInput where another process plays the run.
    """
    with run_lock(run):
        paths = (*run.glob("prepared.jsonl"), *episode_files(run))
        return [sentence for path in paths if (sentence := set_aside_if_damaged(path)) is not None]


def set_aside_if_damaged(path: Path) -> str | None:
    """Rename a damaged file, so that it is recorded again; returns a sentence about it."""
    damage = next((item for item in read_lines(path) if isinstance(item, Damage)), None)
    if damage is None:
        return None
    kept = free_name(path.with_name(f"{path.name}.damaged"))
    path.rename(kept)
    return f"{damage.found}; it is kept as {kept.name} and recorded again."


def files_set_aside(run: Path) -> list[Path]:
    """The damaged files of a run that were set aside."""
    return sorted(run.glob("*.jsonl.damaged*")) + sorted(run.glob("episodes/*.jsonl.damaged*"))


def free_name(path: Path) -> Path:
    """A path that does not exist yet: this one, or with a number from 2 after its name."""
    numbered = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(name for name in chain([path], numbered) if not name.exists())


# --- images --------------------------------------------------------------------------------------


def image_file(run: Path, name: str) -> Path:
    """The file of a recorded image. Raises BadInput for a bad name, a missing file and a link.

    A recording may be a stranger's: no name leads out of the run's folder.
    """
    path = run / "images" / name
    if not is_file_name(name):
        raise BadInput(
            f"{run} names the image {name[:100]!r}, which no recording of Peephole does; restore "
            f"the episode's file."
        )
    if path.resolve() != run.resolve() / "images" / name:
        raise BadInput(f"The image {path} is a link; put the file itself in its place.")
    if not path.is_file():
        raise BadInput(
            f"The image {path} of the recording cannot be read (it is missing); restore the file."
        )
    return path


class RecordedImages:
    """The folder `images` of a run; equal images are stored once."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._folder = run / "images"

    def save(self, rgb: NDArray[np.uint8]) -> str:
        """Store an image, shape (height, width, 3); returns the name of its file.

        Raises RecordingFailed or BadInput where it cannot be written.
        """
        content = png_bytes(rgb)
        name = file_name(content)
        self.keep(name, content)
        return name

    def keep(self, name: str, content: bytes) -> None:
        """Store an image file under its name. Raises as `save` does."""
        path = self._folder / name
        if path.exists():
            return
        # Other processes and threads may keep the same image.
        draft = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise unwritable(path, error) from None

    def load(self, name: str) -> NDArray[np.uint8]:
        """A stored image. Raises RecordingFailed where its file is missing or damaged."""
        try:
            path = image_file(self._run, name)
        except BadInput as error:  # no planner is to blame
            raise RecordingFailed(str(error)) from None
        try:
            content = path.read_bytes()
            if file_name(content) != name:
                raise ValueError("its content does not match its name")
            return rgb_of_png(content)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise RecordingFailed(
                f"The image {path} of the recording cannot be read ({why}); restore the file, or "
                f"remove the episode's recording to play it again."
            ) from None

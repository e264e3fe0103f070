"""The verdicts of one person on the episodes of a run: RUN/verdicts/NAME.jsonl.

A line is a verdict, on the disk before the next question. A torn last line is tolerated. A verdict
counts as long as the recording of its episode is the one that was judged.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...data_files import json_line, lines_of, read_text
from ...errors import BadInput, PeepholeError

#: The folder of verdicts in that of a run.
FOLDER = "verdicts"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class Verdict(BaseModel):
    """What a person said of an episode."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    episode: Annotated[str, Field(max_length=300)]
    """The name of its recording."""
    recording: str
    """A digest of the recording."""
    success: bool
    """Whether the task was done."""
    criteria: dict[str, bool] = {}
    """Whether each written criterion holds."""


@dataclass(frozen=True)
class Verdicts:
    """All that one person said of the episodes of a run."""

    judge: str
    """The person's name."""
    by_episode: dict[str, Verdict]
    """The verdicts by the name of the recording, which is unchanged since."""


def check_judge(name: str) -> str:
    """The name of a judge. Raises BadInput for one that makes no file name."""
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"The judge's name '{name}' has to be of letters, digits, - and _, at most 40; choose "
            f"another --judge."
        )
    return name


def read_verdicts(run: Path, judge: str) -> Verdicts:
    """The verdicts of a person on a run. Raises BadInput for a damaged file."""
    path = _path(run, judge)
    found: dict[str, Verdict] = {}
    text = read_text(path) if path.is_file() else ""
    lines = lines_of(text)
    if not text.endswith("\n"):
        lines = lines[:-1]  # torn
    for number, line in enumerate(lines, start=1):
        try:
            verdict = Verdict.model_validate_json(line)
        except ValidationError:
            raise BadInput(f"{path}, line {number} is no verdict; correct or remove it.") from None
        episode = run / "episodes" / Path(verdict.episode).name
        if episode.is_file() and digest_of(episode) == verdict.recording:
            found[verdict.episode] = verdict
    return Verdicts(judge, found)


def all_verdicts(run: Path) -> Iterator[Verdicts]:
    """The verdicts of each person on a run, by name."""
    for path in sorted((run / FOLDER).glob("*.jsonl")):
        if _NAME.fullmatch(path.stem):
            yield read_verdicts(run, path.stem)


def add_verdict(run: Path, judge: str, verdict: Verdict) -> None:
    """Keep a verdict; it is on the disk when this returns. Raises PeepholeError otherwise."""
    path = _path(run, judge)
    line = json_line(verdict.model_dump(mode="json")).encode()
    try:
        path.parent.mkdir(exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.ftruncate(fd, path.read_bytes().rfind(b"\n") + 1)  # whole lines
            os.write(fd, line)
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise PeepholeError(
            f"{path} cannot be written ({error.strerror}); correct that and give the command "
            f"again, which asks only what has no verdict."
        ) from None


def digest_of(recording: Path) -> str:
    """A digest of an episode's file."""
    with recording.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:20]


def _path(run: Path, judge: str) -> Path:
    return run / FOLDER / f"{check_judge(judge)}.jsonl"

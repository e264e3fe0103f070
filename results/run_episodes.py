"""The episodes of a run as their recordings have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..episodes.events import RecordedEvent, Started, result_among
from ..episodes.recording import episode_path, read_undamaged
from ..episodes.result import EpisodeResult
from ..episodes.run_file import PlannedEpisode, RunFile


@dataclass(frozen=True)
class RunEpisode:
    """One episode of a run as its recording has it.

    events: of its newest start. result: None while it has not ended. damage: what of the recording
    cannot be read.
    """

    number: int
    task: str
    repeat: int
    seed: int
    events: Sequence[RecordedEvent]
    result: EpisodeResult | None
    damage: tuple[str, ...]

    @property
    def labels(self) -> Mapping[str, str]:
        """Those of the task, as far as the recording tells."""
        started = (event for event in self.events if isinstance(event, Started))
        return next((event.labels for event in started), {})

    @property
    def name(self) -> str:
        """The task, and the how many-th time it is played again where that is not the first."""
        return f"{self.task} (repeat {self.repeat})" if self.repeat else self.task

    @property
    def status(self) -> str:
        """finished, not finished, not begun, or damaged."""
        if self.result is not None:
            return "finished"
        if self.damage:
            return "damaged"
        return "not finished" if self.events else "not begun"


def episodes_of(folder: Path, content: RunFile) -> Iterator[RunEpisode]:
    """The episodes of a run, in order."""
    for planned in content.config.episodes:
        yield episode_of(folder, planned)


def episode_of(folder: Path, planned: PlannedEpisode) -> RunEpisode:
    """One episode of a run."""
    path = episode_path(folder, planned.number, planned.task)
    events, damage = read_undamaged(path) if path.exists() else ([], [])
    return RunEpisode(
        **asdict(planned), events=events, result=result_among(events), damage=tuple(damage)
    )

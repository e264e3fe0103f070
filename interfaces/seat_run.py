"""A run of one episode that an agent outside Peephole plays from a seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..episodes.recording import set_damaged_aside
from ..episodes.resolve import Run, resolve
from ..episodes.result import EpisodeResult
from ..episodes.run_file import RunConfig, read_run
from ..episodes.runner import play
from ..errors import BadInput
from ..planners.external.planner import planner_of
from ..planners.external.seat import Seat
from ..planners.registry import EXTERNAL

#: Seconds that an agent has for an episode, its own thinking included.
EPISODE_S = 3600.0


@dataclass(frozen=True)
class Wanted:
    """What a new run of one episode is made of. task: an id, or its number in the suite from 1."""

    suite: str
    task: str = "1"
    adapter: str = ""
    dialect: str = ""
    data: str = ""
    seed: int = 0
    time_s: float = EPISODE_S
    options: Mapping[str, str] | None = None


def new_run_of(wanted: Wanted, seat: Seat) -> Run:
    """A run of one episode for the agent in a seat. Raises BadInput and Missing, as `resolve`."""
    config = RunConfig(
        suite=wanted.suite,
        planner=EXTERNAL,
        adapter=wanted.adapter,
        dialect=wanted.dialect,
        options=dict(wanted.options or {}),
        seed=wanted.seed,
        data=wanted.data,
        planning_s=wanted.time_s,
    )
    task = wanted.task.strip()
    chosen = f"{int(task)}-{int(task)}" if task.isdecimal() else task
    run = resolve(config, chosen, planner=planner_of(seat))
    if len(run.tasks) != 1:
        run.adapter.close()
        raise BadInput("An agent plays one episode a session; name one task.")
    return run


def continued_run(folder: Path, seat: Seat) -> tuple[Run, list[str]]:
    """The run in a folder, to be continued, and sentences on files that were damaged.

    What the agent did is done again from the recording. It goes on from there, and reads the last
    observation again. Raises BadInput for a run of another planner.
    """
    config = read_run(folder).config
    if config.planner != EXTERNAL:
        raise BadInput(
            f"{folder} was played by the planner {config.planner}; continue it with: "
            f"peephole run --resume --out {folder}"
        )
    notes = list(set_damaged_aside(folder))
    return resolve(config, planner=planner_of(seat)), notes


def play_from(seat: Seat, run: Run, folder: Path) -> EpisodeResult:
    """Play the episode of a run in this thread, with the decisions of the agent in the seat."""
    ended = ""
    try:
        (result,) = play(run, folder)
        ended = result.ended
        return result
    finally:
        seat.close(ended)

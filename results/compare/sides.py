"""The episodes of one side of a comparison, and their pairs with the other's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...episodes.events import Ended, RecordedEvent, Started, from_line
from ...episodes.recording import episode_path, read_undamaged
from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunFile, read_run
from ...errors import BadInput

#: Bytes from the end of a recording that are read at a time, to find its last line.
_BLOCK = 16_384


@dataclass(frozen=True)
class PlayedEpisode:
    """A scored episode. task: with its suite before it where a side has several. path: its file."""

    task: str
    seed: int
    repeat: int
    result: EpisodeResult
    path: Path

    @property
    def events(self) -> Sequence[RecordedEvent]:
        """Those of its newest start, read anew each time."""
        return read_undamaged(self.path)[0]

    @property
    def success(self) -> float:
        return float(bool(self.result.success))


@dataclass(frozen=True)
class Side:
    """One side: its runs, and by planner its episodes.

    world: the adapters that were played in, with what stood in for them. faults: files of injected
    failures. has_truth: a true state was recorded, as only a simulator has one. unscored: episodes
    that have not ended or that nobody could score.
    """

    runs: tuple[Path, ...]
    suites: tuple[str, ...]
    planners: Mapping[str, tuple[PlayedEpisode, ...]]
    world: str
    has_truth: bool
    unscored: int
    marks: tuple[str, ...]


@dataclass(frozen=True)
class EpisodePair:
    """The same task, played with the same planner on either side."""

    sim: PlayedEpisode
    real: PlayedEpisode

    @property
    def task(self) -> str:
        return self.sim.task


@dataclass(frozen=True)
class PairedPlanner:
    """A planner's episodes: those that both sides have, and what one side alone has.

    again: all simulated episodes of the paired tasks, also of seeds that are not paired. further:
    simulated episodes of tasks that were not played for real.
    """

    name: str
    pairs: tuple[EpisodePair, ...]
    again: tuple[PlayedEpisode, ...]
    further: tuple[PlayedEpisode, ...]
    only_real: int
    by_seed: bool


def read_side(runs: Sequence[Path]) -> Side:
    """The episodes of runs. Raises BadInput where a folder is none."""
    contents = {run: read_run(run) for run in runs}
    suites = tuple(dict.fromkeys(content.config.suite for content in contents.values()))
    planners: dict[str, list[PlayedEpisode]] = {}
    unscored = 0
    has_truth = False
    for run, content in contents.items():
        prefix = f"{content.config.suite}:" if len(suites) > 1 else ""
        for planned in content.config.episodes:
            path = episode_path(run, planned.number, planned.task)
            result = _result(path)
            if result is None or result.success is None:
                unscored += 1
                continue
            has_truth = has_truth or _has_truth(path)
            task = prefix + planned.task
            played = PlayedEpisode(task, planned.seed, planned.repeat, result, path)
            planners.setdefault(content.config.label, []).append(played)
    _check_once(planners)
    return Side(
        runs=tuple(runs),
        suites=suites,
        planners={name: tuple(episodes) for name, episodes in planners.items()},
        world=", ".join(dict.fromkeys(_world(content) for content in contents.values())),
        has_truth=has_truth,
        unscored=unscored,
        marks=tuple(dict.fromkeys(s.text for c in contents.values() for s in c.stand_ins)),
    )


def _result(path: Path) -> EpisodeResult | None:
    """The result that an episode's file ends with, or None; no other line is read."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        file.seek(0, 2)
        size, tail = file.tell(), b""
        while tail.strip().count(b"\n") < 1 and len(tail) < size:
            file.seek(-min(size, len(tail) + _BLOCK), 2)
            tail = file.read()
    lines = tail.split(b"\n")[:-1]  # a torn last line has not ended
    try:
        event = from_line(lines[-1]) if lines else None
    except BadInput:
        return None
    return event.result if isinstance(event, Ended) else None


def _has_truth(path: Path) -> bool:
    with path.open("rb") as file:
        event = from_line(file.readline())
    return isinstance(event, Started) and event.world is not None


def _world(content: RunFile) -> str:
    """The adapter, with what stood in for its engine."""
    stand_in = content.adapter.get("stand_in")
    return content.config.adapter + (f" ({stand_in})" if stand_in else "")


def _check_once(planners: Mapping[str, Sequence[PlayedEpisode]]) -> None:
    """Raise BadInput where a planner played a task twice with one seed, as in a copied run."""
    for name, episodes in planners.items():
        keys = [(episode.task, episode.seed) for episode in episodes]
        if len(set(keys)) < len(keys):
            task, seed = next(key for key in keys if keys.count(key) > 1)
            raise BadInput(
                f"One side has the task {task} with the seed {seed} twice by {name}; leave one of "
                f"those runs out."
            )


def paired_planners(sim: Side, real: Side) -> tuple[PairedPlanner, ...]:
    """The planners of both sides with their pairs of episodes.

    Planners are paired by their names with options and models; where either side has a single one,
    these two are paired whatever they are. Raises BadInput where nothing can be paired.
    """
    names = [name for name in sim.planners if name in real.planners]
    both = [(name, name) for name in names]
    if not both and len(sim.planners) == len(real.planners) == 1:
        both = [(next(iter(sim.planners)), next(iter(real.planners)))]
    if not both:
        raise BadInput(
            f"No planner is on both sides ({_listed(sim.planners)} against "
            f"{_listed(real.planners)}); play the same planners with the same options and models, "
            f"or compare two single runs."
        )
    found = [
        _paired(
            one if one == other else f"{one} / {other}", sim.planners[one], real.planners[other]
        )
        for one, other in both
    ]
    if not any(planner.pairs for planner in found):
        raise BadInput(
            "No task was scored on both sides, so they cannot be paired; play the same tasks on "
            "both."
        )
    return tuple(planner for planner in found if planner.pairs)


def _listed(names: Mapping[str, object]) -> str:
    first = "; ".join(list(names)[:3])
    return first + "; …" * (len(names) > 3) if names else "none"


def _paired(
    name: str, sim: Sequence[PlayedEpisode], real: Sequence[PlayedEpisode]
) -> PairedPlanner:
    by_seed = bool({(e.task, e.seed) for e in sim} & {(e.task, e.seed) for e in real})
    pairs = tuple(_pairs(sim, real, by_seed=by_seed))
    paired = {pair.task for pair in pairs}
    tasks = {episode.task for episode in real}
    return PairedPlanner(
        name=name,
        pairs=pairs,
        again=tuple(episode for episode in sim if episode.task in paired),
        further=tuple(episode for episode in sim if episode.task not in tasks),
        only_real=len(real) - len(pairs),
        by_seed=by_seed,
    )


def _pairs(
    sim: Sequence[PlayedEpisode], real: Sequence[PlayedEpisode], *, by_seed: bool
) -> Iterator[EpisodePair]:
    """Pairs by task and seed; where no seed is on both sides, by task and the count of repeats."""

    def key(episode: PlayedEpisode) -> tuple[str, int]:
        return episode.task, episode.seed if by_seed else episode.repeat

    others = {key(episode): episode for episode in real}
    for episode in sim:
        other = others.get(key(episode))
        if other is not None:
            yield EpisodePair(episode, other)

"""The episodes of one side of a comparison, and their pairs on the other side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ...episodes.events import RecordedEvent, Started, from_line
from ...episodes.recording import episode_path, read_undamaged
from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunFile, read_run
from ...errors import BadInput
from ..experiments import OTHER_TASKS, Experiment, experiments, task_names
from ..run_episodes import ended_result


@dataclass(frozen=True)
class PlayedEpisode:
    """A scored episode."""

    task: str
    """Id of the task, the same on both sides where it is the same task."""
    seed: int
    """Of the episode."""
    repeat: int
    """How often the task was played before in the run."""
    result: EpisodeResult
    """Its result."""
    path: Path
    """Its file."""

    @property
    def events(self) -> Sequence[RecordedEvent]:
        """The events of its newest start, read again each time."""
        return read_undamaged(self.path)[0]

    @property
    def success(self) -> float:
        return float(bool(self.result.success))


@dataclass(frozen=True)
class Side:
    """One side of a comparison."""

    runs: tuple[Path, ...]
    """Folders of its runs."""
    suites: tuple[str, ...]
    """Names of its suites."""
    planners: Mapping[str, tuple[PlayedEpisode, ...]]
    """Episodes by planner."""
    world: str
    """The adapters, with stand-ins for their engines."""
    has_truth: bool
    """Whether a true state was recorded, as in a simulator."""
    has_faults: bool
    """Whether failures were injected, so that a simulator stands for something real."""
    unscored: int
    """Episodes that have not ended or could not be scored."""
    marks: tuple[str, ...]
    """Sentences about all stand-ins."""


def of_one_simulator(first: Side, second: Side) -> bool:
    """Whether two sides are runs in one simulator, and neither stands for reality."""
    real = any(side.has_faults or not side.has_truth for side in (first, second))
    return first.world == second.world and not real


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
    """A planner's episodes on both sides."""

    name: str
    """Its label."""
    pairs: tuple[EpisodePair, ...]
    """Episodes that both sides have."""
    again: tuple[PlayedEpisode, ...]
    """All simulated episodes of the paired tasks, other seeds included."""
    further: tuple[PlayedEpisode, ...]
    """Simulated episodes of tasks that were not played on the real side."""
    only_real: int
    """Real episodes without a simulated one."""
    by_seed: bool
    """Whether pairs have equal seeds; else they are in the order of repeats."""


def read_sides(sim: Sequence[Path], real: Sequence[Path]) -> tuple[Side, Side]:
    """The episodes of both sides; the same task, and the same planner, has one name on both.

    Raises BadInput for a folder that is no run, and where a side has several worlds of a suite.
    """
    runs = [(run, read_run(run)) for run in (*sim, *real)]
    names = task_names(runs, in_any_scene=True)
    labels = experiments(*([content for _, content in part] for part in _split(runs, len(sim))))
    parts = zip(_split(runs, len(sim)), _split(names, len(sim)), labels, strict=True)
    first, second = (_side(*part) for part in parts)
    return first, second


_T = TypeVar("_T")


def _split(items: Sequence[_T], at: int) -> tuple[Sequence[_T], Sequence[_T]]:
    return items[:at], items[at:]


def _side(
    runs: Sequence[tuple[Path, RunFile]],
    names: Sequence[Mapping[str, str]],
    played: Sequence[Experiment],
) -> Side:
    """A side from its runs, with the names of their tasks and what makes them one experiment."""
    contents = [content for _, content in runs]
    suites = tuple(dict.fromkeys(content.config.suite for content in contents))
    worlds = tuple(dict.fromkeys(each.suite for each in played))
    if len(worlds) > len(suites):
        raise BadInput(
            f"One side has several worlds of a suite ({'; '.join(worlds)}); compare each of them "
            f"with the other side."
        )
    planners: dict[str, list[PlayedEpisode]] = {}
    unscored = 0
    has_truth = False
    for (run, content), own, where in zip(runs, names, played, strict=True):
        for planned in content.config.episodes:
            path = episode_path(run, planned.number, planned.task)
            result = ended_result(path)
            if result is None or result.success is None:
                unscored += 1
                continue
            has_truth = has_truth or _has_truth(path)
            episode = PlayedEpisode(own[planned.task], planned.seed, planned.repeat, result, path)
            planners.setdefault(where.planner, []).append(episode)
    _check_once(planners)
    return Side(
        runs=tuple(run for run, _ in runs),
        suites=suites,
        planners={name: tuple(episodes) for name, episodes in planners.items()},
        world=", ".join(dict.fromkeys(map(_world, contents))),
        has_truth=has_truth,
        has_faults=any(content.config.faults is not None for content in contents),
        unscored=unscored,
        marks=tuple(dict.fromkeys(s.text for c in contents for s in c.stand_ins)),
    )


def _has_truth(path: Path) -> bool:
    with path.open("rb") as file:
        event = from_line(file.readline())
    return isinstance(event, Started) and event.world is not None


def _world(content: RunFile) -> str:
    """The adapter, with the stand-in for its engine."""
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

    Planners are paired by label. Where both sides have a single planner, these two are paired
    whatever their labels. Raises BadInput where nothing can be paired.
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
        of_one_id = not _ids(sim).isdisjoint(_ids(real))
        raise BadInput(
            f"No task was scored on both sides, so they cannot be paired"
            f"{OTHER_TASKS * of_one_id}; play the same tasks on both."
        )
    return tuple(planner for planner in found if planner.pairs)


def _ids(side: Side) -> set[str]:
    """The ids of a side's tasks."""
    return {episode.result.task for each in side.planners.values() for episode in each}


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
    """Pairs by task and seed; by task and repeat where no seed is on both sides."""

    def key(episode: PlayedEpisode) -> tuple[str, int]:
        return episode.task, episode.seed if by_seed else episode.repeat

    others = {key(episode): episode for episode in real}
    for episode in sim:
        other = others.get(key(episode))
        if other is not None:
            yield EpisodePair(episode, other)

"""Runs as the page shows them: figures, and episodes packed for the browser."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...adapters.contract import STAND_IN
from ...episodes.recording import film_path, image_file
from ...episodes.result import EpisodeResult, histogram
from ...episodes.run_file import RunConfig, RunFile, StandIn, read_run
from ...errors import BadInput
from ...models.events import ModelEvent
from ...models.serving import served
from ..experiments import Experiment, experiments, task_names
from ..failures.classify import Diagnosis, diagnose
from ..metrics import Outcomes, scored_of, summarize
from ..run_episodes import RunEpisode, episodes_of
from ..statistics.estimates import Estimate
from ..wording import ENDINGS, augmentation_text, refusals_text, rewarded, unknown_text
from .drawn_world import drawn_world
from .episode_data import episode_data, packed
from .trajectory import trajectory


@dataclass(frozen=True)
class Episode:
    """One task of a run.

    key: run and number, the beginning of addresses on the page. name: the task, with the repeat
    where it is not the first. data: the episode as packed JSON. damage: problems of its recording.
    """

    key: str
    """Run and number, the beginning of addresses on the page."""
    number: int
    """Its place in the run, from 1."""
    task: str
    """Id of its task, which runs that have the same task share."""
    name: str
    """The task, with the repeat where it is not the first."""
    seed: int
    """Of the episode."""
    begun: bool
    """Whether it has begun."""
    instruction: str
    """The instruction."""
    labels: Mapping[str, str]
    """Labels of the task."""
    result: EpisodeResult | None
    """None while it has not ended."""
    data: str
    """The episode as packed JSON."""
    tokens: int
    """Tokens of all replies."""
    damage: tuple[str, ...] = ()
    """Problems of its recording."""
    why: Diagnosis | None = None
    """Why it failed, where it did."""

    @property
    def mark(self) -> str:
        """success, failure or open, for colour and sign."""
        if self.result is None or self.result.success is None:
            return "open"
        return "success" if self.result.success else "failure"

    @property
    def verdict(self) -> str:
        if self.result is None:
            return "not finished" if self.begun else "not begun"
        if self.result.success:
            return "success"
        ending = ENDINGS.get(self.result.ended, self.result.ended)
        return "voided: " * self.result.is_voided + ending


@dataclass(frozen=True)
class ReportedRun:
    """One run on the page.

    label: the planner, with the folder where runs have equal labels. mark: what was not real, such
    as "stand-in model, injected faults". served: the models that answered, a sentence each.
    """

    label: str
    """The planner, with the folder where runs have equal labels."""
    planner: str
    """The label in results, with settings in which runs of this label differ."""
    suite: str
    """The suite, with settings in which the worlds of its runs differ."""
    folder: str
    """Name of its folder."""
    config: RunConfig
    """What it was started with."""
    stand_ins: tuple[StandIn, ...]
    """What was not real."""
    mark: str
    """The same in short, such as "stand-in model, injected faults"."""
    created: str
    """Time of the start."""
    grants: tuple[str, ...]
    """What the planner was granted."""
    simulator: tuple[tuple[str, str], ...]
    """Versions and settings of the adapter."""
    figures: dict[str, Estimate]
    """Its figures."""
    failures: dict[str, int]
    """Failed actions by reason."""
    served: tuple[str, ...]
    """The models that answered, a sentence each."""
    episodes: tuple[Episode, ...]
    """Its episodes."""

    @property
    def reasons(self) -> list[tuple[str, list[Episode]]]:
        """The episodes by class of failure, the most frequent class first."""
        found: dict[str, list[Episode]] = {}
        for episode in self.episodes:
            if episode.why is not None:
                found.setdefault(episode.why.kind.words, []).append(episode)
        return sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))

    @property
    def results(self) -> list[EpisodeResult]:
        return [episode.result for episode in self.episodes if episode.result is not None]

    @property
    def rewarded(self) -> bool:
        """Whether its rewards are shown."""
        return rewarded(result.reward for result in self.results)

    @property
    def augmentation(self) -> str:
        """The scores of its detections."""
        return augmentation_text(self.results)

    @property
    def refused(self) -> str:
        """Its refused answers and completed calls."""
        return refusals_text(self.results)

    @property
    def unknown(self) -> str:
        """The values that its means leave out."""
        return unknown_text(self.results)

    @property
    def damage(self) -> list[str]:
        """The problems of its recordings."""
        return [problem for episode in self.episodes for problem in episode.damage]

    @property
    def finished(self) -> int:
        return len(self.results)

    @property
    def tokens(self) -> int:
        return sum(episode.tokens for episode in self.episodes)

    @property
    def usd(self) -> float:
        return sum(result.usd for result in self.results)

    @property
    def outcomes(self) -> Outcomes:
        return Outcomes.of(self.results)


def reported_runs(folders: Sequence[Path], pictures: Pictures) -> list[ReportedRun]:
    """The runs of folders; equal labels get the name of their folder."""
    contents = [read_run(folder) for folder in folders]
    (played,) = experiments(contents)
    names = task_names(list(zip(folders, contents, strict=True)))
    runs = [
        _run(number, folder, content, where, own, pictures)
        for number, (folder, content, where, own) in enumerate(
            zip(folders, contents, played, names, strict=True), start=1
        )
    ]
    often = Counter((run.label, run.suite) for run in runs)
    return [
        run if often[run.label, run.suite] == 1 else replace(run, label=f"{run.label} ({folder})")
        for run, folder in zip(runs, folders, strict=True)
    ]


def _run(
    number: int,
    folder: Path,
    stored: RunFile,
    where: Experiment,
    names: Mapping[str, str],
    pictures: Pictures,
) -> ReportedRun:
    episodes = []
    asked: list[ModelEvent] = []
    for recorded in episodes_of(folder, stored):
        asked += (event for event in recorded.events if isinstance(event, ModelEvent))
        key = f"run{number}/{recorded.number}"
        episodes.append(_episode(key, recorded, names[recorded.task], stored, folder, pictures))
    results = [episode.result for episode in episodes if episode.result is not None]
    return ReportedRun(
        label=where.label,
        planner=where.label,
        suite=where.suite,
        folder=folder.name or str(folder.resolve().name),
        config=stored.config,
        stand_ins=stored.stand_ins,
        mark=_mark(stored),
        created=stored.created.replace("T", " ").replace("+00:00", " UTC"),
        grants=("view", *stored.grants),
        simulator=tuple((str(k), _said(v)) for k, v in stored.adapter.items() if k != STAND_IN),
        figures=summarize(results),
        failures=histogram(result.failures for result in scored_of(results)),
        served=tuple(served(asked)),
        episodes=tuple(episodes),
    )


def _mark(run: RunFile) -> str:
    kinds = list(dict.fromkeys(stand_in.kind for stand_in in run.stand_ins))
    stand_ins = " and ".join(kind for kind in kinds if kind != "faults")
    marks = [f"stand-in {stand_ins}"] if stand_ins else []
    return ", ".join([*marks, *(["injected faults"] if "faults" in kinds else [])])


def _episode(
    key: str, recorded: RunEpisode, task: str, run: RunFile, folder: Path, pictures: Pictures
) -> Episode:
    way = trajectory(recorded.events)
    world = drawn_world(recorded.events, run.grants)
    why = diagnose(recorded.events)
    source = partial(pictures.source, folder)
    film = pictures.film_source(film_path(folder, recorded.number, recorded.task), key)
    data = episode_data(way, world, recorded.result, why, recorded.damage, source)
    data |= {"film": film} if film else {}
    calls = [item.call for item in way.items if item.call is not None]
    return Episode(
        key=key,
        number=recorded.number,
        task=task,
        name=recorded.name,
        seed=recorded.seed,
        begun=bool(way.instruction),
        instruction=way.instruction,
        labels=recorded.labels,
        result=recorded.result,
        data=packed(data),
        tokens=sum(call.tokens_in + call.tokens_out for call in calls),
        damage=recorded.damage,
        why=why,
    )


class Pictures:
    """Collects pictures and films of episodes and copies them to folders beside the page."""

    def __init__(self, page: Path) -> None:
        self._folder = page.with_name(f"{page.stem}_images")
        self._films_folder = page.with_name(f"{page.stem}_films")
        self._files: dict[str, Path] = {}
        self._films: dict[str, Path] = {}

    def source(self, run: Path, name: str) -> str:
        """The address of a run's picture for the page; "" where there is no such file."""
        if name not in self._files:
            try:
                self._files[name] = image_file(run, name)
            except BadInput:
                return ""
        return f"{self._folder.name}/{name}"

    def film_source(self, film: Path, key: str) -> str:
        """The address of a film for the page, "" if there is none. key: of its episode."""
        if not film.is_file():
            return ""
        name = f"{key.replace('/', '-')}.mp4"
        self._films[name] = film
        return f"{self._films_folder.name}/{name}"

    def copy(self) -> None:
        """Copy the files beside the page. Raises OSError."""
        if self._files:
            self._folder.mkdir(parents=True, exist_ok=True)
        for name, file in self._files.items():
            if not (self._folder / name).exists():  # equal names have equal content
                shutil.copyfile(file, self._folder / name)
        if self._films:
            self._films_folder.mkdir(parents=True, exist_ok=True)
        for name, file in self._films.items():
            shutil.copyfile(file, self._films_folder / name)


def _said(value: object) -> str:
    """A version or setting as words: "look yes, missed 0.1" of a mapping."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)

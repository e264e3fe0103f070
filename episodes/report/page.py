"""Writes the report page. Source of its figures: `episodes.metrics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from ...adapters.contract import STAND_IN
from ...errors import BadInput
from ...planners.llm.events import ModelEvent
from ...planners.llm.served import served
from ...version import __version__
from ..augmentation_text import augmentation_text
from ..failures.classify import Diagnosis, diagnose
from ..metrics import Estimate, Outcomes, by_kind, scored_of, summarize
from ..refusals import refusals_text
from ..result import EpisodeResult, failure_histogram
from ..rewards import rewarded
from ..rows import episodes_of
from ..run_file import RunConfig, StandIn, read_run
from ..show import ENDINGS, VERDICTS
from .pictures import pictures_of
from .trajectory import Trajectory, trajectory


@dataclass(frozen=True)
class Episode:
    """One task of a run.

    result: None while it has not ended. damage: what of its recording cannot be read. why: it
    failed, where it did.
    """

    anchor: str
    number: int
    task: str
    result: EpisodeResult | None
    trajectory: Trajectory
    tokens: int
    damage: tuple[str, ...] = ()
    why: Diagnosis | None = None

    @property
    def mark(self) -> str:
        """success, failure or open, for colour and sign."""
        if self.result is None or self.result.success is None:
            return "open"
        return "success" if self.result.success else "failure"

    @property
    def verdict(self) -> str:
        if self.result is None:
            return "not finished" if self.trajectory.instruction else "not begun"
        if self.result.success:
            return "success"
        return "voided: " * self.result.is_voided + _ending(self.result.ended)


@dataclass(frozen=True)
class ReportedRun:
    """One run with all that the page tells of it."""

    label: str
    folder: str
    config: RunConfig
    stand_ins: tuple[StandIn, ...]
    mark: str
    created: str
    grants: tuple[str, ...]
    simulator: tuple[tuple[str, str], ...]
    figures: dict[str, Estimate]
    failures: dict[str, int]
    served: tuple[str, ...]
    episodes: tuple[Episode, ...]

    @property
    def reasons(self) -> list[tuple[str, list[Episode]]]:
        """Why episodes failed, the most frequent class first, with the episodes of each."""
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
        """How right what detectors found was."""
        return augmentation_text(self.results)

    @property
    def refused(self) -> str:
        """The answers of models that were refused, and the calls that were completed."""
        return refusals_text(self.results)

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


def write_report(folders: Sequence[Path], page: Path) -> None:
    """Write the page. Raises BadInput where a folder is no run or the page cannot be written."""
    runs = _told_apart([_run(i, folder) for i, folder in enumerate(folders, start=1)], folders)
    ways = [(f, e.trajectory) for f, run in zip(folders, runs, strict=True) for e in run.episodes]
    pictures = pictures_of(page, ways)
    text = _template().render(
        pictures=pictures,
        runs=runs,
        tasks=_compared(runs),
        kinds=by_kind([run.results for run in runs]),
        with_informed=any("informed" in run.figures for run in runs),
        with_app=any("app" in run.figures for run in runs),
        with_reward=any(run.rewarded for run in runs),
        mechanism_checks=_mechanism_checks(runs),
        with_beliefs=any(e.trajectory.has_beliefs for run in runs for e in run.episodes),
        with_tokens=any(run.tokens for run in runs),
        with_price=any(run.usd for run in runs),
        ending=_ending,
        signs={"success": "✓", "failure": "✗", "open": "…"},
        verdicts=VERDICTS,
        version=__version__,
    )
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        pictures.copy()
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{page} cannot be written ({error.strerror}).") from None


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("peephole.episodes.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


def _told_apart(runs: Sequence[ReportedRun], folders: Sequence[Path]) -> list[ReportedRun]:
    """Runs whose labels are the same get their folder's name to it."""
    often = Counter(run.label for run in runs)
    return [
        run if often[run.label] == 1 else replace(run, label=f"{run.label} ({folder})")
        for run, folder in zip(runs, folders, strict=True)
    ]


def _mechanism_checks(
    runs: Sequence[ReportedRun],
) -> list[tuple[tuple[str, tuple[str, ...]], list[str]]]:
    """The labels of runs with stand-ins, those with the same ones together, by mark and texts."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run in runs:
        if run.stand_ins:
            key = run.mark, tuple(stand_in.text for stand_in in run.stand_ins)
            found.setdefault(key, []).append(run.label)
    return list(found.items())


def _run(number: int, folder: Path) -> ReportedRun:
    stored = read_run(folder)
    config = stored.config
    episodes = []
    asked: list[ModelEvent] = []
    for recorded in episodes_of(folder, stored):
        asked += (event for event in recorded.events if isinstance(event, ModelEvent))
        way = trajectory(recorded.events)
        calls = [item.call for item in way.items if item.call is not None]
        tokens = sum(call.tokens_in + call.tokens_out for call in calls)
        place, task = recorded.number, recorded.name
        anchor = f"run{number}-{place}"
        why = diagnose(recorded.events)
        episodes.append(
            Episode(anchor, place, task, recorded.result, way, tokens, recorded.damage, why)
        )
    results = [episode.result for episode in episodes if episode.result is not None]
    return ReportedRun(
        label=stored.label,
        folder=folder.name or str(folder.resolve().name),
        config=config,
        stand_ins=stored.stand_ins,
        mark=stored.mark,
        created=stored.created.replace("T", " ").replace("+00:00", " UTC"),
        grants=("view", *stored.grants),
        simulator=tuple((str(k), str(v)) for k, v in stored.adapter.items() if k != STAND_IN),
        figures=summarize(results),
        failures=failure_histogram(scored_of(results)),
        served=tuple(served(asked)),
        episodes=tuple(episodes),
    )


def _ending(ended: str) -> str:
    return ENDINGS.get(ended, ended)


def _compared(runs: Sequence[ReportedRun]) -> list[tuple[str, list[Episode | None]]]:
    """Of several runs, each task with its episode in every run; empty for one run."""
    if len(runs) < 2:
        return []
    by_task = [{episode.task: episode for episode in run.episodes} for run in runs]
    tasks = dict.fromkeys(episode.task for run in runs for episode in run.episodes)
    return [(task, [episodes.get(task) for episodes in by_task]) for task in tasks]

"""What makes a run another experiment than a run with the same label, and a task the same task.

Results are pooled, ranked and paired by planner, suite and task. A planner's label and a suite's
name leave out much: the adapter, the data, injected faults, the dialect, settings of models. Where
runs differ in such a setting, `experiments` adds it to their names.

Ids of tasks are unique in a suite only, and a suite's data may change. `task_names` gives tasks the
same name where the same is asked in the same scene.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..adapters.contract import STAND_IN
from ..episodes.recording import episode_path
from ..episodes.run_file import RunConfig, RunFile
from ..errors import BadInput
from ..models.config import ModelConfig
from .run_episodes import first_start

_Settings = Mapping[str, Any]
#: The label of tasks that are the same but for what their suites change.
MATCHED = "matched"
#: Why tasks with the same id are not paired, after the sentence that says that none is.
OTHER_TASKS = " (those with the same ids have another instruction, goal or scene there)"
#: Settings of a model that change its replies.
_OF_MODELS = (
    *("temperature", "max_tokens", "reasoning_effort", "reasoning_tokens"),
    *("attempts", "context"),
)


@dataclass(frozen=True)
class Experiment:
    """Where the results of a run belong."""

    planner: str
    """Label of the config, with the settings in which runs of this label differ."""
    suite: str
    """The suite, with the settings in which the worlds of its runs differ."""
    marks: str
    """What the run's label has besides, such as ", injected faults"."""

    @property
    def label(self) -> str:
        """The planner with the marks, as results are labelled."""
        return self.planner + self.marks


def world_settings(config: RunConfig) -> dict[str, Any]:
    """What a suite is played in."""
    faults = config.faults
    return {
        "adapter": config.adapter,
        "data": config.data,
        "faults": None if faults is None else [faults.file, *map(asdict, faults.rates)],
        "planning seconds": config.planning_s,
        "approval": None if config.approval is None else asdict(config.approval),
    }


def _world(content: RunFile) -> dict[str, Any]:
    # Peephole's own version is in no name: a grid may go on after an update.
    engine = {name: value for name, value in content.adapter.items() if name != "peephole"}
    return {**world_settings(content.config), "engine": engine}


def _player(content: RunFile) -> dict[str, Any]:
    usual = ModelConfig("")
    models = {
        f"{role} {name}": value
        for role, model in content.config.models.items()
        for name in _OF_MODELS
        if (value := getattr(model, name)) != getattr(usual, name)
    }
    return {
        "dialect": content.config.dialect,
        "grants": sorted(content.grants),
        "files": dict(content.files),
        "models": models,
    }


def experiments(*groups: Sequence[RunFile]) -> list[list[Experiment]]:
    """Where the results of runs belong, by group and run.

    Settings of the world are named where runs of a suite differ in them, those of the planner where
    runs of a label do on the same suite. Only runs of one group count together, such as those of
    one side of `peephole compare`; a name is the same in all groups.
    """
    everyone = [content for group in groups for content in group]
    worlds = _Names(map(_world, everyone))
    for group in groups:
        worlds.tell_apart((content.config.suite, _world(content)) for content in group)
    suites = {
        id(content): worlds.named(content.config.suite, _world(content)) for content in everyone
    }
    players = _Names(map(_player, everyone))
    for group in groups:
        for suite in {suites[id(content)] for content in group}:
            there = [content for content in group if suites[id(content)] == suite]
            players.tell_apart((content.config.label, _player(content)) for content in there)
    return [
        [
            Experiment(
                players.named(content.config.label, _player(content)),
                suites[id(content)],
                content.label.removeprefix(content.config.label),
            )
            for content in group
        ]
        for group in groups
    ]


def check_one_experiment(what: str, contents: Sequence[RunFile]) -> None:
    """Raise BadInput where runs that count as one row are several experiments."""
    found = dict.fromkeys(experiments(contents)[0])
    if len(found) > 1:
        names = "; ".join(f"{each.label} on {each.suite}" for each in found)
        raise BadInput(
            f"The runs of {what} are several experiments ({names}); keep the runs of each in a "
            f"folder of their own."
        )


def changed_world(before: RunConfig, now: RunConfig) -> list[tuple[str, str, str]]:
    """The settings of the world that differ, each with both values in words."""
    then, later = world_settings(before), world_settings(now)
    names = _Names([then, later])
    return [
        (setting, names.words(setting, value), names.words(setting, later[setting]))
        for setting, value in then.items()
        if _canonical(value) != _canonical(later[setting])
    ]


class _Names:
    """Names with the settings that tell apart what else would have the same name."""

    def __init__(self, settings: Iterable[_Settings]) -> None:
        """settings: all that there are, so that different ones get different words."""
        self._differing: dict[str, list[str]] = defaultdict(list)
        self._values: dict[tuple[str, str], set[str]] = defaultdict(set)
        for each in settings:
            for name, value in each.items():
                self._values[name, _words(value)].add(_canonical(value))

    def tell_apart(self, named: Iterable[tuple[str, _Settings]]) -> None:
        """Note in which settings things of the same name differ."""
        values: dict[tuple[str, str], set[str]] = defaultdict(set)
        for name, settings in named:
            for setting, value in settings.items():
                values[name, setting].add(_canonical(value))
        for (name, setting), found in values.items():
            if len(found) > 1 and setting not in self._differing[name]:
                self._differing[name].append(setting)

    def named(self, name: str, settings: _Settings) -> str:
        """The name, with the settings that differ in brackets."""
        parts = []
        for setting in self._differing[name]:
            parts.append(f"{setting} {self.words(setting, settings[setting])}")
        return f"{name} ({', '.join(parts)})" if parts else name

    def words(self, setting: str, value: Any) -> str:
        """A value in short; with a digest where another one has the same words."""
        words = _words(value)
        if len(self._values[setting, words]) > 1:  # two files of one name
            words += f" {hashlib.sha256(_canonical(value).encode()).hexdigest()[:6]}"
        return words


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _words(value: Any) -> str:
    """A setting in short: of a list its first item, which names it."""
    if not value:
        return "none"
    match value:
        case {**items}:
            return ", ".join(
                f"{name} {_words(each)}" * (name != STAND_IN) or _words(each)
                for name, each in items.items()
            )
        case [str() as first, *rest] if any(not isinstance(each, str) for each in rest):
            return first
        case [*each]:
            return " ".join(map(str, each))
    return str(value)


# --- tasks ---------------------------------------------------------------------------------------


def task_names(
    runs: Sequence[tuple[Path, RunFile]], *, in_any_scene: bool = False
) -> list[dict[str, str]]:
    """A name for each task of each run, the same where it is the same task.

    Tasks are the same if they have one id, and the same is asked in the same scene (in_any_scene:
    in whatever scene, as simulated and real ones are), or their suites call them matched. Old
    recordings do not say what was asked; of these, tasks of one id are the same in one suite only.
    """
    if len(runs) == 1:
        return [{task: task for task in runs[0][1].config.tasks}]
    known = [
        {task: _identity(paths, in_any_scene) for task, paths in _files(folder, content).items()}
        for folder, content in runs
    ]
    asked: dict[tuple[str, str], set[Hashable]] = defaultdict(set)
    for (_, content), identities in zip(runs, known, strict=True):
        for task, identity in identities.items():
            asked[content.config.suite, task] |= {identity} if identity else set()
    numbers: dict[str, dict[Hashable, int]] = defaultdict(dict)
    names = []
    for (_, content), identities in zip(runs, known, strict=True):
        own = {}
        for task, identity in identities.items():
            others = asked[content.config.suite, task]
            if identity is None:
                identity = next(iter(others)) if len(others) == 1 else content.config.suite
            number = numbers[task].setdefault(identity, len(numbers[task]) + 1)
            own[task] = task if number == 1 else f"{task} (another task, {number})"
        names.append(own)
    return names


def _files(folder: Path, content: RunFile) -> dict[str, list[Path]]:
    """The files of the episodes of each task."""
    found: dict[str, list[Path]] = {task: [] for task in content.config.tasks}
    for episode in content.config.episodes:
        found[episode.task].append(episode_path(folder, episode.number, episode.task))
    return found


def _identity(paths: Iterable[Path], in_any_scene: bool) -> Hashable | None:
    """What decides whether a task is another run's task; None where the recording does not say.

    paths: of the task's episodes.
    """
    start = next(filter(None, map(first_start, paths)), None)
    if start is None or not start.asked:
        return None
    return start.labels.get(MATCHED) or (start.asked, "" if in_any_scene else start.scene)


def are_matched_only(runs: Sequence[tuple[Path, RunFile]]) -> bool:
    """Whether a task of one name is asked in other words, with another goal or in another scene."""
    found: dict[str, set[Hashable]] = defaultdict(set)
    for (folder, content), names in zip(runs, task_names(runs), strict=True):
        for task, paths in _files(folder, content).items():
            start = next(filter(None, map(first_start, paths)), None)
            if start is not None and MATCHED in start.labels:
                found[names[task]].add((start.asked, start.scene))
    return any(len(kinds) > 1 for kinds in found.values())

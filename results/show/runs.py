"""One run, or several side by side: a line for each episode, results, and groups by label."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ...episodes.recording import episode_path
from ...episodes.result import EpisodeResult, histogram
from ...episodes.run_file import RunConfig, RunFile, read_run
from ...errors import unknown_name
from ...models.serving import ServedModels
from ..experiments import experiments
from ..failures.classify import FailureKind
from ..metrics import scored_of
from ..pairing import paired_lines, split_over_repeats
from ..provenance import difference_lines, provenance_differences
from ..run_episodes import EpisodeSummary, first_start, results_in, summaries_of
from ..tables.folding import FoldingTable
from ..wording import ENDINGS
from .figures import (
    branch_lines,
    damage_lines,
    kinds_table,
    results_view,
    served_lines,
    stand_in_lines,
)

#: Most episodes of a class of failures that are listed with their step.
_SHOWN = 6
#: Most failed episodes that are explained; one takes up to 30 ms.
_EXPLAINED = 100


def run_view(run: Path) -> RenderableType:
    """A run: a line for each episode, and its results."""
    content = read_run(run)
    config = content.config
    table = FoldingTable(f"{config.suite}: {content.label} in {config.adapter}")
    table.add_numbers("")
    table.add_column("task", overflow="fold", min_width=16)
    table.add_column("result", min_width=7)
    table.add_numbers("goal", "steps", *(["stand-in"] if content.mark else []))
    mark = [content.mark.replace(" ", "\n", 1)] if content.mark else []
    results = []
    damage: list[str] = []
    asked = ServedModels()
    reasons = _Reasons()
    for episode in summaries_of(run, content):
        reasons.add(episode)
        damage += episode.damage
        asked.add(episode.answered)
        if episode.result is not None:
            results.append(episode.result)
        table.add_row(*_row(episode), *mark)
    runs = [(f"{content.label} on {config.suite}", results)]
    notes = [*_repeats(results), *_extended(config), *_failures(results), *reasons.lines()]
    notes += [
        *branch_lines(config),
        *stand_in_lines(content.stand_ins),
        *served_lines(asked.sentences()),
        *damage_lines(damage),
    ]
    return Group(table, results_view(runs), *kinds_table(runs), *notes)


def run_html(run: Path) -> str:
    """The view of a run as HTML, for notebooks."""
    console = Console(record=True, file=io.StringIO(), width=100)
    console.print(run_view(run))
    form = '<pre style="line-height: normal; white-space: pre">{code}</pre>'
    return console.export_html(inline_styles=True, code_format=form)


def _repeats(results: Sequence[EpisodeResult]) -> list[Text]:
    """The variance between tasks and repeats, where tasks were repeated."""
    split = split_over_repeats(results)
    return [] if isinstance(split, str) else [Text(f"Success over repeats: {split.sentence}")]


def _extended(config: RunConfig) -> list[Text]:
    """That tasks were added to the run, perhaps after a look at its results."""
    if not config.extended:
        return []
    sizes = " and ".join(map(str, config.extended))
    return [Text(f"The run was extended to {len(config.tasks)} tasks; before it had {sizes}.")]


class _Reasons:
    """Why the first failed episodes failed, with the deciding steps."""

    def __init__(self) -> None:
        self._where: dict[FailureKind, list[str]] = {}
        self._failed = 0

    def add(self, episode: EpisodeSummary) -> None:
        """Add an episode; all its events are read, if it failed."""
        if episode.result is None or episode.result.success:
            return
        self._failed += 1
        why = episode.why if self._failed <= _EXPLAINED else None
        if why is not None:
            self._where.setdefault(why.kind, []).append(f"{episode.number} at step {why.step}")

    def lines(self) -> list[Text]:
        """The reasons, the most frequent first."""
        found = sorted(self._where.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        first = f", the first {_EXPLAINED} of {self._failed}" * (self._failed > _EXPLAINED)
        head = f"Why episodes failed{first} (docs/reference/failures.md):"
        return [Text(head), *map(_reason, found)] if found else []


def _reason(found: tuple[FailureKind, Sequence[str]]) -> Text:
    kind, where = found
    more = f" and {len(where) - _SHOWN} more" if len(where) > _SHOWN else ""
    return Text(f"  {kind.words} {len(where)}: episode {', '.join(where[:_SHOWN])}{more}")


def _row(episode: EpisodeSummary) -> tuple[str | Text, ...]:
    """Number, task, result, share of the goal and steps."""
    result = episode.result
    if result is None:
        # An episode that has not begun has not finished either.
        status = "damaged" if episode.status == "damaged" else "not finished"
        return str(episode.number), episode.name, Text(status, style="yellow"), "", ""
    goal = "" if result.progress is None else f"{result.progress:.0%}"
    return str(episode.number), episode.name, _verdict(result), goal, str(result.steps)


def _verdict(result: EpisodeResult) -> Text:
    if result.success:
        return Text("success", style="green")
    ending = ENDINGS.get(result.ended, result.ended)
    if result.is_voided:
        return Text(f"voided: {ending}", style="yellow")
    return Text(ending, style="red")


def _failures(results: Sequence[EpisodeResult]) -> list[Text]:
    counts = histogram(result.failures for result in scored_of(results))
    if not counts:
        return []
    shown = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
    return [Text(f"Failed actions: {shown}")]


def labels_of(runs: Sequence[Path], label: str) -> dict[str, str]:
    """The value of a label for each task of some runs. Raises BadInput where none has it."""
    tasks: dict[str, Mapping[str, str]] = {}
    for run in runs:
        for episode in read_run(run).config.episodes:
            start = first_start(episode_path(run, episode.number, episode.task))
            tasks.setdefault(episode.task, {} if start is None else start.labels)
    if not any(label in labels for labels in tasks.values()):
        known = sorted({name for labels in tasks.values() for name in labels})
        raise unknown_name("label of the tasks", label, known)
    return {task: labels.get(label, "") for task, labels in tasks.items()}


def label_view(runs: Sequence[Path], label: str) -> Group:
    """The successes of runs by a label of the tasks."""
    labels = labels_of(runs, label)
    contents = [read_run(run) for run in runs]
    tables = kinds_table(_named_results(runs, contents), labels, label)
    if not tables:
        return Group(Text(f"All tasks have the same '{label}', or there are too many for a table."))
    return Group(*tables)


def compare_view(runs: Sequence[Path]) -> Group:
    """The results of several runs side by side, and by kind of task."""
    contents = [read_run(run) for run in runs]
    rows = _named_results(runs, contents)
    stand_ins = dict.fromkeys(stand_in for content in contents for stand_in in content.stand_ins)
    lines = [Text(line) for line in paired_lines([name for name, _ in rows], runs)]
    made = provenance_differences([[run] for run in zip(runs, contents, strict=True)])
    differences = [Text(line, style="yellow") for line in difference_lines(made)]
    notes = [*lines, *stand_in_lines(stand_ins), *differences]
    return Group(results_view(rows), *kinds_table(rows), *notes)


def _named_results(
    runs: Sequence[Path], contents: Sequence[RunFile]
) -> list[tuple[str, list[EpisodeResult]]]:
    """The results of runs by name: the planner, the suite where it differs, and the folder."""
    (played,) = experiments(contents)
    alike = len(set(played)) < len(played)
    several = len({each.suite for each in played}) > 1
    return [
        (
            each.label + f" on {each.suite}" * several + f" ({run})" * alike,
            results_in(run, content),
        )
        for run, content, each in zip(runs, contents, played, strict=True)
    ]

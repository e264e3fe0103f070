"""One run, or several side by side: a line for each episode, results, and groups by label."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ...episodes.result import EpisodeResult, histogram
from ...episodes.run_file import read_run
from ...episodes.runner import results_of
from ...errors import unknown_name
from ...models.events import ModelEvent
from ..failures.classify import FailureKind, diagnose
from ..metrics import scored_of
from ..pairing import paired_lines, split_over_repeats
from ..run_episodes import RunEpisode, episodes_of
from ..tables.folding import FoldingTable
from ..wording import ENDINGS
from .figures import damage_lines, kinds_table, results_view, served_lines, stand_in_lines

#: Most episodes of a class of failures that are listed with their step.
_SHOWN = 6


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
    asked: list[ModelEvent] = []
    reasons: dict[FailureKind, list[str]] = {}
    for episode in episodes_of(run, content):
        why = diagnose(episode.events)
        if why is not None:
            reasons.setdefault(why.kind, []).append(f"{episode.number} at step {why.step}")
        damage += episode.damage
        asked += (event for event in episode.events if isinstance(event, ModelEvent))
        if episode.result is not None:
            results.append(episode.result)
        table.add_row(*_row(episode), *mark)
    runs = [(f"{content.label} on {config.suite}", results)]
    notes = [*_repeats(results), *_failures(results), *_reasons(reasons)]
    notes += [*stand_in_lines(content.stand_ins), *served_lines(asked), *damage_lines(damage)]
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


def _reasons(reasons: Mapping[FailureKind, Sequence[str]]) -> list[Text]:
    """Why episodes failed, with the episodes and the deciding steps."""
    found = sorted(reasons.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    lines = [Text("Why episodes failed (docs/reference/failures.md):")] if found else []
    for kind, where in found:
        more = f" and {len(where) - _SHOWN} more" if len(where) > _SHOWN else ""
        shown = ", ".join(where[:_SHOWN])
        lines.append(Text(f"  {kind.words} {len(where)}: episode {shown}{more}"))
    return lines


def _row(episode: RunEpisode) -> tuple[str | Text, ...]:
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
    tasks = {e.task: e.labels for run in runs for e in episodes_of(run, read_run(run))}
    if not any(label in labels for labels in tasks.values()):
        known = sorted({name for labels in tasks.values() for name in labels})
        raise unknown_name("label of the tasks", label, known)
    return {task: labels.get(label, "") for task, labels in tasks.items()}


def label_view(runs: Sequence[Path], label: str) -> Group:
    """The successes of runs by a label of the tasks."""
    labels = labels_of(runs, label)
    rows = [(read_run(run).label, results_of(run)) for run in runs]
    tables = kinds_table(rows, labels, label)
    if not tables:
        return Group(Text(f"All tasks have the same '{label}', or there are too many for a table."))
    return Group(*tables)


def compare_view(runs: Sequence[Path]) -> Group:
    """The results of several runs side by side, and by kind of task."""
    contents = [read_run(run) for run in runs]
    whats = [(c.config.suite, c.config.adapter) for c in contents]
    same = len({(c.label, *what) for c, what in zip(contents, whats, strict=True)}) < len(runs)
    rows = []
    for run, content, (suite, adapter) in zip(runs, contents, whats, strict=True):
        label = content.label
        if len(set(whats)) > 1:
            label += f" on {suite} in {adapter}"
        if same:
            label += f" ({run})"
        rows.append((label, results_of(run)))
    stand_ins = dict.fromkeys(stand_in for content in contents for stand_in in content.stand_ins)
    lines = [Text(line) for line in paired_lines([name for name, _ in rows], runs)]
    notes = [*lines, *stand_in_lines(stand_ins)]
    return Group(results_view(rows), *kinds_table(rows), *notes)

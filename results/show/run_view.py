"""One run: a line for each episode, and its results."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ...episodes.result import EpisodeResult, histogram
from ...episodes.run_file import read_run
from ...models.events import ModelEvent
from ..failures.classify import FailureKind, diagnose
from ..metrics import scored_of
from ..pairing import split_over_repeats
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
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("task", overflow="fold", min_width=16)
    table.add_column("result", min_width=7)
    for column in ("goal", "steps", *(["stand-in"] if content.mark else [])):
        table.add_column(column, justify="right", no_wrap=True)
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

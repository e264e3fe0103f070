"""Several runs: side by side, task by task, and by a label of their tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group
from rich.text import Text

from ...episodes.run_file import read_run
from ...episodes.runner import results_of
from ...errors import unknown_name
from ..pairing import paired_lines
from ..run_episodes import episodes_of
from .figures import kinds_table, results_view, stand_in_lines


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

"""Runs and trajectories for reading in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..errors import BadInput, unknown_name
from .metrics import Estimate, summarize
from .recording import EventData, episode_path, latest, read_events, read_run
from .result import EpisodeResult, failure_histogram
from .runner import finished_result, stored_config

_ENDINGS = {
    "goal_reached": "the goal was reached",
    "done": "the planner said that it was done",
    "gave_up": "the planner gave up",
    "steps": "the steps were used up",
    "decisions": "the decisions were used up",
    "planning_time": "the planning time was used up",
    "planner_error": "the planner failed",
    "voided": "the simulator was lost",
}


def event_lines(event: EventData) -> list[Text]:
    """One recorded event as lines to read; some events need none."""
    match event["event"]:
        case "start":
            return [
                Text(event["instruction"], style="bold"),
                Text(event["observation"], style="cyan"),
            ]
        case "decision" if event["kind"] == "think":
            return [Text(f"  ({event['text']})", style="italic magenta")]
        case "decision" if event["kind"] == "note":
            return [Text(f"  [{event['note']}] {event['text']}", style="dim")]
        case "step":
            return _step_lines(event)
        case "void":
            return [Text(f"The episode was voided: {event['reason']}", style="yellow")]
        case "end":
            good = event["success"]
            ending = _ENDINGS.get(event["ended"], event["ended"])
            detail = f" ({event['detail']})" if event["detail"] else ""
            return [
                Text(
                    f"{'Success' if good else 'Failure'} after {event['steps']} steps: "
                    f"{ending}{detail}",
                    style="bold green" if good else "bold red",
                )
            ]
        case _:
            return []


def _step_lines(event: EventData) -> list[Text]:
    failure = event["outcome"]["failure"]
    line = Text(f"{event['step']:4d} > {event['action']}", style="bold")
    if failure is not None:
        line.append(f"  [{failure['reason'].replace('_', ' ')}]", style="red")
    retries = len(event["outcome"]["attempts"]) - 1
    if retries > 0:
        line.append(f"  ({retries} more tries)", style="yellow")
    return [line, Text(f"       {event['observation']}", style="cyan")]


def episode_view(run: Path, wanted: str) -> Group:
    """One episode, step by step. wanted: its number in the run, or its task's id."""
    config = stored_config(run)
    if wanted.isdigit() and 1 <= int(wanted) <= len(config.tasks):
        number = int(wanted)
    elif wanted in config.tasks:
        number = config.tasks.index(wanted) + 1
    elif wanted.isdigit():
        raise BadInput(f"{run} has episodes 1 to {len(config.tasks)}, not {wanted}.")
    else:
        raise unknown_name("episode", wanted, config.tasks)
    path = episode_path(run, number, config.tasks[number - 1])
    if not path.exists():
        raise BadInput(f"Episode {wanted} of {run} has not begun; continue the run with --resume.")
    head = Text(
        f"Episode {number}, {config.tasks[number - 1]}: {config.planner} in {config.adapter}"
    )
    lines = [line for event in latest(read_events(path)) for line in event_lines(event)]
    return Group(head, *lines)


def run_view(run: Path) -> RenderableType:
    """A run: its results and a line an episode."""
    config = stored_config(run)
    table = Table(
        title=f"{config.suite}: {config.planner} in {config.adapter}", title_justify="left"
    )
    for column in ("", "task", "result", "ended because", "progress", "steps", "failed actions"):
        right = column in ("", "progress", "steps", "failed actions")
        table.add_column(column, justify="right" if right else "left")
    results = []
    for number, task_id in enumerate(config.tasks, start=1):
        result = finished_result(episode_path(run, number, task_id))
        if result is None:
            table.add_row(str(number), task_id, Text("open", style="yellow"))
            continue
        results.append(result)
        table.add_row(
            str(number),
            task_id,
            Text("success", style="green") if result.success else Text("failure", style="red"),
            _ENDINGS.get(result.ended, result.ended),
            f"{result.progress:.0%}",
            str(result.steps),
            str(sum(result.failures.values())),
        )
    return Group(table, results_table([(str(run), results)]), *_failures(results))


def _failures(results: Sequence[EpisodeResult]) -> list[Text]:
    counts = failure_histogram(results)
    if not counts:
        return []
    shown = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
    return [Text(f"Failed actions: {shown}")]


def results_table(runs: Sequence[tuple[str, Sequence[EpisodeResult]]]) -> Table:
    """The figures of runs side by side; intervals are 95 %."""
    table = Table(title="Results (95 % intervals)", title_justify="left")
    table.add_column("run")
    for column in ("episodes", "GSR", "SSR", "steps", "planning s/episode"):
        table.add_column(column, justify="right")
    for name, results in runs:
        figures = summarize(results)
        if not figures:
            table.add_row(name, "0")
            continue
        table.add_row(
            name,
            str(len(results)),
            _percent(figures["gsr"]),
            _percent(figures["ssr"]),
            _number(figures["steps"]),
            f"{figures['planning_s'].mean:.2f}",
        )
    return table


def compare_view(runs: Sequence[Path]) -> Table:
    """The results of several runs in one table."""
    rows = []
    for run in runs:
        read_run(run)
        config = stored_config(run)
        found = (
            finished_result(episode_path(run, number, task_id))
            for number, task_id in enumerate(config.tasks, start=1)
        )
        label = f"{config.planner} on {config.suite} in {config.adapter}"
        rows.append((label, [result for result in found if result is not None]))
    return results_table(rows)


def _percent(figure: Estimate) -> str:
    return f"{100 * figure.mean:.1f} % [{100 * figure.low:.1f}, {100 * figure.high:.1f}]"


def _number(figure: Estimate) -> str:
    return f"{figure.mean:.1f} [{figure.low:.1f}, {figure.high:.1f}]"

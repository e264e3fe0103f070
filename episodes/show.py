"""Runs and trajectories for reading in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from ..errors import BadInput, unknown_name
from .metrics import Estimate, KindFigures, by_kind, summarize
from .recording import EventData, episode_path, read_episode
from .result import EpisodeResult, failure_histogram
from .runner import finished_result, results_of, stored_config
from .tables import FoldingTable

#: Why episodes end, in words.
ENDINGS = {
    "goal_reached": "the goal was reached",
    "done": "the planner said that it was done",
    "gave_up": "the planner gave up",
    "no_answer": "the model gave no usable answer",
    "steps": "no steps were left",
    "decisions": "no decisions were left",
    "planning_time": "no planning time was left",
    "planner_error": "the planner failed",
    "voided": "the simulator was lost",
    "stopped": "the arm's protective stop was tripped",
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
        case "model":
            return _model_lines(event)
        case "step":
            return _step_lines(event)
        case "void":
            return [Text(f"The episode was voided: {event['reason']}", style="yellow")]
        case "end":
            good = event["success"]
            ending = ENDINGS.get(event["ended"], event["ended"])
            detail = f" ({event['detail']})" if event["detail"] else ""
            return [
                Text(
                    f"{'Success' if good else 'Failure'} after {event['steps']} "
                    f"step{'s' if event['steps'] != 1 else ''}: "
                    f"{ending}{detail}",
                    style="bold green" if good else "bold red",
                ),
                *_spent(event),
            ]
        case _:
            return []


def _model_lines(event: EventData) -> list[Text]:
    """A reply of the model: what it took, and what was wrong with it."""
    if "status" in event:
        return [Text(f"  (model: HTTP status {event['status']})", style="yellow")]
    if event.get("full"):
        return [Text(f"  (model: {event['problem']})", style="yellow")]
    usage = event["usage"]
    cached = f" ({usage['cached']} read before)" if usage["cached"] else ""
    lines = [
        Text(
            f"  (model: {usage['in']} tokens in{cached}, {usage['out']} out, "
            f"{event['latency_s']:.1f} s)",
            style="dim",
        )
    ]
    if event["problem"]:
        said = " ".join(event["reply"].split())[:120] or "nothing"
        lines.append(Text(f"  (asked again; it said: {said} - {event['problem']})", style="yellow"))
    return lines


def _spent(event: EventData) -> list[Text]:
    if not event.get("calls"):
        return []
    price = f", ${event['usd']:.4f}" if event["usd"] else ""
    return [
        Text(
            f"Model: {event['calls']} replies, {event['tokens_in']} tokens in, "
            f"{event['tokens_out']} out{price}",
            style="dim",
        )
    ]


def _step_lines(event: EventData) -> list[Text]:
    failure = event["outcome"]["failure"]
    line = Text(f"{event['step']:4d} > {event['action']}", style="bold")
    if failure is not None:
        line.append(f"  [{failure['reason'].replace('_', ' ')}]", style="red")
    retries = len(event["outcome"]["attempts"]) - 1
    if retries > 0:
        line.append(f"  ({retries} more tries)", style="yellow")
    told = event["observation"].replace("\n", "\n       ")
    return [line, Text(f"       {told}", style="cyan")]


def episode_view(run: Path, wanted: str) -> Group:
    """One episode, step by step. wanted: its number in the run, or its task's id."""
    config = stored_config(run)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(config.tasks):
        number = int(wanted)
    elif wanted in config.tasks:
        number = config.tasks.index(wanted) + 1
    elif wanted.isdecimal():
        raise BadInput(f"{run} has episodes 1 to {len(config.tasks)}, not {wanted}.")
    else:
        raise unknown_name("episode or run", wanted, config.tasks)
    path = episode_path(run, number, config.tasks[number - 1])
    events = read_episode(path) if path.exists() else []
    if not events:
        raise BadInput(f"Episode {wanted} of {run} has not begun; continue the run with --resume.")
    head = Text(
        f"Episode {number}, {config.tasks[number - 1]}: {config.player} in {config.adapter}"
    )
    lines = [line for event in events for line in event_lines(event)]
    return Group(head, *lines)


def run_view(run: Path) -> RenderableType:
    """A run: a line an episode, and its results."""
    config = stored_config(run)
    table = FoldingTable(f"{config.suite}: {config.player} in {config.adapter}")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("task", overflow="fold", min_width=20)
    table.add_column("result", min_width=7)
    for column in ("progress", "steps"):
        table.add_column(column, justify="right", no_wrap=True)
    results = []
    for number, task_id in enumerate(config.tasks, start=1):
        result = finished_result(episode_path(run, number, task_id))
        if result is None:
            table.add_row(str(number), task_id, Text("not finished", style="yellow"))
            continue
        results.append(result)
        table.add_row(
            str(number),
            task_id,
            _verdict(result),
            f"{result.progress:.0%}",
            str(result.steps),
        )
    runs = [(f"{config.player} on {config.suite}", results)]
    return Group(table, results_table(runs), *kinds_table(runs), *_failures(results))


def _verdict(result: EpisodeResult) -> Text:
    if result.success:
        return Text("success", style="green")
    return Text(ENDINGS.get(result.ended, result.ended), style="red")


def _failures(results: Sequence[EpisodeResult]) -> list[Text]:
    counts = failure_histogram(results)
    if not counts:
        return []
    shown = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
    return [Text(f"Failed actions: {shown}")]


def results_table(runs: Sequence[tuple[str, Sequence[EpisodeResult]]]) -> FoldingTable:
    """The figures of runs side by side; intervals are 95 %."""
    table = FoldingTable("Results [95 % intervals]")
    table.add_column("run", overflow="fold", min_width=8)
    table.add_column("n", justify="right", no_wrap=True)
    with_model = any(result.calls for _, results in runs for result in results)
    with_price = any(result.usd for _, results in runs for result in results)
    columns = ["GSR %", "SSR %", "steps"]
    columns += ["tokens"] if with_model else ["planning s"]  # both do not fit into 80 columns
    columns += ["$"] if with_price else []
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, results in runs:
        figures = summarize(results)
        if not figures:
            table.add_row(name, "0")
            continue
        spent = _model_figures(figures) if with_model else [f"{figures['planning_s'].mean:.2f}"]
        table.add_row(
            name,
            str(len(results)),
            _interval(figures["gsr"], 100) + _informed(figures.get("informed")),
            _interval(figures["ssr"], 100),
            _interval(figures["steps"]),
            *spent[: len(columns) - 3],
        )
    return table


def _model_figures(figures: Mapping[str, Estimate]) -> list[str]:
    """Tokens an episode with tokens per action below, and dollars an episode."""
    if "tokens" not in figures:
        return ["", ""]
    tpa = f"{figures['tpa'].mean:.0f}" if "tpa" in figures else "no"
    return [f"{figures['tokens'].mean:.0f}\n{tpa} TPA", f"{figures['usd'].mean:.4f}"]


def kinds_table(runs: Sequence[tuple[str, Sequence[EpisodeResult]]]) -> list[FoldingTable]:
    """What runs achieved in each kind of task; no table where kinds cannot be told apart."""
    kinds = by_kind([results for _, results in runs])
    if not kinds:
        return []
    with_informed = any(
        figures is not None and figures.informed is not None
        for row in kinds.values()
        for figures in row
    )
    table = FoldingTable(
        f"By kind of task: successes{' (informed ones)' * with_informed}, mean steps"
    )
    table.add_column("kind", no_wrap=True)
    for name, _ in runs:
        table.add_column(name, justify="right", overflow="fold", min_width=10)
    for kind, figures in kinds.items():
        table.add_row(kind, *map(_kind_cell, figures))
    return [table]


def _kind_cell(figures: KindFigures | None) -> str:
    if figures is None:
        return ""
    informed = "" if figures.informed is None else f" ({figures.informed})"
    return f"{figures.successes}/{figures.episodes}{informed} {figures.steps:5.1f}"


def compare_view(runs: Sequence[Path]) -> Group:
    """The results of several runs side by side, and by kind of task."""
    configs = [stored_config(run) for run in runs]
    same = len({(config.suite, config.adapter, config.player) for config in configs}) < len(runs)
    settings = {(config.suite, config.adapter) for config in configs}
    rows = []
    for run, config in zip(runs, configs, strict=True):
        label = config.player
        if len(settings) > 1:
            label += f" on {config.suite} in {config.adapter}"
        if same:
            label += f" ({run})"
        rows.append((label, results_of(run)))
    return Group(results_table(rows), *kinds_table(rows))


def _informed(figure: Estimate | None) -> str:
    """How many of the tasks that depend on something hidden were no luck."""
    return "" if figure is None else f"\n{100 * figure.mean:.1f} informed"


def _interval(figure: Estimate, unit: float = 1.0) -> str:
    return f"{unit * figure.mean:.1f}\n[{unit * figure.low:.1f}, {unit * figure.high:.1f}]"

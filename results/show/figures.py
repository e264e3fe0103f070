"""The figures of runs as tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Group
from rich.text import Text

from ...episodes.result import EpisodeResult
from ...episodes.run_file import RunConfig, StandIn
from ..metrics import OTHER, KindFigures, Outcomes, by_kind, kind_by_id, summarize
from ..statistics.estimates import Estimate
from ..tables.folding import FoldingTable
from ..wording import augmentation_text, refusals_text, rewarded, unknown_text


def results_view(runs: Sequence[tuple[str, Sequence[EpisodeResult]]]) -> Group:
    """The figures of runs, and what they leave out."""
    lines = []
    for name, results in runs:
        outcomes = Outcomes.of(results)
        if outcomes.scored < len(results):
            of_run = f" of {name}" if len(runs) > 1 else ""
            lines.append(Text(f"The figures{of_run} are over {outcomes.text}.", style="yellow"))
    lines += _run_lines("Unknown", unknown_text, runs)
    lines += _run_lines("Augmentation", augmentation_text, runs)
    return Group(results_table(runs), *lines, *_run_lines("Answers", refusals_text, runs))


def _run_lines(
    title: str,
    text: Callable[[Sequence[EpisodeResult]], str],
    runs: Sequence[tuple[str, Sequence[EpisodeResult]]],
) -> list[Text]:
    """A text about each run, a line for each run that has one."""
    found = [(name, text(results)) for name, results in runs]
    return [
        Text(f"{title}{f' of {name}' if len(runs) > 1 else ''}: {line}")
        for name, line in found
        if line
    ]


def results_table(runs: Sequence[tuple[str, Sequence[EpisodeResult]]]) -> FoldingTable:
    """The figures of runs side by side, with 95 % intervals."""
    table = FoldingTable("Results [95 % intervals]")
    words = (word for name, _ in runs for word in re.split(r"\s+|(?<=:)", name))
    table.add_column("run", overflow="fold", min_width=min(20, max(8, *map(len, words))))
    table.add_numbers("n")
    with_model = any(result.calls for _, results in runs for result in results)
    with_price = any(result.usd for _, results in runs for result in results)
    columns = ["GSR %", "SSR %", "steps"]
    columns += ["tokens"] if with_model else ["planning s"]  # both do not fit into 80 columns
    columns += ["$"] if with_price else []
    table.add_numbers(*columns)
    for name, results in runs:
        figures = summarize(results)
        if not figures:
            table.add_row(name, _counted(results))
            continue
        spent = _model_figures(figures) if with_model else [f"{figures['planning_s'].mean:.2f}"]
        table.add_row(
            name,
            _counted(results),
            _interval(figures["gsr"], 100) + _below(figures.get("informed"), "informed"),
            _interval(figures.get("ssr"), 100) + _below(figures.get("app"), "APP"),
            _interval(figures["steps"]) + _reward(figures.get("reward"), results),
            *spent[: len(columns) - 3],
        )
    return table


def _model_figures(figures: Mapping[str, Estimate]) -> list[str]:
    """Tokens per episode with tokens per action below, and dollars per episode."""
    if "tokens" not in figures:
        return ["", ""]
    tpa = f"{figures['tpa'].mean:.0f}" if "tpa" in figures else "no"
    return [f"{figures['tokens'].mean:.0f}\n{tpa} TPA", f"{figures['usd'].mean:.4f}"]


def kinds_table(
    runs: Sequence[tuple[str, Sequence[EpisodeResult]]],
    labels: Mapping[str, str] | None = None,
    label: str = "kind of task",
) -> list[FoldingTable]:
    """The results of runs by kind of task; no table for a single kind.

    labels: the kind of each task, by default the beginning of its id. label: the word for kinds.
    """
    kind_of = kind_by_id if labels is None else lambda task: labels.get(task) or OTHER
    kinds = by_kind([results for _, results in runs], kind_of)
    if not kinds:
        return []
    with_informed = any(
        figures is not None and figures.informed is not None
        for row in kinds.values()
        for figures in row
    )
    table = FoldingTable(f"By {label}: successes{' (informed ones)' * with_informed}, mean steps")
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


def _counted(results: Sequence[EpisodeResult]) -> str:
    """The number of scored episodes, and below it the others."""
    outcomes = Outcomes.of(results)
    voided = f"\n+{outcomes.voided} voided" * bool(outcomes.voided)
    return f"{outcomes.scored}{voided}" + f"\n+{outcomes.unscored} open" * bool(outcomes.unscored)


def _below(figure: Estimate | None, name: str) -> str:
    """A rate in % on its own line."""
    return "" if figure is None else f"\n{100 * figure.mean:.1f} {name}"


def _reward(figure: Estimate | None, results: Sequence[EpisodeResult]) -> str:
    """The mean reward on its own line, where steps are rewarded."""
    shown = rewarded(result.reward for result in results)
    return f"\n{figure.mean:,.1f} reward" if shown and figure is not None else ""


def _interval(figure: Estimate | None, unit: float = 1.0) -> str:
    """A figure with its interval below; empty where it is unknown."""
    if figure is None:
        return ""
    return "\n".join(figure.lines(unit))


def branch_lines(config: RunConfig) -> list[Text]:
    """From which episode a run branches, if it does."""
    branch = config.branch
    if branch is None:
        return []
    same = "no step" if branch.step == 1 else f"steps 1 to {branch.step - 1}"
    return [
        Text(
            f"A branch of episode {branch.episode} of {branch.parent}: {same} as there; changed "
            f"from step {branch.step} on: {branch.change}."
        )
    ]


def stand_in_lines(stand_ins: Iterable[StandIn]) -> list[Text]:
    """What played in place of the real thing."""
    return [
        Text("Mechanism check: " * (s.kind != "faults") + s.text, style="yellow") for s in stand_ins
    ]


def damage_lines(problems: Sequence[str]) -> list[Text]:
    """The problems of recordings."""
    return [Text(problem, style="yellow") for problem in problems]


def served_lines(sentences: Sequence[str]) -> list[Text]:
    """The models that answered, see `models.serving.served`."""
    return [Text(sentence, style="dim") for sentence in sentences]

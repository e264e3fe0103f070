"""Runs and trajectories for reading in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from ..errors import BadInput, unknown_name
from ..planners.contract import Internal, NewTrial, Note, Think
from ..planners.llm.events import ModelContextFull, ModelEvent, ModelHttpError, ModelReplied
from ..planners.llm.served import served
from .agent_tree import tree_lines
from .augmentation_text import augmentation_text
from .belief_lines import belief_lines, search_lines
from .belief_notes import belief_of, search_of
from .events import (
    Decided,
    Ended,
    GoalChecked,
    PlannerFailed,
    RecordedEvent,
    Started,
    Stepped,
    TextRefused,
    TrialStarted,
    Voided,
)
from .failures.classify import FailureKind, diagnose
from .metrics import (
    OTHER,
    Estimate,
    KindFigures,
    Outcomes,
    by_kind,
    kind_by_id,
    scored_of,
    summarize,
)
from .pairing import paired_lines, split_over_repeats
from .pictures import PicturesReader
from .refusals import refusals_text
from .result import EpisodeResult, failure_histogram
from .rewards import rewarded
from .rows import RunEpisode, episode_of, episodes_of
from .run_file import RunFile, StandIn, read_run
from .runner import results_of
from .tables import FoldingTable

_MARK_STYLES = {"success": "green", "failure": "red", "left out": "dim"}
#: Episodes of a class of failures that are told with their step.
_SHOWN = 6
#: Why episodes end, in words.
ENDINGS = {
    "goal_reached": "the goal was reached",
    "done": "the planner said that it was done",
    "gave_up": "the planner gave up",
    "no_answer": "the model gave no usable answer",
    "steps": "no steps were left",
    "decisions": "no decisions were left",
    "planning_time": "no planning time was left",
    "infeasible": "too many actions in a row failed",
    "planner_error": "the planner failed",
    "voided": "the simulator was lost",
    "stopped": "the arm's protective stop was tripped",
}

#: How an episode came out, by `EpisodeResult.success`.
VERDICTS = {True: "Success", False: "Failure", None: "Not scored"}


def event_lines(event: RecordedEvent) -> list[Text]:
    """One recorded event as lines to read; some events need none."""
    match event:
        case Started():
            return [
                Text(event.instruction, style="bold"),
                Text(event.observation, style="cyan"),
            ]
        case TrialStarted():
            told = Text(event.observation, style="cyan")
            return [Text(f"Trial {event.trial}", style="bold"), told]
        case Decided():
            return _decision_lines(event)
        case ModelReplied():
            return _reply_lines(event)
        case ModelHttpError():
            return [Text(f"  (model: HTTP status {event.status})", style="yellow")]
        case ModelContextFull():
            return [Text(f"  (model: {event.problem})", style="yellow")]
        case Stepped():
            return _step_lines(event)
        case TextRefused():
            return [
                Text(f"     > {event.said}", style="bold"),
                Text(f"       {event.reason}", style="yellow"),
            ]
        case GoalChecked():
            return [Text(f"       {event.feedback}", style="cyan")]
        case PlannerFailed():
            return [Text(event.traceback.rstrip(), style="dim")]
        case Voided():
            return [Text(f"The episode was voided: {event.reason}", style="yellow")]
        case Ended():
            return _end_lines(event.result)
        case _:
            return []


def _decision_lines(event: Decided) -> list[Text]:
    match event.decision:
        case Think(text):
            return [Text(f"  ({text})", style="italic magenta")]
        case Note(name, text) | Internal(name, text):
            answer = event.decision.data.get("answer")
            told = f"{text}: {answer}" if answer else text
            return [Text(f"  [{name}] {told}", style="dim"), *_drawn_lines(event.decision)]
        case NewTrial(reason):
            return [Text(f"  [new trial] {reason}", style="dim")]
        case decision if getattr(decision, "thought", ""):
            return [Text(f"  ({getattr(decision, 'thought', '')})", style="italic magenta")]
    return []


def _drawn_lines(decision: Note | Internal) -> list[Text]:
    """What a note's data draw below its text."""
    if not isinstance(decision, Note):
        return []
    belief, search = belief_of(decision), search_of(decision)
    if belief is not None:
        return belief_lines(belief)
    return [] if search is None else search_lines(search)


def _reply_lines(event: ModelReplied) -> list[Text]:
    """A reply of a model: what it took, and what was wrong with it."""
    usage = event.usage
    cached = f" ({usage.cached} read before)" if usage.cached else ""
    lines = [
        Text(
            f"  (model: {usage.tokens_in} tokens in{cached}, {usage.tokens_out} out, "
            f"{event.latency_s:.1f} s{', from the reply cache' if event.from_cache else ''})",
            style="dim",
        )
    ]
    if event.problem:
        said = " ".join(event.reply.split())[:120] or "nothing"
        lines.append(Text(f"  (asked again; it said: {said} - {event.problem})", style="yellow"))
    return lines


def _step_lines(event: Stepped) -> list[Text]:
    failure = event.outcome.failure
    line = Text(f"{event.step:4d} > {event.wording}", style="bold")
    if failure is not None:
        line.append(f"  [{failure.reason.replace('_', ' ')}]", style="red")
    if event.outcome.injected is not None:
        line.append("  (put in on purpose)", style="yellow")
    if event.outcome.retries:
        line.append(f"  ({event.outcome.retries} more tries)", style="yellow")
    if rewarded([event.reward]):
        line.append(f"  (reward {event.reward:+,.0f})", style="dim")
    told = event.observation.replace("\n", "\n       ")
    return [line, Text(f"       {told}", style="cyan")]


def _end_lines(result: EpisodeResult) -> list[Text]:
    ending = ENDINGS.get(result.ended, result.ended)
    detail = f" ({result.detail})" if result.detail else ""
    if result.infeasible and result.progress == 1.0:
        detail += f"; the goal holds, but {result.infeasible} of its actions could not be done"
    steps = f"{result.steps} step{'s' if result.steps != 1 else ''}"
    lines = [
        Text(
            f"{VERDICTS[result.success]} after {steps}: {ending}{detail}",
            style="bold green" if result.success else "bold red",
        )
    ]
    if rewarded([result.reward]):
        lines.append(Text(f"Reward: {result.reward:,.0f} in all", style="dim"))
    refused = refusals_text([result])
    if refused:
        lines.append(Text(f"Answers: {refused}", style="dim"))
    if result.calls:
        cached = f" ({result.tokens_cached} read before)" if result.tokens_cached else ""
        price = f", ${result.usd:.4f}" if result.usd else ""
        if result.calls_cached:
            price += f"; {result.calls_cached} replies from the cache"
            price += f", ${result.usd_saved:.4f} saved" if result.usd_saved else ""
        lines.append(
            Text(
                f"Model: {result.calls} replies, {result.tokens_in} tokens in{cached}, "
                f"{result.tokens_out} out{price}",
                style="dim",
            )
        )
    return lines


def find_episode(run: Path, content: RunFile, wanted: str) -> RunEpisode:
    """An episode of a run. wanted: its number, or its task's id.

    Raises BadInput where there is none, or where it has not begun.
    """
    planned, tasks = content.config.episodes, content.config.tasks
    if wanted.isdecimal() and 1 <= int(wanted) <= len(planned):
        number = int(wanted)
    elif wanted in tasks:
        number = tasks.index(wanted) + 1  # the first time that it is played
    elif wanted.isdecimal():
        raise BadInput(f"{run} has episodes 1 to {len(planned)}, not {wanted}.")
    else:
        raise unknown_name("episode or run", wanted, tasks)
    episode = episode_of(run, planned[number - 1])
    if not episode.events and not episode.damage:
        raise BadInput(f"Episode {wanted} of {run} has not begun; continue the run with --resume.")
    return episode


def episode_view(run: Path, wanted: str) -> Group:
    """One episode, step by step. wanted: its number in the run, or its task's id."""
    content = read_run(run)
    episode = find_episode(run, content, wanted)
    head = f"Episode {episode.number}, {episode.name}: {content.label} in {content.config.adapter}"
    pictures = PicturesReader()
    lines = []
    for event in episode.events:
        lines += event_lines(event)
        lines += [
            Text(f"  (picture: images/{name})", style="dim") for name in pictures.new_in(event)
        ]
    why = diagnose(episode.events)
    if why is not None:
        decided = f"decided at step {why.step}" if why.step else "decided at the start"
        lines.append(Text(f"Why: {why.kind.words}, {decided}", style="red"))
    told = [*_stand_ins(content.stand_ins), *_served(episode.events), *_damage(episode.damage)]
    return Group(Text(head), *lines, *_tree(episode.events), *told)


def _tree(events: Iterable[RecordedEvent]) -> list[Text]:
    """The tree of agents, where the planner grew one; further ones where it began anew.

    Lines of text, for rich cuts off what of its own trees a terminal is too narrow for.
    """
    lines = tree_lines(events)
    told: list[Text] = []
    more: list[bool] = []  # whether the line's ancestors, and it itself, have siblings to come
    for place, line in enumerate(lines):
        following = next((other for other in lines[place + 1 :] if other.depth <= line.depth), None)
        del more[line.depth :]
        more.append(following is not None and following.depth == line.depth)
        guides = "".join("│   " if each else "    " for each in more[1:-1])
        branch = ("├── " if more[-1] else "└── ") if line.depth else ""
        told.append(
            Text.assemble(
                guides + branch,
                (f"{line.mark} {line.goal}", _MARK_STYLES.get(line.state, "")),
                (f"  {line.figures}", "dim"),
            )
        )
    return told


def run_view(run: Path) -> RenderableType:
    """A run: a line an episode, and its results."""
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
    told = [*_repeats(results), *_failures(results), *_reasons(reasons)]
    told += [*_stand_ins(content.stand_ins), *_served(asked), *_damage(damage)]
    return Group(table, results_view(runs), *kinds_table(runs), *told)


def _repeats(results: Sequence[EpisodeResult]) -> list[Text]:
    """How much of the variance is the tasks', where they were played repeatedly."""
    split = split_over_repeats(results)
    return [] if isinstance(split, str) else [Text(f"Success over repeats: {split.sentence}")]


def _reasons(reasons: Mapping[FailureKind, Sequence[str]]) -> list[Text]:
    """Why episodes failed, with the episodes and the steps that decided them."""
    found = sorted(reasons.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    lines = [Text("Why episodes failed (docs/failures.md):")] if found else []
    for kind, where in found:
        more = f" and {len(where) - _SHOWN} more" if len(where) > _SHOWN else ""
        shown = ", ".join(where[:_SHOWN])
        lines.append(Text(f"  {kind.words} {len(where)}: episode {shown}{more}"))
    return lines


def _row(episode: RunEpisode) -> tuple[str | Text, ...]:
    """Number, task, result, share of the goal and steps."""
    result = episode.result
    if result is None:
        # Of what has not begun no more is to be said than of what has not ended.
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


def _stand_ins(stand_ins: Iterable[StandIn]) -> list[Text]:
    """What played in place of the real thing."""
    return [
        Text("Mechanism check: " * (s.kind != "faults") + s.text, style="yellow") for s in stand_ins
    ]


def _damage(problems: Sequence[str]) -> list[Text]:
    """What of recordings cannot be read."""
    return [Text(problem, style="yellow") for problem in problems]


def _served(events: Iterable[RecordedEvent]) -> list[Text]:
    """What the models turned out to be."""
    return [Text(s, style="dim") for s in served(e for e in events if isinstance(e, ModelEvent))]


def _failures(results: Sequence[EpisodeResult]) -> list[Text]:
    counts = failure_histogram(scored_of(results))
    if not counts:
        return []
    shown = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
    return [Text(f"Failed actions: {shown}")]


def results_view(runs: Sequence[tuple[str, Sequence[EpisodeResult]]]) -> Group:
    """The figures of runs, and what they leave out."""
    told = []
    for name, results in runs:
        outcomes = Outcomes.of(results)
        if outcomes.scored < len(results):
            of_run = f" of {name}" if len(runs) > 1 else ""
            told.append(Text(f"The figures{of_run} are over {outcomes.text}.", style="yellow"))
    told += _run_lines("Augmentation", augmentation_text, runs)
    return Group(results_table(runs), *told, *_run_lines("Answers", refusals_text, runs))


def _run_lines(
    title: str,
    text: Callable[[Sequence[EpisodeResult]], str],
    runs: Sequence[tuple[str, Sequence[EpisodeResult]]],
) -> list[Text]:
    """What a text tells of each run, a line a run of which it tells something."""
    found = [(name, text(results)) for name, results in runs]
    return [
        Text(f"{title}{f' of {name}' if len(runs) > 1 else ''}: {told}")
        for name, told in found
        if told
    ]


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
            table.add_row(name, _counted(results))
            continue
        spent = _model_figures(figures) if with_model else [f"{figures['planning_s'].mean:.2f}"]
        table.add_row(
            name,
            _counted(results),
            _interval(figures["gsr"], 100) + _below(figures.get("informed"), "informed"),
            _interval(figures["ssr"], 100) + _below(figures.get("app"), "APP"),
            _interval(figures["steps"]) + _reward(figures["reward"], results),
            *spent[: len(columns) - 3],
        )
    return table


def _model_figures(figures: Mapping[str, Estimate]) -> list[str]:
    """Tokens an episode with tokens per action below, and dollars an episode."""
    if "tokens" not in figures:
        return ["", ""]
    tpa = f"{figures['tpa'].mean:.0f}" if "tpa" in figures else "no"
    return [f"{figures['tokens'].mean:.0f}\n{tpa} TPA", f"{figures['usd'].mean:.4f}"]


def kinds_table(
    runs: Sequence[tuple[str, Sequence[EpisodeResult]]],
    labels: Mapping[str, str] | None = None,
    label: str = "kind of task",
) -> list[FoldingTable]:
    """What runs achieved in each kind of task; no table where kinds cannot be told apart.

    labels: the kind of each task, by default what its id begins with. label: what they are.
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


def labels_of(runs: Sequence[Path], label: str) -> dict[str, str]:
    """The value of a label of each task of some runs. Raises BadInput where none has it."""
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
        return Group(Text(f"All tasks have one '{label}', or too many for a table."))
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
    told = [*lines, *_stand_ins(stand_ins)]
    return Group(results_view(rows), *kinds_table(rows), *told)


def _counted(results: Sequence[EpisodeResult]) -> str:
    """The episodes that figures are of, and below those that they are not of."""
    outcomes = Outcomes.of(results)
    voided = f"\n+{outcomes.voided} voided" * bool(outcomes.voided)
    return f"{outcomes.scored}{voided}" + f"\n+{outcomes.unscored} open" * bool(outcomes.unscored)


def _below(figure: Estimate | None, name: str) -> str:
    """A rate in % on a line of its own."""
    return "" if figure is None else f"\n{100 * figure.mean:.1f} {name}"


def _reward(figure: Estimate, results: Sequence[EpisodeResult]) -> str:
    """The mean reward on a line of its own, where steps are rewarded."""
    shown = rewarded(result.reward for result in results)
    return f"\n{figure.mean:,.1f} reward" if shown else ""


def _interval(figure: Estimate, unit: float = 1.0) -> str:
    return f"{unit * figure.mean:.1f}\n[{unit * figure.low:.1f}, {unit * figure.high:.1f}]"

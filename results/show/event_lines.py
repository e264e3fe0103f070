"""The events of an episode as lines to read."""

from __future__ import annotations

from rich.text import Text

from ...episodes.events import (
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
from ...episodes.result import EpisodeResult
from ...models.events import ModelContextFull, ModelHttpError, ModelReplied
from ...planners.contract import Internal, NewTrial, Note, Think
from ..notes import SHOWN_CHANGE, BeliefNote, Change, SearchNote, belief_of, search_of, spaced
from ..wording import ENDINGS, VERDICTS, failure_text, refusals_text, rewarded

#: The most characters and lines of a text that are shown; the recording has all.
_CHARACTERS, _LINES = 20_000, 200


def event_lines(event: RecordedEvent) -> list[Text]:
    """One recorded event as lines to read, the longest shortened; some events have none."""
    return [_shortened(line) for line in _lines(event)]


def _shortened(text: Text) -> Text:
    shown = "\n".join(text.plain[:_CHARACTERS].split("\n", _LINES)[:_LINES])
    left = len(text.plain) - len(shown)
    if left:
        text.right_crop(left)
        text.append(f" … and {left:,} more characters", style="not bold not italic yellow")
    return text


def _lines(event: RecordedEvent) -> list[Text]:
    match event:
        case Started():
            return [Text(event.instruction, style="bold"), Text(event.observation, style="cyan")]
        case TrialStarted():
            observation = Text(event.observation, style="cyan")
            return [Text(f"Trial {event.trial}", style="bold"), observation]
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
                Text(f"     refused: {_indented(event.said)}", style="yellow"),
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


def _indented(text: str) -> str:
    """A text whose further lines cannot be read as lines of the episode."""
    return text.replace("\n", "\n       ")


def _decision_lines(event: Decided) -> list[Text]:
    match event.decision:
        case Think(text):
            return [Text(f"  ({_indented(text)})", style="italic magenta")]
        case Note(name, text) | Internal(name, text):
            answer = event.decision.data.get("answer")
            line = f"{text}: {answer}" if answer else text
            return [Text(f"  [{name}] {line}", style="dim"), *_drawn_lines(event.decision)]
        case NewTrial(reason):
            return [Text(f"  [new trial] {_indented(reason)}", style="dim")]
        case decision if getattr(decision, "thought", ""):
            thought = _indented(getattr(decision, "thought", ""))
            return [Text(f"  ({thought})", style="italic magenta")]
    return []


def _drawn_lines(decision: Note | Internal) -> list[Text]:
    """The drawing of a note's data, below its text."""
    if not isinstance(decision, Note):
        return []
    belief, search = belief_of(decision), search_of(decision)
    if belief is not None:
        return belief_lines(belief)
    return [] if search is None else search_lines(search)


def _reply_lines(event: ModelReplied) -> list[Text]:
    """A reply of a model: its tokens, and what was wrong with it."""
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
        line.append(f"  [{failure_text(event.outcome)}]", style="red")
    if event.outcome.injected is not None:
        line.append("  (put in on purpose)", style="yellow")
    if event.outcome.retries:
        line.append(f"  ({event.outcome.retries} more tries)", style="yellow")
    if rewarded([event.reward]):
        line.append(f"  (reward {event.reward:+,.0f})", style="dim")
    observation = _indented(event.observation)
    return [line, Text(f"       {observation}", style="cyan")]


def _end_lines(result: EpisodeResult) -> list[Text]:
    ending = ENDINGS.get(result.ended, result.ended)
    detail = f" ({_indented(result.detail)})" if result.detail else ""
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


#: Most areas of an object, and most objects.
_AREAS, _OBJECTS = 4, 6
_INDENT = " " * 7
_NAME, _AREA, _BAR = 16, 26, 10


def belief_lines(belief: BeliefNote) -> list[Text]:
    """The likely places of objects, their changes by an observation, and the likeliest goals.

    Objects: the least certain first. Their areas, and goals: the likeliest first.
    """
    certain = {name: area for name in belief.objects if (area := belief.certain(name))}
    open_ones = [name for name in belief.objects if name not in certain]
    lines = [_line("the least certain object first, its likeliest areas first")] * bool(open_ones)
    lines += [line for name in open_ones[:_OBJECTS] for line in _object_lines(belief, name)]
    if left := open_ones[_OBJECTS:]:
        lines.append(_line(f"and {len(left)} more: {', '.join(map(spaced, left))}"))
    if certain:
        places = ", ".join(f"{spaced(name)} at {spaced(area)}" for name, area in certain.items())
        lines.append(_line(f"certain: {places}"))
    return lines + [
        _line(f"goal {goal.weight:.2f}: {goal.text}") for goal in belief.likeliest_goals
    ]


def _object_lines(belief: BeliefNote, name: str) -> list[Text]:
    """An object with its likeliest areas, a line each, the rest as a sum, and lost areas."""
    changes = [change for change in belief.changes(name) if change.after]
    shown = changes[:_AREAS]
    lines = [_row(spaced(name) * (not place), change) for place, change in enumerate(shown)]
    rest = 1.0 - sum(change.after or 0.0 for change in shown)
    if rest >= SHOWN_CHANGE:
        lines.append(_row("" if shown else spaced(name), Change("elsewhere", None, rest)))
    fell = [c for c in belief.changes(name) if c.fell]
    if fell:
        areas = ", ".join(f"{spaced(each.area)} (was {each.before:.2f})" for each in fell)
        lines.append(Text(f"{_INDENT}{'':{_NAME}} hardly at {areas}", style="dim"))
    return lines


def _row(name: str, change: Change) -> Text:
    now = change.after or 0.0
    bar = "█" * round(_BAR * now) or "▏"
    line = Text(f"{_INDENT}{_cut(name, _NAME):{_NAME}} ", style="dim")
    line.append(f"{_cut(spaced(change.area), _AREA):{_AREA}} ")
    line.append(f"{bar:{_BAR}}", style="magenta")
    line.append(f" {now:.2f}")
    if change.is_shown and change.before is not None:
        line.append(f" was {change.before:.2f}", style="green" if now > change.before else "red")
    return line


def search_lines(search: SearchNote) -> list[Text]:
    """The effort of a search, and the best branch of its tree."""
    lines = [search.text]
    for depth, step in enumerate(search.branch):
        expected = f" → {step.observation}" if step.observation else ""
        lines.append(f"{'  ' * depth}> {step.action}{expected}")
    return [_line(text) for text in lines]


def _line(text: str) -> Text:
    return Text(f"{_INDENT}{text}", style="dim")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"

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
from ..notes.belief import belief_of, search_of
from ..wording import ENDINGS, VERDICTS, refusals_text, rewarded
from .belief_lines import belief_lines, search_lines


def event_lines(event: RecordedEvent) -> list[Text]:
    """One recorded event as lines to read; some events have none."""
    match event:
        case Started():
            return [
                Text(event.instruction, style="bold"),
                Text(event.observation, style="cyan"),
            ]
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
            line = f"{text}: {answer}" if answer else text
            return [Text(f"  [{name}] {line}", style="dim"), *_drawn_lines(event.decision)]
        case NewTrial(reason):
            return [Text(f"  [new trial] {reason}", style="dim")]
        case decision if getattr(decision, "thought", ""):
            return [Text(f"  ({getattr(decision, 'thought', '')})", style="italic magenta")]
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
        line.append(f"  [{failure.reason.replace('_', ' ')}]", style="red")
    if event.outcome.injected is not None:
        line.append("  (put in on purpose)", style="yellow")
    if event.outcome.retries:
        line.append(f"  ({event.outcome.retries} more tries)", style="yellow")
    if rewarded([event.reward]):
        line.append(f"  (reward {event.reward:+,.0f})", style="dim")
    observation = event.observation.replace("\n", "\n       ")
    return [line, Text(f"       {observation}", style="cyan")]


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

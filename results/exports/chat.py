"""Messages for fine-tuning, a JSON object a line: {"messages": [...], "suite", "task", ...}.

A line is either a reply or an episode. A reply has the messages that the planner sent and the
answer that it could use. Earlier replies among them have weight 0, so that each is learnt once. An
episode is a conversation in the dialect, which any planner's run gives, also without a language
model. Images stand in the messages as data URLs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ...data_files import json_line
from ...episodes.recording import episode_path, image_file, latest, read_events
from ...errors import BadInput
from ...models.events import ModelReplied
from ...models.record import AskedBefore
from ...models.tools import read_tool_reply
from ...planners.kits.prompting.templates import Templates
from ...planners.kits.turns import with_recent_turns
from ..run_episodes import RunEpisode
from .export import ExportSummary, Source
from .steps import Deliberation, ExportedSteps, last_trial, steps_of

Message = dict[str, Any]
_TEMPLATES = Templates(__file__)


def write(source: Source, out: Path) -> ExportSummary:
    """Write the lines of a run. Raises BadInput where it has none."""
    each = source.wanted.each or ("reply" if source.content.config.models else "episode")
    episodes = lines = 0
    with out.open("w", encoding="utf-8") as file:
        for episode in source.episodes:
            records = list(
                islice(_replies(source, episode), source.wanted.first_replies)
                if each == "reply"
                else _conversation(source, episode)
            )
            for record in records:
                file.write(json_line(record))
            lines += len(records)
            episodes += bool(records)
    if not lines:
        raise BadInput(
            f"{source.run} has no replies of a language model; give --each episode for "
            f"conversations in the dialect."
        )
    return ExportSummary({"lines": lines, "episodes": episodes})


def _facts(source: Source, episode: RunEpisode) -> Message:
    """The origin of a line. stand_in: see `RunFile.mark`."""
    result = episode.result
    return {
        "suite": source.content.config.suite,
        "task": episode.task,
        "episode": episode.number,
        "planner": source.content.label,
        "dialect": source.content.config.dialect,
        "success": None if result is None else result.success,
        "stand_in": source.content.mark,
    }


# --- replies -------------------------------------------------------------------------------------


def _replies(source: Source, episode: RunEpisode) -> Iterator[Message]:
    """The questions of an episode with their usable answers."""
    path = episode_path(source.run, episode.number, episode.task)
    every = read_events(path)  # questions of earlier starts are needed, too
    replies = [event for event in every if isinstance(event, ModelReplied)]
    asked = {
        role: AskedBefore([event for event in replies if event.role == role])
        for role in {event.role for event in replies}
    }
    for event in latest(every):
        if not isinstance(event, ModelReplied):
            continue
        if event.problem is not None or event.cut or event.withheld:
            continue
        sent = _with_recent_turns(source, asked[event.role].messages(event.call))
        tools = asked[event.role].tools(event.call)
        said = {"role": "assistant", "content": event.reply}
        answer = read_tool_reply(event.reply).message if tools else said
        messages = [_unweighted(_inlined(source.run, each)) for each in sent]
        if messages:
            yield {
                "messages": [*messages, answer],
                **({"tools": tools} if tools else {}),
                **_facts(source, episode),
                "role": event.role,
                "purpose": event.purpose,
                "step": event.step,
                "model": event.served_model,
            }


def _with_recent_turns(source: Source, sent: list[Message]) -> list[Message]:
    """The messages as the planner's own model reads them, where its teacher reads all."""
    config = source.content.config
    turns = source.wanted.recent_turns or config.options.get("recent_turns")
    if config.planner != "react" or turns is None:
        return sent
    return [dict(message) for message in with_recent_turns(sent, int(turns))]


def _unweighted(message: Message) -> Message:
    """A message that is only read: earlier replies get weight 0."""
    return {**message, "weight": 0} if message["role"] == "assistant" else message


def _inlined(run: Path, message: Mapping[str, Any]) -> Message:
    """A message with its images inside."""
    content = message["content"]
    if isinstance(content, str):
        return dict(message)
    return {**message, "content": [_part(run, part) for part in content]}


def _part(run: Path, part: Any) -> Any:
    url = part["image_url"]["url"] if part.get("type") == "image_url" else ""
    if not url.startswith("images/"):
        return part
    path = image_file(run, url.removeprefix("images/"))
    content = base64.b64encode(path.read_bytes()).decode()
    kind = "jpeg" if path.suffix == ".jpg" else "png"
    data_url = f"data:image/{kind};base64,{content}"
    return {**part, "image_url": {**part["image_url"], "url": data_url}}


# --- episodes ------------------------------------------------------------------------------------


def _conversation(source: Source, episode: RunEpisode) -> Iterator[Message]:
    """An episode's last trial as one conversation that ends with the planner."""
    steps = steps_of(episode.events)
    messages = list(_messages(steps))
    while messages and messages[-1]["role"] != "assistant":
        messages.pop()
    if messages:
        system = {"role": "system", "content": _TEMPLATES.render("episode_chat")}
        yield {"messages": [system, *messages], **_facts(source, episode)}


def _messages(steps: ExportedSteps) -> Iterator[Message]:
    """The messages of user and assistant in turn."""
    task = f"Your task: {steps.started.instruction}\n\n"
    observation = steps.started.observation
    for step in last_trial(steps):
        yield from _turns(task + step.before, step.deliberation)
        yield _said(step.deliberation.thought, step.event.said or step.event.wording)
        task, observation = "", step.event.observation
    if steps.end:
        yield from _turns(task + observation, steps.last)
        yield _said(steps.last.thought, steps.end)


def _turns(message: str, deliberation: Deliberation) -> Iterator[Message]:
    """User messages, and the planner's texts that had no effect, each followed by its answer."""
    for said, answer in deliberation.answered:
        yield {"role": "user", "content": message}
        yield _said("", said)
        message = answer
    yield {"role": "user", "content": message}


def _said(thought: str, action: str) -> Message:
    text = f"Thought: {thought}\nAction: {action}" if thought else f"Action: {action}"
    return {"role": "assistant", "content": text}

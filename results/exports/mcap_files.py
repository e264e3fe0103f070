"""MCAP export: a file for each episode with JSON messages and schemas, for tools like Foxglove.

Topics: /task, /observation, /decision, /action, /outcome, /note, /image, /perceived_graph,
/true_graph, /model_reply, /result. Times count from the start of the run.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data_files import json_text, read_yaml
from ...episodes.events import (
    Decided,
    Ended,
    Perceived,
    RecordedEvent,
    Started,
    Stepped,
    TextRefused,
    to_line,
)
from ...episodes.recording import episode_path, image_file
from ...episodes.world import RecordedMoments
from ...models.events import ModelReplied
from ...planners.contract import Note
from ...scene_graph.json_codec import graph_to_data
from ..run_episodes import RunEpisode
from .export import ExportSummary, Source

if TYPE_CHECKING:
    from mcap.writer import Writer


def write(source: Source, out: Path) -> ExportSummary:
    """Write a file for each episode into a new folder."""
    from mcap.writer import CompressionType, Writer

    out.mkdir()
    start = int(datetime.fromisoformat(source.content.created).timestamp() * 1e9)
    episodes = messages = 0
    for episode in source.episodes:
        name = episode_path(source.run, episode.number, episode.task).with_suffix(".mcap").name
        with (out / name).open("wb") as file:
            writer = Writer(file, compression=CompressionType.ZSTD)
            writer.start(profile="", library="peephole")
            channels = _channels(writer)
            for sequence, (event, topic, data) in enumerate(_messages(source, episode)):
                when = start + int(event.t * 1e9)
                if topic == "/image":
                    data["timestamp"] = dict(zip(("sec", "nsec"), divmod(when, 10**9), strict=True))
                writer.add_message(
                    channels[topic],
                    log_time=when,
                    publish_time=when,
                    sequence=sequence,
                    data=json_text(data).encode(),
                )
                messages += 1
            writer.add_metadata("peephole", _metadata(source, episode))
            writer.finish()  # type: ignore[no-untyped-call]
        episodes += 1
    return ExportSummary({"messages": messages, "episodes": episodes})


def _metadata(source: Source, episode: RunEpisode) -> dict[str, str]:
    config = source.content.config
    return {
        "suite": config.suite,
        "task": episode.task,
        "planner": source.content.label,
        "dialect": config.dialect,
        "seed": str(episode.seed),
        "peephole": source.content.peephole,
        "stand_in": source.content.mark,
    }


def _channels(writer: Writer) -> dict[str, int]:
    """A channel for each topic, by topic."""
    schemas: dict[str, int] = {}
    channels = {}
    for topic, about in read_yaml(Path(__file__).with_name("topics.yaml")).items():
        name = about["title"]
        if name not in schemas:
            schema = json.dumps({"type": "object", **about}).encode()
            schemas[name] = writer.register_schema(name, "jsonschema", schema)
        channels[topic] = writer.register_channel(topic, "json", schemas[name])
    return channels


Message = tuple[RecordedEvent, str, dict[str, Any]]


def _messages(source: Source, episode: RunEpisode) -> Iterator[Message]:
    """The messages of an episode, each with its event and topic."""
    moments = RecordedMoments()
    for event in episode.events:
        data = json.loads(to_line(event))
        for topic, message in _said(source, event, data):
            yield event, topic, message
        if isinstance(event, Perceived):
            yield from ((event, *each) for each in _perceived(source, moments, event))


def _said(
    source: Source, event: RecordedEvent, data: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages of an event besides those of perception. data: the event as JSON data."""
    step = {"step": event.step}
    match event:
        case Started():
            known = {name: data[name] for name in ("task", "instruction", "scene")}
            label = {"planner": source.content.label, "stand_in": source.content.mark}
            yield "/task", known | label
        case Decided(decision=Note()):
            note = data["decision"]
            yield "/note", step | {name: note[name] for name in ("name", "text", "data")}
        case Decided():
            yield "/decision", step | {"decision": data["decision"]}
        case Stepped():
            action = {name: data[name] for name in ("said", "action")}
            yield "/action", step | {"text": event.wording} | action
            success = {"success": event.outcome.success, "reward": event.reward}
            yield "/outcome", step | success | {"outcome": data["outcome"]}
        case TextRefused():
            yield "/refused", step | {"said": event.said, "reason": event.reason}
        case ModelReplied():
            names = ("role", "reply", "problem", "usage")
            yield "/model_reply", step | {name: data[name] for name in names}
        case Ended():
            yield "/result", {"result": data["result"]}


def _perceived(
    source: Source, moments: RecordedMoments, event: Perceived
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages on the world after an event; graphs only where they changed."""
    sensors = None if event.sensors is None else dict(event.sensors._asdict())
    observed = {"step": event.step, "text": event.observation, "progress": event.progress}
    yield "/observation", observed | {"sensors": sensors}
    moment = moments.after(event)
    if event.world is not None and moment.truth is not None:
        yield "/true_graph", graph_to_data(moment.truth)
    if event.view is not None or event.world is not None:
        yield "/perceived_graph", graph_to_data(moment.view.graph)
    if event.image:
        path = image_file(source.run, event.image)
        content = base64.b64encode(path.read_bytes()).decode()
        yield "/image", {"frame_id": "camera", "data": content, "format": path.suffix.lstrip(".")}

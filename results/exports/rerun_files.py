"""Rerun export: a file for each episode, on the timelines `step` and `episode_time`.

Entities: task, observation, thought, action, notes/NAME, progress, reward, arm/NAME, camera,
perceived_graph, true_graph. Files are written; nothing is sent anywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...episodes.events import (
    Decided,
    Ended,
    Perceived,
    RecordedEvent,
    Started,
    Stepped,
    TextRefused,
)
from ...episodes.recording import episode_path, image_file
from ...episodes.world import RecordedMoments
from ...planners.contract import Act, Note, Think
from ...scene_graph.graph import SceneGraph
from ..run_episodes import RunEpisode
from .export import ExportSummary, Source

if TYPE_CHECKING:
    import rerun as rr

_APPLICATION = "peephole"


def write(source: Source, out: Path) -> ExportSummary:
    """Write a file for each episode into a new folder."""
    import rerun as rr

    out.mkdir()
    episodes = 0
    for episode in source.episodes:
        name = episode_path(source.run, episode.number, episode.task).stem
        recording = rr.RecordingStream(_APPLICATION, recording_id=f"{source.run.name}-{name}")
        recording.save(out / f"{name}.rrd")
        _log_episode(recording, source, episode)
        recording.flush()
        recording.disconnect()
        episodes += 1
    return ExportSummary(
        {"episodes": episodes},
        "Open one with: rerun --serve-web FILE.rrd (more in docs/howto/export.md).",
    )


def _log_episode(recording: rr.RecordingStream, source: Source, episode: RunEpisode) -> None:
    import rerun as rr

    moments = RecordedMoments()
    marks = [stand_in.text for stand_in in source.content.stand_ins]
    for event in episode.events:
        recording.set_time("step", sequence=event.step)
        recording.set_time("episode_time", duration=event.t)
        if isinstance(event, Started):
            lines = [event.instruction, f"Played by {source.content.label}.", *marks]
            document = rr.TextDocument("\n\n".join(lines), media_type="text/markdown")
            recording.log("task", document, static=True)
        _log_words(recording, event)
        if isinstance(event, Perceived):
            _log_perceived(recording, source, moments, event)


def _log_words(recording: rr.RecordingStream, event: RecordedEvent) -> None:
    """Log thoughts, notes, actions and their outcomes."""
    import rerun as rr

    match event:
        case Decided(decision=Note() as note):
            recording.log(f"notes/{note.name}", rr.TextDocument(note.text))
        case Decided(decision=Think(text=text) | Act(thought=text)) if text:
            recording.log("thought", rr.TextLog(text))
        case Stepped():
            failure = event.outcome.failure
            line = event.wording if failure is None else f"{event.wording}: {failure.reason}"
            level = rr.TextLogLevel.INFO if failure is None else rr.TextLogLevel.WARN
            recording.log("action", rr.TextLog(line, level=level))
            recording.log("reward", rr.Scalars(event.reward))
        case TextRefused():
            line = f"{event.said}: {event.reason}"
            recording.log("action", rr.TextLog(line, level=rr.TextLogLevel.WARN))
        case Ended():
            recording.log("action", rr.TextLog(f"ended: {event.result.ended}"))


def _log_perceived(
    recording: rr.RecordingStream, source: Source, moments: RecordedMoments, event: Perceived
) -> None:
    """Log the world after an event."""
    import rerun as rr

    recording.log("observation", rr.TextLog(event.observation))
    if event.progress is not None:
        recording.log("progress", rr.Scalars(event.progress))
    if event.sensors is not None:
        for name, values in event.sensors._asdict().items():
            recording.log(f"arm/{name}", rr.Scalars(list(values)))
    if event.image:
        path = image_file(source.run, event.image)
        recording.log("camera", rr.EncodedImage(path=path))
    moment = moments.after(event)
    if event.world is not None and moment.truth is not None:
        _log_graph(recording, "true_graph", moment.truth)
    if event.view is not None or event.world is not None:
        _log_graph(recording, "perceived_graph", moment.view.graph)


def _log_graph(recording: rr.RecordingStream, entity: str, graph: SceneGraph) -> None:
    """Log a scene graph; nodes are labelled with category, id and states."""
    import rerun as rr

    nodes = sorted(graph.nodes(), key=lambda node: node.id)
    labels = [
        " ".join([f"{node.category} {node.id}", *sorted(f"({state})" for state in node.states)])
        for node in nodes
    ]
    edges = [
        (str(source), str(target))
        for source, _, target in sorted(graph.edges())
        if source in graph.by_id and target in graph.by_id
    ]
    recording.log(
        entity,
        rr.GraphNodes([str(node.id) for node in nodes], labels=labels),
        rr.GraphEdges(edges, graph_type="directed"),
    )

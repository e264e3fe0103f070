"""MCAP: files that MCAP's own reader opens, whose messages keep to their schemas."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.events import Decided, Perceived, Stepped
from peephole.episodes.result import EpisodeResult
from peephole.episodes.world import RecordedMoments
from peephole.models.events import ModelReplied
from peephole.planners.contract import Note
from peephole.scene_graph.json_codec import graph_from_data

reader = pytest.importorskip("mcap.reader", reason="of the extra export")

_TYPES = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "object": dict,
    "array": list,
    "boolean": bool,
    "null": type(None),
}


def read(path: Path) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """The messages of a file by topic, all of which keep to their schemas; and its metadata."""
    found: dict[str, list[Any]] = defaultdict(list)
    with path.open("rb") as file:
        opened = reader.make_reader(file)
        last = 0
        for schema, channel, message in opened.iter_messages():
            data = json.loads(message.data)
            properties = json.loads(schema.data)["properties"]
            assert data.keys() == properties.keys(), channel.topic
            for name, value in data.items():
                allowed = properties[name]["type"]
                kinds = [allowed] if isinstance(allowed, str) else allowed
                assert isinstance(value, tuple(_TYPES[kind] for kind in kinds)), (channel, name)
            assert message.log_time >= last
            last = message.log_time
            found[channel.topic].append(data)
        (metadata,) = opened.iter_metadata()
    return found, metadata.metadata


def test_messages_are_those_of_the_recording(explored: Path, export: Any, recorded: Any) -> None:
    out, printed = export(explored, "mcap")
    files = sorted(out.iterdir())
    count = sum(len(each) for path in files for each in read(path)[0].values())
    assert printed.startswith(f"{count} messages, {len(files)} episodes written to")
    for path, events in zip(files, recorded(explored), strict=True):
        found, metadata = read(path)
        moments = [event for event in events if isinstance(event, Perceived)]
        steps = [event for event in events if isinstance(event, Stepped)]
        assert [each["text"] for each in found["/observation"]] == [m.observation for m in moments]
        assert [each["text"] for each in found["/action"]] == [step.wording for step in steps]
        assert [each["success"] for each in found["/outcome"]] == [
            step.outcome.success for step in steps
        ]
        notes = [
            event.decision
            for event in events
            if isinstance(event, Decided) and isinstance(event.decision, Note)
        ]
        assert [each["name"] for each in found["/note"]] == [note.name for note in notes]
        assert EpisodeResult(**found["/result"][0]["result"]).success
        assert found["/task"][0]["instruction"] == events[0].instruction
        assert metadata["planner"] == "explore"


def test_graphs_are_what_is_so_and_what_is_perceived(
    explored: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(explored, "mcap")
    found, _ = read(min(out.iterdir()))
    reading = RecordedMoments()
    events = [event for event in recorded(explored)[0] if isinstance(event, Perceived)]
    moments = [reading.after(event) for event in events]
    true = graph_from_data(found["/true_graph"][-1])
    assert set(true.edges()) == set(moments[-1].truth.edges())
    perceived = graph_from_data(found["/perceived_graph"][-1])
    assert perceived.by_id.keys() == moments[-1].view.graph.by_id.keys()
    assert len(perceived.by_id) < len(true.by_id)


def test_images_are_the_files_of_the_run(explored: Path, export: Any, recorded: Any) -> None:
    out, _ = export(explored, "mcap")
    found, _ = read(min(out.iterdir()))
    events = [event for event in recorded(explored)[0] if isinstance(event, Perceived)]
    assert [base64.b64decode(each["data"]) for each in found["/image"]] == [
        (explored / "images" / event.image).read_bytes() for event in events
    ]


def test_replies_of_a_model_are_there(asked: Path, export: Any, recorded: Any) -> None:
    out, _ = export(asked, "mcap")
    found, metadata = read(min(out.iterdir()))
    replies = [event.reply for event in recorded(asked)[0] if isinstance(event, ModelReplied)]
    assert [each["reply"] for each in found["/model_reply"]] == replies
    assert metadata["stand_in"] == "model"


def test_an_arm_s_sensors_are_there(arm: Path, export: Any, recorded: Any) -> None:
    out, _ = export(arm, "mcap")
    found, _ = read(min(out.iterdir()))
    pose = tuple(found["/observation"][0]["sensors"]["pose"])
    assert pose == recorded(arm)[0][0].sensors.pose

"""Rerun: files that Rerun's own reader opens. Its library is in no extra of the tests: 293 MB."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.events import Decided, Perceived, Stepped
from peephole.episodes.world import RecordedMoments
from peephole.planners.contract import Note

reader = pytest.importorskip("rerun.chunk", reason="install peephole[rerun] to run it")


def read(path: Path) -> dict[str, list[dict[str, Any]]]:
    """What a file has by entity, in the order of its time."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for chunk in reader.RrdReader(path).stream():
        found[chunk.entity_path] += chunk.to_record_batch().to_pylist()
    for rows in found.values():
        rows.sort(key=lambda row: (row.get("episode_time") or 0, row["rerun.controls.RowId"]))
    return found


def test_texts_figures_and_images_are_those_of_the_recording(
    explored: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(explored, "rerun")
    for path, events in zip(sorted(out.iterdir()), recorded(explored), strict=True):
        found = read(path)
        moments = [event for event in events if isinstance(event, Perceived)]
        steps = [event for event in events if isinstance(event, Stepped)]
        told = [row["TextLog:text"][0] for row in found["/observation"]]
        assert told == [event.observation for event in moments]
        assert [row["step"] for row in found["/observation"]] == [event.step for event in moments]
        done = [row["TextLog:text"][0] for row in found["/action"]]
        assert done == [*(step.wording for step in steps), "ended: goal_reached"]
        progress = [row["Scalars:scalars"][0] for row in found["/progress"]]
        assert progress == [event.progress for event in moments]
        assert events[0].instruction in found["/task"][0]["TextDocument:text"][0]
        notes = [
            event.decision.text
            for event in events
            if isinstance(event, Decided)
            and isinstance(event.decision, Note)
            and event.decision.name == "memory"
        ]
        assert [row["TextDocument:text"][0] for row in found["/notes/memory"]] == notes
        shown = [bytes(row["EncodedImage:blob"][0]) for row in found["/camera"]]
        assert shown == [(explored / "images" / event.image).read_bytes() for event in moments]


def test_graphs_are_what_is_so_and_what_is_perceived(
    explored: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(explored, "rerun")
    found = read(min(out.iterdir()))
    reading = RecordedMoments()
    events = [event for event in recorded(explored)[0] if isinstance(event, Perceived)]
    last = [reading.after(event) for event in events][-1]
    for entity, graph in (("/true_graph", last.truth), ("/perceived_graph", last.view.graph)):
        nodes = found[entity][-1]["GraphNodes:node_ids"]
        assert [int(node) for node in nodes] == sorted(graph.by_id)


def test_an_arm_has_figures(arm: Path, export: Any, recorded: Any) -> None:
    out, _ = export(arm, "rerun")
    found = read(min(out.iterdir()))
    pose = found["/arm/pose"][0]["Scalars:scalars"]
    assert tuple(pose) == recorded(arm)[0][0].sensors.pose


def test_its_reader_of_lerobot_datasets_reads_ours(noted: Path, export: Any) -> None:
    experimental = pytest.importorskip("rerun.experimental")
    dataset = experimental.LeRobotReader(export(noted, "lerobot")[0])
    rows = {chunk.entity_path: chunk.num_rows for chunk in dataset.stream(0)}
    assert rows["/peephole.action"] == 2
    assert rows["/language_events/assistant/tool_calls"] == 2
    assert rows["/language_persistent/subtask/assistant"] == 2

"""LeRobot: the documented structure of format v3.0.

LeRobot's own loader needs torch, which is no part of the extra dev: the files are read here the way
that loader reads them, with pandas and pyarrow.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peephole.episodes.events import Perceived, Stepped
from peephole.episodes.recording import RecordedImages

pandas = pytest.importorskip("pandas", reason="of the extra dev")
parquet = pytest.importorskip("pyarrow.parquet", reason="of the extra export")


def load(root: Path) -> tuple[dict[str, Any], list[dict[str, Any]], Any, Any]:
    """Information, frames, episodes and tasks of a dataset."""
    info = json.loads((root / "meta" / "info.json").read_text())
    table = parquet.read_table(root / info["data_path"].format(chunk_index=0, file_index=0))
    assert set(table.column_names) == set(info["features"])
    episodes = pandas.read_parquet(root / "meta" / "episodes")
    return info, table.to_pylist(), episodes, pandas.read_parquet(root / "meta" / "tasks.parquet")


def test_frames_are_the_actions_of_the_recording(
    explored: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(explored, "lerobot")
    info, frames, episodes, tasks = load(out)
    assert (info["codebase_version"], info["fps"]) == ("v3.0", 1)
    assert (info["total_episodes"], info["total_frames"]) == (2, len(frames))
    assert [frame["index"] for frame in frames] == list(range(len(frames)))
    images = RecordedImages(explored)
    for number, events in enumerate(recorded(explored)):
        row = episodes.iloc[number]
        own = frames[row["dataset_from_index"] : row["dataset_to_index"]]
        steps = [event for event in events if isinstance(event, Stepped)]
        moments = [event for event in events if isinstance(event, Perceived)]
        assert row["length"] == len(own) == len(steps)
        assert {frame["episode_index"] for frame in own} == {number}
        assert [frame["timestamp"] for frame in own] == list(range(len(own)))
        assert [frame["peephole.action"] for frame in own] == [step.wording for step in steps]
        assert [frame["peephole.observation"] for frame in own] == [
            event.observation for event in moments[:-1]
        ]
        assert [frame["next.reward"] for frame in own] == [step.reward for step in steps]
        assert [frame["next.success"] for frame in own] == [False] * (len(own) - 1) + [True]
        assert tasks.iloc[own[0]["task_index"]].name == events[0].instruction
        path = images._folder / moments[0].image
        assert own[0]["observation.images.camera"]["bytes"] == path.read_bytes()
    shape = images.load(recorded(explored)[0][0].image).shape
    assert tuple(info["features"]["observation.images.camera"]["shape"]) == shape


def test_language_columns_tell_subtasks_plans_memories_thoughts_and_tool_calls(
    noted: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(noted, "lerobot")
    info, frames, *_ = load(out)
    first, second = frames
    assert first["language_persistent"] == second["language_persistent"]
    told = [
        (row["timestamp"], row["style"], row["content"]) for row in first["language_persistent"]
    ]
    assert told == [
        (0.0, "plan", "look around"),
        (0.0, "memory", "nothing yet"),
        (0.0, "subtask", "everything"),
        (1.0, "memory", "something"),
        (1.0, "subtask", "a part"),
    ]
    (event,) = first["language_events"]
    assert (event["role"], event["style"]) == ("assistant", None)
    assert event["content"] == "the first will do"
    (call,) = map(json.loads, event["tool_calls"])
    step = next(event for event in recorded(noted)[0] if isinstance(event, Stepped))
    assert call["function"]["name"] == step.action.verb
    assert call["function"]["arguments"]["target"] == step.action.target
    assert json.loads(first["peephole.typed_action"]) == call
    said, answer, thought = second["language_events"]
    assert (said["role"], said["content"]) == ("assistant", "jump over the moon")
    assert (answer["role"], answer["style"]) == ("user", "interjection")
    assert thought["content"] == "that was nothing"
    assert all(row["camera"] is None for row in (said, answer, thought))
    assert {"type", "function"} == info["tools"][0].keys()
    assert step.action.verb in {tool["function"]["name"] for tool in info["tools"]}


def test_an_arm_has_a_state_with_its_statistics(arm: Path, export: Any, recorded: Any) -> None:
    out, _ = export(arm, "lerobot")
    info, frames, *_ = load(out)
    assert info["features"]["observation.state"]["shape"] == [len(frames[0]["observation.state"])]
    states = np.array([frame["observation.state"] for frame in frames])
    first = recorded(arm)[0][0].sensors
    assert states[0] == pytest.approx(np.concatenate(first), rel=1e-6)
    told = json.loads((out / "meta" / "stats.json").read_text())["observation.state"]
    assert told["count"] == [len(frames)]
    for name, value in (("min", states.min(0)), ("mean", states.mean(0)), ("std", states.std(0))):
        assert told[name] == pytest.approx(value, rel=1e-3, abs=1e-5), name


@pytest.mark.slow
def test_statistics_of_images_are_by_channel(explored: Path, export: Any, recorded: Any) -> None:
    out, _ = export(explored, "lerobot")
    told = json.loads((out / "meta" / "stats.json").read_text())["observation.images.camera"]
    images = RecordedImages(explored)
    shown = []
    for events in recorded(explored):
        moments = [event for event in events if isinstance(event, Perceived)]
        shown += [images.load(event.image) / 255 for event in moments[:-1]]
    pixels = np.concatenate([image.reshape(-1, 3) for image in shown])
    assert np.array(told["mean"]).shape == (3, 1, 1)
    assert np.ravel(told["mean"]) == pytest.approx(pixels.mean(0))
    assert np.ravel(told["std"]) == pytest.approx(pixels.std(0))
    assert told["count"] == [len(shown)]


def test_each_episode_has_the_statistics_that_others_are_made_of(arm: Path, export: Any) -> None:
    """LeRobot's tools that delete or split episodes sum up those of the episodes that stay."""
    out, _ = export(arm, "lerobot")
    _, frames, episodes, _ = load(out)
    told = json.loads((out / "meta" / "stats.json").read_text())
    names = {f"stats/{name}/{figure}" for name, figures in told.items() for figure in figures}
    assert {name for name in episodes.columns if name.startswith("stats/")} == names
    assert "stats/observation.state/mean" in names
    for number, row in episodes.iterrows():
        own = [f["next.reward"] for f in frames if f["episode_index"] == number]
        assert row["stats/next.reward/count"].tolist() == [len(own)]
        assert row["stats/next.reward/mean"] == pytest.approx([np.mean(own)])
    for name, figures in told.items():
        kept = {key: np.stack(episodes[f"stats/{name}/{key}"].to_numpy()) for key in figures}
        counts = kept["count"]
        assert counts.sum() == figures["count"][0]
        assert kept["min"].min(0) == pytest.approx(figures["min"])
        assert kept["max"].max(0) == pytest.approx(figures["max"])
        mean = (kept["mean"] * counts).sum(0) / counts.sum()
        assert mean == pytest.approx(figures["mean"])
        spread = kept["std"] ** 2 + (kept["mean"] - mean) ** 2
        assert (spread * counts).sum(0) / counts.sum() == pytest.approx(
            np.array(figures["std"]) ** 2
        )

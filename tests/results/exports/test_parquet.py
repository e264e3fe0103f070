"""Parquet tables, read back by pandas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.events import Stepped
from peephole.results.tables.rows import run_document

pandas = pytest.importorskip("pandas", reason="of the extra dev")


def test_a_row_of_episodes_is_that_of_show(explored: Path, export: Any) -> None:
    out, printed = export(explored, "parquet")
    assert "2 episodes" in printed
    table = pandas.read_parquet(out / "episodes.parquet")
    for row, expected in zip(table.to_dict("records"), run_document(explored)["rows"], strict=True):
        for name, value in expected.items():
            found = row[name]
            if value is None:
                assert pandas.isna(found), name
            elif isinstance(value, dict | list | tuple):
                assert json.loads(found) == json.loads(json.dumps(value)), name
            else:
                assert found == value, name
    assert table["success"].dtype == bool


def test_a_row_of_steps_is_an_action_between_two_observations(
    explored: Path, export: Any, recorded: Any
) -> None:
    out, _ = export(explored, "parquet")
    table = pandas.read_parquet(out / "steps.parquet")
    episodes = recorded(explored)
    steps = [event for events in episodes for event in events if isinstance(event, Stepped)]
    assert list(table["action"]) == [step.wording for step in steps]
    assert list(table["next_observation"]) == [step.observation for step in steps]
    assert list(table["target"]) == [step.action.target for step in steps]
    assert list(table["reward"]) == [step.reward for step in steps]
    assert table["thought"].str.len().gt(0).any()
    notes = [note["name"] for text in table["notes"] for note in json.loads(text)]
    assert "memory" in notes
    for number, events in enumerate(episodes, start=1):
        rows = table[table["episode"] == number]
        assert rows["observation"].iloc[0] == events[0].observation
        assert list(rows["observation"])[1:] == list(rows["next_observation"])[:-1]
        assert list(rows["next_image"]) == [
            f"images/{event.image}" for event in events if isinstance(event, Stepped)
        ]
    assert all((out / name).is_file() for name in table["image"])


def test_a_failed_action_has_its_reason(failed: Path, export: Any, recorded: Any) -> None:
    out, _ = export(failed, "parquet")
    table = pandas.read_parquet(out / "steps.parquet")
    steps = [event for event in recorded(failed)[0] if isinstance(event, Stepped)]
    assert list(table["success"]) == [step.outcome.success for step in steps]
    assert list(table["failure"].dropna()) == [
        str(step.outcome.failure.reason) for step in steps if step.outcome.failure is not None
    ]


def test_an_arm_has_poses(arm: Path, export: Any, recorded: Any) -> None:
    out, _ = export(arm, "parquet")
    table = pandas.read_parquet(out / "steps.parquet")
    poses = [tuple(json.loads(text)) for text in table["pose"].dropna()]
    steps = [event for events in recorded(arm) for event in events if isinstance(event, Stepped)]
    assert poses == [step.action.pose for step in steps if step.action and step.action.pose]

"""`react` without thoughts (Act), and with a teacher that chooses a share of the actions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import peephole
from peephole.episodes.events import Stepped
from peephole.episodes.recording import episode_files, read_events
from peephole.models.events import ModelReplied
from peephole.results.exports.export import export
from peephole.training import chat_data

TASK = "switch/house-2-2"


def played(folder: Path, model: Any, **options: Any) -> list[Any]:
    peephole.run(
        "react",
        "houses",
        tasks=(TASK,),
        dialect="compact",
        model=model,
        options={"thoughts": False, "menu": "none", **options},
        out=folder,
    )
    (path,) = episode_files(folder)
    return list(read_events(path))


def test_prompt_and_replies_have_no_thoughts(tmp_path: Path) -> None:
    events = played(tmp_path / "run", "scripted")
    replies = [event for event in events if isinstance(event, ModelReplied)]
    assert {tuple(json.loads(event.reply)) for event in replies} == {("action",)}
    assert events[-1].result.success
    assert "thought" not in str([event.request for event in replies])


def test_the_teacher_chooses_its_share_and_the_same_in_every_run(tmp_path: Path) -> None:
    model = {"planner": "scripted", "teacher": "scripted"}
    roles = []
    for name in ("one", "two"):
        events = played(tmp_path / name, model, taught=0.5)
        assert sum(isinstance(event, Stepped) for event in events) > 3
        roles.append([event.role for event in events if isinstance(event, ModelReplied)])
    assert roles[0] == roles[1]
    assert set(roles[0]) == {"planner", "teacher"}


def test_a_taught_episode_ends_where_the_teacher_says_so(tmp_path: Path) -> None:
    stops = "scripted:early_stop=1"
    assert not played(tmp_path / "alone", stops)[-1].result.success
    model = {"planner": stops, "teacher": "scripted"}
    events = played(tmp_path / "taught", model, taught=0.01)
    assert events[-1].result.success
    roles = [event.role for event in events if isinstance(event, ModelReplied)]
    assert roles.count("planner") >= roles.count("teacher") > 3


def test_the_task_is_repeated_after_an_action_that_changes_something(tmp_path: Path) -> None:
    assert played(tmp_path / "run", "scripted", remind=True)[-1].result.success
    export(tmp_path / "run", "chat", tmp_path / "chat.jsonl")
    (conversation,) = chat_data.read([tmp_path / "chat.jsonl"])
    turns = conversation.messages[2:]  # the first message tells the task anyhow
    assert len(turns) > 6
    for (_, said), (_, told) in zip(turns[::2], turns[1::2], strict=False):
        searched = json.loads(said)["action"].startswith(("go to", "open", "look"))
        assert ("Task: " in told) != searched

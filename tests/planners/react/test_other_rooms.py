"""`react` with walks to furniture that was seen in another room."""

from __future__ import annotations

import json
from pathlib import Path

import peephole
from peephole.episodes.events import Decided
from peephole.episodes.recording import episode_files, read_episode
from peephole.planners.contract import Act, Note

TASK = "bring/house-1-5"
#: One begins in kitchen1, which has fridge1, and has seen no other room.
SAID = ("go to bedroom1", "go to fridge1", "go to fridge1", "done")


def played(tmp_path: Path, said: tuple[str, ...], **options: bool) -> tuple[list[str], list[str]]:
    """The actions for a reply of a model, and their notes."""
    replies = tmp_path / "replies.json"
    replies.write_text(json.dumps([{"thought": "", "action": each} for each in said]))
    run = peephole.run(
        "react",
        "houses",
        tasks=(TASK,),
        dialect="compact",
        model=f"replies:{replies}",
        options={"menu": "none", **options},
        out=tmp_path / "run",
    )
    (path,) = episode_files(run.folder)
    decisions = [event.decision for event in read_episode(path) if isinstance(event, Decided)]
    return (
        [str(each.action) for each in decisions if isinstance(each, Act)],
        [each.text for each in decisions if isinstance(each, Note)],
    )


def test_the_room_is_gone_to_first(tmp_path: Path) -> None:
    actions, notes = played(tmp_path, SAID, other_rooms=True)
    assert actions == ["go to bedroom1", "go to kitchen1", "go to fridge1"]
    assert notes == ["go to fridge1: go to kitchen1 first"]


def test_furniture_that_was_not_seen_cannot_be_gone_to(tmp_path: Path) -> None:
    """The error does not reveal whether it exists: bed1 does and bed9 does not."""
    for unseen in ("bed1", "bed9"):
        there = tmp_path / unseen
        there.mkdir()
        actions, notes = played(there, (f"go to {unseen}", "done"), other_rooms=True)
        assert (actions, notes) == ([], [])


def test_otherwise_furniture_that_was_seen_is_gone_to_at_once(tmp_path: Path) -> None:
    actions, notes = played(tmp_path, SAID)
    assert actions == ["go to bedroom1", "go to fridge1", "go to fridge1"]
    assert notes == []

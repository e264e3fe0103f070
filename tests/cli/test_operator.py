"""`peephole operator`: room files, and a study in a room with rules in place of the person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.engines.choice import make_engine
from peephole.episodes.resolve import resolve
from peephole.episodes.run_file import RunConfig
from peephole.errors import BadInput

ROOM = Path(__file__).parents[1] / "lab.yaml"
LAB = ROOM.read_text("utf-8")


def test_a_room_is_made_checked_and_played_by_a_person_and_by_rules(
    peephole: Any, tmp_path: Path
) -> None:
    made = peephole("operator", "new", "food.yaml", "--template", "heat_food")
    assert made.returncode == 0, made.stderr
    assert "rooms 4, furniture 12, things 10, tasks 1." in made.stdout
    (tmp_path / "lab.yaml").write_text(LAB, encoding="utf-8")
    checked = peephole("operator", "check", "lab.yaml", "--json")
    assert json.loads(checked.stdout)["tasks"][2] == {"id": "tidy", "by_rules": False}
    what = ("--suite", "room", "--data", "lab.yaml", "--planner", "explore", "--tasks", "1")
    rules = {"PEEPHOLE_OPERATOR": "stand_in room=lab.yaml"}
    real = peephole("run", *what, "--out", "real", "--json", **rules)
    assert real.returncode == 0, real.stderr
    assert "rules in place of the person" in real.stdout


def test_one_episode_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="A person or a robot plays one episode at a time"):
        make_engine("", 2, tmp_path, attended=True)
    with pytest.raises(BadInput, match="leave --isolate out"):
        resolve(
            RunConfig(
                suite="room",
                planner="explore",
                data=str(ROOM),
                adapter="operator",
                isolate=True,
            ),
            "1",
        )


def test_a_person_who_is_not_there_leaves_a_run_to_be_continued(
    peephole: Any, tmp_path: Path
) -> None:
    (tmp_path / "lab.yaml").write_text(LAB, encoding="utf-8")
    what = ("--suite", "room", "--data", "lab.yaml", "--planner", "explore", "--tasks", "1")
    done = peephole("run", *what, "--out", "real")
    assert done.returncode == 1
    assert "Please prepare the room." in done.stderr
    assert "the person left" in done.stderr
    rules = {"PEEPHOLE_OPERATOR": "stand_in room=lab.yaml"}
    again = peephole("run", "--resume", "--out", "real", **rules)
    assert again.returncode == 2
    assert "would continue with rules in place of the person" in again.stderr

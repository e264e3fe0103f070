"""A room file by asking a person."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from peephole.adapters.operator.asking import Typed, interview
from peephole.adapters.operator.room_file import RoomFile, read_room
from peephole.adapters.operator.room_text import text_of
from peephole.errors import BadInput, PeepholeError

#: What a person types: a room, a mistake in each part, and two tasks.
LINES = [
    "kitchen, living room",
    "cellar",
    "living room",
    "fridge, counter, microwave on counter, locker",
    "co",
    "fridge",
    "",
    "sofa",
    "",
    "apple in fridge, key",
    "cup on moon",
    "box on counter, coin in box",
    "",
    "Bring the apple to the sofa.",
    "apple on sofe",
    "apple on sofa",
    "fridge is closed",
    "apple",
    "",
    "",
    "Tidy up.",
    "",
    "",
    "It looks tidy.",
    "",
    "",
]


def asked(path: Path, lines: list[str]) -> tuple[RoomFile, str]:
    shown = io.StringIO()
    typed = io.StringIO("".join(f"{line}\n" for line in lines))
    interview(path, lambda kept: Typed(kept, typed, shown))
    return read_room(path), shown.getvalue()


def test_a_room_is_asked_for_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    room, shown = asked(path, LINES)
    assert room.robot == "living room"
    assert room.kinds["locker"] == "container openable closed"
    assert [part.name for part in room.furniture] == [
        *("fridge", "counter", "microwave", "locker", "sofa"),
    ]
    assert [thing.at for thing in room.things] == ["in fridge", "on counter", "in box"]
    assert "container" in room.kinds["box"]
    first, second = room.tasks
    assert first.criteria == ("The apple is on the sofa.", "The fridge is closed.")
    assert second.criteria == ("It looks tidy.",)
    assert not second.goal
    for mistake in (
        "Type one of: kitchen, living room.",
        "'fridge' is there twice; number what is alike: fridge 1, fridge 2.",
        "'key' has no place; type it as: key on table.",
        "'cup' is on moon, but the file has no 'moon'",
        "the file has no 'sofe'",
        "'apple' is not understood; type: apple in fridge.",
    ):
        assert mistake in shown
    path.write_text(text_of(room), encoding="utf-8")
    assert read_room(path) == room


def test_what_was_typed_outlives_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    path.mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        asked(path, LINES)
    path.rmdir()
    room, _ = asked(path, ["y"])
    assert len(room.tasks) == 2


def test_what_was_typed_outlives_an_interruption(tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    whole, _ = asked(tmp_path / "other.yaml", LINES)
    for cut in (1, 9, len(LINES) - 1):
        with pytest.raises(PeepholeError, match="Give the command again to go on"):
            asked(path, LINES[:cut])
        again, shown = asked(path, ["y", *LINES[cut:]])
        assert again == whole
        assert f"{cut} lines were typed before." in shown
    assert {each.name for each in tmp_path.iterdir()} == {"room.yaml", "other.yaml"}

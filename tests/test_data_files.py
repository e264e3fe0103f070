"""Files of a user: YAML as its version 1.2 reads it, and JSON that is JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.data_files import json_text, read_yaml
from peephole.results.papers import read_grid


@pytest.mark.parametrize(
    ("text", "data"),
    [
        *((word, word) for word in ("on", "Off", "YES", "no", "y", "N", "1:30", "190:20:30")),
        *((word, word) for word in ("2024-01-01", "1_000", "0b1")),
        ("true", True),
        ("False", False),
        ("~", None),
        ("12", 12),
        ("0x1f", 31),
        ("0o17", 15),
        ("1e-3", 0.001),
        ("-.5", -0.5),
        (".inf", float("inf")),
        ("{on: no, <<: {yes: 1}}", {"on": "no", "yes": 1}),
    ],
)
def test_plain_words_are_what_yaml_1_2_says(tmp_path: Path, text: str, data: Any) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text)
    assert read_yaml(path) == data
    assert type(read_yaml(path)) is type(data)


def test_a_grid_that_stops_on_progress_is_read_as_documented(tmp_path: Path) -> None:
    path = tmp_path / "grid.yaml"
    path.write_text(
        "title: t\nsuites: [houses]\nplanners: [{planner: explore}, {planner: random}]\n"
        "stop_when: {on: progress, difference: 0.05}\n"
    )
    stop = read_grid(path).stop_when
    assert stop is not None
    assert (stop.on, stop.difference) == ("progress", 0.05)


def test_numbers_that_are_not_finite_are_null_in_json() -> None:
    data = {"a": [1.5, float("nan")], "b": {"c": (float("inf"), -float("inf"), "NaN")}}
    text = json_text(data)
    assert json.loads(text, parse_constant=pytest.fail) == {
        "a": [1.5, None],
        "b": {"c": [None, None, "NaN"]},
    }
    assert json_text({"ä": 1}, indent=1) == '{\n "ä": 1\n}'

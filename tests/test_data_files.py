"""Texts of data: YAML as its version 1.2 reads it, JSON that is JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peephole.data_files import (
    DEEPEST,
    json_data,
    json_line,
    json_text,
    lines_of,
    read_text,
    read_yaml,
    yaml_data,
)
from peephole.results.papers import read_grid
from peephole.training import chat_data


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


def _doubled(times, wrap):
    """YAML whose aliases repeat values, ten times as often a line."""
    lines = [f"a{n}: &a{n} {wrap(', '.join([f'*a{n - 1}'] * 10))}" for n in range(1, times)]
    return "\n".join(["a0: &a0 {x: 1}", *lines])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 1500, "nested deeper"),
        ("[" * 200_000, "nested deeper"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested deeper"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested deeper"),
        ("1" + "0" * 400, "too large"),
        ("9" * 5000, "too large"),
        ("[NaN]", "not finite"),
        ("[1e999]", "not finite"),
        ('{"a": -Infinity}', "not finite"),
        (b"\xff{}", "decode"),
        ("", "Expecting value"),
    ],
)
def test_json_beyond_bounds_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        json_data(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 1500, "nesting"),
        ("[" * 150 + "]" * 150, "nested deeper"),
        ("a: &a [*a]", "nested deeper"),
        ("a: .nan", "not finite"),
        ("a: 0x" + "f" * 400, "too large"),
        ("a: " + "9" * 5000, "digits"),
        ("a: !!timestamp x", "groupdict"),
        ("a: !!bool x", "x"),
        ("a: !!python/object:os.system x", "constructor"),
        (_doubled(12, lambda ten: f"[{ten}]"), "more than"),
        (_doubled(12, lambda ten: f"{{<<: [{ten}]}}"), "more than"),
    ],
)
def test_yaml_beyond_bounds_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        yaml_data(text)


def test_what_is_within_bounds_is_read():
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert json_data(deep) == yaml_data(deep)
    assert json_data(b"\xef\xbb\xbf[1.5, 1e308]") == [1.5, 1e308]
    assert yaml_data("a: &x {b: 1}\nc: *x") == {"a": {"b": 1}, "c": {"b": 1}}
    assert yaml_data("") is None
    assert str(json_data("[NaN]", finite=False)) == "[nan]"


def test_text_files_and_lines(tmp_path):
    file = tmp_path / "lines.jsonl"
    file.write_bytes("\ufeff1\r\n2\u2028\u2029\u0085\x0b\x0c\x1c\x1e3\n".encode())
    assert lines_of(read_text(file)) == ["1", "2\u2028\u2029\u0085\x0b\x0c\x1c\x1e3"]
    assert lines_of("a\rb\r\n\nc") == ["a", "b", "", "c"]
    assert lines_of("") == []


def test_a_line_of_json_is_one_line_for_every_reader(tmp_path):
    said = "one\u2028two\u2029three\x85four\x0bfive\nsix é"
    line = json_line({"said": said})
    assert line.splitlines() == [line[:-1]]
    assert "é" in line
    assert json_data(line) == {"said": said}


def test_conversations_with_any_line_ends_are_learnt(tmp_path):
    said = "I take it.\u2028Then I go.\x85"
    turns = [{"role": "user", "content": "A cup."}, {"role": "assistant", "content": said}]
    data = tmp_path / "chat.jsonl"
    text = json.dumps({"messages": turns}, ensure_ascii=False) + "\n"
    data.write_text("\ufeff" + text, encoding="utf-8")
    (example,) = chat_data.read([data])
    assert example.messages[1] == ("assistant", said)

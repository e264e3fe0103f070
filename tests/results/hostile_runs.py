"""Run folders as a stranger may send them: one damage each, drawn by a seed."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

#: Numbers that no run has, as JSON texts.
_NUMBERS = (
    *("NaN", "Infinity", "-1", "1e999", "1" + "0" * 400, "9" * 5000, "1e12", "20000000", "1.5"),
    *("true", "null", '"1"', "[]", "{}", "[" * 1500 + "]" * 1500),
)
_TEXTS = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\u202etxt.exe",
    "../../../../../../etc/hostname",
    "/etc/hostname",
    "images/../../planted.png",
    "a\u0000b",
    "a" * 5000,
    "line\u2028line\u0085line\x0bline",
    "\n" * 300_000,
    "x" * 300_000,
    "[bold red]x[/] [link=file:///etc/passwd]y[/link] [/]",
    "</script><script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "\ud800",
    "",
)
_VALUES = (*_TEXTS, None, True, -1, 10**30, 10**18, 1e308, float("nan"), [], {}, [[]], {"a": {}})
_LINES = (
    '{"event":"stepped","x":' + "[" * 100_000,
    "[" * 100_000 + "]" * 100_000,
    '{"event":"decided","step":NaN,"t":1e999,"decision":null}',
    '{"event":"decided","step":' + "9" * 4400 + ',"t":1}',
    '{"event":"text_refused\x1b[31m"}',
    "null",
    "1",
    "[]",
    "\x00",
    "\ufeff{}",
    "{" * 300,
)
_FILES = (b"\xff\xfe", b"\xef\xbb\xbf", b"[" * 200_000, b"null", b"\x00" * 1000, b"", b"{}")


def hostile_run(base: Path, folder: Path, seed: int) -> str:
    """Make a damaged copy of a run; returns what was done to it."""
    rng = random.Random(seed)
    shutil.copytree(base, folder, symlinks=True)
    harm = rng.choice(
        (
            _number_in_run,
            _value_in_run,
            _value_in_event,
            _value_in_event,
            _line,
            _file,
            _link,
            _image,
        )
    )
    return f"{seed}: {harm.__name__} {harm(folder, rng)}"


def _episode(folder: Path, rng: random.Random) -> Path:
    return rng.choice(sorted((folder / "episodes").glob("*.jsonl")))


def _places(data: Any, kind: Callable[[Any], bool]) -> list[tuple[Any, Any]]:
    """All pairs of a container and a key whose value is of a kind."""
    found, waiting = [], [data]
    while waiting:
        whole = waiting.pop()
        if isinstance(whole, Mapping | list):
            keys = list(whole) if isinstance(whole, Mapping) else range(len(whole))
            found += [(whole, key) for key in keys if kind(whole[key])]
            waiting += [whole[key] for key in keys]
    return found


def _put(data: Any, rng: random.Random, value: Any, kind: Callable[[Any], bool]) -> str:
    places = _places(data, kind)
    whole, key = rng.choice(places)
    whole[key] = value
    return f"{key}={value!r:.60}"


def _number_in_run(folder: Path, rng: random.Random) -> str:
    path = folder / "run.json"
    data = json.loads(path.read_text())
    number = rng.choice(_NUMBERS)
    where = _put(data, rng, "NUMBER", lambda value: isinstance(value, int | float | None))
    path.write_text(json.dumps(data).replace('"NUMBER"', number))
    return f"{where} {number[:40]}"


def _value_in_run(folder: Path, rng: random.Random) -> str:
    path = folder / "run.json"
    data = json.loads(path.read_text())
    where = _put(data, rng, rng.choice(_VALUES), lambda value: True)
    path.write_text(json.dumps(data))
    return where


def _value_in_event(folder: Path, rng: random.Random) -> str:
    """Change a value in all lines of an episode that have it, or in one."""
    path = _episode(folder, rng)
    events = [json.loads(line) for line in path.read_text().split("\n") if line]
    value = rng.choice(_VALUES)
    alike = rng.random() < 0.7  # a text for a text, a number for a number
    kind = str if isinstance(value, str) else int | float
    where = _put(rng.choice(events), rng, value, lambda v: not alike or isinstance(v, kind))
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return where


def _line(folder: Path, rng: random.Random) -> str:
    path, line = _episode(folder, rng), rng.choice(_LINES)
    lines = path.read_text().split("\n")
    lines.insert(rng.randrange(len(lines)), line)
    path.write_text("\n".join(lines))
    return line[:40]


def _file(folder: Path, rng: random.Random) -> str:
    path = rng.choice([folder / "run.json", _episode(folder, rng)])
    content = rng.choice(_FILES)
    whole = path.read_bytes()
    path.write_bytes(rng.choice([content, content + whole, whole + content]))
    return f"{path.name} {content[:10]!r}"


def _link(folder: Path, rng: random.Random) -> str:
    """Put a link in the place of a file or a folder."""
    path = rng.choice([*sorted(folder.rglob("*"))])
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    target = rng.choice(["/etc", "/etc/hostname", "/nowhere", "..", path.name])
    path.symlink_to(target)
    return f"{path.name} -> {target}"


def _image(folder: Path, rng: random.Random) -> str:
    """Name another image in each event that names one."""
    path, name = _episode(folder, rng), rng.choice(_TEXTS)
    events = [json.loads(line) for line in path.read_text().split("\n") if line]
    for event in events:
        for whole, key in _places(event, lambda value: True):
            if key == "image" or (key == "url" and str(whole[key]).startswith("images/")):
                whole[key] = name if key == "image" else f"images/{name}"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return name[:40]

"""Curricula: one command plays and trains everything that is left, once."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from peephole.errors import BadInput
from peephole.training.curriculum import Lesson, read_curriculum

ROOT = Path(__file__).parents[2]
OWN = sorted(ROOT.glob("training/*.yaml"))

TINY = {
    "environment": {"PEEPHOLE_AI2THOR_EXECUTABLE": "stand_in"},
    "training": {"epochs": 1, "held_out": 1000, "longest": 100_000, "rank": 2},
    "lesson": {
        "suite": "houses",
        "planner": "react",
        "dialect": "compact",
        "options": {"menu": "none"},
        "models": {"planner": "scripted"},
        "export": {"episodes": "all", "first_replies": 1},
    },
    "kinds": {"late": {"tasks": "3-4", "options": {"repeats": 2}}},
    "lessons": {"one": {"tasks": 1}, "two": {"kind": "late"}},
    "stages": {
        "small": {"lessons": ["one"], "learning_rate": 0.01},
        "large": {"lessons": ["two", "one"], "start": "small"},
    },
}


def written(folder: Path, **changes: object) -> Path:
    file = folder / "tiny.yaml"
    file.write_text(yaml.safe_dump({**TINY, **changes}))
    return file


def command(file: Path | str, out: Path, *more: str) -> list[str]:
    given = ["train", "--curriculum", str(file), "--out", str(out), *more]
    return [sys.executable, "-m", "peephole", *given]


def done(file: Path | str, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(file, out, *more), capture_output=True, text=True)


@pytest.fixture
def tiny_file(tmp_path: Path, tiny: Path) -> Path:
    training = {**TINY["training"], "base": str(tiny)}  # type: ignore[dict-item]
    return written(tmp_path, training=training)


@pytest.mark.slow
def test_what_was_cut_off_goes_on_and_nothing_is_done_twice(
    tiny_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = subprocess.Popen(command(tiny_file, out), stdout=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (out / "one.jsonl").exists() and time.monotonic() < until:
        time.sleep(0.05)
    first.send_signal(signal.SIGTERM)
    assert first.wait(60) == 1
    assert not (out / "large.gguf").exists()
    before = (out / "one" / "run.json").stat().st_mtime_ns

    second = done(tiny_file, out)
    assert second.returncode == 0, second.stderr
    assert (out / "one" / "run.json").stat().st_mtime_ns == before
    assert re.search(r"^[1-3] of 4 lessons and stages are done", second.stdout)
    assert "=== lesson one ===" not in second.stdout
    assert second.stdout.index("=== lesson two") < second.stdout.index("=== stage large")
    assert {each.name for each in out.glob("*.gguf")} == {"small.gguf", "large.gguf"}

    third = done(tiny_file, out)
    assert third.returncode == 0
    assert third.stdout.startswith("4 of 4 lessons and stages are done.")
    assert "===" not in third.stdout


def test_a_dry_run_prints_the_commands_that_are_left_and_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    printed = done(written(tmp_path), out, "--dry-run", "--workers", "3").stdout
    assert (
        f"--set=menu=none --set=repeats=2 --model=planner=scripted --workers 3 --out {out}/two"
        in printed
    )
    assert (
        f"export {out}/one --to chat --episodes all --first-replies 1 --out {out}/one.jsonl"
        in printed
    )
    assert f"train {out}/two.jsonl {out}/one.jsonl" in printed
    assert f"--start {out}/small.gguf" in printed
    assert not out.exists()
    (out / "one").mkdir(parents=True)
    (out / "one" / "run.json").write_text("{}")
    (out / "two.jsonl").write_text("")
    printed = done(written(tmp_path), out, "--dry-run").stdout
    assert f"peephole run --resume --workers 1 --out {out}/one" in printed
    assert "lesson two" not in printed


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"stages": {}}, "'stages' is wrong"),
        ({"lesons": {}}, "There is no field 'lesons'. Did you mean lesson"),
        (
            {"lessons": {"one": {"taks": 1}}},
            "the lesson one: There is no field 'taks'. Did you mean tasks",
        ),
        ({"lessons": {"one": {"kind": "lat"}}}, "There is no kind 'lat'. Did you mean late?"),
        ({"stages": {"a": {"lessons": ["tow"]}}}, "There is no lesson 'tow'"),
        ({"stages": {"a": {"lessons": ["one"]}}}, "no stage uses the lesson two"),
        ({"stages": {"a": {"lessons": ["one", "two"], "start": "a"}}}, "the stage a needs itself"),
        ({"lessons": {"../x": {}}}, "'../x' cannot be the name of a file"),
        ({"environment": {"PATH": "x"}}, "PATH is not a variable of Peephole"),
        ({"lesson": {"suite": "houses"}}, "the lesson one has no planner"),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)) as caught:
        read_curriculum(written(tmp_path, **changes))
    assert "\n" not in str(caught.value)


def test_what_the_file_says_itself_is_no_option(tmp_path: Path) -> None:
    refused = done(written(tmp_path), tmp_path / "out", "--epochs", "3")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "leave --epochs out" in refused.stderr
    unknown = done("curiculum", tmp_path / "out")
    assert (unknown.returncode, "Did you mean curriculum?" in unknown.stderr) == (2, True)


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.stem)
def test_those_of_peephole_itself_are_whole(file: Path) -> None:
    parts, _ = read_curriculum(file)
    for _, lesson in parts:
        if isinstance(lesson, Lesson) and lesson.data:
            assert (file.parent / lesson.data).is_file()
    assert len(OWN) == 2

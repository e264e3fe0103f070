"""Tasks about blocks written by a language model: every one judged, the whole played."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.errors import BadInput, PeepholeError
from peephole.observation_text.dialects.blocks.instructions import (
    DESCRIPTIONS,
    FORMS,
    BlockInstruction,
)
from peephole.suites.blocks.drawing import sentences
from peephole.suites.blocks.written import TAGS, Unfit, read_written, unsuitable
from peephole.suites.registry import load_suite

HEAVIER = {"task": "<mass> Keep hold of the weightier cube.", "means": "Pick up the heavier block."}
TOWER = {"task": "Stack one block onto the other.", "means": "Stack one block onto the other."}


def test_what_is_suitable_is_what_is_drawn() -> None:
    drawn = set(sentences())
    assert drawn
    for size in range(len(TAGS) + 1):
        for tags in combinations(TAGS, size):
            for name, form in FORMS.items():
                for x, y, *_ in ((*n, "", "") for n in product(DESCRIPTIONS, repeat=form.slots)):
                    wish = BlockInstruction(name, x, y)
                    assert (unsuitable(tags, wish) == "") == ((tags, wish) in drawn), (tags, wish)


@pytest.mark.parametrize(
    ("task", "means", "kind", "sentence"),
    [
        ("<weight> Lift it.", "Pick up the heavier block.", "tags", "no tag <weight>"),
        ("<mass>", "Pick up the heavier block.", "form", "and then a sentence"),
        ("Lift \ud800.", "Pick up cubeA.", "form", "and then a sentence"),
        ("Paint a block.", "Paint cubeA.", "no goal test", "none of the listed"),
        ("Pick up cubeA.", "Pick up cubeB.", "disagreement", "means something else"),
        ("Get cubeA up.", "Pick up cubeB.", "disagreement", "name the same cubes"),
        ("Get one 3 m up.", "Stack one block onto the other.", "disagreement", "has a number"),
        ("Get cubeA up.", "Pick up cubeA and hold it for 99 seconds.", "impossible", "1 to 60"),
        ("Get the other up.", "Pick up the heavier block.", "tags", "with the tag <mass>"),
        ("<three> Stack.", "Stack one block onto the other.", "tags", "leave <three> out"),
        ("<fix> Get cubeA up.", "Pick up cubeA.", "tags", "not as 'cubeA'"),
    ],
)
def test_what_cannot_be_judged_is_refused(task: str, means: str, kind: str, sentence: str) -> None:
    with pytest.raises(Unfit) as refused:
        read_written(task, means)
    assert refused.value.kind == kind
    assert sentence in str(refused.value)


def test_instructions_of_a_file_take_turns(tmp_path: Path) -> None:
    file = tmp_path / "written.json"
    file.write_text(json.dumps({"instructions": [HEAVIER, TOWER], "tasks": 3}))
    tasks = load_suite("blocks:generated", file).tasks[:]
    assert [task.instruction for task in tasks] == [HEAVIER["task"], TOWER["task"], HEAVIER["task"]]
    assert [task.labels["words"] for task in tasks] == ["own", "listed", "own"]
    assert len({task.scene for task in tasks}) == 3
    assert [task.required_evidence is not None for task in tasks] == [True, False, True]


@pytest.mark.parametrize(
    ("instructions", "sentence"),
    [
        ([], "at least one"),
        ("Stack.", "expected a list"),
        ([{"task": "Stack."}], "the field 'means' of instructions[0] is missing"),
        ([{**TOWER, "means": "Fly."}], "instructions[0]: 'Fly.' is none of the listed"),
    ],
)
def test_other_instructions_are_refused(
    tmp_path: Path, instructions: object, sentence: str
) -> None:
    file = tmp_path / "written.json"
    file.write_text(json.dumps({"instructions": instructions}))
    with pytest.raises(BadInput) as refused:
        load_suite("blocks:generated", file)
    assert sentence in str(refused.value)
    assert str(file) in str(refused.value)


def command(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["blocks", "generate", *arguments])


def replies(folder: Path, *listed: object) -> str:
    file = folder / "replies.json"
    file.write_text(json.dumps([{"reply": json.dumps(each)} for each in listed]), encoding="utf-8")
    return f"--model=replies:{file}"


def test_tasks_are_written_on_the_command_line_and_played(tmp_path: Path) -> None:
    misread = {"task": "<mass> Hoist the feathery one.", "means": "Pick up the heavier block."}
    wrong = {"task": "Sing.", "means": "Sing."}
    model = replies(
        tmp_path,
        {"tasks": [HEAVIER, wrong, misread]},
        {"means": ["Pick up the heavier block", "Pick up the lighter block."]},
        {"tasks": [HEAVIER, TOWER, {**TOWER, "task": "Let both blocks make one tower."}]},
        {"means": [None]},
    )
    out = tmp_path / "written.json"
    options = ["--tasks", "2", "--out", str(out), model, "--json"]
    done = command(*options)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["tasks"], report["own_words"], report["problem"]) == (2, 1, "")
    assert report["explore"] == 1
    assert report["refused"] == {"read otherwise": 2, "no goal test": 1, "repeated": 1}
    assert json.loads(out.read_text())["instructions"] == [HEAVIER, TOWER]
    results = peephole.run("expert", "blocks:generated", data=out, out=tmp_path / "run").results
    assert [result.success for result in results] == [True, True]
    (tmp_path / "replies.json").write_text('"Nothing."', encoding="utf-8")
    out.unlink()
    assert json.loads(command(*options).stdout) == report, "what was answered is not asked again"
    other = command("--tasks", "9", "--seed", "1", "--out", str(out), model)
    assert isinstance(other.exception, BadInput)
    assert "replies to other questions" in str(other.exception)


def test_what_is_written_with_any_seed_can_be_loaded(tmp_path: Path) -> None:
    out = tmp_path / "written.json"
    done = command("--tasks", "2", "--seed", "999", "--out", str(out), "--model=scripted")
    assert done.exit_code == 0, done.output
    assert len(load_suite("blocks:generated", out).tasks) == 2


def test_a_model_that_writes_none_is_told_of(tmp_path: Path) -> None:
    model = replies(tmp_path, *["never"] * 5)
    done = command("--out", str(tmp_path / "none.json"), model)
    assert isinstance(done.exception, PeepholeError)
    assert "No task was usable" in str(done.exception)
    assert not (tmp_path / "none.json").exists()


def test_the_stand_in_writes_tasks_of_many_kinds(tmp_path: Path) -> None:
    out = tmp_path / "written.json"
    done = command("--tasks", "12", "--out", str(out), "--model=scripted")
    assert done.exit_code == 0, done.output
    assert "mechanism check" in done.output
    tasks = load_suite("blocks:generated", out).tasks
    assert len(tasks) == 12
    assert len({task.labels["category"] for task in tasks}) > 6


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "mine.json"
    out.write_text("{}")
    done = command("--out", str(out), "--model=scripted")
    assert isinstance(done.exception, BadInput)
    assert "exists already" in str(done.exception)
    assert isinstance(command("--out", str(tmp_path / "new.json")).exception, BadInput)

"""Kitchen tasks made by a language model: every answer checked, the whole played."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.adapters.kitchens.layouts import layout_of
from peephole.adapters.random_draws import RandomDraws
from peephole.cli.main import app
from peephole.errors import BadInput
from peephole.models.contract import NoAnswer, Request, Unusable
from peephole.scene_graph.placement_goals import alternatives
from peephole.suites.kitchens.drawn_suites import LEVELS
from peephole.suites.kitchens.files import tasks_of_files
from peephole.suites.kitchens.generate import generate

LAYOUT = layout_of("galley")
TARGETS = ["tea_box", "honey_jar", "lemon", "tea_cup", "cracker_box", "thermos"]
INTENT = {
    "instruction": "Somebody is not well;\nsee to them.",
    "objects": [{"name": name, "area": "Dry_Food_Storage_Cabinet"} for name in TARGETS],
}
ANYWHERE = ["Cooking_Tool_Drawer", "Knife_Block_Drawer", "Rice_Cooker_Surface", "Bulk_Food_Cabinet"]
OTHERS = {"objects": [{"name": f"pan_{c}", "areas": ANYWHERE} for c in "abcdefghijklmn"]}
GOALS = {
    "areas": {name: ["Human_Hand", "Coffee_Station_Surface"] for name in TARGETS},
    "combinations": [["tea_box", "honey_jar"], ["tea_box", "lemon"]],
}


class Listed:
    """A model that gives listed answers; it keeps the errors of each."""

    name = "listed"

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.errors: list[str] = []
        self.asked: list[str] = []

    def many(self, requests: Sequence[Request]) -> list[Any]:
        (request,) = requests
        assert request.parse is not None
        self.asked.append(request.messages[-1]["content"])
        while self._answers:
            answer = self._answers.pop(0)
            try:
                return [request.parse(answer if isinstance(answer, str) else json.dumps(answer))]
            except Unusable as reason:
                self.errors.append(str(reason))
        return [NoAnswer("no answer is left")]


def made(*answers: object) -> tuple[dict[str, Any], Listed]:
    model = Listed(*answers)
    return generate(model, LAYOUT, LEVELS[0], RandomDraws(3)), model  # type: ignore[arg-type]


def test_a_task_is_made_in_three_questions(tmp_path: Path) -> None:
    document, model = made(INTENT, f"Here it is:\n```json\n{json.dumps(OTHERS)}\n```", GOALS)
    assert len(model.asked) == 3
    assert model.errors == []
    assert all("Coffee_Station_Surface" in asked for asked in model.asked)
    path = tmp_path / "made_easy.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (task,) = tasks_of_files(path)
    assert task.instruction == "Somebody is not well; see to them."
    assert len(alternatives(task.goal) or ()) == 8
    assert len(document["placement"]) == 20
    assert {e["area"] for e in document["placement"][6:]} <= set(ANYWHERE)


def test_the_same_answers_and_seed_make_the_same_task() -> None:
    assert made(INTENT, OTHERS, GOALS)[0] == made(INTENT, OTHERS, GOALS)[0]


def but(answer: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    return {**answer, **changed}


@pytest.mark.parametrize(
    ("question", "answer", "sentence"),
    [
        (0, "no JSON", "is no JSON"),
        (0, but(INTENT, objects=INTENT["objects"][:5]), "expected 6 to 8 objects"),
        (0, but(INTENT, objects=[{"name": "Tea box", "area": "x"}] * 6), "words in lower case"),
        (
            0,
            but(INTENT, objects=[{"name": "tea", "area": "Human_Hand"}] * 6),
            "areas that the question",
        ),
        (0, but(INTENT, objects=[INTENT["objects"][0]] * 6), "not named before"),
        (1, {"objects": OTHERS["objects"][:3]}, "expected 14 objects, there are 3"),
        (1, {"objects": [{"name": "tea_box", "areas": ANYWHERE}]}, "not named before"),
        (1, {"objects": [{"name": "pan", "areas": ANYWHERE[:3]}]}, "4 different areas"),
        (2, but(GOALS, areas={"pan_a": ["Human_Hand"]}), "expected one of tea_box"),
        (2, but(GOALS, areas={"lemon": ["Dry_Food_Storage_Cabinet"]}), "lies already"),
        (2, but(GOALS, areas={"lemon": ["Attic"]}), "areas that the question"),
        (2, but(GOALS, combinations=[["tea_box"]]), "expected 2 different objects"),
        (2, but(GOALS, combinations=[["tea_box", "pan_a"]]), "objects that have areas"),
        (2, but(GOALS, combinations=[]), "expected at least one goal"),
        (2, but(GOALS, combinations=[["tea_box", "lemon"]] * 501), "no more than 2000 goals"),
    ],
)
def test_a_bad_answer_is_told_and_asked_for_again(
    question: int, answer: object, sentence: str
) -> None:
    answers: list[object] = [INTENT, OTHERS, GOALS]
    document, model = made(*answers[:question], answer, *answers[question:])
    assert len(model.errors) == 1
    assert sentence in model.errors[0]
    assert document == made(*answers)[0]


def test_a_model_that_gives_none_makes_no_task() -> None:
    with pytest.raises(NoAnswer):
        made(INTENT, OTHERS, "never")


def command(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["kitchens", *arguments])


def temperatures(folder: Path) -> set[float]:
    """The temperatures of the prompts that are kept beside the tasks."""
    lines = [line for log in folder.rglob("*.jsonl") for line in log.read_text().splitlines()]
    return {json.loads(line).get("temperature", 0.0) for line in lines}


def test_tasks_are_made_on_the_command_line_and_played(tmp_path: Path) -> None:
    replies = [
        {"when": "The situation:", "reply": json.dumps(INTENT)},
        {"when": "other objects that are usual", "reply": json.dumps(OTHERS)},
        {"when": "Then list every combination", "reply": json.dumps(GOALS)},
    ]
    listed = tmp_path / "replies.json"
    listed.write_text(json.dumps(replies), encoding="utf-8")
    out = tmp_path / "made"
    options = ["--level", "easy", "--kitchen", "galley", "--out", str(out), "--json"]
    options += ["--model", f"replies:{listed}"]
    done = command("generate", *options)
    assert done.exit_code == 0, done.output
    questions = "tasks to generate: 1 (kitchens: 1, levels: 1, tasks for each: 1); questions to "
    assert questions in done.stderr
    assert done.stderr.endswith(": 3 or more\n")
    assert json.loads(done.stdout) == {"made": [str(out / "easy/galley-1.json")], "failed": {}}
    assert temperatures(out) == {1.0}
    cooler = tmp_path / "cooler"
    command("generate", *options, "--temperature", "0.3", "--out", str(cooler))
    assert temperatures(cooler) == {0.3}
    result = peephole.run("expert", "kitchens", data=out, out=tmp_path / "run").results[0]
    assert (result.task, result.success) == ("easy/galley-1", True)
    before = (out / "easy/galley-1.json").read_text()
    listed.write_text('"Nothing."', encoding="utf-8")
    assert command("generate", *options).exit_code == 0, "what is there is not asked for again"
    assert (out / "easy/galley-1.json").read_text() == before


def test_the_stand_in_makes_tasks_of_every_level(tmp_path: Path) -> None:
    done = command("generate", "--kitchen", "l_shaped", "--out", str(tmp_path), "--model=scripted")
    assert done.exit_code == 0, done.output
    assert [task.labels["level"] for task in tasks_of_files(tmp_path)] == ["easy", "hard", "medium"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--level", "eazy", "--model", "scripted"], "Did you mean easy?"),
        (["--kitchen", "galey", "--model", "scripted"], "Did you mean galley"),
        ([], "needs a model; add --model"),
    ],
)
def test_a_wrong_option_is_told_in_a_sentence(
    tmp_path: Path, options: list[str], sentence: str
) -> None:
    done = command("generate", "--out", str(tmp_path), *options)
    assert isinstance(done.exception, BadInput)
    assert sentence in str(done.exception)


def test_a_suite_is_exported_and_read_again(tmp_path: Path) -> None:
    done = command("export", "kitchens:easy", "--out", str(tmp_path), "--json")
    assert done.exit_code == 0
    assert len(json.loads(done.output)["written"]) == 100
    assert len(tasks_of_files(tmp_path)) == 100

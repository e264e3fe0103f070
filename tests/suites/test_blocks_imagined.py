"""Instruction pairs that a model imagines: all kept pairs can be trained on."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.errors import BadInput
from peephole.models.contract import NoAnswer, Request, Unusable
from peephole.observation_text.dialects.blocks.grammar import CALLS
from peephole.planners.llm_pop.grammar import read_answer
from peephole.planners.llm_pop.records import QUESTIONS, read_input
from peephole.results.exports.export import export
from peephole.results.exports.instructions import instructions
from peephole.stand_ins.scripted.answers.arm import imagined
from peephole.suites.blocks.imagine import ImaginedPairs, imagine, size_of
from peephole.suites.blocks.solutions import Pair, PairForm, Solution, solutions
from peephole.training import chat_data

TASK = "<mass> Pick up the heavier block."
RIGHT = imagined(TASK, random.Random(1), in_turn=True)


class Answers:
    """A model that gives answers in turn, and keeps the errors of each."""

    name = "answers"

    def __init__(self, *answers: object) -> None:
        self._left = [json.dumps(answer) for answer in answers]
        self.errors: list[str] = []
        self.asked: list[str] = []

    def many(self, requests: Sequence[Request]) -> list[Any]:
        (request,) = requests
        assert request.parse is not None
        self.asked.append(request.messages[-1]["content"])
        while self._left:
            try:
                return [request.parse(self._left.pop(0))]
            except Unusable as reason:
                self.errors.append(str(reason))
        return [NoAnswer("no answer is left")]


def asked(model: Answers, starts: int = 1) -> ImaginedPairs:
    return imagine(model, [TASK], PairForm.COT, (), starts)  # type: ignore[arg-type]


def pairs_of(found: ImaginedPairs) -> list[Pair]:
    return [pair for solution in found.solutions for pair in solution.pairs()]


def check(pairs: Sequence[Pair]) -> None:
    """What holds of every pair."""
    for pair in pairs:
        number = {words: n for n, words in QUESTIONS.items()}[pair["instruction"].split("\n")[-1]]
        answer = read_answer(pair["output"], acts=number != 1)
        current, past = read_input(pair["input"])
        seen = [current, *(numbers for each in past for numbers in each.observations)]
        assert {len(numbers) for numbers in seen} == {size_of(TASK)}
        actions = [*answer.actions, *(action for each in past for action in each.actions)]
        assert {action.partition("(")[0] for action in actions} <= CALLS.keys()
        assert all("cubeC" not in action for action in actions)


def test_a_right_answer_gives_all_pairs() -> None:
    model = Answers(RIGHT)
    found = asked(model)
    pairs = pairs_of(found)
    assert [pair["instruction"].split("\n")[-1] for pair in pairs] == [
        QUESTIONS[number] for number in (1, 2, 1, 3)
    ]
    assert (found.left_out, found.doubtful, found.missing, model.errors) == (0, 0, {}, [])
    check(pairs)
    assert solutions(pairs, "the pairs") == [  # of the last round, nothing is observed
        Solution(TASK, found.solutions[0].start, found.solutions[0].rounds)
    ]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document."""
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*at, key))


def numbers_less(paths: Iterator[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Paths without most of those of an observation's numbers, which are many."""
    return [path for path in paths if not isinstance(path[-1], int) or path[-1] < 2]


other = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from(("", "Yes.", "No. …", "pick(cubeC)", "place(1)", "reset()", "line\nbreak")),
    st.just([]),
    st.just({}),
)


@given(st.sampled_from(numbers_less(places(RIGHT))), other, st.booleans())
@example(("rounds", 1, "actions", 0), "pick(cubeC)", False)
@example(("rounds", 1, "actions", 0), "Yes.", False)
@example(("start", 25), float("nan"), False)
def test_what_is_kept_of_any_answer_is_in_form(
    place: tuple[Any, ...], value: object, leave_out: bool
) -> None:
    answer = copy.deepcopy(RIGHT)
    holder: Any = answer
    for key in place[:-1]:
        holder = holder[key]
    if leave_out:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    model = Answers(answer)
    found = asked(model)
    pairs = pairs_of(found)
    check(pairs)
    assert bool(model.errors) == bool(found.missing)
    if not model.errors:
        assert len(pairs) == len(answer["rounds"])
    else:  # what a round says may only be wrong for the next one
        in_a_round = place[0] == "rounds" and len(place) > 1
        assert len(pairs) <= (place[1] + 1 if in_a_round else 0)


def changed(*path: Any, to: object) -> dict[str, Any]:
    answer = copy.deepcopy(RIGHT)
    holder: Any = answer
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return answer


@pytest.mark.parametrize(
    ("answer", "kept", "sentence"),
    [
        (changed("start", to=[0.1] * 25), 0, "expected a list of 26"),
        (changed("start", 3, to=5), 0, "unit quaternion at numbers 4 to 7"),
        (changed("start", 0, to=400), 0, "positions in m at numbers 1 to 3"),
        (changed("start", 25, to=4), 0, "fingers last"),
        (changed("start", 0, to="x"), 0, "start[0] is 'x'; expected a finite number"),
        (changed("rounds", 0, "explain", to="Maybe."), 0, "begin with Yes or No"),
        (changed("rounds", 1, "question", to=3), 1, "expected question 2 here"),
        (changed("rounds", 1, "actions", 0, to="grasp(cubeA)"), 1, "no such action"),
        (changed("rounds", 1, "actions", 0, to="pick(cubeC)"), 1, "no such block"),
        (changed("rounds", 1, "observations", to=[]), 1, "one for each action"),
        (changed("rounds", 3, "actions", to=[]), 3, "at least one action"),
        (changed("rounds", to=RIGHT["rounds"][:3]), 2, "expected question 3, which solves"),
    ],
)
def test_a_bad_answer_is_told_and_what_comes_before_is_kept(
    answer: dict[str, Any], kept: int, sentence: str
) -> None:
    again = Answers(answer, RIGHT)
    assert len(pairs_of(asked(again))) == 4
    assert len(again.errors) == 1
    assert sentence in again.errors[0]
    found = asked(Answers(answer))
    assert len(pairs_of(found)) == kept
    assert found.left_out == (len(answer["rounds"]) - kept if kept else 0)
    assert sentence in found.missing[f"{TASK} (1)"]


def test_another_initial_state_is_asked_for() -> None:
    model = Answers(RIGHT, RIGHT, imagined(TASK, random.Random(2), in_turn=True))
    found = asked(model, starts=2)
    assert "other places than those shown" in model.errors[0]
    assert len({solution.start for solution in found.solutions}) == 2
    assert str(RIGHT["start"][0]) in model.asked[1]


def test_a_block_held_elsewhere_is_counted() -> None:
    holding = RIGHT["rounds"][1]["observations"][0]
    assert holding[-1] == 0.025
    found = asked(Answers(changed("rounds", 1, "observations", 0, 1, to=holding[1] + 0.1)))
    assert (found.doubtful, found.missing) == (1, {})


def answered(folder: Path, form: str) -> Path:
    """A run of the three questions, or of the last one alone."""
    data = folder / "drawn.json"
    data.write_text('{"tasks": 3}')
    options = {"questions": form}
    run = folder / form
    peephole.run(
        "llm_pop",
        "blocks:generated",
        adapter="symbolic_blocks",
        data=data,
        model="scripted",
        options=options,
        out=run,
    )
    return run


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the three questions."""
    return answered(tmp_path_factory.mktemp("real"), "cot")


def test_real_pairs_are_solutions_of_the_same_pairs(real: Path) -> None:
    pairs, episodes = instructions(real)
    found = solutions(pairs, "the run")
    assert len(found) == episodes == 3
    assert [pair for solution in found for pair in solution.pairs()] == pairs


def command(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["blocks", "imagine", *arguments])


@pytest.mark.parametrize("form", ["cot", "vanilla"])
def test_pairs_are_imagined_on_the_command_line_and_read(
    real: Path, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "imagined.json"
    options = ["--examples", str(real), "--out", str(out), "--tasks", "2", "--form", form]
    done = command(*options, "--model=scripted", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    pairs = json.loads(out.read_text())
    assert (report["pairs"], report["solutions"]) == (len(pairs), 4)
    assert "mechanism check" in report["note"]
    questions = {pair["instruction"].split("\n")[-1] for pair in pairs}
    assert questions == ({QUESTIONS[3]} if form == "vanilla" else set(QUESTIONS.values()))
    again = solutions(pairs, "the file")
    assert len(again) == 4
    assert [pair for solution in again for pair in solution.pairs()] == pairs
    out.unlink()
    assert json.loads(command(*options, "--model=scripted", "--json").stdout) == report


@pytest.mark.parametrize("form", ["cot", "vanilla"])
def test_conversations_are_those_that_the_planner_has(tmp_path: Path, form: str) -> None:
    real, out = answered(tmp_path, form), tmp_path / "imagined.jsonl"
    options = ["--examples", str(real), "--out", str(out), "--tasks", "2", "--model=scripted"]
    assert command(*options, "--form", form).exit_code == 0
    export(real, "chat", tmp_path / "real.jsonl")
    found = [chat_data.read([path]) for path in (out, tmp_path / "real.jsonl")]
    systems, asked = ({e.messages[i][1] for es in found for e in es} for i in (0, 1))
    assert len(systems) == 1, "what is trained on is what is asked"
    assert all(
        text.startswith("Environment: a Franka") and "\nCurrent:\n" in text for text in asked
    )
    assert {example.dialect for examples in found for example in examples} == {"blocks"}


def test_a_missing_option_is_named() -> None:
    done = command("--model=scripted", "--out", "pairs.json")
    assert done.exit_code == 2
    assert "Missing option '--examples'" in done.output


@pytest.mark.parametrize(
    ("examples", "form", "sentence"),
    [
        ("missing.json", "cot", "cannot be read"),
        ("no JSON", "cot", "neither a run nor a file"),
        ("{}", "cot", "neither a run nor a file"),
        ("[]", "cot", "it has no pair"),
        ('[{"instruction": "Sing.", "input": "", "output": ""}]', "cot", "no question of llm_pop"),
        ("vanilla", "cot", "choose --form vanilla"),
        ("vanilla", "chain", "no form 'chain'"),
    ],
)
def test_other_examples_are_refused_in_a_sentence(
    tmp_path: Path, examples: str, form: str, sentence: str
) -> None:
    file = tmp_path / "examples.json"
    if examples == "vanilla":
        found = asked(Answers(RIGHT)).solutions[0].in_form(PairForm.VANILLA)
        file.write_text(json.dumps(list(found.pairs())))
    elif examples != "missing.json":
        file.write_text(examples)
    done = command(
        *("--examples", str(file), "--form", form, "--model=scripted"),
        *("--out", str(tmp_path / "imagined.json")),
    )
    assert isinstance(done.exception, BadInput), done.output
    assert sentence in str(done.exception)

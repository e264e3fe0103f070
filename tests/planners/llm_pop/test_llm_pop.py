"""The planner `llm_pop`: rounds, the forms of replies, and replies that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from peephole.planners.contract import Act, Brief, Done, GiveUp, Note, Percept
from peephole.planners.llm_pop.grammar import (
    Unreadable,
    read_answer,
    read_evaluation,
    read_plan,
    split_calls,
)
from peephole.planners.llm_pop.planner import COT, NO_EVALUATOR, PLANNER
from peephole.scene_graph.rules import Budgets
from peephole.skills.actions import ARM_ONLY_VERBS
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason

FIRST = "Table: size [0.4 0.7]\ncubeA: position [0.5 0.0 0.025]"
WEIGH = "EXPLAIN\nI weigh.\nEXECUTE\nACTION pick(cubeA)\nACTION reset()"
MISSING = "FAIL\nMISSING: the weight of cubeA\nNEW: nothing\nFAILED: none"


class Replies:
    """A model that gives fixed replies, one after the other, and keeps what it was asked."""

    name = "fixed"

    def __init__(self, *replies: str) -> None:
        self.left = list(replies)
        self.asked: list[Sequence[Any]] = []

    def complete(self, messages: Sequence[Any], max_tokens: int | None = None) -> str:
        self.asked.append(messages)
        return self.left.pop(0)


def play(planner: Any, model: Any, *percepts: Percept) -> list[Any]:
    """The decisions until the planner ends; each action is answered by the next percept."""
    brief = Brief(
        instruction="<mass> Lift cubeA.",
        agent=2,
        rooms=(),
        embodiment=Embodiment(hands=1),
        actions=ARM_ONLY_VERBS,
        budgets=Budgets(),
        dialect="blocks",
        seed=0,
        models={"planner": model},
    )
    answers, last = list(percepts), percept(FIRST)
    turns = planner.plan(brief, last)
    found = [next(turns)]
    while not isinstance(found[-1], Done | GiveUp):
        if isinstance(found[-1], Act):
            last = answers.pop(0)
        found.append(turns.send(last))
    return found


def percept(text: str, **fields: Any) -> Percept:
    view: Any = type("View", (), {"arm": None})()
    return Percept(text, view, {}, 0, **fields)


def done(text: str = "Done.\ncubeA: position [0.5 0.0 0.175]") -> Percept:
    return percept(text, outcome=Outcome(None))


def acts(decisions: list[Any]) -> list[Any]:
    return [decision.action for decision in decisions if isinstance(decision, Act)]


def test_rounds_go_on_until_the_evaluator_sees_success() -> None:
    model = Replies(MISSING, WEIGH, "SUCCESS\ncubeA is up.")
    found = play(PLANNER, model, done(), done("Done.\nafter the reset"))
    assert acts(found) == ["pick(cubeA)", "reset()"]
    assert isinstance(found[-1], Done)
    planner, last = (model.asked[i][1]["content"] for i in (1, 2))
    assert "MISSING: the weight of cubeA" in planner
    assert "Action 1: pick(cubeA)\nObservation after action 1:\nDone.\ncubeA: position" in last
    assert last.partition("[Current observation]")[2].strip().startswith("after the reset")


@pytest.mark.parametrize(
    "failed",
    [
        percept("Failed: it slipped.\n", outcome=Outcome(Failure(Reason.SLIPPED))),
        percept("There is no such action.", refused="There is no such action."),
    ],
)
def test_what_comes_after_a_failed_action_is_not_carried_out(failed: Percept) -> None:
    model = Replies(MISSING, WEIGH, "SUCCESS\nenough")
    assert acts(play(PLANNER, model, failed)) == ["pick(cubeA)"]
    told = model.asked[-1][1]["content"]
    assert "Not carried out, since the action before failed: reset()" in told
    assert failed.text.strip() in told


def test_a_reply_that_cannot_be_read_is_asked_again_with_the_reason() -> None:
    model = Replies("Sure!", MISSING, WEIGH.replace("EXECUTE\n", ""), WEIGH, "SUCCESS\nok")
    assert isinstance(play(PLANNER, model, done(), done())[-1], Done)
    assert "SUCCESS or FAIL" in model.asked[1][-1]["content"]
    assert "no line EXECUTE" in model.asked[3][-1]["content"]


def test_a_model_that_never_keeps_to_the_form_ends_the_episode_in_order() -> None:
    end = play(PLANNER, Replies(*["What?"] * 9))[-1]
    assert isinstance(end, GiveUp)
    assert "unreadable replies" in end.reason


def test_without_the_evaluator_the_planner_says_when_it_is_done() -> None:
    model = Replies(WEIGH, "EXPLAIN\nIt is up.\nEXECUTE\nACTION DONE")
    found = play(NO_EVALUATOR, model, done(), done())
    assert found[-1] == Done("It is up.")
    assert not any("[Evaluation]" in message[1]["content"] for message in model.asked)
    assert "ACTION DONE" in model.asked[0][0]["content"]


def test_small_models_are_asked_three_questions_as_they_are_due() -> None:
    model = Replies(
        "EXPLAIN: No. I do not know the weight.\nACTION: <nooutput>",
        "EXPLAIN: I lift it.\nACTION: [pick(cubeA), reset()]",
        "EXPLAIN: Yes. It weighs 1 N.\nACTION: <nooutput>",
        "EXPLAIN: I lift it again.\nACTION: [pick(cubeA)]",
    )
    found = play(COT, model, done(), done(), done())
    assert isinstance(found[-1], Done)
    asked = [messages[1]["content"].splitlines()[2] for messages in model.asked]
    assert asked[0] == asked[2]
    assert len(set(asked)) == 3
    questions = [d.data["question"] for d in found if isinstance(d, Note)]
    assert questions == [1, 2, 1, 3]


@pytest.mark.parametrize(
    ("read", "reply", "told"),
    [
        (
            lambda r: read_plan(r, may_end=False),
            "EXECUTE\nACTION reset()",
            "begin with a line EXPLAIN",
        ),
        (
            lambda r: read_plan(r, may_end=False),
            "EXPLAIN\nEXECUTE\nACTION reset()",
            "no explanation",
        ),
        (lambda r: read_plan(r, may_end=False), "EXPLAIN\na\nEXECUTE", "no line ACTION"),
        (lambda r: read_plan(r, may_end=False), WEIGH + "\nThat is all.", "That is all."),
        (
            lambda r: read_plan(r, may_end=False),
            "EXPLAIN a\nEXECUTE\nACTION DONE",
            "no action DONE",
        ),
        (lambda r: read_plan(r, may_end=True), WEIGH + "\nACTION DONE", "the only action"),
        (read_evaluation, "I think SUCCESS", "first line"),
        (read_evaluation, "FAIL\nNEW: a\nMISSING: b\nFAILED: c", "exactly three lines"),
        (read_evaluation, "FAIL\nMISSING: none", "exactly three lines"),
        (lambda r: read_answer(r, acts=False), "EXPLAIN: Maybe.\nACTION: <nooutput>", "Yes or No"),
        (lambda r: read_answer(r, acts=False), "EXPLAIN: Yes.\nACTION: []", "<nooutput>"),
        (lambda r: read_answer(r, acts=True), "EXPLAIN: a\nACTION: reset()", "square brackets"),
        (lambda r: read_answer(r, acts=True), "EXPLAIN: a\nACTION: []", "at least one action"),
        (lambda r: read_answer(r, acts=True), "ACTION: [reset()]", "two lines"),
    ],
)
def test_replies_of_another_form_are_refused(read: Any, reply: str, told: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(reply)
    assert told in str(refused.value)


def test_nothing_missing_is_read_as_enough() -> None:
    assert read_evaluation("FAIL\nMISSING: none.\nNEW: a\nFAILED: none").enough
    assert not read_evaluation(MISSING).enough


def test_calls_are_split_outside_their_brackets() -> None:
    assert split_calls("pick(cubeA), place(0.5, 0, 1), reset()") == [
        "pick(cubeA)",
        "place(0.5, 0, 1)",
        "reset()",
    ]

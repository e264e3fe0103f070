"""The planner `llm_pop`: rounds, the forms of replies, and replies that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peephole.models.config import ModelConfig, ModelEndpoint
from peephole.models.connection import ModelConnection
from peephole.models.contract import Unusable
from peephole.models.events import ModelEvent, ModelReplied
from peephole.models.spending import spent
from peephole.planners.contract import (
    Act,
    Brief,
    Done,
    GiveUp,
    Internal,
    Note,
    Percept,
    counts,
)
from peephole.planners.llm_pop.grammar import (
    read_answer,
    read_evaluation,
    read_plan,
    split_calls,
)
from peephole.planners.llm_pop.planner import PLANNER, Options
from peephole.planners.llm_pop.records import QUESTIONS
from peephole.scene_graph.rules import Budgets
from peephole.skills.actions import ARM_ONLY_VERBS
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason

FIRST = "Table: size [0.4 0.7]\ncubeA: position [0.5 0.0 0.025]"
WEIGH = "EXPLAIN\nI weigh.\nEXECUTE\nACTION pick(cubeA)\nACTION reset()"
MISSING = "FAIL\nMISSING: the weight of cubeA\nNEW: nothing\nFAILED: none"
Play = Callable[..., list[Any]]


class Replies:
    """A model behind an endpoint that gives fixed replies, one after the other.

    asked: the messages of every request. events: what is recorded.
    """

    def __init__(self, endpoint: Any) -> None:
        self.left: list[str] = []
        self.events: list[ModelEvent] = []
        endpoint.text = lambda body: self.left.pop(0)
        self._endpoint = endpoint

    @property
    def asked(self) -> list[Any]:
        return [body["messages"] for body in self._endpoint.requests]


@pytest.fixture
def model(endpoint: Any) -> Replies:
    return Replies(endpoint)


@pytest.fixture
def play(endpoint: Any, model: Replies) -> Iterator[Play]:
    """Play until the planner ends; each action gets the next percept."""
    where = ModelEndpoint(endpoint.url, "stand-in")
    with ModelConnection(ModelConfig("stand-in"), where) as connection:

        def played(replies: Sequence[str], *percepts: Percept, **options: Any) -> list[Any]:
            model.left = list(replies)
            brief = Brief(
                instruction="<mass> Lift cubeA.",
                agent=2,
                rooms=(),
                embodiment=Embodiment(hands=1),
                actions=ARM_ONLY_VERBS,
                budgets=Budgets(),
                dialect="blocks",
                seed=0,
                models={"planner": connection.for_episode("planner", model.events.append)},
                options=Options(**options),
            )
            answers, last = list(percepts), percept(FIRST)
            turns = PLANNER.plan(brief, last)
            found: list[Any] = [next(turns)]
            while not isinstance(found[-1], Done | GiveUp):
                if isinstance(found[-1], Act):
                    last = answers.pop(0)
                found.append(turns.send(last))
            return found

        yield played


def percept(text: str, **fields: Any) -> Percept:
    view: Any = type("View", (), {"arm": None})()
    return Percept(text, view, {}, 0, **fields)


def done(text: str = "Done.\ncubeA: position [0.5 0.0 0.175]") -> Percept:
    return percept(text, outcome=Outcome(None))


def acts(decisions: list[Any]) -> list[Any]:
    return [decision.action for decision in decisions if isinstance(decision, Act)]


def test_rounds_go_on_until_the_evaluator_sees_success(play: Play, model: Replies) -> None:
    replies = (MISSING, WEIGH, "SUCCESS\ncubeA is up.")
    found = play(replies, done(), done("Done.\nafter the reset"))
    assert acts(found) == ["pick(cubeA)", "reset()"]
    assert isinstance(found[-1], Done)
    planner, last = (model.asked[i][1]["content"] for i in (1, 2))
    assert "MISSING: the weight of cubeA" in planner
    assert "Action 1: pick(cubeA)\nObservation after action 1:\ncubeA: position" in last
    assert last.partition("[Current observation]")[2].strip().startswith("after the reset")


def test_every_reply_that_decides_is_one_decision(play: Play, model: Replies) -> None:
    found = play((MISSING, WEIGH, "SUCCESS\ncubeA is up."), done(), done())
    counted = [decision for decision in found if counts(decision)]
    assert [type(decision) for decision in counted] == [Internal, Act, Done]
    assert [a.continued for a in found if isinstance(a, Act)] == [False, True]
    cost = spent(model.events)
    assert {name: part.calls for name, part in cost.by_purpose.items()} == {
        "evaluator": 2,
        "planner": 1,
    }


@pytest.mark.parametrize(
    "failed",
    [
        percept("Failed: it slipped.\n", outcome=Outcome(Failure(Reason.SLIPPED))),
        percept("There is no such action.", refused="There is no such action."),
    ],
)
def test_what_comes_after_a_failed_action_is_not_carried_out(
    play: Play, model: Replies, failed: Percept
) -> None:
    assert acts(play((MISSING, WEIGH, "SUCCESS\nenough"), failed)) == ["pick(cubeA)"]
    told = model.asked[-1][1]["content"]
    assert "Not carried out: reset()" in told
    assert ("There is no such action." in told) == (failed.refused is not None)


def test_outcomes_are_numbers_alone_unless_words_are_asked_for(play: Play, model: Replies) -> None:
    told = "Failed: cubeA does not move.\ncubeA: position [0.5 0.0 0.025]"
    failed = percept(told, outcome=Outcome(Failure(Reason.IMMOVABLE)))
    for words in (False, True):
        play((MISSING, WEIGH, "SUCCESS\nenough"), failed, result_words=words)
        assert ("does not move" in str(model.asked[-1])) == words


def test_nothing_says_how_many_cubes_are_fixed(play: Play, model: Replies) -> None:
    play((MISSING, WEIGH, "SUCCESS\nok"), done(), done())
    play(("EXPLAIN\nIt is up.\nEXECUTE\nACTION DONE",), evaluator=False)
    yes, solve = "EXPLAIN: Yes.\nACTION: <nooutput>", "EXPLAIN: a\nACTION: [reset()]"
    play((yes, solve), done(), questions="cot")
    for messages in model.asked:
        rules = messages[0]["content"]
        assert "whether any is, cannot be seen" in rules
        assert "at least one" not in rules


def test_a_reply_that_cannot_be_read_is_asked_again_with_the_reason(
    play: Play, model: Replies
) -> None:
    replies = ("Sure!", MISSING, WEIGH.replace("EXECUTE\n", ""), WEIGH, "SUCCESS\nok")
    assert isinstance(play(replies, done(), done())[-1], Done)
    assert "SUCCESS or FAIL" in model.asked[1][-1]["content"]
    assert "no line EXECUTE" in model.asked[3][-1]["content"]
    told = [event.problem for event in model.events if isinstance(event, ModelReplied)]
    assert [problem is None for problem in told] == [False, True, False, True, True]


def test_a_model_that_never_keeps_to_the_form_ends_the_episode_in_order(play: Play) -> None:
    end = play(["What?"] * 9)[-1]
    assert isinstance(end, GiveUp)
    assert "5 unusable replies" in end.reason


def test_a_history_that_is_too_long_loses_its_oldest_rounds(
    endpoint: Any, play: Play, model: Replies
) -> None:
    endpoint.faults.extend([*["ok"] * 6, "context"])
    replies = (MISSING, WEIGH) * 3 + ("SUCCESS\nok",)
    found = play(replies, *[done()] * 6)
    assert Note("memory", "the oldest 2 rounds are left out of the prompt") in found
    assert [text[1]["content"].count("== Round") for text in model.asked[-2:]] == [3, 1]


def test_rounds_end(play: Play) -> None:
    found = play((MISSING, WEIGH) * 2, *[done()] * 4, rounds=2)
    assert found[-1] == GiveUp("The task is not done after 2 rounds.")


def test_without_the_evaluator_the_planner_says_when_it_is_done(play: Play, model: Replies) -> None:
    replies = (WEIGH, "EXPLAIN\nIt is up.\nEXECUTE\nACTION DONE")
    found = play(replies, done(), done(), evaluator=False)
    assert found[-1] == Done("It is up.")
    assert not any("[Evaluation]" in message[1]["content"] for message in model.asked)
    assert "ACTION DONE" in model.asked[0][1]["content"]


def test_small_models_are_asked_three_questions_as_they_are_due(play: Play, model: Replies) -> None:
    replies = (
        "EXPLAIN: No. I do not know the weight.\nACTION: <nooutput>",
        "EXPLAIN: I lift it.\nACTION: [pick(cubeA), reset()]",
        "EXPLAIN: Yes. It weighs 1 N.\nACTION: <nooutput>",
        "EXPLAIN: I lift it again.\nACTION: [pick(cubeA)]",
    )
    found = play(replies, done(), done(), done(), questions="cot")
    assert isinstance(found[-1], Done)
    asked = [messages[1]["content"].splitlines()[2] for messages in model.asked]
    assert asked[0] == asked[2]
    assert len(set(asked)) == 3
    questions = [d.data["question"] for d in found if isinstance(d, Note)]
    assert questions == [1, 2, 1, 3]


def test_the_last_question_alone_is_asked_until_nothing_is_left_to_do(
    play: Play, model: Replies
) -> None:
    replies = (
        "EXPLAIN: I lift it.\nACTION: [pick(cubeA), reset()]",
        "EXPLAIN: It is light.\nACTION: <nooutput>",
    )
    found = play(replies, done(), done(), questions="vanilla")
    assert found[-1] == Done("It is light.")
    assert {messages[1]["content"].splitlines()[2] for messages in model.asked} == {QUESTIONS[3]}
    assert "<nooutput> where nothing is left to do" in model.asked[0][0]["content"]
    assert "Round 1: [I lift it.] [pick(cubeA), reset()] [" in model.asked[1][1]["content"]


def test_fine_tuned_models_are_asked_the_bare_questions(play: Play, model: Replies) -> None:
    yes, solve = "EXPLAIN: Yes.\nACTION: <nooutput>", "EXPLAIN: a\nACTION: [reset()]"
    play((yes, solve), done(), questions="cot", system_prompt=False)
    for messages in model.asked:
        (only,) = messages
        assert only["role"] == "user"
        assert only["content"].startswith("Environment: a Franka Panda arm before blocks.\nTask: ")


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
        (
            lambda r: read_plan(r, may_end=False),
            "EXPLAIN a\nEXECUTE\nHere it is:\nACTION reset()",
            "Here it is:",
        ),
        (
            lambda r: read_plan(r, may_end=False),
            "EXPLAIN\n<what you do and why>\nEXECUTE\nACTION reset()",
            "words of your own",
        ),
        (
            lambda r: read_plan(r, may_end=False),
            "EXPLAIN a\nEXECUTE\nACTION <an action>",
            "words of your own",
        ),
        (
            lambda r: read_plan(r, may_end=False),
            "EXPLAIN a\nEXECUTE\nACTION DONE",
            "no action DONE",
        ),
        (lambda r: read_plan(r, may_end=True), WEIGH + "\nACTION DONE", "the only action"),
        (read_evaluation, "I think SUCCESS", "first line"),
        (read_evaluation, "FAIL\nNEW: a\nMISSING: b\nFAILED: c", "exactly three lines"),
        (read_evaluation, "FAIL\nMISSING: none", "exactly three lines"),
        (read_evaluation, "FAIL", "exactly three lines"),
        (read_evaluation, "FAIL\nLet me see.\nMISSING: a\nNEW: b\nFAILED: c", "exactly three"),
        (read_evaluation, "SUCCESS\n<why the task is fulfilled>", "words of your own"),
        (
            read_evaluation,
            "FAIL\nMISSING: <what is not known>\nNEW: a\nFAILED: none",
            "words of your own",
        ),
        (lambda r: read_answer(r, acts=False), "EXPLAIN: Maybe.\nACTION: <nooutput>", "Yes or No"),
        (lambda r: read_answer(r, acts=False), "EXPLAIN: Yes.\nACTION: []", "<nooutput>"),
        (lambda r: read_answer(r, acts=True), "EXPLAIN: a\nACTION: reset()", "square brackets"),
        (lambda r: read_answer(r, acts=True), "EXPLAIN: a\nACTION: []", "at least one action"),
        (lambda r: read_answer(r, acts=True), "ACTION: [reset()]", "two lines"),
    ],
)
def test_replies_of_another_form_are_refused(read: Any, reply: str, told: str) -> None:
    with pytest.raises(Unusable) as refused:
        read(reply)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("read", "reply", "rest"),
    [
        (lambda r: read_plan(r, may_end=False), WEIGH, "That is all.\nACTION pick(cubeB)"),
        (
            lambda r: read_plan(r, may_end=True),
            "EXPLAIN a\nEXECUTE\nACTION DONE",
            "The task is done.",
        ),
        (read_evaluation, MISSING, "So I would lift cubeA."),
        (read_evaluation, "FAIL\nThe weight is missing.", "Lift it.\nThen place it."),
        (read_evaluation, "SUCCESS\ncubeA is up.", "[End]"),
        (lambda r: read_answer(r, acts=False), "EXPLAIN: Yes.\nACTION: <nooutput>", "Good luck!"),
        (lambda r: read_answer(r, acts=True), "EXPLAIN: a\nACTION: [reset()]", "EXPLAIN: b"),
    ],
)
def test_what_follows_the_form_is_ignored(read: Any, reply: str, rest: str) -> None:
    found = read(f"{reply}\n\n{rest}\n")
    assert found.ignored == rest
    assert found._replace(ignored="") == read(reply)


@given(
    actions=st.lists(st.from_regex(r"[a-z]+\([a-zA-Z0-9., ]*\)", fullmatch=True), min_size=1),
    rest=st.lists(st.text(min_size=1).filter(lambda text: not text.strip().startswith("ACTION"))),
)
def test_whatever_follows_a_plan_changes_nothing_of_it(actions: list[str], rest: list[str]) -> None:
    plan = "\n".join(["EXPLAIN", "I try.", "EXECUTE", *(f"ACTION {action}" for action in actions)])
    after = next((line for text in rest for line in text.splitlines() if line.strip()), "")
    assume(not after.strip().startswith("ACTION"))
    found = read_plan("\n".join([plan, *rest]), may_end=False)
    assert (found.explain, found.actions) == ("I try.", tuple(actions))


def test_what_is_ignored_of_a_reply_is_noted(play: Play) -> None:
    found = play((MISSING, f"{WEIGH}\nGood luck!", "SUCCESS\ncubeA is up."), done(), done())
    assert acts(found) == ["pick(cubeA)", "reset()"]
    notes = [note.text for note in found if isinstance(note, Note)]
    assert [("Good luck!" in text) for text in notes] == [False, False, True, False]


def test_the_second_question_of_a_round_shares_the_head_of_the_first(
    play: Play, model: Replies
) -> None:
    play((MISSING, WEIGH) * 2 + ("SUCCESS\ncubeA is up.",), *[done()] * 4)
    parts = ["".join(message["content"] for message in asked) for asked in model.asked]
    heads = [_shared_head(*pair) for pair in pairwise(parts)]
    assert all("[Current observation]\ncubeA: position" in heads[second] for second in (0, 2))
    assert all("[History]" in head for head in heads)
    assert "== Round 1 ==" in heads[3]
    assert all(len(part) - len(head) < 1500 for part, head in zip(parts[1:], heads, strict=True))


def _shared_head(one: str, other: str) -> str:
    return "".join(
        a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )


def test_a_reply_ends_where_its_form_does(play: Play, endpoint: Any) -> None:
    play((MISSING, WEIGH, "SUCCESS\ncubeA is up."), done(), done())
    evaluator, planner = (body["stop"] for body in endpoint.requests[:2])
    assert "\nObservation after action " in planner
    assert "\nEXPLAIN\n" in evaluator


@pytest.mark.parametrize(
    ("reply", "success", "enough"),
    [
        ("FAIL\nThe weight of the cubes is the missing information.", False, False),
        (
            "FAIL\nNot finished. cubeA is lighter by actions 0 and 2; it goes onto cubeB.",
            False,
            True,
        ),
        ("FAIL\nNothing is missing. PLACE was too low; choose a higher position.", False, True),
        ("FAIL. The weights are not known yet.", False, False),
        ("FAIL\nMissing information: none. cubeB has to go onto cubeA.", False, True),
        ("SUCCESS The robot has done what was asked.", True, True),
        ("SUCCESS\nThe robot has done what was asked.", True, True),
    ],
)
def test_an_evaluation_in_one_line_of_words_is_read_as_in_the_paper(
    reply: str, success: bool, enough: bool
) -> None:
    found = read_evaluation(reply)
    assert (found.success, found.enough) == (success, enough)
    assert found.text in reply


def test_nothing_missing_is_read_as_enough() -> None:
    assert read_evaluation("FAIL\nMISSING: none.\nNEW: a\nFAILED: none").enough
    assert not read_evaluation(MISSING).enough


def test_calls_are_split_outside_their_brackets() -> None:
    assert split_calls("pick(cubeA), place(0.5, 0, 1), reset()") == [
        "pick(cubeA)",
        "place(0.5, 0, 1)",
        "reset()",
    ]

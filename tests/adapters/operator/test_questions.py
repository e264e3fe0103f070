"""The contract between the room and a desk."""

from __future__ import annotations

import pytest

from peephole.adapters.operator.questions import (
    Answer,
    Done,
    Failed,
    Look,
    Question,
    Ready,
    Refused,
    Seen,
    Sighting,
    answer_from_json,
    check_answer,
    question_from_json,
)
from peephole.errors import BadInput
from peephole.scene_graph.node import Relation, State
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Reason

from ...scripted_desk import EXAMPLES, ScriptedDesk, usual

PREPARE, DO, LOOK, CONFIRM = EXAMPLES
NO = (False,)


@pytest.mark.parametrize("question", EXAMPLES, ids=lambda question: question.kind)
def test_questions_and_answers_survive_json(question: Question) -> None:
    assert question_from_json(question.model_dump_json()) == question
    answer = usual(question)
    check_answer(question, answer)
    assert answer_from_json(answer.model_dump_json()) == answer


def test_a_photo_survives_json() -> None:
    seen = Seen(criteria=NO, photo=b"\x89PNG\xff\x00")
    assert answer_from_json(seen.model_dump_json()) == seen


def test_the_digest_is_of_what_is_asked_alone() -> None:
    digests = {question.digest for question in EXAMPLES}
    assert len(digests) == len(EXAMPLES)
    criteria = (PREPARE.criteria[0].model_copy(update={"holds": True}),)
    again = DO.model_copy(update={"repeated": True, "criteria": criteria})
    assert again.digest == DO.digest
    assert DO.model_copy(update={"number": 9}).digest != DO.digest
    assert DO.model_copy(update={"episode": "b"}).digest != DO.digest


def see(thing: str, place: str | None = "fridge", **more: object) -> Sighting:
    relation = None if place is None else Relation.INSIDE
    return Sighting.model_validate({"thing": thing, "relation": relation, "place": place, **more})


@pytest.mark.parametrize(
    ("question", "answer", "why"),
    [
        (PREPARE, Done(criteria=NO), "takes ready, not done"),
        (DO, Ready(criteria=NO), "takes done or failed or refused, not ready"),
        (DO, Done(criteria=()), "judges 0 criteria of 1"),
        (DO, Failed(criteria=NO, reason=Reason.CRASHED), "'crashed' is not on offer"),
        (DO, Refused(criteria=NO, words=" "), "no reason"),
        (LOOK, Seen(criteria=NO, unseen=("table",)), "'table' was not to be looked at"),
        (LOOK, Seen(criteria=NO, sightings=(see("cup"), see("cup"))), "'cup' is named twice"),
        (LOOK, Seen(criteria=NO, sightings=(see("cup", "sofa"),)), "is at 'sofa'"),
        (LOOK, Seen(criteria=NO, sightings=(see("cup", "cup"),)), "is at 'cup'"),
        (LOOK, Seen(criteria=NO, sightings=(see("fridge"),)), "is a place of the room"),
        (LOOK, Seen(criteria=NO, sightings=(Sighting(thing="ghost"),)), "say where it is"),
        (
            LOOK,
            Seen(criteria=NO, sightings=(Sighting(thing="cup", place="fridge"),)),
            "needs a place together with",
        ),
        (
            LOOK,
            Seen(criteria=NO, sightings=(see("a"), see("b", "c"), see("c", "b"))),
            "'c' is at 'b', which is at 'c'",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    question: Question, answer: Answer, why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        check_answer(question, answer)


def test_new_things_may_stand_on_each_other() -> None:
    look = LOOK
    assert isinstance(look, Look)
    on = Sighting(thing="cup 3", relation=Relation.ON, place="tray")
    open_ = Sighting(thing="fridge", states=(State.OPEN,))
    check_answer(look, Seen(criteria=NO, sightings=(see("tray"), on, open_)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"kind": "done"}', "criteria"),
        ('{"kind": "sung", "criteria": []}', "The answer"),
        ('{"kind": "done", "criteria": [], "planner": "x"}', "planner"),
        ('{"kind": "seen", "criteria": [], "sightings": [{"thing": "a\\u001b"}]}', "thing"),
        ("nonsense", "The answer"),
    ],
)
def test_an_answer_that_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        answer_from_json(text)


def test_the_scripted_desk_leaves_at_the_end_of_its_script() -> None:
    desk = ScriptedDesk([None])
    desk.ask(PREPARE)
    with pytest.raises(SimulatorDied):
        desk.ask(DO)
    assert [question.kind for question in desk.asked] == ["prepare", "do"]

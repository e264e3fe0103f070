"""The stand-in answers `tru_pomdp` from the messages, its table, and set chances."""

from __future__ import annotations

import pytest

from peephole.errors import BadInput
from peephole.models.answers import read_answer, schema_of
from peephole.models.contract import Request
from peephole.planners.kits.hypotheses.asking import ask_flat, ask_tree
from peephole.planners.kits.hypotheses.situation import PROMPTS, Asking, Situation
from peephole.planners.tru_pomdp.policy import program_of, why_rejected
from peephole.stand_ins.chat_completions import ChatRequest
from peephole.stand_ins.scripted.guesses import Chances, Guesses, parse_chances
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.reply import answer

INSTRUCTION = "Something warm to sip would be nice."
TABLE = to_table(
    {
        INSTRUCTION: [
            {"relation": "on", "thing": "tea cup", "place": "human hand"},
            {"relation": "inside", "thing": "tea box", "place": "tea drawer"},
        ]
    }
)
CLOSED = tuple(f"cabinet_{letter}" for letter in "abcdefghij")
NOW = Situation(
    instruction=INSTRUCTION,
    closed=(*CLOSED, "tea_drawer"),
    opened=("human_hand", "shelf"),
    objects={"vase": "shelf", "bowl": "shelf", "plate": "shelf"},
)
PLACES = {INSTRUCTION.lower(): {"tea cup": ["cabinet g"], "tea box": ["cabinet c"]}}
RIGHT = {"tea_cup": "human_hand", "tea_box": "tea_drawer"}


class InProcess:
    """The stand-in as a model, without a server."""

    def __init__(self, goal, place, seed=0):
        self.guesses = Guesses(Chances(goal, place), PLACES, seed)

    def many(self, requests):
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request):
        schema = schema_of(request, lengths=True) or {}
        told = ChatRequest(tuple(dict(m) for m in request.messages), schema, None)
        return read_answer(request, answer(told, TABLE, guesses=self.guesses).text)


@pytest.mark.parametrize(("p", "q"), [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5)])
def test_how_often_it_is_right_is_what_was_set(p, q):
    goals_right, places_right, asked = 0, 0, 0
    weights = []
    for seed in range(40):
        found = ask_tree(InProcess(p, q, seed), NOW, Asking())
        assert not found.repairs
        assert len(found.goals) == 3
        goals_right += RIGHT in [dict(targets) for targets, _ in found.goals]
        weights += [weight for targets, weight in found.goals if dict(targets) == RIGHT]
        for thing, true in (("tea_cup", "cabinet_g"), ("tea_box", "cabinet_c")):
            if thing in found.places:
                asked += 1
                places_right += true in dict(found.places[thing])
    assert goals_right == pytest.approx(40 * p, abs=0 if p in (0, 1) else 12)
    assert places_right == pytest.approx(asked * q, abs=0 if q in (0, 1) else 22)
    if p == 1:
        assert 0.3 < sum(weights) / 40 < 0.46  # calibrated: 0.25 + 0.09 + 0.04


def test_what_is_placed_right_is_not_proposed_again():
    from dataclasses import replace

    now = replace(
        NOW, objects={**NOW.objects, "tea_cup": "human_hand"}, placed=frozenset({"tea_cup"})
    )
    found = ask_tree(InProcess(1.0, 1.0), now, Asking())
    assert {"tea_box": "tea_drawer"} in [dict(targets) for targets, _ in found.goals]
    assert not any("tea_cup" in targets for targets, _ in found.goals)


def test_without_q_it_knows_no_place_and_goes_by_names():
    model = InProcess(1.0, None)
    found = ask_tree(model, NOW, Asking())
    assert "tea_drawer" in dict(found.places["tea_cup"])


def test_flat_hypotheses_have_every_object_somewhere():
    found = ask_flat(InProcess(1.0, 1.0), NOW, Asking(), 9)
    assert any(
        each.targets == RIGHT and each.places["tea_cup"] == "cabinet_g" for each in found.found
    )


def test_its_rollout_policy_is_accepted():
    messages = (
        {"role": "system", "content": PROMPTS.render("policy_system")},
        {"role": "user", "content": PROMPTS.render("policy")},
    )
    text = answer(ChatRequest(messages, {}, None), TABLE).text
    assert why_rejected(program_of(text)) is None


def test_chances_are_told_apart_from_faults():
    assert parse_chances("p=0.8,malformed=0.1,q=0") == (Chances(0.8, 0.0), "malformed=0.1")
    assert parse_chances("") == (Chances(1.0, None), "")
    for wrong in ("p=2", "q=often", "p="):
        with pytest.raises(BadInput, match="a number from 0 to 1"):
            parse_chances(wrong)

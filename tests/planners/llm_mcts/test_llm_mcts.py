"""`llm_mcts` searches the model's one hypothesis, and tries the model's actions first."""

from __future__ import annotations

import json
import random

import pytest

from peephole.planners.contract import GiveUp
from peephole.planners.kits.belief.search.kitchen import OPEN, PICK, Arrangement, Kitchen
from peephole.planners.llm_mcts import PLANNER, GuidedSearch

from ..kitchen_play import play_kitchen

KITCHEN = Kitchen(
    standing=[0, 1, 2, 3],
    travel=[[5 * abs(a - b) for b in range(4)] for a in range(4)],
    objects=2,
    goals=[{0: 1}],
    offered="all",
)
#: Object 0 is in the closed area 2, object 1 in the open area 0; the robot stands at area 0.
START = Arrangement((2, 0), 0b0011, 0, 0)


def searched(prior, simulations, start=START, exploration=1000.0, **options):
    search = GuidedSearch(
        kitchen=KITCHEN,
        actions=KITCHEN.feasible,
        prior=prior,
        exploration=exploration,
        depth=8,
        rng=random.Random(0),
        **options,
    )
    return search.search(start, simulations)


def alike(state, actions):
    return [1 / len(actions)] * len(actions)


def test_without_advice_it_finds_what_leads_to_the_goal():
    assert searched(alike, 400).action == KITCHEN.number(OPEN, 2)
    opened = START._replace(opened=0b0111, robot=2)
    assert searched(alike, 400, opened).action == KITCHEN.number(PICK, 0)


def test_what_the_model_would_do_is_tried_first():
    for wanted in (KITCHEN.number(OPEN, 3), KITCHEN.number(PICK, 1)):
        advice = lambda state, actions, wanted=wanted: [float(a == wanted) for a in actions]  # noqa: E731
        assert searched(advice, 1).action == wanted


def test_what_the_model_would_never_do_is_not_tried_for_being_new():
    """Returns are below 0 here, where the goal is far; an action that was never tried has none."""
    wanted = KITCHEN.number(OPEN, 2)

    def advice(state, actions):
        return [0.9 if a == wanted else 0.1 / len(actions) for a in actions]

    every = len(KITCHEN.feasible(START))
    short = {"simulations": every, "exploration": 10.0}
    assert len(searched(advice, untried="zero", **short).values) == every
    result = searched(advice, untried="mean", **short)
    assert len(result.values) < every
    assert result.action == wanted


def test_a_node_is_asked_about_once():
    asked = []

    def prior(state, actions):
        asked.append(state)
        return alike(state, actions)

    result = searched(prior, 50)
    assert len(asked) <= 50
    assert result.simulations == 50
    assert result.branch[0].action == result.action


def knows(truth, purpose, told, request):
    """A model that knows the truth; with `wrong`, not at first where things are."""
    placed = told.partition("Objects already placed right: ")[2].partition("\n")[0]
    wanted = {thing: area for thing, area in truth.goal.items() if thing not in placed}
    if purpose == "flat hypotheses":
        objects = [
            {"object": o, "target_area": t, "current_area": truth.at[o]} for o, t in wanted.items()
        ]
        return json.dumps({"reasoning": "", "hypotheses": [{"objects": objects, "probability": 1}]})
    moves = request.choices["action"]
    for thing, target in wanted.items():
        if f"{thing} at {target}" in told:
            continue
        if f"holds {thing}" in told:
            options = [f"place {target}", f"open {target}"]
        else:
            options = [f"pick {thing}", f"open {truth.at[thing]}"]
        for action in options:
            if action in moves:
                return json.dumps({"reasoning": "", "action": action})
    return json.dumps({"reasoning": "", "action": "wait"})


def test_it_plays_a_kitchen():
    played, model, _ = play_kitchen(PLANNER, knows, simulations=15, samples=2)
    assert played.success
    purposes = [purpose for purpose, _ in model.asked]
    assert purposes.count("flat hypotheses") == 1
    assert set(model.batches[1:]) == {2}  # samples of one question, at once
    assert len(played.notes("search")) == played.steps


def test_a_hypothesis_that_is_wrong_is_replaced():
    asked = []

    def wrong_at_first(truth, purpose, told, request):
        if purpose != "flat hypotheses" or asked:
            return knows(truth, purpose, told, request)
        asked.append(told)
        closed = told.partition("Closed areas: ")[2].partition(".\n")[0].split(", ")
        thing, target = next(iter(truth.goal.items()))
        wrong = next(area for area in closed if area not in (truth.at[thing], target))
        objects = [{"object": thing, "target_area": target, "current_area": wrong}]
        return json.dumps({"reasoning": "", "hypotheses": [{"objects": objects, "probability": 1}]})

    played, model, _ = play_kitchen(PLANNER, wrong_at_first, simulations=15, samples=1, steps=25)
    purposes = [purpose for purpose, _ in model.asked]
    assert purposes.count("flat hypotheses") >= 2
    assert any(note.data["replenished"] for note in played.notes("belief"))


@pytest.mark.parametrize("nonsense", ["", "No.", "{}"])
def test_without_a_hypothesis_it_gives_up_with_the_reason(nonsense):
    played, _, _ = play_kitchen(PLANNER, lambda *asked: nonsense)
    assert isinstance(played.decisions[-1], GiveUp)
    assert played.decisions[-1].reason

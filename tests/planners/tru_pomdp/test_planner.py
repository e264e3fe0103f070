"""`tru_pomdp` in a kitchen with a model that knows, is unsure, is wrong, or talks nonsense."""

from __future__ import annotations

import pytest

from peephole.planners.contract import GiveUp, Internal, counts
from peephole.planners.tru_pomdp.planner import PLANNER

from .knowing_model import goals, knows, left, places


def test_what_is_known_is_done_without_asking_again(play):
    played, model, _ = play(PLANNER, knows, rollout="builtin")
    assert played.success
    hidden = sum(purpose == "places" for purpose, _ in model.asked)
    assert [purpose for purpose, _ in model.asked] == ["goals", *["places"] * hidden]
    assert model.batches == [1, hidden]
    counted = [d for d in played.decisions if counts(d) and isinstance(d, Internal)]
    assert len(counted) == 1 + hidden  # a decision for each answer
    assert len(played.notes("search")) == played.steps
    assert all(0 <= note.data["survived"] <= 1 for note in played.notes("belief"))


@pytest.mark.parametrize(
    "options",
    [
        {"belief": "likeliest"},
        {"update": "new"},
        {"hypotheses": "flat"},
        pytest.param({"rollout": "random"}, marks=pytest.mark.slow),  # it is compiled again
        {"action": "model"},
    ],
    ids=str,
)
def test_ablations_play(play, options):
    played, model, _ = play(PLANNER, knows, **{"rollout": "builtin", **options})
    assert played.success
    purposes = [purpose for purpose, _ in model.asked]
    if options.get("update") == "new":
        assert purposes.count("goals") == played.steps
        assert all(note.data["replenished"] for note in played.notes("belief")[:-1])
    else:
        assert purposes.count("goals") + purposes.count("flat hypotheses") == 1
    assert ("action" in purposes) == (options.get("action") == "model")
    assert bool(played.notes("search")) == (options.get("action") != "model")


def test_the_likeliest_hypothesis_alone_is_one_particle(play):
    def unsure(truth, purpose, told, request):
        if purpose == "goals":
            wanted = left(truth, told)
            return goals((wanted, 0.6), ({**wanted, "sundial": "human_hand"}, 0.4))
        if told.endswith("sundial."):
            return places("cutlery_drawer", "fridge_cooler_layer")
        return knows(truth, purpose, told, request)

    for belief, goal_count in (("likeliest", 1), ("particles", 2)):
        played, _, _ = play(PLANNER, unsure, rollout="builtin", belief=belief, steps=2)
        assert len(played.notes("belief")[0].data["goals"]) == goal_count


def test_a_goal_reached_in_vain_is_in_prompts_and_two_make_it_ask_again(play):
    asked = []

    def wrong_at_first(truth, purpose, told, request):
        if purpose != "goals":
            return knows(truth, purpose, told, request)
        asked.append(told)
        if len(asked) > 1:
            return goals((left(truth, told), 1.0))
        view = told.partition("Objects in view: ")[2].partition("\n")[0]
        things = [each.partition(" at ")[0] for each in view.split(", ")]
        others = [thing for thing in things if thing not in truth.goal][:2]
        return goals(*(({thing: "human_hand"}, 0.5) for thing in others))

    played, _, _ = play(PLANNER, wrong_at_first, rollout="builtin", threshold=1.0)
    assert played.success
    assert "Goals reached in vain" not in asked[0]
    assert asked[1].count(" at human_hand.\n") == 2
    assert "2. " in asked[1].partition("Goals reached in vain:")[2]
    assert "Done so far: pick " in asked[1]
    assert sum(note.data["replenished"] for note in played.notes("belief")) == 1


@pytest.mark.parametrize("survival", ["since_asked", "step"])
@pytest.mark.parametrize("threshold", [0.7, 0.3])
def test_the_model_is_asked_again_where_too_little_of_the_belief_survives(
    play, threshold, survival
):
    def unsure(truth, purpose, told, request):
        if purpose == "goals":
            return knows(truth, purpose, told, request)
        thing = told.rpartition("The object to be found: ")[2].rstrip(".")
        closed = told.partition("Closed areas: ")[2].partition(".\n")[0].split(", ")
        return places(truth.at[thing], next(area for area in closed if area != truth.at[thing]))

    played, _, _ = play(
        PLANNER,
        unsure,
        rollout="builtin",
        threshold=threshold,
        survival=survival,
        failed_goals=99,
        steps=6,
    )
    notes = [note.data for note in played.notes("belief")]
    assert any(0 < data["survived"] < 0.6 for data in notes)  # where an area was looked into
    since_asked = 1.0
    for data in notes[:-1]:
        since_asked *= data["survived"]
        left = since_asked if survival == "since_asked" else data["survived"]
        assert data["replenished"] == (left < 1 - threshold)
        since_asked = 1.0 if data["replenished"] else since_asked


def test_losses_of_several_steps_add_up(play):
    """Two looks together take more than 0.8 of the belief."""

    def four_places(truth, purpose, told, request):
        if purpose == "goals":
            return knows(truth, purpose, told, request)
        thing = told.rpartition("The object to be found: ")[2].rstrip(".")
        closed = told.partition("Closed areas: ")[2].partition(".\n")[0].split(", ")
        others = [area for area in closed if area != truth.at[thing]]
        return places(*others[:3], truth.at[thing])

    asked = {}
    for survival in ("since_asked", "step"):
        options = {"survival": survival, "threshold": 0.8, "failed_goals": 99}
        played, _, _ = play(PLANNER, four_places, rollout="builtin", steps=4, **options)
        notes = [note.data for note in played.notes("belief")][:2]
        assert all(data["survived"] >= 0.2 for data in notes), "no look alone takes so much"
        asked[survival] = [data["replenished"] for data in notes]
    assert asked == {"since_asked": [False, True], "step": [False, False]}


def test_nonsense_is_repaired_and_counted(play):
    def careless(truth, purpose, told, request):
        if purpose == "goals":
            wanted = {o.replace("_", " ").title(): a.upper() for o, a in left(truth, told).items()}
            return goals((wanted, 60.0), ({"cup": "cellar"}, 40.0))
        return knows(truth, purpose, told, request)

    played, _, _ = play(PLANNER, careless, rollout="builtin")
    assert played.success
    repairs = [note.text for note in played.notes("repair")]
    assert "There is no area 'cellar'." in repairs
    assert any("is taken for" in told for told in repairs)
    assert all(note.data["corrected"] for note in played.notes("repair"))


def test_without_any_usable_answer_it_gives_up_with_the_reason(play):
    played, model, _ = play(PLANNER, lambda *asked: "I would rather not.")
    assert not played.success
    assert isinstance(played.decisions[-1], GiveUp)
    assert "JSON" in played.decisions[-1].reason
    assert len(model.asked) == 2


def test_an_object_without_an_answer_takes_its_goals_with_it(play):
    def silent_on_sundials(truth, purpose, told, request):
        if purpose == "goals":
            wanted = left(truth, told)
            return goals((wanted, 0.5), ({**wanted, "sundial": "human_hand"}, 0.5))
        if told.endswith("sundial."):
            return places("the moon")
        return knows(truth, purpose, told, request)

    played, _, _ = play(PLANNER, silent_on_sundials, rollout="builtin")
    assert played.success
    assert played.refused() == ["places"]


def test_the_same_seed_gives_the_same_episode(play):
    first, _, _ = play(PLANNER, knows, rollout="builtin")
    again, _, _ = play(PLANNER, knows, rollout="builtin")
    assert first.acts == again.acts


def test_after_the_last_step_nothing_is_asked_or_searched(play):
    """The episode then asks for one more action, which ends it."""
    played, _, _ = play(PLANNER, knows, rollout="builtin", last_step=3)
    assert played.steps == 3
    assert len(played.notes("search")) == 3
    assert "wait" in played.acts[-1]
    assert not played.success

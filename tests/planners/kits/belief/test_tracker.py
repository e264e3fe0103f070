"""The belief of an episode: always a distribution, in agreement with what was seen."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peephole.planners.kits.belief.search.kitchen import OPEN, PICK
from peephole.planners.kits.belief.search.particles import EmptyBelief
from peephole.planners.kits.belief.tracker import BeliefTracker
from peephole.planners.kits.belief.world import HAND, Hypothesis, Move

from .kitchens import kitchen

AREAS = ["prep_surface", "dishware_cabinet", "cutlery_drawer", "fridge_cooler_layer", "attic"]
OBJECTS = ["dinner_plate", "fork_set", "water_glass", "unicorn"]
PLACES = st.dictionaries(st.sampled_from(OBJECTS), st.sampled_from(AREAS), max_size=3)
WEIGHTS = st.one_of(
    st.floats(0, 1e300), st.sampled_from([0.0, 100.0, -1.0, math.nan, math.inf, 1e-320])
)
HYPOTHESES = st.lists(st.builds(Hypothesis, PLACES, PLACES, WEIGHTS), max_size=8)


def total_weight(tracker: BeliefTracker) -> float:
    return math.fsum(weight for _, weight in tracker.particles)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HYPOTHESES, HYPOTHESES, st.lists(st.sampled_from(AREAS[:4]), max_size=3), st.floats(0, 1))
def test_weights_are_a_distribution_whatever_happens(first, second, opened, share):
    with kitchen() as (environment, world):
        tracker = BeliefTracker(world, first)
        assert tracker.empty or total_weight(tracker) == pytest.approx(1)
        for name in opened:
            move = Move(OPEN, name)
            action = world.action(move)
            assert action is not None
            observed = tracker.observe(environment.step(action), move)
            assert 0 <= observed.survived <= 1 + 1e-9
            assert tracker.empty or total_weight(tracker) == pytest.approx(1)
            for goal in tracker.reached():
                tracker.refute(goal)
        tracker.replenish(second, share)
        assert tracker.empty or total_weight(tracker) == pytest.approx(1)
        for particle, _ in tracker.particles:
            assert not tracker.refuted & {particle.targets}
            assert all(not world.areas[place].is_open for _, place in particle.places)


def test_an_opened_area_ends_what_has_an_object_there_that_is_not_seen():
    with kitchen() as (environment, world):
        wanted = {"dinner_plate": "prep_surface"}
        tracker = BeliefTracker(
            world,
            [
                Hypothesis(wanted, {"dinner_plate": "fridge_freezer_layer"}, 3),
                Hypothesis(wanted, {"dinner_plate": "fridge_cooler_layer"}, 1),
            ],
        )
        move = Move(OPEN, "fridge_freezer_layer")
        percept = environment.step(world.action(move))
        assert "dinner_plate" not in {world.name(node.id) for node in percept.view.graph.nodes()}
        observed = tracker.observe(percept, move)
        assert observed.survived == pytest.approx(0.25)
        assert observed.contradicted == ("dinner_plate is not in fridge_freezer_layer",)
        assert tracker.objects() == {"dinner_plate": {"fridge_cooler_layer": 1.0}}


def test_what_is_in_hand_is_believed_there():
    with kitchen() as (environment, world):
        tracker = BeliefTracker(world, [Hypothesis({"lettuce_head": "prep_surface"})])
        assert tracker.objects() == {"lettuce_head": {world.located["lettuce_head"]: 1.0}}
        move = Move(PICK, "lettuce_head")
        tracker.observe(environment.step(world.action(move)), move)
        assert tracker.objects() == {"lettuce_head": {HAND: 1.0}}


def test_hypotheses_are_repaired_or_refused_and_counted():
    with kitchen() as (_, world):
        plate = {"dinner_plate": "prep_surface"}
        tracker = BeliefTracker(world)
        tracker.refute({"fork_set": "prep_surface"})
        admitted = tracker.replenish(
            [
                Hypothesis(plate, {"dinner_plate": "display_surface"}),  # seen: it is not there
                Hypothesis(plate, {"dinner_plate": "attic"}),
                Hypothesis(
                    plate, {"lettuce_head": "cutlery_drawer", "dinner_plate": "cutlery_drawer"}
                ),
                Hypothesis(plate),
                Hypothesis(plate, weight=0),
                Hypothesis({}),
                Hypothesis({"dinner_plate": "attic"}),
                Hypothesis({"fork_set": "prep_surface"}, {"fork_set": "cutlery_drawer"}, 100),
            ]
        )
        assert admitted.particles == 4
        assert admitted.repaired == {
            "has an object where it was not seen": 1,
            "has an object in an unknown area": 1,
            "has an object elsewhere than it was seen": 1,
            "has no place for an object": 1,
        }
        assert admitted.refused == {
            "weighs nothing": 1,
            "wants nothing": 1,
            "wants an object in an unknown area": 1,
            "was reached without success": 1,
        }
        closed = set(world.closed())
        assert all(place in closed for each, _ in tracker.particles for _, place in each.places)


def test_a_goal_that_was_reached_in_vain_is_given_up():
    with kitchen() as (_, world):
        here = world.located["lettuce_head"]
        tracker = BeliefTracker(
            world,
            [
                Hypothesis({"lettuce_head": "prep_surface"}, weight=1),
                Hypothesis({"fork_set": "prep_surface"}, {"fork_set": "cutlery_drawer"}, 3),
            ],
        )
        assert tracker.reached() == []
        assert here != "prep_surface"
        world.located["lettuce_head"] = "prep_surface"
        (goal,) = tracker.reached()
        assert tracker.refute(goal) == pytest.approx(0.75)
        assert [goal for _, goal in tracker.goals()] == [{"fork_set": "prep_surface"}]
        assert tracker.refute({"fork_set": "prep_surface"}) == 0
        assert tracker.empty
        with pytest.raises(EmptyBelief):
            tracker.states()


def test_what_is_confirmed_tells_of_goals():
    with kitchen() as (_, world):
        here, elsewhere = world.located["lettuce_head"], "prep_surface"
        likes = Hypothesis({"lettuce_head": here, "fork_set": elsewhere})
        tracker = BeliefTracker(world, [likes, replace(likes, targets={"fork_set": elsewhere})])
        assert tracker.confirm(["lettuce_head"]) == pytest.approx(1), "less likely is not removed"
        assert tracker.goals()[0] == (pytest.approx(2 / 3), dict(likes.targets))
        tracker.confirm(["lettuce_head"])  # confirmed before: no news
        assert tracker.goals()[0][0] == pytest.approx(2 / 3)
        left = tracker.confirm([])  # and now it is no longer where it may be
        assert left == pytest.approx(1 / 3)
        assert [goal for _, goal in tracker.goals()] == [{"fork_set": elsewhere}]


def test_what_would_leave_nothing_to_do_is_not_believed():
    """A thing that nobody saw cannot lie where it is wanted: the goal would hold."""
    with kitchen() as (_, world):
        wanted = {"dinner_plate": "dishware_cabinet"}
        done = Hypothesis(wanted, {"dinner_plate": "dishware_cabinet"})
        open_one = Hypothesis(wanted, {"dinner_plate": "cutlery_drawer"})
        tracker = BeliefTracker(world)
        admitted = tracker.replenish([done, open_one])
        assert admitted.refused == {"holds already": 1}
        assert [dict(each.places) for each, _ in tracker.particles] == [open_one.places]

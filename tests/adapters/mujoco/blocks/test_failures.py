"""What goes wrong in physics is told by its kind, and what is refused moves nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Action, Verb, open_, pick_up, place, reach, reset, wait
from peephole.skills.outcomes import Failure, FailureClass, Reason

DOWN = (1.0, 0.0, 0.0, 0.0)
TWO = "at=0.5,0.1,0.3|0.45,-0.15,0"
A, B = 4, 5


def reason(result):
    assert result.failure is not None, "it should have failed"
    assert result.message.endswith(".")
    assert "\n" not in result.message
    return result.failure.reason


def bits(world):
    """The whole physical state."""
    return world.world.snapshot().state.tobytes()


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (reach((0.5, 0.0, 0.3, 0.0, 0.0, 0.0)), Reason.BAD_POSE),
        (Action(Verb.REACH, pose=(0.5, math.nan, 0.3, *DOWN)), Reason.BAD_POSE),
        (Action(Verb.REACH), Reason.BAD_POSE),
        (reach((0.5, 0.0, 0.3, 3.0, 0.0, 0.0, 0.0)), Reason.BAD_POSE),
        (reach((1.5, 0.0, 0.3, *DOWN)), Reason.OUT_OF_BOUNDS),
        (reach((0.74, 0.44, 0.7, *DOWN)), Reason.UNREACHABLE),
        (reach((0.45, -0.15, 0.02, 0.0, 0.7071, 0.0, 0.7071)), Reason.BLOCKED),
        (place((0.5, 0.0, 0.1, *DOWN)), Reason.EMPTY_HANDED),
        (pick_up(99), Reason.UNKNOWN),
        (pick_up(3), Reason.UNKNOWN),
        (wait(1e6), Reason.UNSUITABLE),
        (open_(A), Reason.NOT_SUPPORTED),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_moves(play, action, expected):
    world = play(TWO)
    before = bits(world)
    result = world.attempt(action, 0)
    assert reason(result) is expected
    assert result.sim_time_s == 0
    assert bits(world) == before


def test_a_welded_block_is_immovable_and_the_arm_lets_go(play):
    world = play(f"{TWO};welded=A")
    result = world.attempt(pick_up(A), 0)
    assert reason(result) is Reason.IMMOVABLE
    assert result.failure.thing == A
    assert result.failure.kind is FailureClass.PRECONDITION
    reading = world.view().arm
    assert reading.fingers == pytest.approx((0.04, 0.04), abs=0.001)
    assert reading.force == pytest.approx((0, 0, 0), abs=0.2)
    assert reading.peak_force[2] < -20
    assert world.attempt(pick_up(B), 0).success


def test_a_heavy_block_is_not_taken_for_a_welded_one(play):
    world = play("n=1;at=0.5,0.1,0.3;masses=2.0")
    assert world.attempt(pick_up(A), 0).success
    assert world.view().arm.force[2] == pytest.approx(-19.62, abs=0.1)


def test_a_greased_block_slips(play):
    world = play("n=1;at=0.5,0.1,0.3;masses=0.6")
    world.world.model.geom_friction[:, 0] = 0.02
    result = world.attempt(pick_up(A), 0)
    assert reason(result) is Reason.SLIPPED
    assert result.failure.thing == A
    assert world.graph().held(2) == []
    assert world.graph().targets(A, Relation.ON) == [3]


def test_an_open_hand_feels_nothing_of_a_block_that_it_let_go_of_by_mistake(play):
    """The camera is so bad that what was lifted does not look it (by this seed)."""
    world = play("n=1;at=0.5,0.1,0.3;masses=0.6;pose_noise=0.1", 2)
    assert world.attempt(pick_up(A), 0).failure == Failure(Reason.SLIPPED, A)
    reading = world.view().arm
    assert reading.fingers == pytest.approx((0.04, 0.04), abs=0.001)
    assert reading.force == pytest.approx((0, 0, 0), abs=0.2)


def test_a_block_that_is_lost_on_the_way_is_misplaced(play):
    world = play("n=1;at=0.5,0.1,0.3;masses=0.6")
    assert world.attempt(pick_up(A), 0).success
    world.world.model.geom_friction[:, 0] = 0.02
    result = world.attempt(place((0.45, -0.15, 0.03, *DOWN)), 0)
    assert reason(result) is Reason.MISPLACED
    assert result.failure == Failure(Reason.MISPLACED, A)
    assert result.failure.kind is FailureClass.PRECONDITION


def test_a_block_that_falls_while_the_arm_goes_elsewhere_is_misplaced_too(play):
    world = play("n=1;at=0.5,0.1,0.3;masses=0.6")
    assert world.attempt(reach((0.5, 0.1, 0.3, *DOWN)), 0).success  # with nothing in the hand
    assert world.attempt(pick_up(A), 0).success
    world.world.model.geom_friction[:, 0] = 0.02
    result = world.attempt(reach((0.45, -0.15, 0.3, *DOWN)), 0)
    assert reason(result) is Reason.MISPLACED
    assert "was lost on the way" in result.message


def test_a_block_under_another_is_blocked_before_anything_moves(play):
    world = play(TWO)
    assert world.attempt(pick_up(A), 0).success
    assert world.attempt(place((0.45, -0.15, 0.077, *DOWN)), 0).success
    assert world.graph().targets(A, Relation.ON) == [B]
    before = bits(world)
    result = world.attempt(pick_up(B), 0)
    assert reason(result) is Reason.BLOCKED
    assert result.failure.thing == A
    assert bits(world) == before


def test_a_place_within_another_block_is_blocked_before_anything_moves(play):
    world = play(TWO)
    assert world.attempt(pick_up(A), 0).success
    before = bits(world)
    result = world.attempt(place((0.47, -0.15, 0.03, *DOWN)), 0)
    assert reason(result) is Reason.BLOCKED
    assert result.failure.thing == B
    assert bits(world) == before
    assert world.graph().held(2) == [A]


def test_what_nobody_saw_is_hit_and_the_arm_goes_back(play, monkeypatch):
    world = play(TWO)
    assert world.attempt(pick_up(A), 0).success
    seen = world.world.blocks
    monkeypatch.setattr(world.world, "blocks", lambda: {A: seen()[A]})  # the camera misses B
    result = world.attempt(place((0.45, -0.15, 0.03, *DOWN)), 0)
    assert reason(result) is Reason.BLOCKED
    assert result.sim_time_s > 1
    assert result.failure.kind is FailureClass.GEOMETRY
    assert world.graph().held(2) == [A]
    assert np.linalg.norm(world.world.true_blocks()[B].position[:2] - (0.45, -0.15)) < 0.02


def test_a_block_that_topples_off_is_misplaced(play):
    world = play(TWO)
    assert world.attempt(pick_up(A), 0).success
    result = world.attempt(place((0.45, -0.115, 0.08, *DOWN)), 0)
    assert reason(result) is Reason.MISPLACED
    assert result.failure.thing == A


def test_a_block_beside_the_table_falls(play):
    world = play(TWO)
    assert world.attempt(pick_up(A), 0).success
    assert reason(world.attempt(place((0.5, 0.4, 0.05, *DOWN)), 0)) is Reason.MISPLACED
    assert world.graph().targets(A, Relation.ON) == []
    assert reason(world.attempt(pick_up(A), 0)) is Reason.UNREACHABLE


def test_hands_are_full_while_a_block_is_held(play):
    world = play(TWO)
    assert world.attempt(pick_up(A), 0).success
    before = bits(world)
    assert reason(world.attempt(pick_up(B), 0)) is Reason.HANDS_FULL
    assert reason(world.attempt(pick_up(A), 0)) is Reason.HELD
    assert bits(world) == before
    assert world.attempt(reset(), 0).success
    assert world.graph().held(2) == [A]


def test_a_block_grasped_off_its_middle_needs_a_higher_place(play):
    world = play(f"{TWO};grasp_offset=0.01")
    assert world.attempt(pick_up(A), 0).success
    assert reason(world.attempt(place((0.45, -0.15, 0.076, *DOWN)), 0)) is Reason.BLOCKED
    assert world.attempt(place((0.45, -0.15, 0.087, *DOWN)), 0).success
    assert world.graph().targets(A, Relation.ON) == [B]


class TestRealArm:
    """Poses are Euler angles, the gripper has a frame of its own, and a breach ends it."""

    DOWN = (math.pi, 0.0, -math.pi / 4)

    def test_it_picks_and_places(self, play):
        world = play(f"{TWO};arm=real")
        assert len(world.view().arm.pose) == 6
        assert world.attempt(pick_up(A), 0).success
        assert world.attempt(place((0.45, -0.15, 0.077, *self.DOWN)), 0).success
        assert world.graph().targets(A, Relation.ON) == [B]

    def test_a_pose_outside_the_safety_box_stops_it_for_good(self, play):
        world = play(f"{TWO};arm=real")
        assert reason(world.attempt(reach((0.5, 0, 0.6, *self.DOWN)), 0)) is Reason.OUT_OF_BOUNDS
        before = bits(world)
        assert reason(world.attempt(reset(), 0)) is Reason.STOPPED
        assert State.BROKEN in world.graph()[2].states
        assert bits(world) == before

    def test_a_collision_stops_it_for_good(self, play, monkeypatch):
        world = play(f"{TWO};arm=real")
        assert world.attempt(pick_up(A), 0).success
        seen = world.world.blocks
        monkeypatch.setattr(world.world, "blocks", lambda: {A: seen()[A]})
        result = world.attempt(place((0.45, -0.15, 0.03, *self.DOWN)), 0)
        assert reason(result) is Reason.STOPPED
        assert "hit something" in result.message
        assert reason(world.attempt(reset(), 0)) is Reason.STOPPED

    def test_a_refused_way_or_a_wrong_number_of_numbers_does_not_stop_it(self, play):
        world = play(f"{TWO};arm=real")
        assert reason(world.attempt(reach((0.5, 0, 0.3, 1, 0, 0, 0)), 0)) is Reason.BAD_POSE
        assert world.attempt(reset(), 0).success
        assert State.BROKEN not in world.graph()[2].states


def test_one_waits_a_minute_at_most_at_a_time(play):
    world = play(TWO)
    assert world.attempt(wait(60.0), 0).success
    refused = world.attempt(wait(60.5), 0)
    assert reason(refused) is Reason.UNSUITABLE
    assert "from 0 to 60 seconds" in refused.message

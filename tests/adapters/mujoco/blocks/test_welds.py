"""A welded block is a free one to the last bit until it is touched, and immovable from then on."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from peephole.errors import Missing
from peephole.scene_graph.node import Relation
from peephole.skills.actions import pick_up, place, reach, reset, wait
from peephole.skills.outcomes import Failure, Reason

DOWN = (1.0, 0.0, 0.0, 0.0)
TWO = "at=0.5,0.1,0.3|0.45,-0.15,0"
A, B = 4, 5
#: What handles A, far from B.
HANDLING_A = (
    wait(1.0),
    pick_up(A),
    place((0.42, 0.2, 0.026, *DOWN)),
    pick_up(A),
    reach((0.45, 0.0, 0.3, *DOWN)),
    place((0.55, 0.0, 0.026, *DOWN)),
    pick_up(A),
    reset(),
)


def bits(world):
    return world.world.snapshot().state.tobytes()


def place_of(world, block):
    return world.world.true_blocks()[block].position


def test_the_twins_are_the_same_to_the_last_bit_while_another_block_is_handled(play):
    free, welded = play(f"{TWO};welded=none"), play(f"{TWO};welded=B")
    for action in HANDLING_A:
        assert free.attempt(action, 0) == welded.attempt(action, 0)
        assert bits(free) == bits(welded)
        assert free.graph() == welded.graph()


@pytest.mark.parametrize("seed", range(4))
def test_pictures_do_not_tell_of_a_weld(play, seed):
    worlds = [play(f"seed={seed};n=2;welded={which}") for which in ("none", "A", "B", "A,B")]
    for _ in range(2):
        try:
            pictures = [world.image() for world in worlds]
        except Missing as missing:
            pytest.skip(str(missing))
        assert all(np.array_equal(picture, pictures[0]) for picture in pictures)
        for world in worlds:
            world.attempt(wait(0.5), 0)


def test_a_welded_block_stays_where_it_is_however_often_it_is_pulled_at(play):
    world = play(f"{TWO};welded=B")
    world.attempt(wait(1.0), 0)
    before = place_of(world, B)
    for _ in range(3):
        assert world.attempt(pick_up(B), 0).failure == Failure(Reason.IMMOVABLE, B)
        assert world.view().arm.peak_force[2] < -20
    world.attempt(wait(60.0), 0)
    assert np.abs(place_of(world, B) - before).max() < 1e-9
    assert world.attempt(pick_up(A), 0).success


def test_a_welded_block_that_is_hit_does_not_give_way(play, monkeypatch):
    world = play(f"{TWO};welded=B")
    assert world.attempt(pick_up(A), 0).success
    before, seen = place_of(world, B), world.world.blocks
    monkeypatch.setattr(world.world, "blocks", lambda: {A: seen()[A]})  # the camera misses B
    moved = []
    mujoco.set_mjcb_control(
        lambda _model, data: moved.append(np.abs(data.body("cubeB").xpos - before).max())
    )
    try:
        for y in (-0.15, -0.12):
            result = world.attempt(place((0.45, y, 0.03, *DOWN)), 0)
            assert result.failure.reason is Reason.BLOCKED
            assert world.graph().held(2) == [A]
            assert np.abs(place_of(world, B) - before).max() < 1e-9
    finally:
        mujoco.set_mjcb_control(None)
    assert max(moved) < 1e-5  # at every step of the physics


def test_a_block_rests_on_a_welded_one_and_is_taken_off_again(play):
    world = play(f"{TWO};welded=B")
    world.attempt(wait(1.0), 0)
    before = place_of(world, B)
    assert world.attempt(pick_up(A), 0).success
    assert world.attempt(place((0.45, -0.15, 0.077, *DOWN)), 0).success
    laid = place_of(world, A)
    world.attempt(wait(30.0), 0)
    assert world.graph().targets(A, Relation.ON) == [B]
    assert np.abs(place_of(world, A) - laid).max() < 1e-4
    assert np.abs(place_of(world, B) - before).max() < 1e-9
    assert world.attempt(pick_up(A), 0).success
    assert place_of(world, A)[2] - place_of(world, B)[2] > 0.15


def test_a_snapshot_from_before_the_touch_takes_the_touch_back(play):
    world, untouched = play(f"{TWO};welded=B"), play(f"{TWO};welded=none")
    world.attempt(HANDLING_A[0], 0)
    untouched.attempt(HANDLING_A[0], 0)
    loose = world.snapshot()
    first = world.attempt(pick_up(B), 0)
    fastened, after = world.snapshot(), bits(world)
    world.restore(loose)
    for action in HANDLING_A[1:]:
        world.attempt(action, 0)
        untouched.attempt(action, 0)
    assert bits(world) == bits(untouched)
    world.restore(loose)
    assert world.attempt(pick_up(B), 0) == first
    assert bits(world) == after
    then = world.attempt(pick_up(B), 0), bits(world)
    world.restore(fastened)
    assert (world.attempt(pick_up(B), 0), bits(world)) == then

"""The block world without physics: it does what is planned, and refuses what the real skills do."""

from __future__ import annotations

import pytest

from peephole.adapters.blocks.symbolic import SymbolicBlocksAdapter
from peephole.adapters.registry import connect
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Relation
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, Verb, open_, pick_up, place, reach, reset, wait
from peephole.skills.arm.blocks.block_graph import TABLE
from peephole.skills.outcomes import Reason

DOWN = (1.0, 0.0, 0.0, 0.0)


def start(reference: str) -> SymbolicBlocksAdapter:
    world = connect("symbolic_blocks")
    assert isinstance(world, SymbolicBlocksAdapter)
    world.reset(Task("any", "Do as you like.", And(()), f"blocks:{reference}"), 0)
    return world


def reason(world: SymbolicBlocksAdapter, action: Action) -> Reason | None:
    failure = world.attempt(action, 0).failure
    return None if failure is None else failure.reason


def test_a_block_is_weighed_and_stacked() -> None:
    world = start("seed=5;masses=0.2,0.4;pose_noise=0.05;force_noise=5")
    assert reason(world, pick_up(4)) is None
    view = world.view()
    assert view.held() == [4]
    assert view.arm is not None
    assert view.arm.force == pytest.approx((0, 0, -9.81 * 0.2), abs=1e-3)
    assert view.arm.fingers == (0.025, 0.025)
    other = world.graph()[5].pose
    assert other is not None
    x, y, z = other.position
    assert reason(world, place((x, y, z + 0.055, *DOWN))) is None
    graph = world.graph()
    assert graph.has_edge(4, Relation.ON, 5)
    assert graph[4].pose.position == pytest.approx((x, y, z + 0.05), abs=1e-3)  # type: ignore[union-attr]
    assert world.view().arm.force == (0, 0, 0)  # type: ignore[union-attr]


def test_what_is_perceived_is_the_truth_whatever_noise_a_scene_asks_for() -> None:
    world = start("seed=5;pose_noise=0.05;angle_noise=0.5")
    truth, seen = world.graph(), world.view().graph
    for block in (4, 5):
        assert seen[block].pose.position == pytest.approx(truth[block].pose.position, abs=1e-4)  # type: ignore[union-attr]


def test_a_block_that_was_put_beside_all_others_lies_on_the_table() -> None:
    world = start("seed=5")
    world.attempt(pick_up(4), 0)
    assert reason(world, place((0.45, 0.0, 0.1, *DOWN))) is None
    assert world.graph().has_edge(4, Relation.ON, TABLE)


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        ((), pick_up(9), Reason.UNKNOWN),
        ((), place((0.45, 0.0, 0.03, *DOWN)), Reason.EMPTY_HANDED),
        ((pick_up(4),), pick_up(5), Reason.HANDS_FULL),
        ((pick_up(4),), pick_up(4), Reason.HELD),
        ((), pick_up(5), Reason.IMMOVABLE),
        ((), reach((0.45, 0.0, 2.0, *DOWN)), Reason.OUT_OF_BOUNDS),
        ((), reach((0.45, 0.0, 0.3, 2.0, 0.0, 0.0, 0.0)), Reason.BAD_POSE),
        ((), wait(100.0), Reason.UNSUITABLE),
        ((), open_(4), Reason.NOT_SUPPORTED),
        ((pick_up(4),), place((0.45, 0.4, 0.1, *DOWN)), Reason.MISPLACED),
    ],
)
def test_refusals_are_those_of_the_arm(
    before: tuple[Action, ...], action: Action, why: Reason
) -> None:
    world = start("seed=5;welded=B")
    for each in before:
        assert reason(world, each) is None
    assert reason(world, action) is why


def test_an_immovable_block_is_felt() -> None:
    world = start("seed=5;welded=A")
    assert reason(world, pick_up(4)) is Reason.IMMOVABLE
    view = world.view()
    assert view.held() == []
    assert view.arm is not None
    assert view.arm.peak_force[2] < -50


def test_a_real_arm_stops_for_good_out_of_bounds() -> None:
    world = start("seed=5;arm=real")
    down = (3.14159, 0.0, 0.0)
    assert reason(world, reach((0.45, 0.0, 2.0, *down))) is Reason.OUT_OF_BOUNDS
    assert reason(world, reset()) is Reason.STOPPED


def test_time_passes_in_waits_alone() -> None:
    world = start("seed=5")
    assert world.attempt(wait(4.0), 0).sim_time_s == 4
    assert world.attempt(Action(Verb.RESET), 0).sim_time_s == 0

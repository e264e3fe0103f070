"""The dialect `blocks`: numbers as sensed, calls that read back, refusals in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.observation_text.dialect import Refusal
from peephole.observation_text.dialects.blocks.dialect import DIALECT, vector_of
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.scene_graph.goals import And
from peephole.scene_graph.node import Kind, Node
from peephole.scene_graph.task import Task
from peephole.skills.actions import Verb, pick_up, place, reach, reset, wait
from peephole.skills.arm.blocks.world import SIMULATED as WORKSPACE
from peephole.skills.outcomes import Failure, Outcome, Reason

A, B = 4, 5
#: Two blocks, by name only.
NAMES = Names(Node(i, "cube", Kind.OBJECT, f"cube{x}") for i, x in ((A, "A"), (B, "B")))
SIMULATED = {"numbers": 7, "held": None}


def parse(text: str, **state: Any) -> Any:
    return DIALECT.parse(text, NAMES, {A, B}, {**SIMULATED, **state})


numbers = st.floats(-1e3, 1e3)
poses = st.lists(numbers, min_size=7, max_size=7).map(tuple)
actions = (
    st.sampled_from([pick_up(A), pick_up(B), reset()])
    | poses.map(place)
    | poses.map(reach)
    | st.floats(0, 60).map(wait)
)


@given(actions)
def test_what_is_worded_is_read_back(action: Any) -> None:
    assert parse(DIALECT.word(NAMES, action)) == action


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("place(0.5, 0.1, 0.025, 3.14, 0, 0)", "7 numbers here (x y z and a quaternion"),
        ("place(0.5, 0.1, nan, 1, 0, 0, 0)", "plain finite numbers"),
        ("place(0.5, 0.1, 1e999, 1, 0, 0, 0)", "plain finite numbers"),
        ("reach([0.5, 0.1, 0.3], 1, 0, 0, 0)", "plain finite numbers"),
        ("place(x, y, z, 1, 0, 0, 0)", "no such block"),
        ("pick(cubeC)", "no such block"),
        ("pick(table)", "no such block"),
        ("pick()", "takes one block"),
        ("pick cubeA", "write one call"),
        ("grasp(cubeA)", "the actions are pick, place"),
        ("reset(1)", "write reset()"),
        ("wait(-1)", "a number from 0"),
        ("pick(cubeA); reset()", "write one call"),
        ("", "write one call"),
    ],
)
def test_a_text_that_is_no_action_is_refused_in_one_sentence(text: str, told: str) -> None:
    with pytest.raises(Refusal) as refusal:
        parse(text)
    assert told in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_block_that_was_not_perceived_reads_like_one_that_does_not_exist() -> None:
    told = []
    for text in ("pick(cubeB)", "pick(cubeZ)"):
        with pytest.raises(Refusal) as refusal:
            DIALECT.parse(text, NAMES, {A}, dict(SIMULATED))
        told.append(str(refusal.value))
    assert told[0] == told[1]


def test_only_what_is_held_can_be_placed_by_name() -> None:
    pose = "0.5, 0.1, 0.025, 1, 0, 0, 0"
    assert parse(f"place(cubeA, {pose})", held=A) == parse(f"place({pose})")
    with pytest.raises(Refusal, match="holds cubeA"):
        parse(f"place(cubeB, {pose})", held=A)


def test_a_real_arm_takes_six_numbers_and_no_seven() -> None:
    assert parse("reach(0.5, 0, 0.3, 3.14, 0, 0)", numbers=6).pose == (0.5, 0, 0.3, 3.14, 0, 0)
    with pytest.raises(Refusal, match=r"6 numbers here \(x y z and three Euler angles"):
        parse("reach(0.5, 0, 0.3, 1, 0, 0, 0)", numbers=6)


@pytest.fixture
def arm() -> Iterator[BlocksAdapter]:
    adapter = BlocksAdapter()
    adapter.reset(Task("t", "", And(()), "blocks:masses=0.2,0.5;welded=B"), 0)
    yield adapter
    adapter.close()


def test_an_observation_is_what_the_sensors_say(arm: BlocksAdapter) -> None:
    observer = Observer(Names(arm.graph().nodes()), DIALECT, arm.spec.actions)
    first = observer.start(arm.view())
    assert first.startswith("Table: centre of its top [0.450 0.000 0.000]")
    action = observer.parse("pick(cubeA)")
    result = arm.attempt(action, 0)
    view = arm.view()
    text, _ = observer.after(view, action, Outcome(result.failure))
    assert view.arm is not None
    poses = [view.graph[block].pose for block in (A, B)]
    sensed = [n for pose in poses if pose is not None for part in pose for n in part]
    sensed += [*view.arm.pose, *view.arm.force, *view.arm.fingers]
    assert len(vector_of(first)) == len(vector_of(text)) == 26
    assert vector_of(text) == pytest.approx(sensed, abs=0.0051)
    assert vector_of(text)[23] == pytest.approx(-0.2 * 9.81, abs=0.1)


def test_a_welded_block_is_reported_after_it_was_tried_and_not_before(arm: BlocksAdapter) -> None:
    observer = Observer(Names(arm.graph().nodes()), DIALECT, arm.spec.actions)
    assert "move" not in observer.start(arm.view())
    action = observer.parse("pick(cubeB)")
    text, _ = observer.after(arm.view(), action, Outcome(arm.attempt(action, 0).failure))
    assert text.splitlines()[0].startswith("Failed: cubeB does not move")


def test_a_denial_is_reported_in_the_words_of_who_denied_it(arm: BlocksAdapter) -> None:
    observer = Observer(Names(arm.graph().nodes()), DIALECT, arm.spec.actions)
    observer.start(arm.view())
    denied = Outcome(Failure(Reason.DENIED, A, "my hand is there"))
    text, _ = observer.after(arm.view(), pick_up(A), denied)
    assert text.splitlines()[0] == "Failed: That is not allowed: my hand is there."


def test_everything_on_the_menu_reads_back(arm: BlocksAdapter) -> None:
    observer = Observer(Names(arm.graph().nodes()), DIALECT, arm.spec.actions)
    observer.start(arm.view())
    for text in ("", "pick(cubeA)"):
        if text:
            action = observer.parse(text)
            failure = arm.attempt(action, 0).failure
            observer.after(arm.view(), action, Outcome(failure))
        menu = observer.menu()
        assert menu
        assert [observer.parse(said) for said, _ in menu] == [value for _, value in menu]
        low, high = WORKSPACE.table_low, WORKSPACE.table_high
        poses = [action.pose for _, action in menu if action.verb is Verb.PLACE]
        spots = {pose[:2] for pose in poses if pose is not None}
        assert len(spots) == (6 if text else 0)  # on cubeB, at the corners and in the middle
        assert all(low[0] < x < high[0] and low[1] < y < high[1] for x, y in spots)

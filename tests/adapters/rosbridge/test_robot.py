"""A fake robot acts, is seen, and is kept within its limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.contract import STAND_IN
from peephole.adapters.rosbridge.adapter import RosbridgeAdapter
from peephole.adapters.rosbridge.settings import DRY_VARIABLE
from peephole.errors import BadInput
from peephole.scene_graph.goals import Related
from peephole.scene_graph.node import Relation, State
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, close, go_to, open_, pick_up, put, slice_, turn_on
from peephole.skills.executor import SimulatorDied
from peephole.skills.outcomes import Failure, Reason

#: Of the kitchen in conftest.py.
KITCHEN, ROBOT, FRIDGE, TABLE, LAMP, APPLE = range(1, 7)
Drive = Callable[..., tuple[RosbridgeAdapter, Any]]
TO_TABLE = (go_to(FRIDGE), open_(FRIDGE), pick_up(APPLE), close(FRIDGE), go_to(TABLE))


def do(adapter: RosbridgeAdapter, *actions: Action) -> None:
    for action in actions:
        result = adapter.attempt(action, 0)
        assert result.success, (action, result)


@pytest.mark.parametrize("ros", [1, 2])
def test_a_task_is_done_through_actions_services_and_topics(
    drive: Drive, apple_to_table: Task, ros: int
) -> None:
    adapter, server = drive(ros=ros)
    assert APPLE not in adapter.view().graph, "the scene file must not tell where the apple is"
    do(adapter, go_to(FRIDGE))
    assert APPLE not in adapter.view().graph
    assert adapter.view().covered.get(FRIDGE) is None
    do(adapter, open_(FRIDGE))
    view = adapter.view()
    assert view.graph.has_edge(APPLE, Relation.INSIDE, FRIDGE)
    assert view.covered[FRIDGE]
    do(adapter, pick_up(APPLE), close(FRIDGE), go_to(TABLE))
    assert adapter.view().held() == [APPLE]
    assert State.CLOSED in adapter.view().graph[FRIDGE].states
    judged = adapter.judge(apple_to_table)
    assert judged is not None
    assert judged.value == 0.5
    do(adapter, put(APPLE, Relation.ON, TABLE), go_to(LAMP))
    do(adapter, turn_on(LAMP))
    judged = adapter.judge(apple_to_table)
    assert judged is not None
    assert judged.value == 1.0
    assert [verb for _, verb in server.robot.done][-1] == "turn_on"
    assert adapter.facts()[STAND_IN]


def test_what_is_not_seen_any_more_is_nowhere(drive: Drive) -> None:
    adapter, server = drive()
    do(adapter, go_to(FRIDGE), open_(FRIDGE))
    server.robot.world.detach(APPLE)  # a person takes it away
    server.robot.world.add_edge(APPLE, Relation.INSIDE, KITCHEN)
    do(adapter, close(FRIDGE), open_(FRIDGE))
    view = adapter.view()
    assert not view.graph.has_edge(APPLE, Relation.INSIDE, FRIDGE)
    assert view.graph.has_edge(APPLE, Relation.INSIDE, KITCHEN)


@pytest.mark.parametrize("says_where", [True, False])
def test_what_a_closed_container_keeps_stays_known_and_out_of_sight(
    drive: Drive, apple_to_table: Task, says_where: bool
) -> None:
    def say(data: dict[str, Any]) -> None:
        if not says_where:
            del data["perception"]["objects"]["covers"]

    adapter, _ = drive(change=say)
    do(adapter, go_to(FRIDGE), open_(FRIDGE), close(FRIDGE))
    assert APPLE not in adapter.view().graph
    goal = Related(APPLE, Relation.INSIDE, FRIDGE)
    judged = adapter.judge(replace(apple_to_table, goal=goal))
    assert judged is not None
    assert judged.value == 1.0


def test_skills_that_share_a_topic_have_results_of_their_own(drive: Drive) -> None:
    from peephole.adapters.rosbridge.stand_in.faults import Fault

    def other_results(data: dict[str, Any]) -> None:
        turn_on = data["skills"]["turn_on"]
        data["skills"]["turn_off"] = {**turn_on, "result": {}}
        data["skills"]["touch"] = {**turn_on, "result": {"ok": "no_such_field"}}

    adapter, _ = drive(None, Fault.FAILED, change=other_results)
    do(adapter, go_to(LAMP))
    assert adapter.attempt(turn_on(LAMP), 0).failure == Failure(Reason.SLIPPED, LAMP)
    do(adapter, turn_on(LAMP))


def test_the_robots_reason_becomes_a_typed_failure(drive: Drive) -> None:
    from peephole.adapters.rosbridge.stand_in.faults import Fault

    adapter, server = drive(None, Fault.FAILED, Fault.FAILED)
    do(adapter, go_to(FRIDGE))
    result = adapter.attempt(open_(FRIDGE), 0)
    assert result.failure == Failure(Reason.SLIPPED, FRIDGE)
    assert "gripper slipped" in result.message
    assert len(server.received) == 2, "nothing is tried again"


def test_what_cannot_work_is_kept_from_the_robot(drive: Drive) -> None:
    adapter, server = drive()
    failure = adapter.attempt(pick_up(APPLE), 0).failure
    assert failure is not None
    assert failure.reason is Reason.NOT_CLOSE
    assert adapter.attempt(open_(LAMP), 0).failure == Failure(Reason.NOT_CLOSE, LAMP)
    assert not server.received


def test_limits_hold(drive: Drive, kitchen: Any, tmp_path: Path) -> None:
    from peephole.scene_graph.json_codec import write_graph
    from peephole.scene_graph.node import Pose

    for node, x in ((FRIDGE, 1.0), (TABLE, 9.0), (LAMP, 2.0)):
        kitchen.replace_node(replace(kitchen[node], pose=Pose((x, 0.0, 0.0))))
    write_graph(kitchen, tmp_path / "kitchen.json")

    def limit(data: dict[str, Any]) -> None:
        data["limits"]["forbidden"] = ["open"]
        data["limits"]["workspace"] = {"min": [0, -1, -1], "max": [5, 1, 1]}

    adapter, server = drive(change=limit)
    assert adapter.attempt(go_to(TABLE), 0).failure == Failure(Reason.OUT_OF_BOUNDS, TABLE)
    do(adapter, go_to(FRIDGE))
    told = Failure(Reason.DENIED, FRIDGE, "the robot's file forbids open")
    assert adapter.attempt(open_(FRIDGE), 0).failure == told
    assert len(server.received) == 1


def test_a_workspace_needs_positions(drive: Drive) -> None:
    def limit(data: dict[str, Any]) -> None:
        data["limits"]["workspace"] = {"min": [0, 0, 0], "max": [5, 1, 1]}

    with pytest.raises(BadInput, match="'fridge' of the scene has no position"):
        drive(change=limit)


def test_a_position_that_nobody_knows_is_not_sent(drive: Drive) -> None:
    def send_position(data: dict[str, Any]) -> None:
        data["skills"]["go_to"]["fields"]["x"] = "{target.x}"

    adapter, server = drive(change=send_position)
    result = adapter.attempt(go_to(FRIDGE), 0)
    assert result.failure == Failure(Reason.UNREACHABLE, FRIDGE)
    assert not server.received


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda d: d["perception"]["objects"].update(topic="/fake_robot/sen"),
            "The robot has no topic /fake_robot/sen (there is /fake_robot/seen)",
        ),
        (
            lambda d: d["perception"]["location"].update(type="std_msgs/Int32"),
            "has the type std_msgs/String, not std_msgs/Int32",
        ),
        (
            lambda d: d["skills"]["open"].update(service="/door"),
            "The robot has no service /door",
        ),
        (
            lambda d: d["start"].update(service="/fake_robot/rest"),
            "The robot has no service /fake_robot/rest (there is /fake_robot/reset)",
        ),
        (
            lambda d: d["skills"]["go_to"].update(action="/go"),
            "The robot has no topic /go/goal",
        ),
    ],
)
def test_a_name_that_the_robot_does_not_have_is_told_before_anything_moves(
    drive: Drive, change: Callable[[dict[str, Any]], object], told: str
) -> None:
    with pytest.raises(BadInput) as caught:
        drive(change=change)
    assert told in str(caught.value)


def test_a_stand_in_is_known_where_names_are_not_looked_up(drive: Drive) -> None:
    adapter, _ = drive(change=lambda d: d.update(check_names=False))
    assert adapter.facts()[STAND_IN]


def test_a_wrong_name_is_told_again_after_the_facts_were_taken(
    fake: Callable[..., Any], mapped: Callable[..., Path], apple_to_table: Task
) -> None:
    mapped(fake().url, lambda d: d["skills"]["open"].update(service="/door"))
    adapter = RosbridgeAdapter()
    adapter.facts()
    with pytest.raises(BadInput, match="has no service /door"):
        adapter.reset(apple_to_table, 0)
    adapter.close()


def test_a_place_that_the_scene_does_not_have_is_told_at_the_start(
    drive: Drive, kitchen: Any
) -> None:
    kitchen.add_node(kitchen[TABLE].__class__(9, "shelf", kitchen[TABLE].kind, "shelf"))
    kitchen.add_edge(9, Relation.INSIDE, KITCHEN)
    kitchen.add_edge(APPLE, Relation.ON, 9)
    kitchen.remove_edge(APPLE, Relation.INSIDE, FRIDGE)
    kitchen.set_outgoing(ROBOT, [(Relation.INSIDE, KITCHEN), (Relation.CLOSE, 9)])

    def stay(data: dict[str, Any]) -> None:
        del data["start"]

    with pytest.raises(BadInput, match="The robot sees something at 'shelf'"):
        drive(change=stay)


def test_nobody_at_the_address(mapped: Callable[..., Path], apple_to_table: Task) -> None:
    pytest.importorskip("roslibpy")
    mapped("ws://127.0.0.1:9", lambda data: data.update(connect_s=0.3))
    with pytest.raises(SimulatorDied, match=r"no rosbridge server answers at ws://127\.0\.0\.1:9"):
        RosbridgeAdapter().reset(apple_to_table, 0)


def test_a_topic_that_stays_silent_is_named(drive: Drive) -> None:
    def other(data: dict[str, Any]) -> None:
        data["perception"]["location"]["topic"] = "/fake_robot/answers"
        data["perception"]["location"]["type"] = "fake_robot/Answer"
        data["perception"]["within_s"] = 0.3

    with pytest.raises(SimulatorDied, match=r"on the topic /fake_robot/answers within 0\.3 s"):
        drive(change=other)


def test_a_topic_judges(drive: Drive, apple_to_table: Task) -> None:
    def judge(data: dict[str, Any]) -> None:
        data["judge"] = {"topic": "/fake_robot/where", "type": "std_msgs/String", "done": "data"}

    adapter, _ = drive(change=judge)
    judged = adapter.judge(apple_to_table)
    assert judged is not None
    assert judged.value == 1.0


def test_a_dry_run_prints_and_sends_nothing(
    mapped: Callable[..., Path],
    apple_to_table: Task,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mapped("ws://127.0.0.1:9")
    monkeypatch.setenv(DRY_VARIABLE, "yes")
    adapter = RosbridgeAdapter()
    adapter.reset(apple_to_table, 0)
    do(adapter, *TO_TABLE, put(APPLE, Relation.ON, TABLE))
    judged = adapter.judge(apple_to_table)
    assert judged is not None
    assert judged.value == 1.0
    assert "nothing was sent" in adapter.facts()[STAND_IN]
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("not sent: ") for line in lines)
    messages = [json.loads(line.removeprefix("not sent: ")) for line in lines]
    published = [m for m in messages if m["op"] == "publish" and m["topic"].endswith("/goal")]
    goals = [message["msg"]["goal"] for message in published]
    assert goals[0] == {"place": "fridge", "speed": 0.3}
    assert goals[-1] == {"thing": "apple_1", "relation": "on", "place": "table"}
    calls = [m["args"] for m in messages if m["op"] == "call_service"]
    assert calls[1:] == [{"thing": "fridge"}] * 2


def test_what_the_robot_has_no_skill_for_is_not_supported(drive: Drive) -> None:
    adapter, server = drive()
    assert adapter.attempt(slice_(APPLE), 0).failure == Failure(Reason.NOT_SUPPORTED)
    assert adapter.attempt(open_(99), 0).failure == Failure(Reason.UNKNOWN, 99)
    assert not server.received


def test_a_dry_run_is_continued(
    mapped: Callable[..., Path], apple_to_table: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapped("ws://127.0.0.1:9")
    monkeypatch.setenv(DRY_VARIABLE, "yes")
    adapter = RosbridgeAdapter()
    adapter.resume(apple_to_table, 0)
    for action in TO_TABLE:
        adapter.recall(apple_to_table, action)
    do(adapter, put(APPLE, Relation.ON, TABLE))
    assert adapter.view().graph.has_edge(APPLE, Relation.ON, TABLE)

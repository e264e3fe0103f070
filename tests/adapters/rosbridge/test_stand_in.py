"""roslibpy's own classes talk to the stand-in, as they do to a rosbridge server."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any


def connected(url: str) -> Any:
    """roslibpy's client."""
    from roslibpy import Ros

    ros = Ros(url, transport="asyncio")
    ros.run(timeout=5)
    return ros


def test_actionlib_of_roslibpy(fake: Callable[..., Any]) -> None:
    server = fake()
    from roslibpy import Message, Service, ServiceRequest
    from roslibpy.ros1.actionlib import ActionClient, Goal

    with closing(connected(server.url)) as ros:
        client = ActionClient(ros, "/fake_robot/go_to", "fake_robot/GoToAction")
        goal = Goal(client, Message({"place": "fridge"}))
        goal.send()
        assert goal.wait(5)["success"]
        service = Service(ros, "/fake_robot/open", "fake_robot/Handle")
        assert service.call(ServiceRequest({"thing": "fridge"}), timeout=5)["success"]
        assert "/fake_robot/seen" in ros.get_topics()
        assert "/peephole/stand_in" in ros.get_services()
    assert [verb for _, verb in server.robot.done] == ["go_to", "open"]


def test_actions_of_ros_2(fake: Callable[..., Any]) -> None:
    server = fake(ros=2)
    from roslibpy import ActionClient, Goal, GoalStatus

    with closing(connected(server.url)) as ros:
        client = ActionClient(ros, "/fake_robot/go_to", "fake_robot/action/GoTo")
        ended = threading.Event()
        results: list[Any] = []

        def take(result: Any) -> None:
            results.append(result)
            ended.set()

        goal = Goal({"place": "fridge"})
        assert client.send_goal(goal, take, lambda _: None, take)
        assert ended.wait(5)
        assert results[0]["status"] is GoalStatus.SUCCEEDED
        assert results[0]["values"]["success"]


def test_the_program_says_what_is_wrong() -> None:
    command = [sys.executable, "-m", "peephole.adapters.rosbridge.stand_in", "json:/nowhere.json"]
    done = subprocess.run([*command, "--port", "0"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "/nowhere.json" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_nonsense_is_answered_with_a_status(fake: Callable[..., Any]) -> None:
    server = fake()
    from peephole.adapters.rosbridge.connection import Connection

    messages: list[dict[str, Any]] = []
    connection = Connection(server.url, messages.append, 5.0)
    try:
        connection.send({"op": "dance"})
        connection.send({"op": "publish"})
        assert connection.wait(lambda: len(messages) == 2, time.monotonic() + 5)
    finally:
        connection.close()
    assert [message["level"] for message in messages] == ["error", "error"]
    assert len(connection.errors) == 2

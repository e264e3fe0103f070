"""The server of the stand-in: rosbridge's operations over a websocket on the loopback address."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from autobahn.asyncio.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.exception import Disconnected

from ....errors import BadInput
from .fake_robot import FakeRobot
from .faults import Fault, Faults

_PREFIX = "/fake_robot"
_ACTIONS = {"go_to": "GoTo", "pick_up": "PickUp", "put": "Put"}
_SERVICES = ("open", "close", "reset")
_PENDING, _PREEMPTED, _SUCCEEDED, _ABORTED, _ACTIVE = 0, 2, 3, 4, 1
#: Seconds that actionlib lists the status of a goal that has ended.
_LISTED_S = 5.0
#: Orders that nobody gave, for the fault FOREIGN.
_NOBODYS = "goal-of-another-client"


@dataclass
class Times:
    """How fast the fake robot and its topics are, in s."""

    order_s: float = 0.5
    """One order."""
    topics_s: float = 0.2
    """Between two messages of a topic."""
    late_s: float = 2.0
    """How late a late result is."""


@dataclass
class _Goal:
    """One order that the robot got."""

    id: str
    verb: str
    args: dict[str, Any]
    kind: str  # ros1, ros2, service or topic
    fault: Fault | None
    status: int = _PENDING
    words: str = ""
    ended: float | None = None
    is_cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class StandIn:
    """The server with its fake robot. Use as a context manager, or `serve`."""

    def __init__(
        self,
        robot: FakeRobot,
        faults: Faults | None = None,
        times: Times | None = None,
        ros: int = 1,
    ) -> None:
        self.robot = robot
        self.faults = faults or Faults()
        self.times = times or Times()
        self.ros = ros
        self.port = 0
        self.received: list[str] = []
        """The ids of all orders that arrived, also those that were not done."""
        self.cancels: list[str] = []
        """The ids of all orders that were cancelled."""
        self._goals: list[_Goal] = []
        self._clients: list[_Client] = []
        self._blind_until = self._silent_until = 0.0
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    # --- running --------------------------------------------------------------------------------

    def __enter__(self) -> StandIn:
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(0, started.set), daemon=True)
        self._thread.start()
        if not started.wait(10):
            raise BadInput("The stand-in did not start.")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    def serve(self, port: int, ready: Callable[[], None]) -> None:
        """Serve until the program is interrupted. Raises OSError for a port that is taken."""
        self._run(port, ready)

    def drop_all(self) -> None:
        """End every connection. From another thread."""
        self._loop.call_soon_threadsafe(self._drop_all)

    def _run(self, port: int, ready: Callable[[], None]) -> None:
        asyncio.set_event_loop(self._loop)
        new_factory: Any = WebSocketServerFactory  # autobahn has no types
        factory = new_factory(loop=self._loop)
        factory.protocol = lambda: _Client(self)
        factory.setProtocolOptions(maxMessagePayloadSize=16_000_000, openHandshakeTimeout=5)
        server = self._loop.run_until_complete(self._loop.create_server(factory, "127.0.0.1", port))
        self.port = server.sockets[0].getsockname()[1]
        self._start(self._publish_forever())
        self._loop.call_soon(ready)
        try:
            self._loop.run_forever()
        finally:
            self._drop_all()
            server.close()
            for task in list(self._tasks):
                task.cancel()
            self._loop.run_until_complete(asyncio.sleep(0.05))
            self._loop.close()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _drop_all(self) -> None:
        for client in list(self._clients):
            client.transport.abort()

    # --- messages -------------------------------------------------------------------------------

    def take(self, client: _Client, message: dict[str, Any]) -> None:
        """Do what a message asks for."""
        match message.get("op"):
            case "subscribe":
                client.topics.add(message["topic"])
            case "unsubscribe":
                client.topics.discard(message["topic"])
            case "publish":
                self._published(message["topic"], message["msg"])
            case "call_service":
                self._called(client, message)
            case "send_action_goal" if self.ros == 2:
                verb = message["action"].removeprefix(f"{_PREFIX}/")
                self._ordered(message["id"], verb, message["args"], "ros2")
            case "cancel_action_goal" if self.ros == 2:
                self._cancelled(message["id"])
            case "advertise" | "unadvertise" | "set_level":
                pass
            case other:
                client.say(
                    {"op": "status", "level": "error", "msg": f"Unknown operation: {other}."}
                )

    def _published(self, topic: str, message: dict[str, Any]) -> None:
        part, _, leaf = topic.removeprefix(f"{_PREFIX}/").partition("/")
        if leaf == "goal" and part in _ACTIONS:
            self._ordered(message["goal_id"]["id"], part, message["goal"], "ros1")
        elif leaf == "cancel":
            self._cancelled(message["id"])
        elif topic == f"{_PREFIX}/orders":
            args = {"thing": message["thing"]}
            self._ordered(message["id"], message["verb"], args, "topic")

    def _called(self, client: _Client, message: dict[str, Any]) -> None:
        service, order = message["service"], message.get("id", "")
        part = service.removeprefix(f"{_PREFIX}/")
        values: Any = f"Service {service} does not exist"
        if service == "/rosapi/topics":
            topics = self._topics()
            values = {"topics": list(topics), "types": list(topics.values())}
        elif service == "/rosapi/services":
            own = [f"{_PREFIX}/{name}" for name in _SERVICES]
            values = {
                "services": [*own, "/rosapi/topics", "/rosapi/services", "/peephole/stand_in"]
            }
        elif service == "/peephole/stand_in":
            values = {}
        elif part in _SERVICES:
            self._ordered(order, part, message.get("args") or {}, "service")
            return
        result = not isinstance(values, str)
        answer = {"op": "service_response", "id": order, "service": service}
        client.say({**answer, "values": values, "result": result})

    def _topics(self) -> dict[str, str]:
        topics = {
            f"{_PREFIX}/{name}": kind
            for name, kind in (
                ("seen", "fake_robot/Seen"),
                ("where", "std_msgs/String"),
                ("gripper", "fake_robot/Gripper"),
                ("heartbeat", "std_msgs/Empty"),
                ("orders", "fake_robot/Order"),
                ("answers", "fake_robot/Answer"),
            )
        }
        for name, kind in _ACTIONS.items() if self.ros == 1 else ():
            base = f"fake_robot/{kind}Action"
            for leaf in ("goal", "result", "feedback"):
                topics[f"{_PREFIX}/{name}/{leaf}"] = f"{base}{leaf.capitalize()}"
            topics[f"{_PREFIX}/{name}/status"] = "actionlib_msgs/GoalStatusArray"
            topics[f"{_PREFIX}/{name}/cancel"] = "actionlib_msgs/GoalID"
        return topics

    # --- orders ---------------------------------------------------------------------------------

    def _ordered(self, order: str, verb: str, args: dict[str, Any], kind: str) -> None:
        fault = None if verb == "reset" else self.faults.of(len(self.received))
        if verb != "reset":
            self.received.append(order)
        goal = _Goal(order, verb, args, kind, fault)
        self._goals.append(goal)
        self._start(self._carry_out(goal))

    def _cancelled(self, order: str) -> None:
        self.cancels.append(order)
        for goal in self._goals:
            if goal.id == order:
                goal.is_cancelled.set()

    async def _carry_out(self, goal: _Goal) -> None:
        fault = goal.fault
        if fault is Fault.DROP_BEFORE:
            self._drop_all()
            return
        goal.status = _ACTIVE
        if fault is Fault.SILENT:
            self._silent_until = time.monotonic() + self.times.late_s * 2
        if fault in (Fault.NEVER, Fault.STUCK, Fault.SILENT):
            await goal.is_cancelled.wait()
            if fault is not Fault.NEVER:
                self._end(goal, _PREEMPTED, "cancelled")
            return
        if fault is Fault.DROP_DURING:
            self._drop_all()
        with suppress(TimeoutError):
            await asyncio.wait_for(goal.is_cancelled.wait(), self.times.order_s)
            self._end(goal, _PREEMPTED, "cancelled")
            return
        words = self.robot.do(goal.id, goal.verb, goal.args) if fault is not Fault.FAILED else ""
        if fault is Fault.FAILED:
            words = "gripper slipped"
        if fault is Fault.DROP_AFTER:
            self._drop_all()
        if fault is Fault.BLIND:
            self._blind_until = time.monotonic() + self.times.topics_s * 4
        if fault in (Fault.LATE, Fault.LONG_LATE):
            await asyncio.sleep(self.times.late_s * (1 if fault is Fault.LATE else 3))
        self._end(goal, _ABORTED if words else _SUCCEEDED, words)

    def _end(self, goal: _Goal, status: int, words: str) -> None:
        goal.status, goal.words, goal.ended = status, words, time.monotonic()
        result = self._result(goal)
        match goal.fault:
            case Fault.LOST:
                goal.ended = -_LISTED_S  # nor does the status tell it
            case Fault.GARBLED:
                goal.ended = -_LISTED_S
                self._say_raw(b'{"op": "publish", "topic": ' + json.dumps(result).encode()[:40])
            case Fault.MALFORMED:
                goal.ended = -_LISTED_S
                self._say({name: result[name] for name in ("op", "topic") if name in result})
                self._say({**result, "msg": {"status": 7}, "values": None, "result": "yes"})
            case Fault.FOREIGN:
                other = json.loads(json.dumps(result).replace(goal.id, _NOBODYS))
                self._say(other)
                self._say(result)
            case Fault.DUPLICATE:
                self._say(result)
                self._say(result)
                self._loop.call_later(self.times.order_s * 1.5, self._say, result)
            case _:
                self._say(result)

    def _result(self, goal: _Goal) -> dict[str, Any]:
        values: dict[str, Any] = {"success": goal.status == _SUCCEEDED, "message": goal.words}
        name = f"{_PREFIX}/{goal.verb}"
        told: dict[str, Any] = {"id": goal.id, "values": values, "result": True}
        match goal.kind:
            case "ros1":
                ended = {"status": self._status(goal), "result": values}
                return {"op": "publish", "topic": f"{name}/result", "msg": ended}
            case "ros2":
                codes = {_SUCCEEDED: 4, _PREEMPTED: 5, _ABORTED: 6}
                return {"op": "action_result", "action": name, "status": codes[goal.status], **told}
            case "service":
                return {"op": "service_response", "service": name, **told}
            case _:
                message = {"id": goal.id, **values}
                return {"op": "publish", "topic": f"{_PREFIX}/answers", "msg": message}

    def _status(self, goal: _Goal) -> dict[str, Any]:
        stamp = {"secs": 0, "nsecs": 0}
        return {
            "goal_id": {"stamp": stamp, "id": goal.id},
            "status": goal.status,
            "text": goal.words,
        }

    # --- topics ---------------------------------------------------------------------------------

    async def _publish_forever(self) -> None:
        while True:
            await asyncio.sleep(self.times.topics_s)
            self._publish()

    def _publish(self) -> None:
        now = time.monotonic()
        if not self.robot.world.agent_ids:
            pass
        elif now < self._blind_until:
            for name in ("seen", "where", "gripper"):
                self._say_topic(name, {"nonsense": True})
        else:
            self._say_topic("seen", self.robot.seen())
            self._say_topic("where", self.robot.where())
            self._say_topic("gripper", self.robot.gripper())
        if now < self._silent_until:
            return
        self._say_topic("heartbeat", {})
        if self.ros == 1:
            for name in _ACTIONS:
                listed = [
                    self._status(goal)
                    for goal in self._goals
                    if goal.verb == name and (goal.ended is None or now - goal.ended < _LISTED_S)
                ]
                self._say_topic(f"{name}/status", {"status_list": listed})
        else:
            for goal in self._goals:
                if goal.kind == "ros2" and goal.status == _ACTIVE:
                    self._say(
                        {
                            "op": "action_feedback",
                            "id": goal.id,
                            "action": f"{_PREFIX}/{goal.verb}",
                            "values": {},
                        }
                    )

    def _say_topic(self, name: str, message: dict[str, Any]) -> None:
        self._say({"op": "publish", "topic": f"{_PREFIX}/{name}", "msg": message})

    def _say(self, message: dict[str, Any]) -> None:
        for client in self._clients:
            if message["op"] != "publish" or message.get("topic") in client.topics:
                client.say(message)

    def _say_raw(self, payload: bytes) -> None:
        for client in self._clients:
            client.say_raw(payload)


class _Client(WebSocketServerProtocol):
    """One connection."""

    transport: Any

    def __init__(self, server: StandIn) -> None:
        super().__init__()
        self._server = server
        self.topics: set[str] = set()

    def say(self, message: dict[str, Any]) -> None:
        """Send a message, or nothing to a client that has left."""
        self.say_raw(json.dumps(message).encode())

    def say_raw(self, payload: bytes) -> None:
        send: Any = self.sendMessage
        with suppress(Disconnected):
            send(payload, False)

    def onOpen(self) -> None:  # noqa: N802  # autobahn's names
        self._server._clients.append(self)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        try:
            self._server.take(self, json.loads(payload))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            self.say({"op": "status", "level": "error", "msg": f"cannot be read: {error!r}"})

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:  # noqa: N802, N803
        with suppress(ValueError):
            self._server._clients.remove(self)

"""How each kind of skill speaks the rosbridge v2 protocol: its messages, and what comes back.

An action of ROS 1 is five topics (actionlib); one of ROS 2 has operations of its own. Sources:
ROSBRIDGE_PROTOCOL.md of rosbridge_suite 1.3 and 2.1, actionlib_msgs/GoalStatus,
action_msgs/msg/GoalStatus.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .connection import Message
from .fields import found
from .mapping import Skill


@dataclass(frozen=True)
class Report:
    """The end of an order, as the robot tells it."""

    ok: bool
    """Whether the robot did it."""
    cancelled: bool = False
    """Whether it ended because it was cancelled."""
    words: str = ""
    """The robot's words or code."""
    is_unknown: bool = False
    """Whether it ended in an unknown way, because its result was lost."""


@dataclass(frozen=True)
class Heard:
    """What one message says about one order."""

    order: str
    """The id of the order."""
    report: Report | None = None
    """None for a sign of life."""
    is_final: bool = True
    """Whether the report is the result itself; otherwise a result may still follow."""


def advertise(topic: str, kind: str) -> Message:
    """The message that announces what will be published."""
    return {"op": "advertise", "topic": topic, "type": kind}


def publish(topic: str, message: Any) -> Message:
    """The message that publishes on a topic."""
    return {"op": "publish", "topic": topic, "msg": message}


def subscribe(topic: str, kind: str) -> Message:
    """The message that subscribes to a topic; of waiting messages the newest comes."""
    return {"op": "subscribe", "topic": topic, "type": kind, "queue_length": 1}


def call(service: str, order: str, args: Any) -> Message:
    """The message that calls a service."""
    return {"op": "call_service", "id": order, "service": service, "args": args}


class Channel(ABC):
    """One skill's way to the robot."""

    def __init__(self, skill: Skill) -> None:
        self.skill = skill

    @abstractmethod
    def setup(self) -> list[Message]:
        """The messages to send once a connection is there."""

    @abstractmethod
    def order(self, order: str, fields: Any) -> Message:
        """The message that gives an order."""

    def cancel(self, order: str) -> Message | None:
        """The message that cancels it; None where the protocol has none."""
        return None

    @abstractmethod
    def read(self, message: Message) -> list[Heard]:
        """What a message says of orders. Raises LookupError, ValueError, TypeError if garbled."""

    def topics(self) -> list[tuple[str, str]]:
        """The topics that must exist, with their types."""
        return []

    def report(self, values: Any, ended: bool, words: str, cancelled: bool = False) -> Report:
        """A report by the fields of the skill's `result`."""
        result = self.skill.result
        ok = ended
        if ended and result.ok is not None:
            ok = found(values, result.ok)
            if not isinstance(ok, bool | int):
                raise ValueError(result.ok)
        if not ok and result.error is not None:
            with suppress(LookupError):
                words = str(found(values, result.error)) or words
        return Report(bool(ok), cancelled, words[:500])


class Ros1Action(Channel):
    """An actionlib server."""

    _SUCCEEDED, _CANCELLED, _FAILED, _RUNNING = 3, (2, 8), (4, 5, 9), (0, 1, 6, 7)

    def __init__(self, skill: Skill) -> None:
        super().__init__(skill)
        self._topic = str(skill.action)

    def topics(self) -> list[tuple[str, str]]:
        return [(f"{self._topic}/goal", f"{self.skill.type}Goal")]

    def setup(self) -> list[Message]:
        name, kind = self._topic, self.skill.type
        return [
            advertise(f"{name}/goal", f"{kind}Goal"),
            advertise(f"{name}/cancel", "actionlib_msgs/GoalID"),
            # No queue_length: it keeps the newest message only, and results are all wanted.
            {"op": "subscribe", "topic": f"{name}/result", "type": f"{kind}Result"},
            subscribe(f"{name}/feedback", f"{kind}Feedback"),
            subscribe(f"{name}/status", "actionlib_msgs/GoalStatusArray"),
        ]

    def order(self, order: str, fields: Any) -> Message:
        stamp = {"secs": 0, "nsecs": 0}  # actionlib's server sets it
        goal = {"goal_id": {"stamp": stamp, "id": order}, "goal": fields}
        return publish(f"{self._topic}/goal", goal)

    def cancel(self, order: str) -> Message:
        stamp = {"secs": 0, "nsecs": 0}
        return publish(f"{self._topic}/cancel", {"stamp": stamp, "id": order})

    def read(self, message: Message) -> list[Heard]:
        if message["op"] != "publish":
            return []
        topic, values = message["topic"], message["msg"]
        if topic == f"{self._topic}/status":
            return [self._heard(each, None) for each in values["status_list"]]
        if topic == f"{self._topic}/feedback":
            return [Heard(_text(values["status"]["goal_id"]["id"]))]
        if topic == f"{self._topic}/result":
            return [self._heard(values["status"], values["result"])]
        return []

    def _heard(self, status: Any, values: Any) -> Heard:
        order, code = _text(status["goal_id"]["id"]), status["status"]
        words = str(status.get("text", ""))
        is_result = values is not None
        if code in self._RUNNING and not is_result:
            return Heard(order)
        if code == self._SUCCEEDED:
            if not is_result:
                is_told = self.skill.result.ok is None
                report = Report(is_told, words=words, is_unknown=not is_told)
                return Heard(order, report, is_final=False)
            return Heard(order, self.report(values, True, words))
        if code in self._CANCELLED or code in self._FAILED:
            cancelled = code in self._CANCELLED
            return Heard(order, self.report(values, False, words, cancelled), is_final=is_result)
        raise ValueError(code)


class Ros2Action(Channel):
    """An action server of ROS 2."""

    _SUCCEEDED, _CANCELLED, _ENDED = 4, 5, (0, 4, 5, 6)

    def setup(self) -> list[Message]:
        return []

    def order(self, order: str, fields: Any) -> Message:
        return {
            "op": "send_action_goal",
            "id": order,
            "action": self.skill.action,
            "action_type": self.skill.type,
            "args": fields,
            "feedback": True,
        }

    def cancel(self, order: str) -> Message:
        return {"op": "cancel_action_goal", "id": order, "action": self.skill.action}

    def read(self, message: Message) -> list[Heard]:
        if message.get("action") != self.skill.action:
            return []
        if message["op"] == "action_feedback":
            return [Heard(_text(message["id"]))]
        if message["op"] != "action_result":
            return []
        order, worked = _text(message["id"]), message["result"]
        if not isinstance(worked, bool):
            raise ValueError(worked)
        status = message.get("status", self._SUCCEEDED if worked else 0)
        if status not in self._ENDED:
            raise ValueError(status)
        values = message["values"]
        words = values if isinstance(values, str) else ""
        succeeded = worked and status == self._SUCCEEDED
        return [Heard(order, self.report(values, succeeded, words, status == self._CANCELLED))]


class Service(Channel):
    """A service, which has no cancel and no sign of life."""

    def setup(self) -> list[Message]:
        return []

    def order(self, order: str, fields: Any) -> Message:
        return call(str(self.skill.service), order, fields)

    def read(self, message: Message) -> list[Heard]:
        if message["op"] != "service_response" or message.get("service") != self.skill.service:
            return []
        order, worked = _text(message["id"]), message["result"]
        if not isinstance(worked, bool):
            raise ValueError(worked)
        values = message["values"] if worked else message.get("values", "")
        words = values if isinstance(values, str) else ""
        return [Heard(order, self.report(values, worked, words))]


class PublishedOrder(Channel):
    """A topic for orders, with another on which the robot answers."""

    def setup(self) -> list[Message]:
        answer = self._answer()
        return [
            advertise(str(self.skill.topic), self.skill.type),
            {"op": "subscribe", "topic": answer.topic, "type": answer.type},
        ]

    def topics(self) -> list[tuple[str, str]]:
        answer = self._answer()
        return [(str(self.skill.topic), self.skill.type), (answer.topic, answer.type)]

    def order(self, order: str, fields: Any) -> Message:
        return publish(str(self.skill.topic), fields)

    def read(self, message: Message) -> list[Heard]:
        answer = self._answer()
        if message["op"] != "publish" or message["topic"] != answer.topic:
            return []
        values = message["msg"]
        return [Heard(_text(found(values, answer.id)), self.report(values, True, ""))]

    def _answer(self) -> Any:
        assert self.skill.answer is not None, "the mapping has checked it"
        return self.skill.answer


def channel_of(skill: Skill, ros: int) -> Channel:
    """The channel of a skill."""
    if skill.action is not None:
        return Ros1Action(skill) if ros == 1 else Ros2Action(skill)
    return Service(skill) if skill.service is not None else PublishedOrder(skill)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value

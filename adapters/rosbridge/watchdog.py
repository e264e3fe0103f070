"""The watchdog: since when a robot at work gives no sign of life."""

from __future__ import annotations

import time

from .channels import subscribe
from .connection import Message
from .mapping import Watchdog


class Silence:
    """How long the robot has been silent about the running order.

    With a heartbeat topic, only heartbeats count. Without one, status and feedback of the running
    order count from the first on: a service or a server without feedback is never silent, and has
    its deadline.
    """

    def __init__(self, watchdog: Watchdog) -> None:
        self.limit_s = watchdog.silence_s
        self._watchdog = watchdog
        self._order = ""
        self._heard: float | None = None

    def setup(self) -> list[Message]:
        """The messages to send once a connection is there."""
        if self._watchdog.topic is None:
            return []
        return [subscribe(self._watchdog.topic, self._watchdog.type)]

    def begin(self, order: str) -> None:
        """Watch an order from now on."""
        self._order = order
        self._heard = None if self._watchdog.topic is None else time.monotonic()

    def read(self, message: Message) -> None:
        """Take a message, which may be a heartbeat."""
        if self._watchdog.topic is not None and message.get("topic") == self._watchdog.topic:
            self._heard = time.monotonic()

    def hear(self, order: str) -> None:
        """Take a sign of life of an order."""
        if self._watchdog.topic is None and order == self._order:
            self._heard = time.monotonic()

    def is_over(self, order: str) -> bool:
        """Whether the robot has been silent about the order for too long."""
        heard = self._heard
        return order == self._order and heard is not None and self._now_since(heard)

    def _now_since(self, heard: float) -> bool:
        return time.monotonic() - heard >= self.limit_s

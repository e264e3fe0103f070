"""A robot behind a rosbridge server: its connection, its orders and what it perceives."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from typing import Any

from ...errors import BadInput
from ...scene_graph.graph import SceneGraph
from ...skills.actions import Action
from ...skills.executor import SimulatorDied
from .channels import Report, call
from .connection import Connection, Message
from .mapping import ROSAPI_S, STOP_S, Mapping
from .orders import Orders
from .perception import Perception, Sight, check_names

#: The service by which the stand-in server can be known.
STAND_IN_SERVICE = "/peephole/stand_in"
#: Seconds for its answer.
_STAND_IN_S = 1.0


class Robot:
    """One robot. Every call ends by itself; SimulatorDied is raised where it is lost."""

    def __init__(self, mapping: Mapping) -> None:
        self.mapping = mapping
        self.orders = Orders(mapping)
        self.perception = Perception(mapping)
        self.is_stand_in = False
        """Whether the server is this package's stand-in."""
        self._connection: Connection | None = None
        self._answers: dict[str, Any] = {}
        self._asked = 0
        self._noted: Counter[str] = Counter()

    def connect(self) -> None:
        """Connect, look names up and subscribe; nothing if it is connected.

        Raises BadInput for a name that the robot does not have.
        """
        if self._connection is not None and not self._connection.lost:
            return
        self.close()
        self._connection = Connection(self.mapping.bridge, self._read, self.mapping.connect_s)
        try:
            self._look_names_up()
            for message in (*self.orders.setup(), *self.perception.setup()):
                self._connection.send(message)
        except BaseException:
            self.close()  # otherwise the next call would take it for set up
            raise

    def carry_out(self, skill: str, order: str, fields: Any) -> Report:
        """Give an order and wait for its end."""
        connection = self._connected()
        try:
            return self.orders.carry_out(connection, skill, order, fields)
        except SimulatorDied:
            if connection.lost:
                self._stop_anew(skill, order)
            raise

    def cancel(self, skill: str, order: str) -> None:
        """Cancel an order of an earlier connection."""
        if skill in self.orders.channels:
            self.orders.cancel(self._connected(), skill, order)

    def enter(self, scene: SceneGraph) -> None:
        """Take notice of the scene of an episode. A robot has its own."""

    def did(self, action: Action) -> None:
        """Take notice that an action worked. A robot knows."""

    def look(self) -> Sight:
        """What the robot perceives from now on."""
        connection = self._connected()
        connection.wait(lambda: False, time.monotonic() + self.mapping.perception.settle_s)
        try:
            self.perception.wait(connection)
        except SimulatorDied as error:
            said = f"; the server said: {connection.errors[-1][:200]}" if connection.errors else ""
            raise SimulatorDied(f"{error}{said}") from error
        with connection.changed:
            return self.perception.sight()

    def is_done(self) -> bool:
        """What the topic of the judge says now."""
        connection = self._connected()
        self.perception.wait(connection)
        with connection.changed:
            return self.perception.is_done()

    def notes(self) -> list[str]:
        """What was left out since the last call, and what the server said; for the record."""
        garbled = 0 if self._connection is None else self._connection.garbled
        counts = Counter({**self.orders.mail.counts, "garbled": garbled})
        new = counts - self._noted
        self._noted = counts
        notes = [f"{count} {kind} message(s) left out" for kind, count in new.items()]
        if self._connection is not None and self._connection.errors:
            notes.append(f"the server said: {self._connection.errors[-1]}")
            self._connection.errors.clear()
        return notes

    def close(self) -> None:
        """Close the connection; more than once is harmless."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> Connection:
        if self._connection is None:
            raise SimulatorDied(f"the connection to {self.mapping.bridge} is closed")
        return self._connection

    def _read(self, message: Message) -> None:
        if message["op"] == "service_response" and message.get("id") in self._answers:
            self._answers[message["id"]] = message
            return
        self.perception.read(message)
        self.orders.read(message)

    def _says_it_is_a_stand_in(self) -> bool:
        """Whether the server offers the stand-in's service; rosapi may not be there."""
        try:
            self._ask(STAND_IN_SERVICE, _STAND_IN_S)
        except BadInput:
            self._connected().errors.clear()  # a server without the service says so
            return False
        return True

    def _ask(self, service: str, seconds: float = ROSAPI_S) -> dict[str, Any]:
        """The answer of a service. Raises BadInput where there is none."""
        self._asked += 1
        order = f"peephole-rosapi-{self._asked}"
        self._answers[order] = None
        connection = self._connected()
        connection.send(call(service, order, {}))
        connection.wait(lambda: bool(self._answers[order]), time.monotonic() + seconds)
        if connection.lost:
            raise SimulatorDied(connection.lost)
        answer = self._answers.pop(order) or {}
        values = answer.get("values")
        if answer.get("result") and isinstance(values, dict):
            return values
        said = [values] if isinstance(values, str) else connection.errors[-1:]
        words = f" ({said[0][:200]})" if said else ""
        raise BadInput(
            f"The server at {self.mapping.bridge} does not answer {service}{words}; start "
            f"rosapi_node, or set 'check_names: false' in the robot's file."
        )

    def _look_names_up(self) -> None:
        if not self.mapping.check_names:
            self.is_stand_in = self._says_it_is_a_stand_in()
            return
        topics = self._ask("/rosapi/topics")
        services = self._ask("/rosapi/services")
        names, types = (list(map(str, topics.get(part) or [])) for part in ("topics", "types"))
        known = dict(zip(names, types or [""] * len(names), strict=False))
        offered = set(map(str, services.get("services") or []))
        self.is_stand_in = STAND_IN_SERVICE in offered
        wanted = [
            *self.perception.topics(),
            *self.orders.topics(),
        ]
        check_names(self.mapping, wanted, known, offered)

    def _stop_anew(self, skill: str, order: str) -> None:
        """Cancel an order over a new connection, after the old one was lost on the way."""
        with suppress(SimulatorDied):
            connection = Connection(self.mapping.bridge, lambda _: None, STOP_S)
            try:
                for message in self.orders.setup():
                    if message["op"] == "advertise":
                        connection.send(message)
                self.orders.cancel(connection, skill, order)
                connection.wait(lambda: False, time.monotonic() + 0.2)  # until it is sent
            finally:
                connection.close()

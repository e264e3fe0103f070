"""Orders to a robot: each is sent once at most, and its result is known by its id.

An order ends with the robot's report, or it is cancelled: at its deadline, on silence, or when the
program is interrupted. Then the robot has a few seconds to report that it stopped. If it does not,
nobody knows what it does, and the run stops.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from collections.abc import Mapping as Table
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...skills.executor import SimulatorDied
from .channels import Channel, Heard, Report, advertise, channel_of, publish
from .connection import Connection, Message
from .mapping import Mapping, Skill
from .watchdog import Silence

#: Seconds in which a result must follow the status that tells the same; then the status counts.
_RESULT_AFTER_STATUS_S = 1.0
#: Seconds between looks at the clock while waiting.
_LOOK_S = 0.2
#: The skill that brings the room to its start; the others have the names of their verbs.
START = "start"


@dataclass
class Mail:
    """What came back, by order. Written in roslibpy's thread and read with `Connection.changed`."""

    reports: dict[str, Report] = field(default_factory=dict)
    told_by_status: dict[str, tuple[float, Report]] = field(default_factory=dict)
    sent: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """Of `duplicate` reports, and of `foreign` ones of orders that this program never sent."""

    def put(self, heard: Heard) -> None:
        """Take what one message says of an order that was sent."""
        if heard.report is None:
            return
        if not heard.is_final:
            self.told_by_status.setdefault(heard.order, (time.monotonic(), heard.report))
        elif heard.order in self.reports:
            self.counts["duplicate"] += 1
        else:
            self.reports[heard.order] = heard.report

    def report(self, order: str) -> Report | None:
        """The robot's report on an order, once there is one."""
        if order in self.reports:
            return self.reports[order]
        since, report = self.told_by_status.get(order, (0.0, None))
        if report is not None and time.monotonic() - since >= _RESULT_AFTER_STATUS_S:
            return report
        return None


class Orders:
    """The orders of one connection."""

    def __init__(self, mapping: Mapping) -> None:
        self.mapping = mapping
        self.mail = Mail()
        self.silence = Silence(mapping.watchdog)
        skills: dict[str, Skill] = {str(verb): skill for verb, skill in mapping.skills.items()}
        if isinstance(mapping.start, Skill):
            skills[START] = mapping.start
        self.channels: Table[str, Channel] = {
            name: channel_of(skill, mapping.ros) for name, skill in skills.items()
        }

    def setup(self) -> list[Message]:
        """The messages to send once a connection is there, each once."""
        messages = [each for channel in self.channels.values() for each in channel.setup()]
        if self.mapping.stop is not None:
            messages.append(advertise(self.mapping.stop.topic, self.mapping.stop.type))
        messages += self.silence.setup()
        return [each for i, each in enumerate(messages) if each not in messages[:i]]

    def topics(self) -> list[tuple[str, str]]:
        """The topics that must exist, with their types."""
        topics = [each for channel in self.channels.values() for each in channel.topics()]
        for other in (self.mapping.watchdog, self.mapping.stop):
            if other is not None and other.topic is not None:
                topics.append((other.topic, other.type))
        return topics

    def read(self, message: Message) -> None:
        """Read a message. Raises LookupError, ValueError, TypeError if it is garbled."""
        self.silence.read(message)
        foreign: set[Heard] = set()
        mistake: Exception | None = None
        is_ours = False
        for name, channel in self.channels.items():  # several may share one action server
            try:
                for heard in channel.read(message):
                    owner = self.mail.sent.get(heard.order)
                    if owner == name:
                        self.silence.hear(heard.order)
                        self.mail.put(heard)
                        is_ours = True
                    elif owner is None and heard.report is not None and heard.is_final:
                        foreign.add(heard)
            except (LookupError, ValueError, TypeError, AttributeError) as error:
                mistake = error
        self.mail.counts["foreign"] += bool(foreign)
        if mistake is not None and not is_ours:
            raise mistake

    def cancel(self, connection: Connection, skill: str, order: str) -> None:
        """Cancel an order and stop the robot. Raises SimulatorDied if the connection is lost."""
        message = self.channels[skill].cancel(order)
        if message is not None:
            connection.send(message)
        if self.mapping.stop is not None:
            connection.send(publish(self.mapping.stop.topic, self.mapping.stop.fields))

    def carry_out(self, connection: Connection, skill: str, order: str, fields: Any) -> Report:
        """Send an order and wait for its report.

        The caller has written the order down: it may reach the robot as soon as this begins.
        Raises SimulatorDied if it cannot be known what the robot did.
        """
        channel = self.channels[skill]
        assert order not in self.mail.sent, "an order is sent once"
        self.mail.sent[order] = skill
        self.silence.begin(order)
        until = time.monotonic() + channel.skill.deadline_s
        connection.send(channel.order(order, fields))
        try:
            report = self._await(connection, order, until)
        except BaseException:  # also when the person interrupts the program
            with suppress(SimulatorDied):
                self.cancel(connection, skill, order)
            raise
        if report is not None:
            return report
        return self._cancelled(connection, skill, order, time.monotonic() >= until)

    def _await(self, connection: Connection, order: str, until: float) -> Report | None:
        """The report, or None once the deadline or the silence is over."""

        def is_over() -> bool:
            return self.mail.report(order) is not None or self.silence.is_over(order)

        self._wait(connection, is_over, until)
        report = self.mail.report(order)
        if report is None and connection.lost:
            raise SimulatorDied(f"{connection.lost} while the robot was acting")
        return report

    def _wait(self, connection: Connection, done: Callable[[], bool], until: float) -> None:
        """Wait for a condition that also time brings about."""
        while not connection.wait(done, min(until, time.monotonic() + _LOOK_S)):
            if connection.lost or time.monotonic() >= until:
                return

    def _cancelled(self, connection: Connection, skill: str, order: str, late: bool) -> Report:
        limits = self.channels[skill].skill
        seconds = limits.deadline_s if late else self.silence.limit_s
        why = f"{'no result' if late else 'no sign of life'} within {seconds:g} s"
        self.cancel(connection, skill, order)
        until = time.monotonic() + self.mapping.cancel_s
        self._wait(connection, lambda: self.mail.report(order) is not None, until)
        report = self.mail.report(order)
        if report is None:
            raise SimulatorDied(
                f"the robot does not answer: {why} of {limits.name}, and none of its cancel"
            )
        if report.ok:
            return report
        words = ": ".join(filter(None, (f"cancelled, {why}", report.words)))
        return Report(False, True, words)

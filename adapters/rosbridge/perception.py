"""What a robot's perception topics say: the newest message of each, read by the mapping's paths."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...errors import BadInput
from ...scene_graph.node import Relation, State
from ...skills.executor import SimulatorDied
from .channels import subscribe
from .connection import Connection, Message
from .fields import each_found, found
from .mapping import Mapping, Objects, Skill, Topic

#: Things in one message; a robot that sees more sends nonsense.
_MOST_THINGS = 1000
#: Messages of a topic after an action, of which the last one counts.
_FRESH = 2
_KEPT = (Relation.ON, Relation.INSIDE, Relation.UNDER)


@dataclass(frozen=True)
class SeenThing:
    """A thing that the robot sees."""

    name: str
    """The robot's name of it."""
    place: str
    """The robot's name of what keeps it."""
    category: str = ""
    """What it is; empty where the robot does not say."""
    relation: Relation | None = None
    """How its place keeps it; None where the robot does not say."""
    states: frozenset[State] = frozenset()
    """What the robot says of its condition."""


@dataclass(frozen=True)
class Sight:
    """What the robot perceives at one moment."""

    things: tuple[SeenThing, ...]
    """Every thing that it sees."""
    covers: tuple[str, ...] | None = None
    """The places that it looked at; None for where it stands."""
    location: str | None = None
    """The room or the furniture where it is; None where it does not say."""
    holding: tuple[str, ...] | None = None
    """What it holds; None where it does not say."""


class Perception:
    """The newest message of each perception topic. `read` runs in roslibpy's thread."""

    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping
        perception = mapping.perception
        self._topics: list[Topic] = [
            topic
            for topic in (perception.objects, perception.location, perception.gripper)
            if topic is not None
        ]
        if not isinstance(mapping.judge, str):
            self._topics.append(mapping.judge)
        self._newest: dict[str, Any] = {}
        self._counts: Counter[str] = Counter()

    def topics(self) -> list[tuple[str, str]]:
        """The topics that must be published, with their types."""
        return [(topic.topic, topic.type) for topic in self._topics]

    def setup(self) -> list[Message]:
        """The messages to send once a connection is there."""
        return [subscribe(topic, kind) for topic, kind in dict(self.topics()).items()]

    def read(self, message: Message) -> None:
        """Keep a message of one of the topics. Raises LookupError if it is garbled."""
        if message["op"] != "publish":
            return
        topic = message["topic"]
        of_it = [each for each in self._topics if each.topic == topic]
        if of_it:
            for each in of_it:
                self._check(each, message["msg"])
            self._newest[topic] = message["msg"]
            self._counts[topic] += 1

    def wait(self, connection: Connection) -> None:
        """Wait until two more messages of every topic have come.

        The first may have been on its way already; clocks of robot and computer may differ. Raises
        SimulatorDied where they do not come.
        """
        with connection.changed:
            before = self._counts.copy()
        seconds = self._mapping.perception.within_s
        until = time.monotonic() + seconds

        def silent() -> list[str]:
            counts = self._counts
            return [t.topic for t in self._topics if counts[t.topic] - before[t.topic] < _FRESH]

        if not connection.wait(lambda: not silent(), until):
            if connection.lost:
                raise SimulatorDied(connection.lost)
            raise SimulatorDied(
                f"nothing that can be read came on the topic {silent()[0]} within {seconds:g} s"
            )

    def sight(self) -> Sight:
        """What the newest messages say."""
        perception = self._mapping.perception
        objects = self._newest[perception.objects.topic]
        covers = location = holding = None
        if perception.objects.covers is not None:
            covers = tuple(map(str, each_found(objects, perception.objects.covers)))
        if perception.location is not None:
            message = self._newest[perception.location.topic]
            location = str(found(message, perception.location.place))
        if perception.gripper is not None:
            held = found(self._newest[perception.gripper.topic], perception.gripper.holding)
            names = held if isinstance(held, list) else [held]
            holding = tuple(str(name) for name in names if name)
        return Sight(tuple(_things(objects, perception.objects)), covers, location, holding)

    def is_done(self) -> bool:
        """What the judge's topic says."""
        judge = self._mapping.judge
        assert not isinstance(judge, str)
        return bool(found(self._newest[judge.topic], judge.done))

    def _check(self, topic: Topic, message: Any) -> None:
        """Raise LookupError, ValueError or TypeError for a message that cannot be read."""
        perception = self._mapping.perception
        if topic is perception.objects:
            list(_things(message, perception.objects))
            if perception.objects.covers is not None:
                list(each_found(message, perception.objects.covers))
        elif topic is perception.location:
            found(message, perception.location.place)
        elif topic is perception.gripper:
            found(message, perception.gripper.holding)
        elif not isinstance(self._mapping.judge, str):
            found(message, self._mapping.judge.done)


def _things(message: Any, paths: Objects) -> Iterable[SeenThing]:
    for number, item in enumerate(each_found(message, paths.list)):
        if number >= _MOST_THINGS:
            raise ValueError("too many things")
        relation = str(found(item, paths.relation)).lower() if paths.relation else ""
        states: list[State] = []
        for name in each_found(item, paths.states) if paths.states else ():
            with suppress(ValueError):  # a robot may say more than we know states for
                states.append(State(str(name).lower()))
        yield SeenThing(
            _text(found(item, paths.name)),
            _text(found(item, paths.place)),
            str(found(item, paths.category)) if paths.category else "",
            next((each for each in _KEPT if each == relation), None),
            frozenset(states),
        )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(value)
    return value[:200]


def check_names(
    mapping: Mapping, wanted: list[tuple[str, str]], topics: dict[str, str], services: set[str]
) -> None:
    """Raise BadInput for the first name of a mapping that the robot does not have.

    wanted: topics with their types. topics, services: what rosapi lists.
    """
    for topic, kind in wanted:
        if topic not in topics:
            raise BadInput(
                f"The robot has no topic {topic}{_near(topic, topics)}; correct the robot's file, "
                f"or start what publishes it."
            )
        there = topics[topic]
        if there and _short(there) != _short(kind):
            raise BadInput(
                f"The topic {topic} has the type {there}, not {kind}; correct the robot's file."
            )
    starting = [mapping.start] if isinstance(mapping.start, Skill) else []
    for skill in (*mapping.skills.values(), *starting):
        if skill.service is not None and skill.service not in services:
            raise BadInput(
                f"The robot has no service {skill.service}{_near(skill.service, services)}; "
                f"correct the robot's file, or start what offers it."
            )


def _near(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (there is {near[0]})" if near else ""


def _short(kind: str) -> str:
    """A type without "msg": "std_msgs/msg/String" of ROS 2 is "std_msgs/String" of ROS 1."""
    return kind.replace("/msg/", "/")

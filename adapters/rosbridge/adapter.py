"""The adapter `rosbridge`: a robot in a real room, driven through a rosbridge server.

There is no true state. The view comes from the robot's perception topics, names and furniture from
the scene file. Nothing is tried again by itself, and an order is sent once at most.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ... import plugins
from ...errors import BadInput
from ...observation_text.view import View, Visibility
from ...scene_graph.goal_evaluation import Progress, progress
from ...scene_graph.node import Kind
from ...scene_graph.task import Task
from ...skills.actions import HOUSEHOLD_VERBS, Action
from ...skills.embodiment import Embodiment
from ...skills.executor import SimulatorDied
from ...skills.outcomes import Failure, RawResult, Reason
from ..contract import STAND_IN, Adapter, AdapterSpec, Capability
from ..operator.desk import Desk
from ..operator.wording import ABOUT_PLACE, action_text
from ..scenes import load_scene
from . import connection, settings
from .channels import Report
from .dry_run import DryRobot
from .fields import NoValue, filled, filled_start, position_of
from .limits import forbidden
from .mapping import Skill
from .order_book import Entry, OrderBook
from .orders import START
from .person import Person
from .robot import Robot
from .room import Room


class RosbridgeAdapter(Adapter):
    """A robot. The settings name its mapping file."""

    spec = AdapterSpec(
        name="rosbridge",
        summary="your robot, through rosbridge: a YAML file maps skills to its ROS names",
        actions=HOUSEHOLD_VERBS,
        embodiment=Embodiment(hands=1),
        visibility=Visibility.CAMERA,
        capabilities=frozenset({Capability.JUDGE}),
        loaders=tuple(plugins.names("scene")),
        tested_on="fake robots behind rosbridge 0.11.17 (ROS 1) and a stand-in; never a robot",
        bounded=True,
        attended=True,
    )

    def __init__(self, desk: Desk | None = None) -> None:
        """Read the mapping. Raises BadInput for one that is wrong.

        desk: how a person is asked; by default as the settings say.
        """
        self.spec = self.configured_spec()
        self._mapping = settings.mapping()
        self._is_dry = settings.is_dry()
        self._robot = DryRobot(self._mapping) if self._is_dry else Robot(self._mapping)
        self._book = OrderBook()
        self._person = Person(desk)
        self._tries = 0
        self._left_over: list[Entry] = []
        """Tries that were written down and not recorded, which the planner will ask for again."""
        self._recalling = False
        self._task: Task | None = None
        self._room: Room | None = None

    @property
    def _asks_person(self) -> bool:
        return self._mapping.start == "operator" and not self._is_dry

    @classmethod
    def configured_spec(cls) -> AdapterSpec:
        if settings.chosen() is None:
            return cls.spec
        mapping = settings.mapping()
        return replace(
            cls.spec,
            actions=frozenset(mapping.skills),
            embodiment=Embodiment(hands=mapping.hands),
            attempt_s=mapping.attempt_s,
            reset_s=mapping.reset_s,
        )

    @classmethod
    def missing(cls) -> str | None:
        return connection.missing() or settings.missing()

    def keep(self, folder: Path) -> None:
        self._book = OrderBook(folder)
        if self._asks_person:
            self._person.keep(folder)
        self._tries = 0

    def reset(self, task: Task, seed: int) -> None:
        self._recalling = False
        self._left_over = []
        self._room = self._new_room(task)
        self._robot.connect()
        self._robot.enter(load_scene(task.scene))
        self._book.begin(self._tries, self._room.graph)
        if self._asks_person:
            self._person.prepare(task)
        elif isinstance(self._mapping.start, Skill):
            self._bring_to_start(self._mapping.start, task)
        unknown = self._look()
        if unknown:
            raise BadInput(
                f"The robot sees something at '{unknown[0]}', a place that the scene does not "
                f"have; name its places as the robot does."
            )

    def resume(self, task: Task, seed: int) -> None:
        self._room = self._new_room(task)
        self._robot.connect()
        self._robot.enter(load_scene(task.scene))
        self._recalling, self._task = True, task
        self._person.recall()

    def recall(self, task: Task, action: Action | None) -> None:
        if action is None:
            self._person.recall()
            self._robot.enter(load_scene(task.scene))
            return
        entry = next(iter(self._book.entries[self._tries :]), None)
        self._tries += 1
        if entry is None or (entry.result is not None and entry.result.success):
            self._robot.did(action)

    def attempt(self, action: Action, variation: int) -> RawResult:
        self._go_on()
        room = self._in_room()
        number, self._tries = self._tries, self._tries + 1
        left_over = self._left_over.pop(0) if self._left_over else None
        if left_over is not None and left_over.order and left_over.action == action:
            return self._end_of(left_over)
        self._left_over = []
        failure = self._refusal(action)
        order = f"peephole-{uuid.uuid4().hex[:12]}"
        fields: Any = None
        words = ""
        if failure is None:
            skill = self._mapping.skills[action.verb]
            speed = skill.speed or self._mapping.limits.speed
            try:
                fields = filled(skill.fields, action, room.graph, order, speed)
            except NoValue as error:
                failure, words = Failure(Reason.UNREACHABLE, error.thing), str(error)
        if failure is not None:
            entry = self._book.send(number, action, "")
            result = RawResult(failure, words)
            self._book.end(entry, result, room.graph)
            return result
        entry = self._book.send(number, action, order)
        report = self._robot.carry_out(str(action.verb), order, fields)
        return self._ended(entry, self._failure(action, report), report.words)

    def graph(self) -> None:
        return None

    def view(self) -> View:
        self._go_on()
        return self._in_room().view()

    def judge(self, task: Task) -> Progress | None:
        self._go_on()
        if self._is_dry or self._mapping.judge == "perceived":
            return progress(task.goal, self._in_room().graph)
        return Progress(float(self._robot.is_done()), ())

    def close(self) -> None:
        self._robot.close()

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "robot": self._mapping.name,
            "ros": self._mapping.ros,
            "mapping": self._mapping.model_dump(mode="json", exclude_defaults=True),
        }
        with suppress(SimulatorDied, BadInput):
            self._robot.connect()
        if self._is_dry:
            facts[STAND_IN] = "a dry run: nothing was sent, and every action worked by the rules"
        elif self._robot.is_stand_in:
            facts[STAND_IN] = "a fake robot behind a stand-in of the rosbridge server"
        return facts

    def _go_on(self) -> None:
        """End the recalling of a continued episode: the room is as it is after the last try."""
        if not self._recalling:
            return
        self._recalling = False
        room = self._in_room()
        known = self._book.graph_after(self._tries)
        if known is not None:
            room.restore(known)
        self._left_over = self._book.entries[self._tries :]
        begun = [each for each in self._left_over if each.order and each.result is None]
        for entry in begun:
            self._robot.cancel(str(entry.action.verb), entry.order)
        if self._asks_person and self._task is not None:
            pending = action_text(begun[-1].action, room.graph) if begun else ""
            self._person.confirm(self._task, room.graph, pending)
        self._look()

    # --- parts ------------------------------------------------------------------------------------

    def _in_room(self) -> Room:
        assert self._room is not None, "reset comes first"
        return self._room

    def _new_room(self, task: Task) -> Room:
        self.scene_of(task)
        room = Room(load_scene(task.scene), self.spec.embodiment)
        if self._mapping.limits.workspace is not None:
            for node in room.graph.nodes(Kind.FIXTURE):
                if position_of(room.graph, node.id) is None:
                    raise BadInput(
                        f"The workspace cannot be checked: '{node.native_id}' of the scene has no "
                        f"position; give it one in the scene, or leave limits.workspace out."
                    )
        return room

    def _bring_to_start(self, start: Skill, task: Task) -> None:
        order = f"peephole-{uuid.uuid4().hex[:12]}"
        report = self._robot.carry_out(START, order, filled_start(start.fields, order, task))
        if not report.ok:
            raise SimulatorDied(
                f"the robot could not go to the start: {report.words or 'no words'}"
            )

    def _refusal(self, action: Action) -> Failure | None:
        """Why an action is kept from the robot, or None."""
        room = self._in_room()
        if action.verb not in self._mapping.skills:
            return Failure(Reason.NOT_SUPPORTED)
        for thing in action.things:
            if thing not in room.graph:
                return Failure(Reason.UNKNOWN, thing)
        failure = forbidden(self._mapping.limits, action, room.graph)
        if failure is None and self._mapping.check_rules:
            failure = room.check(action)
        return failure

    def _failure(self, action: Action, report: Report) -> Failure | None:
        """The typed failure of a report."""
        if report.ok:
            return None
        if report.is_unknown:
            return Failure(Reason.NOT_CONFIRMED, action.target)
        reasons = self._mapping.skills[action.verb].result.reasons
        named = next((r for words, r in reasons.items() if words in report.words), None)
        if named is not None:
            is_about_place = named in ABOUT_PLACE and action.place is not None
            return Failure(named, action.place if is_about_place else action.target)
        return Failure(Reason.STOPPED if report.cancelled else Reason.REFUSED, action.target)

    def _ended(self, entry: Entry, failure: Failure | None, words: str) -> RawResult:
        room = self._in_room()
        if failure is None:
            room.apply(entry.action)
            self._robot.did(entry.action)
        result = RawResult(failure, "; ".join(filter(None, (words, *self._robot.notes()))))
        self._book.end(entry, result, room.graph)
        unknown = self._look()
        if unknown:
            seen = f"left out what was seen at unknown places: {', '.join(unknown)}"
            result = replace(result, message="; ".join(filter(None, (result.message, seen))))
        return result

    def _end_of(self, entry: Entry) -> RawResult:
        """The end of an order that was sent before the program was interrupted."""
        if entry.result is None:
            failure = Failure(Reason.NOT_CONFIRMED, entry.action.target)
            return self._ended(entry, failure, "sent before an interruption; its end is unknown")
        if entry.graph is not None:
            self._in_room().restore(entry.graph)
        if entry.result.success:
            self._robot.did(entry.action)
        self._look()
        return entry.result

    def _look(self) -> list[str]:
        return self._in_room().see(self._robot.look())

"""The person beside a robot, who brings the room to the start of a task and confirms its state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import BadInput
from ...scene_graph.graph import SceneGraph
from ...scene_graph.task import Task
from ..operator.answers import AnswerLog
from ..operator.desk import Desk, ask_and_keep
from ..operator.questions import Confirm, Criterion, Prepare, Question
from ..operator.room_scene import LOADER, RoomScene, room_and_task
from ..operator.settings import open_desk
from ..operator.wording import known_lines, preparations
from ..scenes import split_scene


class Person:
    """Asks at the desk of the adapter `operator`, and nothing twice. Tasks are of room files."""

    def __init__(self, desk: Desk | None = None) -> None:
        """desk: how the person is asked; by default as the settings say."""
        self._desk = desk
        self._log = AnswerLog(None)
        self._trial = 0

    def keep(self, folder: Path) -> None:
        """Keep the answers of an episode in a folder of the run."""
        self._log = AnswerLog(folder)
        self._trial = 0

    def prepare(self, task: Task) -> None:
        """Have the room brought to the start of a trial of a task.

        Raises SimulatorDied if the person leaves.
        """
        room, room_task = _of_room(task)
        lines = preparations(RoomScene(room).start(room_task), ())
        self._trial += 1
        self._ask(Prepare(**self._every(task), lines=lines, trial=self._trial))

    def recall(self) -> None:
        """Take notice that a trial was prepared before an interruption."""
        self._trial += 1

    def confirm(self, task: Task, known: SceneGraph, pending: str) -> None:
        """Have the state of the room confirmed after an interruption.

        pending: the action that the robot had begun; empty for none.
        """
        lines = known_lines(known, known.agent().id)
        self._ask(Confirm(**self._every(task), lines=lines, pending=pending))

    def _every(self, task: Task) -> dict[str, Any]:
        room, room_task = _of_room(task)
        criteria = (
            Criterion(text=text, holds=False) for text in RoomScene(room).criteria(room_task)
        )
        return {
            "episode": self._log.episode,
            "number": self._trial,
            "instruction": room_task.instruction,
            "step": 0,
            "step_limit": 0,
            "criteria": tuple(criteria),
        }

    def _ask(self, question: Question) -> None:
        if self._log.answer_to(question) is not None:
            return
        if self._desk is None:
            self._desk = open_desk()
        ask_and_keep(self._desk, self._log, question)


def _of_room(task: Task) -> Any:
    loader, reference = split_scene(task.scene)
    if loader != LOADER:
        raise BadInput(
            f"A person can prepare rooms of a room file only, not the scene '{task.scene}'; play "
            f"--suite room, or change 'start' in the robot's file."
        )
    return room_and_task(reference)

"""A person by rules: acts in the built-in world, tells what is there, and judges by the goal.

Its room is that of a room file. With a memory file it stays as it is when the program is killed,
like a real room, and the person remembers what it answered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....data_files import draft_of, json_data, json_text
from ....errors import BadInput
from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Event, conjuncts
from ....scene_graph.graph import SceneGraph
from ....scene_graph.json_codec import graph_from_data, graph_to_data
from ....scene_graph.node import Kind
from ....skills.actions import WITHOUT_TARGET, Action
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ....skills.events import events_of
from ....skills.outcomes import Reason
from ..person_graph import states_of
from ..questions import (
    KEPT,
    Answer,
    Confirm,
    Confirmed,
    Do,
    Done,
    Failed,
    Look,
    Prepare,
    Question,
    Ready,
    Seen,
    Sighting,
    answer_from_json,
)
from ..room_file import RoomTask, read_room
from ..room_scene import RoomScene


class RulePerson:
    """A desk at which rules answer."""

    def __init__(self, room: Path, memory: Path | None = None) -> None:
        """room: its file. memory: a file that survives an interruption.

        Raises BadInput for a malformed file.
        """
        self._scene = RoomScene(read_room(room))
        self._memory = memory
        self._task: RoomTask | None = None
        self._graph = SceneGraph()
        self._happened: list[Event] = []
        self._given: dict[str, str] = {}  # answers by question
        if memory is not None and memory.exists():
            self._remember(json_data(memory.read_text(encoding="utf-8")))

    def ask(self, question: Question) -> Answer:
        given = self._given.get(question.digest)
        if given is not None:  # asked again: what was done is not done a second time
            return answer_from_json(given)
        answer = self._answer(question)
        self._given[question.digest] = answer.model_dump_json()
        self._write_memory()
        return answer

    def kept(self, question: Question) -> None:
        """Nobody reads it."""

    def close(self) -> None:
        """There is nothing to close."""

    def _answer(self, question: Question) -> Answer:
        if self._task is None and not isinstance(question, Prepare):
            raise BadInput(
                "The stand-in of the person has lost its room with the program; start a new run, "
                "and add memory=FILE."
            )
        match question:
            case Prepare():
                self._prepare(question)
                return Ready(criteria=self._criteria())
            case Do():
                reason = self._do(question)
                criteria = self._criteria()
                if reason is None:
                    return Done(criteria=criteria)
                return Failed(criteria=criteria, reason=reason)
            case Look():
                return Seen(criteria=self._criteria(), sightings=self._sightings(question))
            case Confirm():
                return Confirmed(criteria=self._criteria())

    def _prepare(self, question: Prepare) -> None:
        tasks = self._scene.room.tasks
        found = [task for task in tasks if task.instruction == question.instruction]
        if not found:
            raise BadInput(
                f"The room file of the stand-in has no task '{question.instruction}'; set room= to "
                f"the file of --data."
            )
        if len(found) > 1:
            raise BadInput(
                f"{len(found)} tasks have the instruction '{question.instruction}', and the "
                f"stand-in reads nothing else; word them differently."
            )
        self._task = found[0]
        self._graph = self._scene.start(self._task)
        self._happened = []

    def _do(self, question: Do) -> Reason | None:
        """Carry out an action; the reason where it does not work."""
        target = None if question.thing is None else self._scene.ids[question.thing]
        place = None if question.place is None else self._scene.ids[question.place]
        needs_target = question.verb not in WITHOUT_TARGET
        action = Action(question.verb, target if needs_target else None, question.relation, place)
        before = self._graph.copy()
        failure = step(self._graph, action, Embodiment(hands=2))
        if failure is None:
            self._happened += events_of(before, action, len(self._happened) + 1)
            return None
        offered = {each.reason for each in question.reasons}
        return failure.reason if failure.reason in offered else Reason.REFUSED

    def _sightings(self, question: Look) -> tuple[Sighting, ...]:
        found: list[Sighting] = []
        for place in question.places:
            node_id = self._scene.ids[place.label]
            node = self._graph[node_id]
            told = tuple(state for state in states_of(node) if state in node.states)
            if told:
                found.append(Sighting(thing=place.label, states=told))
            if place.relations:
                found += self._contents(node_id)
        return tuple(found)

    def _contents(self, place: int) -> list[Sighting]:
        found: list[Sighting] = []
        graph = self._graph
        for relation, thing in graph.incoming(place):
            node = graph[thing]
            hidden = graph.closed_around(thing) is not None
            if relation not in KEPT or node.kind is not Kind.OBJECT or hidden:
                continue
            told = tuple(state for state in states_of(node) if state in node.states)
            found.append(
                Sighting(
                    thing=str(node.native_id),
                    relation=KEPT[relation],
                    place=str(graph[place].native_id),
                    states=told,
                )
            )
            found += self._contents(thing)
        return found

    def _criteria(self) -> tuple[bool, ...]:
        """Each criterion by its part of the goal, or all by the whole goal."""
        assert self._task is not None
        goal, texts = self._scene.goal(self._task), self._scene.criteria(self._task)
        parts = tuple(conjuncts(goal))
        if len(parts) != len(texts):
            parts = (goal,) * len(texts)
        return tuple(satisfied(part, self._graph, self._happened) for part in parts)

    # --- memory ------------------------------------------------------------------------------

    def _write_memory(self) -> None:
        if self._memory is None:
            return
        data = {
            "task": None if self._task is None else self._task.name,
            "graph": graph_to_data(self._graph),
            "happened": [[e.name, list(e.things), e.step] for e in self._happened],
            "given": self._given,
        }
        with draft_of(self._memory) as draft:
            draft.write_text(json_text(data), encoding="utf-8")

    def _remember(self, data: Any) -> None:
        self._task = None if data["task"] is None else self._scene.room.task(data["task"])
        self._graph = graph_from_data(data["graph"])
        self._happened = [Event(name, tuple(things), at) for name, things, at in data["happened"]]
        self._given = data["given"]

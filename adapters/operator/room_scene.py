"""A room file as a scene graph, and the goals of its tasks: the scene loader `room`.

"room:lab.yaml;heat_food" is the room at the start of a task, "room:lab.yaml?map" what a map of it
shows. Ids follow the order of the file, which says nothing about places; `native_id` is the label.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import BadInput, unknown_name
from ...scene_graph.goal_codec import goal_from_data
from ...scene_graph.goal_text import describe
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    Goal,
    HasState,
    Related,
    conjuncts,
)
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, Pose, Relation, State
from ...scene_graph.task import ONLY_A_PERSON_JUDGES
from .formula import with_terms
from .room_file import (
    Condition,
    Furniture,
    RoomFile,
    RoomTask,
    Thing,
    category_of,
    category_of_label,
    read_room,
    split_place,
)

LOADER = "room"
TASK, MAP = ";", "?map"

_AGENT_ID = 1
_STATES = frozenset(map(str, State))


def task_scene(path: Path, task: str) -> str:
    """The scene of a task of a file."""
    return f"{LOADER}:{path}{TASK}{task}"


def map_scene(path: Path) -> str:
    """The scene of a map of a file."""
    return f"{LOADER}:{path}{MAP}"


def room_and_task(reference: str) -> tuple[RoomFile, RoomTask]:
    """The file and the task of a reference like "lab.yaml;heat_food". Raises BadInput."""
    path, sign, name = reference.partition(TASK)
    if not sign:
        raise BadInput(f"The scene 'room:{reference}' names no task; give room:FILE;TASK.")
    room = read_room(Path(path))
    try:
        return room, room.task(name)
    except KeyError:
        raise unknown_name(f"task in {path}", name, [task.name for task in room.tasks]) from None


def load(reference: str) -> SceneGraph:
    """The scene of a reference, for rules. Raises BadInput where rules cannot judge the task."""
    if reference.endswith(MAP):
        return RoomScene(read_room(Path(reference.removesuffix(MAP)))).map()
    room, task = room_and_task(reference)
    scene = RoomScene(room)
    if scene.goal(task) == ONLY_A_PERSON_JUDGES:
        raise BadInput(
            f"The task '{task.name}' has criteria and no goal, so that only a person can judge it; "
            f"play it with --adapter operator, or give it a goal in the room file."
        )
    return scene.start(task)


class RoomScene:
    """The graphs and goals of a room file. ids: of everything in it, by label."""

    def __init__(self, room: RoomFile) -> None:
        self.room = room
        labels = (*room.rooms, *(part.name for part in room.parts))
        self.ids: dict[str, int] = {label: i for i, label in enumerate(labels, _AGENT_ID + 1)}

    def empty(self, task: RoomTask) -> SceneGraph:
        """The rooms and furniture at the start of a task, with the robot and without things."""
        room = self.room
        graph = SceneGraph([Node(_AGENT_ID, "robot", Kind.AGENT, "robot")])
        for label in room.rooms:
            category = category_of_label(label)
            graph.add_node(Node(self.ids[label], category, Kind.ROOM, label))
        for part in room.furniture:
            graph.add_node(self.node(part, task))
        for part in room.furniture:
            at = part.at or f"in {part.room}"
            self._put(graph, part.name, at)
        graph.add_edge(_AGENT_ID, Relation.INSIDE, self.ids[task.robot or room.robot])
        return graph

    def start(self, task: RoomTask) -> SceneGraph:
        """The whole room at the start of a task."""
        graph = self.empty(task)
        for thing in self.room.things:
            graph.add_node(self.node(thing, task))
        for thing in self.room.things:
            self._put(graph, thing.name, task.start.get(thing.name, thing.at))
        return graph

    def map(self) -> SceneGraph:
        """What a map shows: rooms, furniture, and the things that it has."""
        graph = self.empty(RoomTask(name="map", instruction="-", criteria=("-",)))
        mapped = [thing for thing in self.room.things if thing.mapped]
        for thing in mapped:
            graph.add_node(self.node(thing))
        for thing in mapped:
            if self.ids[split_place(thing.mapped)[1]] in graph:
                self._put(graph, thing.name, thing.mapped)
            else:  # on something that the map does not have
                graph.remove_node(self.ids[thing.name])
        return graph

    def node(self, part: Furniture | Thing, task: RoomTask | None = None) -> Node:
        """The node of a piece of furniture or a thing at the start of a task."""
        words = self.room.words_of(part)
        node = Node(
            self.ids[part.name],
            category_of(part),
            Kind.FIXTURE if isinstance(part, Furniture) else Kind.OBJECT,
            part.name,
            frozenset(State(word) for word in words & _STATES),
            frozenset(Affordance(word) for word in words - _STATES),
        )
        if isinstance(part, Furniture) and part.position is not None:
            node = replace(node, pose=Pose(part.position))
        changed = () if task is None else task.states.get(part.name, ())
        for state in (*part.states, *changed):
            node = node.having(state)
        return node

    def _put(self, graph: SceneGraph, label: str, at: str) -> None:
        relation, place = split_place(at)
        graph.add_edge(self.ids[label], relation, self.ids[place])

    # --- goals -------------------------------------------------------------------------------

    def goal(self, task: RoomTask) -> Goal:
        """The goal of a task; ONLY_A_PERSON_JUDGES where it has none. Raises BadInput."""
        if task.formula is not None:
            data = with_terms(task.formula, self._id_of)
            return goal_from_data(data, f"the formula of the task '{task.name}'")
        parts = tuple(map(self._condition, task.goal))
        if not parts:
            return ONLY_A_PERSON_JUDGES
        return parts[0] if len(parts) == 1 else And(parts)

    def criteria(self, task: RoomTask) -> tuple[str, ...]:
        """The written criteria of a task, or those that follow from its goal."""
        if task.criteria:
            return task.criteria
        labels = {node_id: label for label, node_id in self.ids.items()}

        def name(node_id: int) -> str:
            return "the robot" if node_id == _AGENT_ID else the(labels[node_id])

        texts = [describe(part, name) for part in conjuncts(self.goal(task))]
        return tuple(f"{text[:1].upper()}{text[1:]}." for text in texts)

    def _condition(self, condition: Condition) -> Goal:
        term: int | str = self.ids[condition.thing] if condition.thing else "thing"
        parts: list[Goal] = []
        if condition.event:
            parts.append(EventOccurred((condition.event,), (term,)))
        if condition.at:
            relation, place = split_place(condition.at)
            parts.append(Related(term, relation, self.ids[place]))
        if condition.state is not None:
            parts.append(HasState(term, condition.state))
        body = parts[0] if len(parts) == 1 else And(tuple(parts))
        if condition.thing:
            return body
        some = Domain(frozenset({condition.any}))
        if condition.count == 1:
            return Exists("thing", some, body)
        return AtLeast(condition.count, "thing", some, body)

    def _id_of(self, label: Any) -> int:
        if label == "robot":
            return _AGENT_ID
        if not isinstance(label, str) or label not in self.ids:
            raise unknown_name("label in the room file", str(label), self.ids)
        return self.ids[label]


def the(label: str) -> str:
    """A label with its article, which names do without: "the fridge", "Andrew's desk"."""
    return label if label[:1].isupper() else f"the {label}"


def as_typed(label: str, node_id: int) -> Node:
    """The node of a thing that the file does not have and a person typed."""
    graspable = frozenset({Affordance.GRASPABLE})
    category = category_of_label(label)
    return replace(Node(node_id, category, Kind.OBJECT, label), affordances=graspable)


def labels_of(graph: SceneGraph) -> Iterator[tuple[str, int]]:
    """Each label with its id."""
    return ((str(node.native_id), node.id) for node in graph.nodes())

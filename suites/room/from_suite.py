"""A room file from the tasks of any suite: the room to build, and criteria by the goals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ...adapters.operator.formula import with_terms
from ...adapters.operator.room_file import (
    FURNITURE_KIND,
    PREPOSITIONS,
    THING_KIND,
    Furniture,
    RoomFile,
    RoomTask,
    Thing,
    category_of_label,
)
from ...adapters.operator.room_scene import RoomScene
from ...adapters.scenes import load_scene
from ...errors import BadInput
from ...observation_text.view import innermost_place
from ...scene_graph.goal_codec import goal_to_data
from ...scene_graph.goals import Goal, HasState, Related, conjuncts
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, Relation
from ...scene_graph.rules import Budgets
from ...scene_graph.task import Task
from ..contract import Suite

#: The kinds that a room file need not describe.
_USUAL = {Kind.FIXTURE: FURNITURE_KIND, Kind.OBJECT: THING_KIND}
_NAMED = re.compile(r"\{(\d+)\}")


def room_of(suite: Suite, tasks: Sequence[Task]) -> RoomFile:
    """The room in which some tasks of a suite are set.

    Raises BadInput where they are set in several, and where a person could not arrange it.
    """
    scenes = {task.base_scene for task in tasks}
    if len(scenes) != 1:
        raise BadInput(
            f"These tasks of {suite.name} are set in {len(scenes)} scenes; choose tasks of one "
            f"with --tasks."
        )
    return _Writer(suite, [(task, load_scene(task.scene)) for task in tasks]).room()


class _Writer:
    def __init__(self, suite: Suite, tasks: Sequence[tuple[Task, SceneGraph]]) -> None:
        self._suite = suite
        self._tasks = tasks
        self._first = tasks[0][1]
        nodes: dict[int, Node] = {}
        self._home: dict[int, SceneGraph] = {}  # the first graph that has a node
        for _, graph in tasks:
            for node in graph.nodes():
                if node.kind in (Kind.ROOM, Kind.FIXTURE, Kind.OBJECT):
                    nodes.setdefault(node.id, node)
                    self._home.setdefault(node.id, graph)
        self._nodes = nodes
        self._labels = _labels(list(nodes.values()), self._room_of)
        self._map = load_scene(tasks[0][0].map) if tasks[0][0].map else self._first
        self._kinds = self._all_kinds()

    def room(self) -> RoomFile:
        """The whole file."""
        first = self._first
        start = first.room_of(first.agent().id)
        if start is None:
            raise BadInput(f"In the scene {self._tasks[0][0].scene} the agent is in no room.")
        rooms = [n for n in self._nodes.values() if n.kind is Kind.ROOM]
        fixtures = [n for n in self._nodes.values() if n.kind is Kind.FIXTURE]
        things = [n for n in self._nodes.values() if n.kind is Kind.OBJECT]
        data = {
            "version": 1,
            "name": f"from the suite {self._suite.name}",
            "rooms": [self._labels[node.id] for node in rooms],
            "robot": self._labels[start],
            "steps": self._steps(self._tasks[0][0]).steps,
            "ends": str(self._suite.rules.ends),
            "kinds": {category: " ".join(words) for category, words in self._kinds.items()},
            "furniture": [self._furniture(node) for node in fixtures],
            "things": [self._thing(node) for node in things],
            "tasks": [self._task(task, graph) for task, graph in self._tasks],
        }
        return RoomFile.model_validate(data)

    def _steps(self, task: Task) -> Budgets:
        return task.budgets or self._suite.budgets

    def _all_kinds(self) -> dict[str, list[str]]:
        """Affordances and common states by category, with what places need to keep things."""
        kinds: dict[str, list[str]] = {}
        for category in sorted({node.category for node in self._nodes.values()}):
            alike = [node for node in self._nodes.values() if node.category == category]
            if alike[0].kind is Kind.ROOM:
                continue
            can = {affordance for node in alike for affordance in node.affordances}
            for _, graph in self._tasks:
                for node in alike:
                    if node.id in graph:
                        can |= _needed_to_keep(graph, node.id)
            states = frozenset.intersection(*(node.states for node in alike))
            words = [*sorted(map(str, can)), *sorted(map(str, states))]
            if words != [_USUAL.get(alike[0].kind)] or len({node.kind for node in alike}) > 1:
                kinds[category] = words
        return kinds

    def _room_of(self, node_id: int) -> Node | None:
        room = self._home[node_id].room_of(node_id)
        return None if room is None else self._nodes[room]

    def _shared(self, node: Node) -> dict[str, object]:
        label = self._labels[node.id]
        usual = self._kinds.get(node.category, ())
        data: dict[str, object] = {"name": label}
        if category_of_label(label) != node.category:
            data["category"] = node.category
        states = sorted(str(state) for state in node.states if str(state) not in usual)
        if states:
            data["states"] = states
        return data

    def _furniture(self, node: Node) -> Furniture:
        graph = self._home[node.id]
        room = graph.room_of(node.id)
        if room is None:
            raise BadInput(f"The {node.category} ({node.id}) stands in no room.")
        data = {**self._shared(node), "room": self._labels[room]}
        place = innermost_place(graph, node.id)
        on_another = place is not None and place[1] != room and place[1] in self._labels
        if place is not None and on_another and place[0] in PREPOSITIONS:
            data["at"] = f"{PREPOSITIONS[place[0]]} {self._labels[place[1]]}"
        return Furniture.model_validate(data)

    def _thing(self, node: Node) -> Thing:
        data = {**self._shared(node), "at": self._place(self._home[node.id], node.id)}
        if node.id in self._map and self._map.places(node.id):
            data["mapped"] = self._place(self._map, node.id)
        return Thing.model_validate(data)

    def _place(self, graph: SceneGraph, node_id: int) -> str:
        """Where a thing is. What is held or worn lies in the room of its holder."""
        place = innermost_place(graph, node_id)
        if place is None or place[1] not in self._labels:
            room = graph.room_of(node_id)
            if room is None:
                raise BadInput(f"The {graph[node_id].category} ({node_id}) is in no room.")
            place = (Relation.INSIDE, room)
        relation = place[0] if place[0] in PREPOSITIONS else Relation.ON
        return f"{PREPOSITIONS[relation]} {self._labels[place[1]]}"

    def _task(self, task: Task, graph: SceneGraph) -> RoomTask:
        data: dict[str, object] = {
            "name": re.sub(r"[^A-Za-z0-9_./-]+", "-", task.id),
            "instruction": _NAMED.sub(lambda found: self._label(int(found[1])), task.instruction),
        }
        data |= self._goal(task.goal)
        moved = {}
        states: dict[str, list[str]] = {}
        for node in graph.nodes():
            if node.id not in self._labels or node.kind is Kind.ROOM:
                continue
            label, home = self._labels[node.id], self._home[node.id]
            if node.kind is Kind.OBJECT:
                at = self._place(graph, node.id)
                if at != self._place(home, node.id):
                    moved[label] = at
            had = home[node.id]
            if node.states == had.states:
                continue
            for state in sorted(node.states - had.states):
                states.setdefault(label, []).append(str(state))
                had = had.having(state)
            if had.states != node.states:
                raise BadInput(
                    f"A state that '{label}' has otherwise is missing in the task {task.id}, which "
                    f"a room file cannot say; choose that task alone with --tasks."
                )
        room = graph.room_of(graph.agent().id)
        begins = self._first.room_of(self._first.agent().id)
        if room is not None and room != begins:
            data["robot"] = self._labels[room]
        if moved:
            data["start"] = moved
        if states:
            data["states"] = states
        if self._steps(task).steps != self._steps(self._tasks[0][0]).steps:
            data["steps"] = self._steps(task).steps
        if task.labels.get("category"):
            data["category"] = task.labels["category"]
        return RoomTask.model_validate(data)

    def _goal(self, goal: Goal) -> dict[str, object]:
        """A goal as conditions where it is a list of them, else as a formula."""
        conditions: list[dict[str, object]] = []
        for part in conjuncts(goal):
            match part:
                case HasState(int(thing), state):
                    conditions.append({"thing": self._label(thing), "state": str(state)})
                case Related(int(thing), relation, int(place), False) if relation in PREPOSITIONS:
                    at = f"{PREPOSITIONS[relation]} {self._label(place)}"
                    conditions.append({"thing": self._label(thing), "at": at})
                case _:
                    return {"formula": with_terms(goal_to_data(goal), self._term)}
        return {"goal": conditions}

    def _term(self, term: object) -> object:
        return self._label(term) if isinstance(term, int) else term

    def _label(self, node_id: int) -> str:
        if node_id in self._labels:
            return self._labels[node_id]
        if node_id == self._first.agent().id:
            return "robot"
        raise BadInput(f"A task names the node {node_id}, which its scene does not have.")


def _needed_to_keep(graph: SceneGraph, place: int) -> set[Affordance]:
    """What a place has to afford for what it keeps."""
    needed = set()
    for relation, thing in graph.incoming(place):
        is_object = graph[thing].kind is Kind.OBJECT
        if relation is Relation.ON or (relation is Relation.ATTACHED and is_object):
            needed.add(Affordance.SURFACE)
        elif relation is Relation.INSIDE:
            needed.add(Affordance.CONTAINER)
    return needed


def _labels(nodes: Sequence[Node], room_of: Callable[[int], Node | None]) -> dict[int, str]:
    """Labels by id. Of several that are alike, furniture is called by its room, things by number.

    room_of: the room of a node.
    """
    count = Counter(node.category for node in nodes)
    names: dict[int, str] = {}
    for node in (each for each in nodes if each.kind is Kind.ROOM):
        names[node.id] = node.category
    _number(names)
    labels = dict(names)
    for node in (each for each in nodes if each.kind is not Kind.ROOM):
        room = room_of(node.id) if node.kind is Kind.FIXTURE else None
        several = count[node.category] > 1 and room is not None
        labels[node.id] = f"{names[room.id]} {node.category}" if several and room else node.category
    _number(labels)
    return labels


def _number(labels: dict[int, str]) -> None:
    """Number what is called alike."""
    count, given = Counter(labels.values()), Counter[str]()
    for node_id, label in labels.items():
        if count[label] > 1:
            given[label] += 1
            labels[node_id] = f"{label} {given[label]}"


def with_criteria(room: RoomFile) -> RoomFile:
    """The file with written criteria, which a person may reword."""
    scene = RoomScene(room)
    tasks = tuple(task.model_copy(update={"criteria": scene.criteria(task)}) for task in room.tasks)
    return room.model_copy(update={"tasks": tasks})

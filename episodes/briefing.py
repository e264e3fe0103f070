"""The brief that a planner gets before it starts, as far as its grants allow."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from ..adapters.scenes import load_scene
from ..errors import BadInput
from ..observation_text.names import Names
from ..planners.contract import Brief, Grant, Thing
from ..scene_graph.goals import Goal, named_ids
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Kind, Node
from ..scene_graph.task import Task
from .world import Moment

_Name = Callable[[int], str]


class Briefing:
    """What a planner is granted of a task, read from the moment in which the episode begins.

    known: nodes that it knows without having seen them, from a map or an inventory. rooms: all
    rooms, which every planner knows. named: nodes that get a name before they are seen although
    nothing else is known of them. These are the nodes of the goal and, with the true state, all
    nodes.
    """

    def __init__(self, task: Task, start: Moment, grants: frozenset[Grant]) -> None:
        """Raises BadInput where the world cannot give what is granted."""
        self._task = task
        self._start = start
        self._grants = grants
        self._map: SceneGraph | None = None
        if Grant.MAP in grants:
            self._map = load_scene(task.map) if task.map else self._source(Grant.MAP).copy()
        known: dict[int, Node] = {}
        if self._map is not None:
            known.update((node.id, node) for node in self._map.nodes())
        for kind, grant in ((Kind.FIXTURE, Grant.FIXTURES), (Kind.OBJECT, Grant.INVENTORY)):
            if grant in grants:
                known.update((node.id, node) for node in self._source(grant).nodes(kind))
        self.known: tuple[Node, ...] = tuple(known.values())
        nodes = start.view.graph if start.truth is None else start.truth
        self.rooms: tuple[Node, ...] = tuple(nodes.nodes(Kind.ROOM))
        self.named: tuple[Node, ...] = ()
        if Grant.GOAL in grants:
            ids = named_ids(granted_goal(task, grants))
            self.named += tuple(nodes[i] for i in sorted(ids) if i in nodes)
        if Grant.TRUTH in grants:
            self.named += tuple(nodes.nodes())

    def completed(self, brief: Brief, name: _Name) -> Brief:
        """The brief with all that is granted of the world.

        brief: with the seed of the episode. name: the name of a node.
        """
        task, view = self._task, self._start.view
        goal = granted_goal(task, self._grants) if Grant.GOAL in self._grants else None
        nodes = view.graph if self._start.truth is None else self._start.truth
        return replace(
            brief,
            seed=planner_seed(brief.seed, task.id),
            rooms=tuple(_thing(node, name) for node in self.rooms),
            goal=goal,
            goal_things=None
            if goal is None
            else {i: _thing(nodes[i], name) for i in sorted(named_ids(goal)) if i in nodes},
            ambiguous=goal is not None and goal is not task.goal,
            fixtures=self._things(Kind.FIXTURE, Grant.FIXTURES, name),
            inventory=self._things(Kind.OBJECT, Grant.INVENTORY, name),
            map=self._map,
        )

    def _things(self, kind: Kind, grant: Grant, name: _Name) -> tuple[Thing, ...] | None:
        if grant not in self._grants:
            return None
        source = self._source(grant)
        room_of = source.room_of if kind is Kind.FIXTURE else lambda _: None
        # a simulator may list things by where they are
        nodes = sorted(source.nodes(kind), key=lambda node: node.id)
        return tuple(_thing(node, name, room_of(node.id)) for node in nodes)

    def _source(self, grant: Grant) -> SceneGraph:
        """The graph that furniture and names are read from: the true state, else the map."""
        if self._start.truth is not None:
            return self._start.truth
        if self._task.map:
            return load_scene(self._task.map)
        raise BadInput(
            f"The planner is granted '{grant}', which nobody knows of the task {self._task.id}: "
            f"its world has no true state to read, and it has no map."
        )


def _thing(node: Node, name: _Name, room: int | None = None) -> Thing:
    return Thing(node.id, name(node.id), node.category, room)


def planner_seed(seed: int, task_id: str) -> int:
    """A seed for each task, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{task_id}".encode()).digest()[:8])


def granted_goal(task: Task, grants: frozenset[Grant]) -> Goal:
    """The goal that the planner gets: the task's own only with the true state."""
    if task.candidates is None or Grant.TRUTH in grants:
        return task.goal
    return task.candidates


def named_in_instruction(task: Task) -> list[int]:
    """The nodes that a task's instruction names. They get the first names."""
    return [i for i in sorted(named_ids(task.goal)) if f"{{{i}}}" in task.instruction]


def instruction_of(task: Task, name: _Name) -> str:
    """A task's instruction with the names of its objects filled in."""
    text = task.instruction
    for node_id in named_in_instruction(task):
        text = text.replace(f"{{{node_id}}}", name(node_id))
    return text


class ReaderNames:
    """Names of all nodes, for the reader of instruction, brief and subgoals.

    Nodes that were never seen are numbered after those that were.
    """

    def __init__(self, names: Names) -> None:
        """names: those that the agent knows."""
        self._names = names
        self._unseen: dict[int, None] = {}

    def of(self, node_id: int, agent: int, truth: SceneGraph | None) -> str:
        """The name of a node. agent: the id of the agent itself. truth: the true state, None if
        unknown.
        """
        if node_id == agent:
            return "you"
        names = self._names
        if node_id in names.numbers:
            return names(node_id)
        node = None if truth is None else truth.get(node_id)
        if truth is None or node is None:
            return f"#{node_id}"
        self._unseen[node_id] = None
        alike = [
            i
            for i in self._unseen
            if i not in names.numbers and i in truth and truth[i].category == node.category
        ]
        return f"{node.category} {names.count(node.category) + 1 + alike.index(node_id)}"

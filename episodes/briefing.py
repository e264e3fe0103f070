"""The brief that a planner gets before it starts, as far as its grants allow."""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from ..adapters.scenes import load_scene
from ..errors import BadInput
from ..observation_text.dialect import Dialect
from ..observation_text.names import Names
from ..observation_text.observer import Observer
from ..planners.contract import Brief, Grant, Thing
from ..scene_graph.goals import Goal, mentioned_categories, mentioned_ids
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Kind, Node
from ..scene_graph.task import Task
from .world import Moment

_Name = Callable[[int], str]
_Key = TypeVar("_Key", str, tuple[int, str, str])
#: A thing in an instruction: "{17}" stands for thing 17.
_NAMED = re.compile(r"\{(\d+)\}")


class Briefing:
    """What a planner is granted of a task, read from the moment in which a trial begins.

    What is named before it is seen has its name and its id by nothing that is hidden: by the
    instruction, the map, or by category and a draw. Things that only an inventory tells are not
    told apart (`Names.expect`).
    """

    def __init__(
        self, task: Task, start: Moment, grants: frozenset[Grant], names: Names, seed: int
    ) -> None:
        """names: of the episode. seed: of the episode.

        Raises BadInput where the world cannot give what is granted.
        """
        self._task, self._start, self._grants = task, start, grants
        self._names, self._seed = names, seed
        self._nodes = start.view.graph if start.truth is None else start.truth
        self._rooms = tuple(self._nodes.nodes(Kind.ROOM))
        self._goal = granted_goal(task, grants) if Grant.GOAL in grants else None
        self._map: SceneGraph | None = None
        if Grant.MAP in grants:
            self._map = self._source(Grant.MAP).copy()
            for node in start.view.graph.nodes() if not task.map else ():
                if node.id in self._map:
                    self._map.replace_node(node)  # as it is perceived, which may be less exact

    def name_in_advance(self, observer: Observer) -> None:
        """Name what is known or mentioned before anything is seen, and let the agent speak of it.

        Every planner knows the rooms. What is seen at the start comes before all that is not.
        """
        names, nodes = self._names, self._nodes
        names.append_in_order(named_first(self._task, nodes))
        names.append(self._rooms)
        names.append(self._start.view.graph.nodes())
        if self._goal is not None:
            asked = [nodes[i] for i in mentioned_ids(self._goal) if i in nodes]
            names.append_in_order(self._drawn(asked))
        if self._map is not None:
            observer.grant(self._in_order_of_the_map(self._map))
        if Grant.FIXTURES in self._grants:
            source = self._source(Grant.FIXTURES)
            observer.grant(sorted(source.nodes(Kind.FIXTURE), key=lambda node: node.id))
        if Grant.TRUTH in self._grants:
            names.append(nodes.nodes())
        if Grant.INVENTORY in self._grants:
            things = self._source(Grant.INVENTORY).nodes(Kind.OBJECT)
            unknown = Counter(node.category for node in things if node.id not in names.numbers)
            for category in sorted(unknown):
                names.expect(category, unknown[category])
            observer.grant(sorted(self._inventory(), key=lambda node: names.number(node.id)))

    def goal_ids(self) -> tuple[int, ...]:
        """The nodes of the granted goal, in its order; some may be in no graph."""
        return () if self._goal is None else mentioned_ids(self._goal)

    def completed(self, brief: Brief, name: _Name) -> Brief:
        """The brief with all that is granted of the world.

        brief: with the seed of the episode. name: the name of a node.
        """
        goal, nodes = self._goal, self._nodes
        fixtures = inventory = None
        if Grant.FIXTURES in self._grants:
            source = self._source(Grant.FIXTURES)
            fixtures = tuple(
                _thing(node, name, source.room_of(node.id)) for node in source.nodes(Kind.FIXTURE)
            )
        if Grant.INVENTORY in self._grants:
            inventory = tuple(_thing(node, name) for node in self._inventory())
        return replace(
            brief,
            seed=planner_seed(brief.seed, self._task.id),
            rooms=tuple(_thing(node, name) for node in self._rooms),
            goal=goal,
            goal_things=None
            if goal is None
            else {i: _thing(nodes[i], name) for i in mentioned_ids(goal) if i in nodes},
            ambiguous=goal is not None and goal is not self._task.goal,
            fixtures=fixtures,
            inventory=inventory,
            map=self._map,
        )

    def _inventory(self) -> list[Node]:
        """All things: those known by name, and one for each that is expected and not seen yet."""
        names, source = self._names, self._source(Grant.INVENTORY)
        nodes = [node for node in source.nodes(Kind.OBJECT) if node.id in names.numbers]
        for category in sorted({node.category for node in source.nodes(Kind.OBJECT)}):
            expected = names.expected(category)
            nodes += [Node(node_id, category, Kind.OBJECT, node_id) for node_id in expected]
        return nodes

    def _drawn(self, nodes: Iterable[Node]) -> list[Node]:
        """Nodes by category, and by a draw within one."""
        return self._grouped(nodes, lambda node: node.category)

    def _in_order_of_the_map(self, graph: SceneGraph) -> list[Node]:
        """The nodes of a map: what stays, then level by level things by place and category.

        Ids give no order of things: a world may number them by where they are now.
        """
        stays = (node for node in graph.nodes() if node.kind is not Kind.OBJECT)
        order = sorted(stays, key=lambda node: node.id)
        position = {node.id: number for number, node in enumerate(order)}

        def place(node: Node) -> tuple[int, str, str]:
            at = [(position[p], str(r)) for r, p in graph.places(node.id) if p in position]
            return (*min(at, default=(-1, "")), node.category)

        waiting = list(graph.nodes(Kind.OBJECT))
        while waiting:
            level = [node for node in waiting if place(node)[0] >= 0] or waiting
            for node in self._grouped(level, place):
                position[node.id] = len(order)
                order.append(node)
            waiting = [node for node in waiting if node.id not in position]
        return order

    def _grouped(self, nodes: Iterable[Node], key: Callable[[Node], _Key]) -> list[Node]:
        """Nodes sorted by a key; those with the same key by a draw."""
        groups: dict[_Key, list[Node]] = {}
        for node in nodes:
            groups.setdefault(key(node), []).append(node)
        order: list[Node] = []
        for each, alike in sorted(groups.items()):
            random.Random(f"{self._seed} {self._task.id} {each}").shuffle(alike)
            order += alike
        return order

    def _source(self, grant: Grant) -> SceneGraph:
        """The graph that a grant is read from: for a map the earlier one, else the true state."""
        if self._task.map and (grant is Grant.MAP or self._start.truth is None):
            return load_scene(self._task.map)
        if self._start.truth is not None:
            return self._start.truth
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


def named_first(task: Task, graph: SceneGraph) -> list[Node]:
    """The nodes that a task's instruction names, by category, then in its order."""
    ids = [i for i in _named_in_instruction(task) if i in graph]
    return sorted((graph[i] for i in ids), key=lambda node: node.category)


def _named_in_instruction(task: Task) -> list[int]:
    return list(dict.fromkeys(int(number) for number in _NAMED.findall(task.instruction)))


def instruction_of(task: Task, name: _Name) -> str:
    """A task's instruction with the names of its objects filled in."""
    text = task.instruction
    for node_id in _named_in_instruction(task):
        text = text.replace(f"{{{node_id}}}", name(node_id))
    return text


def worded_instruction(task: Task, name: _Name, dialect: Dialect, graph: SceneGraph) -> str:
    """A task's instruction as the agent reads it: things have the dialect's names.

    What is asked of several readings does not show which of them is meant.
    """
    asked = task.goal if task.candidates is None else task.candidates
    named = {graph[i].category for i in mentioned_ids(asked) if i in graph}
    return dialect.instruction(instruction_of(task, name), named | mentioned_categories(asked))


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
        expected, place = names.expected(node.category), alike.index(node_id)
        if place < len(expected):  # one of these
            return names(expected[place])
        return f"{node.category} {names.count(node.category) + 1 + place - len(expected)}"

"""The world of an episode as the page draws it: where everything is, and who knows it.

An object is seen (in the agent's view), known (seen before, or granted), moved (known at another
place than its own), or hidden (never perceived). All are drawn for the reader, in different styles.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...episodes.events import Perceived, RecordedEvent, Started, Stepped
from ...errors import BadInput
from ...observation_text.view import innermost_place
from ...observation_text.view_change import ViewReader
from ...planners.contract import Grant
from ...scene_graph.changes import GraphChange, applied
from ...scene_graph.goal_codec import goal_from_data
from ...scene_graph.goal_text import describe
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Pose, Relation
from ..failures.needs import goal_targets

_SEEN, _KNOWN, _MOVED, _HIDDEN = "seen", "known", "moved", "hidden"
#: Most characters of a goal in words.
_GOAL_TEXT = 600
#: An object as it is drawn, as JSON data.
Drawn = dict[str, Any]
_Place = tuple[Relation, int] | None


@dataclass
class DrawnWorld:
    """The world at the start, and its changes after each step, as JSON data.

    moments: each with the step (0 for the start), the objects that are drawn differently now, and
    those that are gone. They also have the places that the agent stands at and the objects of the
    action. goal: the objects of the goal. goal_text: the goal in words. is_true: false where only
    perceptions are known.
    """

    moments: list[Drawn] = field(default_factory=list)
    goal: list[int] = field(default_factory=list)
    goal_text: str = ""
    is_true: bool = True


def drawn_world(events: Sequence[RecordedEvent], grants: Collection[str]) -> DrawnWorld | None:
    """The world of an episode's events; None where the recording does not have it."""
    names = drawn_names(events)
    follower = _Follower(names, frozenset(grants))
    world = DrawnWorld()
    for event in events:
        if not isinstance(event, Perceived):
            continue
        try:
            moment = follower.after(event)
        except BadInput:  # a line of the recording is damaged, so the rest is unknown
            break
        if isinstance(event, Started):
            world.goal, world.goal_text = _goal_of(event, follower.graph, names)
        if moment:
            world.moments.append({"step": event.step, **moment})
    world.is_true = follower.is_true
    return world if world.moments else None


def _goal_of(event: Started, graph: SceneGraph, names: Mapping[int, str]) -> tuple[list[int], str]:
    """The objects of the goal, and the goal in words."""
    if event.goal is None:
        return [], ""
    try:
        goal = goal_from_data(event.goal)
        found = goal_targets(goal, graph)
    except BadInput:
        return [], ""
    kinds = (Kind.OBJECT, Kind.FIXTURE)
    text = describe(goal, lambda thing: names.get(thing, f"thing {thing}"))
    shown = text if len(text) <= _GOAL_TEXT else f"{text[:_GOAL_TEXT]}…"
    return sorted(i for i in found if i in graph and graph[i].kind in kinds), shown


class _Follower:
    """Follows an episode's world and views; returns what is drawn differently after an event."""

    def __init__(self, names: Mapping[int, str], grants: frozenset[str]) -> None:
        self.graph = SceneGraph()
        self.is_true = False
        self._names = names
        self._grants = grants
        self._views = ViewReader()
        self._seen: frozenset[int] = frozenset()
        self._turned: frozenset[int] = frozenset()  # what just came into the view, or left it
        self._last_place: dict[int, _Place] = {}
        self._drawn: dict[int, Drawn] = {}

    def after(self, event: Perceived) -> Drawn:
        """The changes after an event. Raises BadInput where it does not fit those before."""
        before = self.graph
        self._perceive(event)
        if not len(self.graph):
            return {}
        dirty = self._dirty(event, before)
        things: list[Drawn] = []
        for node_id in sorted(dirty & self.graph.by_id.keys()):
            now = self._draw(self.graph[node_id])
            if self._drawn.get(node_id) != now:
                self._drawn[node_id] = now
                things.append(now)
        gone = [i for i in self._drawn if i not in self.graph]
        for node_id in gone:
            del self._drawn[node_id]
        close = [p for me in self.graph.agent_ids for p in self.graph.targets(me, Relation.CLOSE)]
        moment: Drawn = {"things": things, "at": sorted(close), "about": _about(event)}
        if gone:
            moment["gone"] = gone
        return moment

    def _perceive(self, event: Perceived) -> None:
        """Take in the true state, or its substitute, and what is seen of it."""
        if event.world is not None:
            self.graph, self.is_true = applied(self.graph, event.world, "the recording"), True
        truth = self.graph if self.is_true else None
        view = self._views.read(event.view, truth, event.sensors, "the recording")
        if truth is None:
            self.graph = self._remembered(view.graph)
        was_seen = self._seen
        self._seen = frozenset(view.graph.by_id)
        self._turned = self._seen ^ was_seen
        for node_id in self._seen:
            if node_id in self.graph:
                self._last_place[node_id] = _place_of(self.graph, node_id)

    def _remembered(self, seen: SceneGraph) -> SceneGraph:
        """The perceived graph, with remembered objects at their last places."""
        graph = seen.copy()
        lost = [node for node in self.graph.nodes() if node.id not in graph]
        for node in lost:
            graph.add_node(node)
        for node in lost:
            for relation, target in self.graph.outgoing(node.id):
                if target in graph and not graph.has_edge(node.id, relation, target):
                    graph.add_edge(node.id, relation, target)
        return graph

    def _dirty(self, event: Perceived, before: SceneGraph) -> set[int]:
        """The objects that may be drawn differently now."""
        if not self.is_true or not self._drawn:
            return set(self.graph.by_id)
        changed = _touched(event.world, before, self.graph)
        return changed | self._turned

    def _draw(self, node: Node) -> Drawn:
        place = _place_of(self.graph, node.id)
        drawn: Drawn = {
            "id": node.id,
            "name": self._names.get(node.id, node.category),
            "kind": str(node.kind),
            "sight": self._sight(node, place),
        }
        if place is not None:
            drawn["how"], drawn["in"] = str(place[0]), place[1]
        if node.states:
            drawn["states"] = sorted(str(state).replace("_", " ") for state in node.states)
        box = _box(node)
        if box is not None:
            drawn["box"] = box
        if node.box is not None and node.box.more:
            drawn["more"] = [_rounded((*center, *size)) for center, size in node.box.more]
        if node.kind is Kind.AGENT and node.pose is not None:
            drawn["turn"] = _yaw(node.pose)
        return drawn

    def _sight(self, node: Node, place: _Place) -> str:
        if node.id in self._seen:
            return _SEEN
        if node.id in self._last_place:
            return _KNOWN if self._last_place[node.id] == place else _MOVED
        fixed = {Grant.FIXTURES, Grant.MAP} & self._grants
        granted = Grant.TRUTH in self._grants or (node.kind is Kind.FIXTURE and fixed)
        return _KNOWN if granted or node.kind is Kind.ROOM else _HIDDEN


def _touched(change: GraphChange | None, before: SceneGraph, after: SceneGraph) -> set[int]:
    """The nodes of a change; with an agent's hands, what they held and hold."""
    if change is None:
        return set()
    if change.whole:
        return set(after.by_id)
    found = {node.id for node in change.nodes} | {node_id for node_id, _ in change.outgoing}
    for graph in (before, after):
        found.update(thing for me in graph.agent_ids for thing in graph.held(me))
    return found


def _place_of(graph: SceneGraph, node_id: int) -> _Place:
    """The relation and the keeper of an object: a place, or the agent that holds it."""
    place = innermost_place(graph, node_id)
    if place is not None:
        return place
    holder = graph.holder(node_id)
    return None if holder is None else (Relation.HOLDS, holder)


def _box(node: Node) -> list[float] | None:
    """Centre and size in m, rounded to mm; for what has a pose and no box, its position."""
    if node.box is not None:
        return _rounded((*node.box.center, *node.box.size))
    if node.pose is not None and node.kind in (Kind.AGENT, Kind.OBJECT):
        return _rounded((*node.pose.position, 0.0, 0.0, 0.0))
    return None


def _yaw(pose: Pose) -> float:
    """The rotation about z, in rad."""
    x, y, z, w = pose.orientation
    return round(math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), 2) + 0.0


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [round(number, 3) + 0.0 for number in numbers]


def _about(event: Perceived) -> list[int]:
    """The objects of the action."""
    if isinstance(event, Stepped) and event.action is not None:
        return list(dict.fromkeys(event.action.things))
    return []


def drawn_names(events: Sequence[RecordedEvent]) -> Mapping[int, str]:
    """The names of all objects of an episode, such as "kitchen table 1".

    The wording of actions gives numbers of objects. The others are numbered by first sight, and
    those never perceived after them. The agent, and a room that is the only one of its kind, have
    no number. Where observations use the simulator's own names, these are used.
    """
    nodes: dict[int, Node] = {}
    order: dict[int, None] = {}
    first = next((event.observation for event in events if isinstance(event, Perceived)), "")
    numbers: dict[int, int] = {}
    for event in events:
        if not isinstance(event, Perceived):
            continue
        _add(nodes, event)
        if event.view is not None:
            new = [*event.view.came, *(i for i in _perceived(event) if i not in event.view.came)]
            order.update(dict.fromkeys(sorted(new)))
        if isinstance(event, Stepped):
            numbers.update(_numbers(event, nodes))
    names = _numbered(nodes, [*order, *(i for i in nodes if i not in order)], numbers)
    words = set(re.findall(r"\w+", first))
    native = {i: str(node.native_id) for i, node in nodes.items()}
    return names | {i: name for i, name in native.items() if name in words and not name.isdigit()}


def _add(nodes: dict[int, Node], event: Perceived) -> None:
    changes = (event.world, None if event.view is None else event.view.perceived)
    for change in changes:
        for node in () if change is None else change.nodes:
            nodes.setdefault(node.id, node)


def _perceived(event: Perceived) -> Iterable[int]:
    change = None if event.view is None else event.view.perceived
    return () if change is None else [node.id for node in change.nodes]


def _numbers(event: Stepped, nodes: Mapping[int, Node]) -> Iterable[tuple[int, int]]:
    """The numbers that the wording of an action gives its objects."""
    things = [] if event.action is None else [nodes[i] for i in event.action.things if i in nodes]
    for thing in things:
        numbers = re.findall(
            rf"(?<!\w){_loosely(thing.category)}[ _-]?\(?(\d+)\b", event.wording, re.IGNORECASE
        )
        if len(numbers) == 1:  # of two alike, it is unknown which is which
            yield thing.id, int(numbers[0])


def _loosely(category: str) -> str:
    return "[ _]?".join(map(re.escape, category.split()))


def _numbered(
    nodes: Mapping[int, Node], order: Sequence[int], numbers: Mapping[int, int]
) -> dict[int, str]:
    taken = {(nodes[i].category, number) for i, number in numbers.items()}
    kinds = Counter(node.category for node in nodes.values())
    counts: Counter[str] = Counter()
    names = {}
    for node_id in order:
        node = nodes.get(node_id)
        if node is None:
            continue
        category = node.category
        if node.kind is Kind.AGENT or (node.kind is Kind.ROOM and kinds[category] == 1):
            names[node_id] = category
            continue
        number = numbers.get(node_id)
        if number is None:
            counts[category] += 1
            while (category, counts[category]) in taken:
                counts[category] += 1
            number = counts[category]
        names[node_id] = f"{category} {number}"
    return names

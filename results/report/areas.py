"""The areas of a recorded world, grouped by where one stands to reach them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ...episodes.events import Perceived
from ...scene_graph.changes import GraphChange, applied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation, State


@dataclass(frozen=True)
class DrawnArea:
    """A fixture that holds objects. key: its name as notes are matched with it."""

    name: str
    key: str
    closed: bool


@dataclass(frozen=True)
class StandingPlace:
    """A place to stand at: the fixture that areas are attached to, else their room.

    here: whether the agent stands there.
    """

    name: str
    areas: tuple[DrawnArea, ...]
    here: bool = False


class AreasReader:
    """Follows the world of an episode; areas are made when they are asked for."""

    def __init__(self) -> None:
        self._waiting: list[GraphChange] = []
        self._graph = SceneGraph()

    def after(self, event: Perceived) -> None:
        """Take in an event."""
        if event.world is not None:
            self._waiting.append(event.world)

    def places(self) -> list[StandingPlace]:
        """The places to stand at with their areas; none without a recorded true state."""
        for change in self._waiting:
            self._graph = applied(self._graph, change, "the recording")
        self._waiting.clear()
        graph = self._graph
        fixtures = [node for node in graph.nodes(Kind.FIXTURE) if not _areas_of(graph, node)]
        keys = Counter(area_key(node.category) for node in fixtures)
        found: dict[int | None, list[DrawnArea]] = {}
        for node in fixtures:
            key = area_key(node.category)
            # Notes do not say which of several of a kind is meant.
            area = DrawnArea(
                node.category, key if keys[key] == 1 else "", State.CLOSED in node.states
            )
            found.setdefault(_standing(graph, node), []).append(area)
        close = {place for me in graph.agent_ids for place in graph.targets(me, Relation.CLOSE)}
        return [
            StandingPlace(
                "" if place is None else graph[place].category, tuple(areas), place in close
            )
            for place, areas in found.items()
        ]


def area_key(name: str) -> str:
    """The name of an area without what dialects write differently, as in "Prep_Surface 1"."""
    return re.sub(r" \d+$", "", re.sub(r"[_\s]+", " ", name).strip().lower())


def _areas_of(graph: SceneGraph, node: Node) -> list[int]:
    """The fixtures that are attached to one, which is no area then."""
    attached = graph.sources(node.id, Relation.ATTACHED)
    return [other for other in attached if graph[other].kind is Kind.FIXTURE]


def _standing(graph: SceneGraph, node: Node) -> int | None:
    attached_to = graph.targets(node.id, Relation.ATTACHED)
    return attached_to[0] if attached_to else graph.room_of(node.id)

"""A dry run: every message is printed, nothing is sent, and every action works by the rules."""

from __future__ import annotations

import sys
from typing import Any

from ...data_files import json_text
from ...observation_text.view import Visibility, visible
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Relation
from ...skills.actions import Action
from ...skills.dynamics import step
from ...skills.embodiment import Embodiment
from ...terminal import printable
from .channels import Report
from .connection import Message
from .mapping import Mapping
from .perception import SeenThing, Sight
from .robot import Robot


class DryRobot(Robot):
    """Prints on standard error what a robot would be sent, one JSON document a line."""

    def __init__(self, mapping: Mapping) -> None:
        super().__init__(mapping)
        self._world = SceneGraph()
        self._is_introduced = False

    def connect(self) -> None:
        if not self._is_introduced:
            self._is_introduced = True
            for message in (*self.orders.setup(), *self.perception.setup()):
                self._print(message)

    def enter(self, scene: SceneGraph) -> None:
        self._world = scene.copy()

    def did(self, action: Action) -> None:
        step(self._world, action, Embodiment(hands=self.mapping.hands))

    def carry_out(self, skill: str, order: str, fields: Any) -> Report:
        self._print(self.orders.channels[skill].order(order, fields))
        return Report(True)

    def cancel(self, skill: str, order: str) -> None:
        pass

    def look(self) -> Sight:
        return sight_of(self._world)

    def _print(self, message: Message) -> None:
        print(printable(f"not sent: {json_text(message)}"), file=sys.stderr)


def sight_of(world: SceneGraph) -> Sight:
    """What a robot that sees everything in reach perceives of a world."""
    view = visible(world, Visibility.NEAR)
    graph, me = view.graph, view.agent().id

    def name(node_id: int) -> str:
        return str(graph[node_id].native_id)

    things = []
    for node in graph.nodes():
        places = graph.places(node.id)
        if node.kind not in (Kind.OBJECT, Kind.FIXTURE) or not places or me in graph.above(node.id):
            continue
        relation, place = places[0]
        things.append(SeenThing(name(node.id), name(place), node.category, relation, node.states))
    close = [name(base) for base in graph.targets(me, Relation.CLOSE)]
    room = graph.room_of(me)
    location = close[0] if close else name(room) if room is not None else None
    held = tuple(name(thing) for thing in graph.held(me))
    return Sight(tuple(things), tuple(map(name, view.covered)), location, held)

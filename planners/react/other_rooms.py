"""Walks to places seen in other rooms, which begin with going to the room."""

from __future__ import annotations

from collections.abc import Sequence

from ...scene_graph.node import Kind
from ...skills.actions import Action, Verb
from ..contract import Percept


class OtherRooms:
    """The furniture seen so far in each room, and the walks to it from elsewhere."""

    def __init__(self) -> None:
        self._room_of_walk: dict[str, int] = {}

    def walks(self, percept: Percept, offers: Sequence[tuple[str, Action]]) -> dict[str, str]:
        """The walks that are not on offer here, each with the walk to its room, which is.

        offers: the actions on offer now. Takes in what they say of the room that the agent is in.
        """
        graph = percept.view.graph
        here = graph.room_of(graph.agent().id)
        rooms: dict[int, str] = {}
        for text, action in offers:
            node = None if action.target is None else percept.view.get(action.target)
            if action.verb is not Verb.GO_TO or node is None:
                continue
            if node.kind is Kind.ROOM:
                rooms[node.id] = text
            elif node.kind is Kind.FIXTURE and here is not None:
                self._room_of_walk[text] = here
        offered = {text for text, _ in offers}
        return {
            walk: rooms[room]
            for walk, room in self._room_of_walk.items()
            if walk not in offered and room in rooms
        }

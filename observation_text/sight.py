"""Views of one world while it changes: `view.visible`, looked up anew only where it changed.

A view is put together from three sections: what the agent has with it, the places it stands at,
and the room. A section is kept until something that decided what it shows has changed, so that a
step costs what it changed, and little more than copying tables for what is merely still there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..scene_graph.graph import Incoming, Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node
from .view import View, Visibility, carried, look_into, stood_at

_PLACEMENTS = frozenset(PLACEMENTS)
_ROOM = Kind.ROOM
#: The places looked into, in this order, and whether at everything they keep.
_Key = tuple[tuple[int, ...], bool]
#: After so many looks all sections are forgotten, so that the book of them does not grow for ever.
_BOOK = 10_000


@dataclass(frozen=True, slots=True)
class _Section:
    """Some places with what is seen in them, as tables of a graph; the agent is not among them.

    loose: the nodes with a relation to something that is in sight only with other sections.
    elsewhere: the nodes not seen here that decided what is.
    """

    nodes: dict[int, Node]
    outgoing: dict[int, Outgoing]
    incoming: dict[int, Incoming]
    covered: dict[int, bool]
    loose: tuple[int, ...]
    elsewhere: set[int]


class Sight:
    """What one agent sees of a true graph, whenever it is asked.

    It watches the graph (`SceneGraph.watch`), which therefore has one `Sight` only.
    """

    def __init__(self, truth: SceneGraph, profile: Visibility, agent: int | None = None) -> None:
        """profile: ROOM or NEAR."""
        if profile is Visibility.CAMERA:
            raise ValueError("under the profile 'camera' the simulator says what is visible")
        self._truth = truth
        self._me = truth.agent().id if agent is None else agent
        self._all_of_room = profile is Visibility.ROOM
        self._changed = truth.watch()
        self._sections: dict[_Key, _Section] = {}
        self._users: dict[int, set[_Key]] = {}  # the sections that a node has a part in
        self._looks = 0
        self._list_rooms()

    def view(self) -> View:
        """The same as `visible` gives of the graph as it is now."""
        for node_id in self._changed:
            self._take_in(node_id)
        self._changed.clear()
        truth, me = self._truth, self._me
        room = truth.room_of(me)
        keys: list[_Key] = [(tuple(carried(truth, me)), True), (tuple(stood_at(truth, me)), True)]
        if room is not None:
            keys.append(((room,), self._all_of_room))
        return self._joined([self._section(key) for key in keys if key[0]])

    # --- sections ------------------------------------------------------------------------------

    def _section(self, key: _Key) -> _Section:
        section = self._sections.get(key)
        if section is None:
            section = self._look(*key)
            self._looks += 1
            if self._looks % _BOOK == 0:
                self._forget()
            self._sections[key] = section
            users = self._users
            for node_id in (*section.nodes, *section.elsewhere):
                if node_id in users:
                    users[node_id].add(key)
                else:
                    users[node_id] = {key}
        return section

    def _look(self, places: tuple[int, ...], everything: bool) -> _Section:
        truth, always = self._truth, self._always
        seen: dict[int, None] = {self._me: None}
        covered: dict[int, bool] = {}
        elsewhere: set[int] = set()
        for place in places:
            elsewhere |= look_into(truth, place, seen, covered, everything=everything)
        del seen[self._me]
        outgoing: dict[int, Outgoing] = {}
        incoming: dict[int, Incoming] = {}
        loose = []
        all_outgoing = truth.outgoing_of
        for node_id in seen:
            pairs = all_outgoing.get(node_id, ())
            for _, target in pairs:
                if target not in seen and target not in always:
                    loose.append(node_id)
                    pairs = tuple(p for p in pairs if p[1] in seen or p[1] in always)
                    break
            outgoing[node_id] = pairs
            for relation, target in pairs:
                if target in incoming:
                    incoming[target][relation, node_id] = None
                else:
                    incoming[target] = {(relation, node_id): None}
        all_nodes = truth.by_id
        nodes = {node_id: all_nodes[node_id] for node_id in seen}
        return _Section(nodes, outgoing, incoming, covered, tuple(loose), elsewhere)

    # --- changes -------------------------------------------------------------------------------

    def _take_in(self, node_id: int) -> None:
        """Drop or mend the sections that a change of a node concerns."""
        node = self._truth.get(node_id)
        if node_id in self._rooms or (node is not None and node.kind is _ROOM):
            self._list_rooms()
            self._forget()
            return
        mended = None
        for key in tuple(self._users.get(node_id, ())):
            section = self._sections.get(key)
            if section is None:
                self._users[node_id].discard(key)
            elif node is not None and self._is_only_another(node, section, key):
                section.nodes[node_id] = node  # no view shares this table
                mended = key
            else:
                del self._sections[key]
        if node_id == self._me:
            return  # whom no section shows
        # From afar an object is seen only where it stands free in the room.
        only_close = node is not None and node.kind is Kind.OBJECT
        for relation, place in self._truth.outgoing(node_id):
            if relation in _PLACEMENTS:
                for key in self._users.get(place, ()):
                    if key != mended and (key[1] or place in self._rooms or not only_close):
                        self._sections.pop(key, None)

    def _forget(self) -> None:
        self._sections.clear()
        self._users.clear()

    def _is_only_another(self, node: Node, section: _Section, key: _Key) -> bool:
        """Whether a seen node merely stands there in another state, and that lets see no more.

        So it is with the doors of a room that is seen from afar.
        """
        truth, (_, everything) = self._truth, key
        return (
            not everything
            and node.id in section.nodes
            and node.id not in section.elsewhere
            and node.id not in section.loose
            and node.kind is section.nodes[node.id].kind
            and section.outgoing[node.id] == truth.outgoing(node.id)
            and all(truth[thing].kind is Kind.OBJECT for thing in truth.contents(node.id))
        )

    def _list_rooms(self) -> None:
        self._rooms = {room.id: room for room in self._truth.nodes(Kind.ROOM)}
        self._always = {self._me, *self._rooms}  # in every view, whatever the sections
        self._linked_rooms = [room for room in self._rooms if self._truth.outgoing(room)]

    # --- putting them together -----------------------------------------------------------------

    def _joined(self, sections: list[_Section]) -> View:
        truth, me = self._truth, self._me
        nodes = self._rooms.copy()
        nodes[me] = truth[me]
        outgoing: dict[int, Outgoing] = {me: ()}
        covered: dict[int, bool] = {}
        for section in sections:
            nodes.update(section.nodes)
            outgoing.update(section.outgoing)
            covered.update(section.covered)
        incoming: dict[int, Incoming] = {}
        mine = outgoing[me] = tuple(pair for pair in truth.outgoing(me) if pair[1] in nodes)

        def link(sources: Iterable[int]) -> None:
            """Add the relations that only this view holds; at their turn, for the order in it."""
            for node_id in sources:
                pairs = tuple(pair for pair in truth.outgoing(node_id) if pair[1] in nodes)
                outgoing[node_id] = pairs
                for relation, target in pairs:
                    if (relation, node_id) not in incoming.get(target, ()):
                        incoming[target] = {**incoming.get(target, {}), (relation, node_id): None}

        link(self._linked_rooms)
        for relation, target in mine:
            incoming.setdefault(target, {})[relation, me] = None
        for section in sections:
            for target, sources in section.incoming.items():
                known = incoming.get(target)
                incoming[target] = sources if known is None else known | sources
            if section.loose:
                link(section.loose)
        agents = tuple(agent for agent in truth.agent_ids if agent in nodes)
        graph = SceneGraph.of_tables(nodes, outgoing, incoming, truth.room_ids, agents)
        return View(graph, covered)

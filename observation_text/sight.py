"""Views of one world while it changes: `view.visible`, looked up anew only where it changed.

A view has three sections: the room with all rooms, what the agent has with it, and the places it
stands at. A section is kept until something that decided what it shows has changed, so that a
step costs what it changed. One graph is made of them when somebody asks for it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..scene_graph.graph import Incoming, Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node, Relation
from .view import HANDLED, Part, View, Visibility, look_into

_PLACEMENTS = frozenset(PLACEMENTS)
_ROOM, _HOLDS, _CLOSE = Kind.ROOM, Relation.HOLDS, Relation.CLOSE
#: The places looked into, in this order, and whether it is the room: the section that holds all
#: rooms, and that shows of what the room keeps as much as the profile lets one see from afar.
_Key = tuple[tuple[int, ...], bool]
#: After so many looks all sections are forgotten, so that the book of them does not grow for ever.
_BOOK = 10_000


@dataclass(slots=True, eq=False)
class _Section(Part):
    """Some places with what is seen in them; the agent is not among them.

    outgoing: only the relations that stay within the section, or lead to the agent or a room.
    loose: all relations of the nodes that have others.
    tied: one of those others says where a thing is kept. elsewhere: the nodes not seen here that
    decided what is.
    """

    covered: dict[int, bool]
    loose: dict[int, Outgoing]
    tied: bool
    elsewhere: set[int]
    _incoming: dict[int, Incoming] | None = None
    _handled: list[int] | None = None
    _fixtures: set[int] | None = None

    def mended(self, node: Node) -> _Section:
        """The same with another version of a node, of the same kind."""
        nodes = {**self.nodes, node.id: node}
        twin = _Section(nodes, self.outgoing, self.covered, self.loose, self.tied, self.elsewhere)
        twin._incoming, twin._handled, twin._fixtures = (
            self._incoming,
            self._handled,
            self._fixtures,
        )
        return twin

    @property
    def handled(self) -> list[int]:
        """Its fixtures and objects."""
        if self._handled is None:
            self._handled = [i for i, node in self.nodes.items() if node.kind in HANDLED]
        return self._handled

    @property
    def fixtures(self) -> set[int]:
        if self._fixtures is None:
            fixture = Kind.FIXTURE
            self._fixtures = {i for i, node in self.nodes.items() if node.kind is fixture}
        return self._fixtures

    @property
    def incoming(self) -> dict[int, Incoming]:
        """The same as `outgoing`, the other way round."""
        if self._incoming is None:
            incoming: dict[int, Incoming] = {}
            for node_id, pairs in self.outgoing.items():
                for relation, target in pairs:
                    if target in incoming:
                        incoming[target][relation, node_id] = None
                    else:
                        incoming[target] = {(relation, node_id): None}
            self._incoming = incoming
        return self._incoming


class _Sections(View):
    """A view whose graph is put together when it is first asked for.

    All that it needs for that is its own: the world may go on meanwhile.
    """

    __slots__ = ("_agents", "_body", "_glimpsed", "_mine", "_rooms", "_sections", "_worn")

    def __init__(
        self,
        sections: list[_Section],
        mine: Part,
        body: list[int],
        worn: list[int],
        rooms: tuple[int, ...],
        agents: tuple[int, ...],
        glimpsed: int | None,
    ) -> None:
        """sections: the room's, of what is held where something is, of where the agent stands.

        mine: the agent, with its relations to what the sections show. body: what is on it, worn
        or not. rooms, agents: all that there are. glimpsed: the present room, where the room's
        section shows only what one sees of it from anywhere.
        """
        self._graph = None
        self.arm = None
        self.covered = covered = sections[0].covered.copy()
        for section in sections[1:]:
            covered.update(section.covered)
        self._sections, self._mine = sections, mine
        self._body, self._worn = body, worn
        self._rooms, self._agents, self._glimpsed = rooms, agents, glimpsed

    @property
    def graph(self) -> SceneGraph:
        if self._graph is None:
            self._graph = self._joined()
        return self._graph

    @property
    def parts(self) -> tuple[Part, ...]:
        for section in self._sections:
            if section.tied:
                return super().parts
        return (*self._sections, self._mine)

    def get(self, node_id: int) -> Node | None:
        for section in self._sections:
            if node_id in section.nodes:
                return section.nodes[node_id]
        return self._mine.nodes.get(node_id)

    def agent(self) -> Node:
        (agent,) = self._mine.nodes.values()
        return agent

    def held(self) -> list[int]:
        (pairs,) = self._mine.outgoing.values()
        return [thing for relation, thing in pairs if relation is _HOLDS]

    def worn(self) -> list[int]:
        return self._worn

    def at_hand(self) -> list[int]:
        if self._body:
            return super().at_hand()
        found: list[int] = []
        for section in self._sections[1:]:
            found += section.handled
        return found if len(self._sections) < 3 else list(dict.fromkeys(found))

    def at_a_glance(self, room: int) -> list[int]:
        base, *close = self._sections
        if self._glimpsed != room:
            return super().at_a_glance(room)
        for section in close:  # it may show a fixture that stands on an object
            if not section.fixtures <= base.nodes.keys():
                return super().at_a_glance(room)
        return base.handled.copy()

    def _joined(self) -> SceneGraph:
        base, *more = self._sections
        nodes, outgoing = {**base.nodes}, {**base.outgoing}
        incoming = base.incoming.copy()
        for section in more:
            nodes.update(section.nodes)
            outgoing.update(section.outgoing)
            twice = incoming.keys() & section.incoming.keys()
            both = {target: incoming[target] | section.incoming[target] for target in twice}
            incoming.update(section.incoming)
            incoming.update(both)
        nodes.update(self._mine.nodes)
        # the relations that no section holds, because they lead from one to another
        loose = {node: pairs for section in self._sections for node, pairs in section.loose.items()}
        for node_id, pairs in (*loose.items(), *self._mine.outgoing.items()):
            kept = tuple([pair for pair in pairs if pair[1] in nodes])
            outgoing[node_id] = kept
            for relation, target in kept:
                known = incoming.get(target)
                if known is None:
                    incoming[target] = {(relation, node_id): None}
                elif (relation, node_id) not in known:
                    incoming[target] = {**known, (relation, node_id): None}
        agents = tuple([agent for agent in self._agents if agent in nodes])
        return SceneGraph.of_tables(nodes, outgoing, incoming, self._rooms, agents)


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
        # the sections that a node has a part in
        self._users: defaultdict[int, set[_Key]] = defaultdict(set)
        self._looks = 0
        self._list_rooms()

    def view(self) -> View:
        """The same as `visible` gives of the graph as it is now."""
        for node_id in self._changed:
            if node_id != self._me or node_id in self._users:  # whom sections seldom show
                self._take_in(node_id)
        self._changed.clear()
        truth, me = self._truth, self._me
        room = truth.room_of(me)
        mine = truth.outgoing(me)
        with_me, close, elsewhere = [], [], False
        for relation, target in mine:
            if relation is _HOLDS:
                with_me.append(target)
            elif relation is _CLOSE and truth.closed_around(target) is None:
                close.append(target)
            elif target != room:
                elsewhere = True
        body = truth.contents(me) if truth.incoming_of.get(me) else []
        with_me += body
        sections = [self._section((() if room is None else (room,), True))]
        if with_me:
            sections.append(self._section((tuple(with_me), False)))
        if close:
            sections.append(self._section((tuple(close), False)))
        if elsewhere:  # than where one surely sees it
            mine = tuple([p for p in mine if any(p[1] in s.nodes for s in sections)])
        worn = truth.sources(me, Relation.ON) if body else body
        glimpsed = None if self._all_of_room else room
        part = Part({me: truth[me]}, {me: mine})
        return _Sections(sections, part, body, worn, truth.room_ids, truth.agent_ids, glimpsed)

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
                users[node_id].add(key)
        return section

    def _look(self, places: tuple[int, ...], is_room: bool) -> _Section:
        truth, me = self._truth, self._me
        seen: dict[int, None] = dict.fromkeys(self._rooms if is_room else ())
        seen[me] = None  # whose own relations are another matter
        covered: dict[int, bool] = {}
        elsewhere: set[int] = set()
        everything = self._all_of_room or not is_room
        for place in places:
            elsewhere |= look_into(truth, place, seen, covered, everything=everything)
        del seen[me]
        always = self._always
        all_outgoing = truth.outgoing_of
        outgoing = {node_id: all_outgoing.get(node_id, ()) for node_id in seen}
        loose: dict[int, Outgoing] = {}
        tied = False
        away = {pair[1] for pairs in outgoing.values() for pair in pairs} - seen.keys() - always
        if away:
            for node_id, pairs in outgoing.items():
                if not away.isdisjoint([target for _, target in pairs]):
                    loose[node_id] = pairs
                    tied = tied or any(t in away and r in _PLACEMENTS for r, t in pairs)
            for node_id, pairs in loose.items():
                outgoing[node_id] = tuple([pair for pair in pairs if pair[1] not in away])
        all_nodes = truth.by_id
        nodes = {node_id: all_nodes[node_id] for node_id in seen}
        return _Section(nodes, outgoing, covered, loose, tied, elsewhere)

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
                self._sections[key] = section.mended(node)
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
                    if key != mended and self._shows(place, key, only_close):
                        self._sections.pop(key, None)

    def _forget(self) -> None:
        self._sections.clear()
        self._users.clear()

    def _is_only_another(self, node: Node, section: _Section, key: _Key) -> bool:
        """Whether a seen node merely stands there in another state, and that lets see no more.

        So it is with the doors of a room that is seen from afar.
        """
        truth, (_, is_room) = self._truth, key
        return (
            is_room
            and not self._all_of_room
            and node.id in section.nodes
            and node.id not in section.elsewhere
            and node.id not in section.loose
            and node.kind is section.nodes[node.id].kind
            and section.outgoing[node.id] == truth.outgoing(node.id)
            and all(truth[thing].kind is Kind.OBJECT for thing in truth.contents(node.id))
        )

    def _shows(self, place: int, key: _Key, only_close: bool) -> bool:
        """Whether a section that has a part of a place shows what the place keeps."""
        places, is_room = key
        if place in self._rooms:
            return place in places  # other rooms are in it, and not looked into
        return not (is_room and only_close) or self._all_of_room

    def _list_rooms(self) -> None:
        self._rooms = {room.id: room for room in self._truth.nodes(Kind.ROOM)}
        self._always = {self._me, *self._rooms}  # in every view, whatever the sections

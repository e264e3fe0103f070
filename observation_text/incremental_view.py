"""Views of one world while it changes: `view.visible`, looked up anew only where it changed.

A view has four sections: all rooms, what the present one keeps, what the agent has with it, and
the places it stands at. A section is kept until something that decided what it shows has changed,
so that a step costs what it changed. One graph is made of them when somebody asks for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import chain
from operator import itemgetter

from ..scene_graph.graph import Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node, Relation, State
from .sections import Look, Section, SectionedView
from .view import Part, View, Visibility, look_into

# Looking a member up in its class takes as long as the rest of a turn of the loops below.
_PLACEMENTS = frozenset(PLACEMENTS)
_ROOM, _OBJECT = Kind.ROOM, Kind.OBJECT
_INSIDE, _ON, _HOLDS, _CLOSE = Relation.INSIDE, Relation.ON, Relation.HOLDS, Relation.CLOSE
_CLOSED = State.CLOSED
_target = itemgetter(1)
#: After so many looks all sections are forgotten, so that the book of them does not grow for ever.
_BOOK = 10_000


class IncrementalView:
    """What one agent sees of a true graph, whenever it is asked.

    It watches the graph (`SceneGraph.watch`), which therefore has one `IncrementalView` only.
    """

    def __init__(self, truth: SceneGraph, profile: Visibility, agent: int | None = None) -> None:
        """profile: ROOM or NEAR."""
        if profile is Visibility.CAMERA:
            raise ValueError("under the profile 'camera' the simulator says what is visible")
        self._truth = truth
        self._me = truth.agent().id if agent is None else agent
        self._all_of_room = profile is Visibility.ROOM
        self._changed = truth.watch()
        self._rooms_looks: dict[int | None, Look] = {}
        self._looks: dict[tuple[int, ...], Look] = {}
        # the looks whose sections a node has or had a part in
        self._users: defaultdict[int, set[Look]] = defaultdict(set)
        self._count = 0
        self._list_rooms()

    def view(self) -> View:
        """The same as `visible` gives of the graph as it is now."""
        me, changed = self._me, self._changed
        if changed:
            for node_id in changed:
                if node_id != me or me in self._users:  # whom sections seldom show
                    self._take_in(node_id)
            changed.clear()
        truth = self._truth
        room = truth.room_of(me)
        mine = truth.outgoing_of[me]
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
        look = self._rooms_looks.get(room)
        if look is None:
            look = self._rooms_looks[room] = Look(() if room is None else (room,), True)
        sections = [self._all_rooms, look.section or self._look(look)]
        for places in (with_me, close):
            if places:
                key = tuple(places)
                look = self._looks.get(key)
                if look is None:
                    look = self._looks[key] = Look(key, False)
                sections.append(look.section or self._look(look))
        if elsewhere:  # than where one surely sees it
            mine = tuple([p for p in mine if any(p[1] in s.nodes for s in sections)])
        worn = truth.sources(me, _ON) if body else body
        glimpsed = None if self._all_of_room else room
        part = Part({me: truth[me]}, {me: mine})
        return SectionedView(sections, part, body, worn, truth.agent_ids, glimpsed)

    def _look(self, look: Look) -> Section:
        """Look anew."""
        self._count += 1
        if self._count % _BOOK == 0:
            self._forget()
        me = self._me
        seen: dict[int, None] = {me: None}  # whose own relations are another matter
        covered: dict[int, bool] = {}
        elsewhere: set[int] = set()
        everything = self._all_of_room or not look.is_room
        for place in look.places:
            elsewhere |= look_into(self._truth, place, seen, covered, everything=everything)
        del seen[me]
        if look.is_room:
            for place in look.places:
                del seen[place]
        section = look.section = self._section(seen, covered, elsewhere)
        users = self._users
        for node_id in chain(seen, elsewhere, look.places):
            users[node_id].add(look)
        return section

    def _section(
        self, seen: Collection[int], covered: dict[int, bool], elsewhere: set[int]
    ) -> Section:
        truth = self._truth
        nodes = dict(zip(seen, map(truth.by_id.__getitem__, seen), strict=True))
        outgoing = dict(zip(seen, map(truth.outgoing_of.__getitem__, seen), strict=True))
        loose: dict[int, Outgoing] = {}
        tied = False
        targets = set(map(_target, chain.from_iterable(outgoing.values())))
        away = targets - nodes.keys() - self._always
        if away:
            for node_id, pairs in outgoing.items():
                if not away.isdisjoint([target for _, target in pairs]):
                    loose[node_id] = pairs
                    tied = tied or any(t in away and r in _PLACEMENTS for r, t in pairs)
            for node_id, pairs in loose.items():
                outgoing[node_id] = tuple([pair for pair in pairs if pair[1] not in away])
        return Section(nodes, outgoing, covered, loose, tied, elsewhere)

    # --- changes -------------------------------------------------------------------------------

    def _take_in(self, node_id: int) -> None:
        """Drop or mend the sections that a change of a node concerns."""
        truth = self._truth
        node = truth.get(node_id)
        if node_id in self._rooms or (node is not None and node.kind is _ROOM):
            self._list_rooms()
            self._forget()
            return
        users = self._users
        mended = None
        for look in tuple(users.get(node_id, ())):
            section = look.section
            if section is None:
                users[node_id].discard(look)
            elif node is None:
                look.section = None
            elif self._is_only_another(node, section, look):
                look.section = section.with_other(node)
                mended = look
            elif self._is_only_gone(node_id, section, look):
                look.section = section.without(node_id)
                users[node_id].discard(look)
            else:
                look.section = None
        if node is None or node_id == self._me:
            return  # whom no section shows
        # From afar an object is seen only where it stands free in the room.
        only_close = node.kind is _OBJECT
        for relation, place in truth.outgoing_of[node_id]:
            if relation not in _PLACEMENTS:
                continue
            for look in users.get(place, ()):
                section = look.section
                if section is None or look is mended or not self._shows(place, look, only_close):
                    continue
                if self._is_only_more(node_id, place, section, look):
                    look.section = section.with_more(node, truth.outgoing_of[node_id])
                    users[node_id].add(look)
                else:
                    look.section = None

    def _forget(self) -> None:
        self._rooms_looks.clear()
        self._looks.clear()
        self._users.clear()

    def _is_only_another(self, node: Node, section: Section, look: Look) -> bool:
        """Whether a seen node merely stands there in another state, and that lets see no more.

        So it is with the doors of a room that is seen from afar.
        """
        truth = self._truth
        before = section.nodes.get(node.id)
        if not look.is_room or self._all_of_room or before is None or before.kind is not node.kind:
            return False
        if node.id in section.elsewhere or node.id in section.loose:
            return False
        if section.outgoing[node.id] != truth.outgoing_of[node.id]:
            return False
        nodes = truth.by_id
        return all(nodes[thing].kind is _OBJECT for thing in truth.contents(node.id))

    def _is_only_gone(self, node_id: int, section: Section, look: Look) -> bool:
        """Whether a seen node was taken away, and nothing with it, as a small thing is that an
        agent takes.
        """
        if node_id not in section.nodes or node_id in look.places:
            return False
        if node_id in section.elsewhere or node_id in section.loose:
            return False
        truth = self._truth
        for relation, _ in truth.incoming_of.get(node_id, ()):
            if relation is not _HOLDS:
                return False
        return not truth.places(node_id)

    def _is_only_more(self, node_id: int, place: int, section: Section, look: Look) -> bool:
        """Whether a node that keeps nothing was put to others like it, and thus is seen last."""
        if look.places != (place,) or look.is_room or node_id in section.nodes:
            return False
        if node_id in section.elsewhere:
            return False
        truth = self._truth
        kept = truth.incoming_of
        (_, last) = next(reversed(kept[place]))
        if last != node_id or kept.get(node_id) or len(truth.outgoing_of[node_id]) > 1:
            return False
        for thing in section.nodes:
            if thing != place and kept.get(thing):
                return False
        relation = truth.outgoing_of[node_id][0][0]
        return relation is not _INSIDE or _CLOSED not in truth.by_id[place].states

    def _shows(self, place: int, look: Look, only_close: bool) -> bool:
        """Whether a section that has a part of a place shows what the place keeps."""
        if place in self._rooms:
            return place in look.places
        return not (look.is_room and only_close) or self._all_of_room

    def _list_rooms(self) -> None:
        self._rooms = frozenset(self._truth.room_ids)
        self._always = self._rooms | {self._me}  # in every view, whatever the sections
        self._all_rooms = self._section(self._truth.room_ids, {}, set())

"""Incremental views of a changing world: `view.visible`, recomputed only where it changed.

A view has four sections: all rooms, the contents of the present room, the things with the agent,
and the places where it stands. A section is cached until one of its dependencies changes, so the
cost of a step depends on its changes. The sections are joined to one graph on demand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import chain
from operator import itemgetter

from ..scene_graph.graph import Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node, Relation, State
from .sections import CachedSection, Section, SectionedView
from .view import Part, View, Visibility, look_into

# Module constants: a look-up in the enumeration would double the time of the loops below.
_PLACEMENTS = frozenset(PLACEMENTS)
_ROOM, _OBJECT = Kind.ROOM, Kind.OBJECT
_INSIDE, _ON, _HOLDS, _CLOSE = Relation.INSIDE, Relation.ON, Relation.HOLDS, Relation.CLOSE
_CLOSED = State.CLOSED
_target = itemgetter(1)
#: The cache is cleared after this many built sections, so that it does not grow without limit.
_MAX_BUILT = 10_000


class IncrementalView:
    """What one agent sees of a true graph, on demand.

    It watches the graph (`SceneGraph.watch`), so a graph has only one `IncrementalView`.
    """

    def __init__(self, truth: SceneGraph, profile: Visibility, agent: int | None = None) -> None:
        """profile: ROOM or NEAR."""
        if profile is Visibility.CAMERA:
            raise ValueError("under the profile 'camera' the simulator decides what is visible")
        self._truth = truth
        self._me = truth.agent().id if agent is None else agent
        self._all_of_room = profile is Visibility.ROOM
        self._changed = truth.watch()
        self._room_cache: dict[int | None, CachedSection] = {}
        self._place_cache: dict[tuple[int, ...], CachedSection] = {}
        # the cached sections that a node is or was a part of
        self._users: defaultdict[int, set[CachedSection]] = defaultdict(set)
        self._built = 0
        self._list_rooms()

    @property
    def changed(self) -> Collection[int]:
        """The nodes that have changed since the last view."""
        return self._changed

    def view(self) -> View:
        """The result of `visible` for the present graph."""
        me, changed = self._me, self._changed
        if changed:
            for node_id in changed:
                if node_id != me or me in self._users:  # sections seldom show the agent
                    self._apply_change(node_id)
            changed.clear()
        truth = self._truth
        room = truth.room_of(me)
        mine = truth.outgoing_of[me]
        with_me, close, dependencies = [], [], False
        for relation, target in mine:
            if relation is _HOLDS:
                with_me.append(target)
            elif relation is _CLOSE and truth.closed_around(target) is None:
                close.append(target)
            elif target != room:
                dependencies = True
        body = truth.contents(me) if truth.incoming_of.get(me) else []
        with_me += body
        cached = self._room_cache.get(room)
        if cached is None:
            cached = self._room_cache[room] = CachedSection(() if room is None else (room,), True)
        sections = [self._all_rooms, cached.section or self._build_cached(cached)]
        for places in (with_me, close):
            if places:
                key = tuple(places)
                cached = self._place_cache.get(key)
                if cached is None:
                    cached = self._place_cache[key] = CachedSection(key, False)
                sections.append(cached.section or self._build_cached(cached))
        if dependencies:  # other nodes than those certainly seen
            mine = tuple([p for p in mine if any(p[1] in s.nodes for s in sections)])
        worn = truth.sources(me, _ON) if body else body
        from_afar = None if self._all_of_room else room
        part = Part({me: truth[me]}, {me: mine})
        return SectionedView(sections, part, body, worn, truth.agent_ids, from_afar)

    def _build_cached(self, cached: CachedSection) -> Section:
        """Build a cached section again."""
        self._built += 1
        if self._built % _MAX_BUILT == 0:
            self._clear_cache()
        me = self._me
        seen: dict[int, None] = {me: None}  # the agent's own relations are handled separately
        covered: dict[int, bool] = {}
        dependencies: set[int] = set()
        everything = self._all_of_room or not cached.is_room
        for place in cached.places:
            dependencies |= look_into(self._truth, place, seen, covered, everything=everything)
        del seen[me]
        if cached.is_room:
            for place in cached.places:
                del seen[place]
        section = cached.section = self._build_section(seen, covered, dependencies)
        users = self._users
        for node_id in chain(seen, dependencies, cached.places):
            users[node_id].add(cached)
        return section

    def _build_section(
        self, seen: Collection[int], covered: dict[int, bool], dependencies: set[int]
    ) -> Section:
        truth = self._truth
        nodes = dict(zip(seen, map(truth.by_id.__getitem__, seen), strict=True))
        outgoing = dict(zip(seen, map(truth.outgoing_of.__getitem__, seen), strict=True))
        crossing: dict[int, Outgoing] = {}
        crossing_placement = False
        targets = set(map(_target, chain.from_iterable(outgoing.values())))
        away = targets - nodes.keys() - self._in_every_view
        if away:
            for node_id, pairs in outgoing.items():
                if not away.isdisjoint([target for _, target in pairs]):
                    crossing[node_id] = pairs
                    crossing_placement = crossing_placement or any(
                        t in away and r in _PLACEMENTS for r, t in pairs
                    )
            for node_id, pairs in crossing.items():
                outgoing[node_id] = tuple([pair for pair in pairs if pair[1] not in away])
        return Section(nodes, outgoing, covered, crossing, crossing_placement, dependencies)

    # --- changes -------------------------------------------------------------------------------

    def _apply_change(self, node_id: int) -> None:
        """Drop or update the cached sections that depend on a changed node."""
        truth = self._truth
        node = truth.get(node_id)
        if node_id in self._rooms or (node is not None and node.kind is _ROOM):
            self._list_rooms()
            self._clear_cache()
            return
        users = self._users
        updated = None
        for cached in tuple(users.get(node_id, ())):
            section = cached.section
            if section is None:
                users[node_id].discard(cached)
            elif node is None:
                cached.section = None
            elif self._only_state_changed(node, section, cached):
                cached.section = section.with_replaced(node)
                updated = cached
            elif self._only_removed(node_id, section, cached):
                cached.section = section.without(node_id)
                users[node_id].discard(cached)
            else:
                cached.section = None
        if node is None or node_id == self._me:
            return  # no section shows the agent
        # From afar only free-standing objects are seen.
        only_close = node.kind is _OBJECT
        for relation, place in truth.outgoing_of[node_id]:
            if relation not in _PLACEMENTS:
                continue
            for cached in users.get(place, ()):
                section = cached.section
                if (
                    section is None
                    or cached is updated
                    or not self._shows(place, cached, only_close)
                ):
                    continue
                if self._only_added(node_id, place, section, cached):
                    cached.section = section.with_added(node, truth.outgoing_of[node_id])
                    users[node_id].add(cached)
                else:
                    cached.section = None

    def _clear_cache(self) -> None:
        self._room_cache.clear()
        self._place_cache.clear()
        self._users.clear()

    def _only_state_changed(self, node: Node, section: Section, cached: CachedSection) -> bool:
        """Whether only the state of a seen node changed, without an effect on visibility.

        This holds for the doors of a room seen from afar.
        """
        truth = self._truth
        before = section.nodes.get(node.id)
        if (
            not cached.is_room
            or self._all_of_room
            or before is None
            or before.kind is not node.kind
        ):
            return False
        if node.id in section.dependencies or node.id in section.crossing:
            return False
        if section.outgoing[node.id] != truth.outgoing_of[node.id]:
            return False
        nodes = truth.by_id
        return all(nodes[thing].kind is _OBJECT for thing in truth.contents(node.id))

    def _only_removed(self, node_id: int, section: Section, cached: CachedSection) -> bool:
        """Whether the only change is a seen node without contents that was removed."""
        if node_id not in section.nodes or node_id in cached.places:
            return False
        if node_id in section.dependencies or node_id in section.crossing:
            return False
        truth = self._truth
        for relation, _ in truth.incoming_of.get(node_id, ()):
            if relation is not _HOLDS:
                return False
        return not truth.places(node_id)

    def _only_added(
        self, node_id: int, place: int, section: Section, cached: CachedSection
    ) -> bool:
        """Whether the only change is a node without contents, added beside others of that kind."""
        if cached.places != (place,) or cached.is_room or node_id in section.nodes:
            return False
        if node_id in section.dependencies:
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

    def _shows(self, place: int, cached: CachedSection, only_close: bool) -> bool:
        """Whether a section shows the contents of a place that belongs to it."""
        if place in self._rooms:
            return place in cached.places
        return not (cached.is_room and only_close) or self._all_of_room

    def _list_rooms(self) -> None:
        self._rooms = frozenset(self._truth.room_ids)
        self._in_every_view = self._rooms | {self._me}  # in every view, whatever the sections
        self._all_rooms = self._build_section(self._truth.room_ids, {}, set())

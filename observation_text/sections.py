"""Sections: the parts of a view that are cached until something in them changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..scene_graph.graph import Incoming, Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node, Relation, State
from .view import HANDLED_KINDS, Part, View

# Module constants: a look-up in the enumeration would double the time of the loops below.
_FIXTURE, _CLOSED = Kind.FIXTURE, State.CLOSED
_PLACEMENTS = frozenset(PLACEMENTS)
_HOLDS, _INSIDE, _CLOSE = Relation.HOLDS, Relation.INSIDE, Relation.CLOSE


@dataclass(slots=True, eq=False)
class Section(Part):
    """Some places with the things seen in them; the agent is not in a section."""

    covered: dict[int, bool]
    """The places whose contents are listed, and whether completely."""
    crossing: dict[int, Outgoing]
    """All relations of the nodes with a relation out of the section; relations in it, to the agent
    or to rooms are in `outgoing`.
    """
    crossing_placement: bool
    """Whether one of the crossing relations says where a thing is kept."""
    dependencies: set[int]
    """Unseen nodes that decided what is seen."""
    _incoming: dict[int, Incoming] | None = None
    """A cache of `incoming`."""
    _handled: list[int] | None = None
    """A cache of `handled`."""
    _fixtures: set[int] | None = None
    """A cache of `fixtures`."""
    _shuts_away: bool | None = None
    """A cache of `shuts_away`."""
    _alone: tuple[Section, View] | None = None
    """A cache of `alone`."""

    def with_replaced(self, node: Node) -> Section:
        """The section with another version of a node, of the same kind."""
        twin = self._derived({**self.nodes, node.id: node}, self.outgoing, self.covered)
        twin._incoming, twin._handled, twin._fixtures = (
            self._incoming,
            self._handled,
            self._fixtures,
        )
        if _CLOSED not in node.states:
            twin._shuts_away = self._shuts_away and None
        elif self._shuts_away is False:
            twin._shuts_away = _keeps_inside(self.incoming.get(node.id, ()))
            twin._incoming = self._incoming
        return twin

    def with_added(self, node: Node, pairs: Outgoing) -> Section:
        """The section with one more node, at the end and without contents."""
        covered = self.covered
        if _CLOSED not in node.states:
            covered = {**covered, node.id: True}
        twin = self._derived(
            {**self.nodes, node.id: node}, {**self.outgoing, node.id: pairs}, covered
        )
        if self._shuts_away is False:
            closed = [at for how, at in pairs if how is _INSIDE and at in twin.nodes]
            twin._shuts_away = any(_CLOSED in twin.nodes[at].states for at in closed)
        if self._handled is not None and node.kind in HANDLED_KINDS:
            twin._handled = [*self._handled, node.id]
        if self._incoming is not None:
            incoming = twin._incoming = self._incoming.copy()
            for relation, target in pairs:
                incoming[target] = {**incoming.get(target, {}), (relation, node.id): None}
        return twin

    def without(self, node_id: int) -> Section:
        """The section without a node, which must have no incoming relations in it."""
        nodes, outgoing, covered = {**self.nodes}, {**self.outgoing}, {**self.covered}
        del nodes[node_id]
        pairs = outgoing.pop(node_id)
        covered.pop(node_id, None)
        twin = self._derived(nodes, outgoing, covered)
        twin._shuts_away = self._shuts_away and None
        if self._handled is not None:
            twin._handled = [thing for thing in self._handled if thing != node_id]
        if self._incoming is not None:
            incoming = twin._incoming = self._incoming.copy()
            for relation, target in pairs:
                kept = incoming[target] = incoming[target].copy()
                del kept[relation, node_id]
                if not kept:
                    del incoming[target]
        return twin

    def _derived(
        self, nodes: dict[int, Node], outgoing: Mapping[int, Outgoing], covered: dict[int, bool]
    ) -> Section:
        return Section(
            nodes, outgoing, covered, self.crossing, self.crossing_placement, self.dependencies
        )

    @property
    def handled(self) -> list[int]:
        """The fixtures and objects of the section."""
        if self._handled is None:
            self._handled = [i for i, node in self.nodes.items() if node.kind in HANDLED_KINDS]
        return self._handled

    @property
    def fixtures(self) -> set[int]:
        if self._fixtures is None:
            self._fixtures = {i for i, node in self.nodes.items() if node.kind is _FIXTURE}
        return self._fixtures

    @property
    def shuts_away(self) -> bool:
        """Whether something seen is in a closed container of the section."""
        if self._shuts_away is None:
            self._shuts_away = False
            for thing, node in self.nodes.items():
                if _CLOSED in node.states and _keeps_inside(self.incoming.get(thing, ())):
                    self._shuts_away = True
                    break
        return self._shuts_away

    @property
    def incoming(self) -> dict[int, Incoming]:
        """`outgoing` by target: (relation, source) of each."""
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

    def alone(self, rooms: Section) -> View:
        """A view of the section and the rooms, without the agent. It must not cross."""
        if self._alone is None or self._alone[0] is not rooms:
            incoming = {**rooms.incoming, **self.incoming}
            for target in rooms.incoming.keys() & self.incoming.keys():
                incoming[target] = rooms.incoming[target] | self.incoming[target]
            graph = SceneGraph.from_tables(
                {**rooms.nodes, **self.nodes},
                {**rooms.outgoing, **self.outgoing},
                incoming,
                tuple(rooms.nodes),
                (),
            )
            self._alone = rooms, View(graph, self.covered)
        return self._alone[1]


def _keeps_inside(incoming: Iterable[tuple[Relation, int]]) -> bool:
    for relation, _ in incoming:  # noqa: SIM110 - three times as fast as `any`
        if relation is _INSIDE:
            return True
    return False


#: The section of held things and that of places; None for each that is absent.
_Division = tuple[Section | None, Section | None]
#: Stands for a division that was not asked for yet.
_UNKNOWN: _Division = (None, None)


class CachedSection:
    """A section and the places that it shows; None while it must be built.

    places: in the order of looking into them. is_room: whether it is the present room; it then has,
    without the room itself, what the profile shows from afar.
    """

    __slots__ = ("is_room", "places", "section")

    def __init__(self, places: tuple[int, ...], is_room: bool) -> None:
        self.places, self.is_room = places, is_room
        self.section: Section | None = None


class SectionedView(View):
    """A view whose graph is joined from sections on demand.

    It owns all its data, so the world may change meanwhile.
    """

    __slots__ = ("_agents", "_body", "_division", "_from_afar", "_mine", "_sections", "_worn")

    def __init__(
        self,
        sections: list[Section],
        mine: Part,
        body: list[int],
        worn: list[int],
        agents: tuple[int, ...],
        from_afar: int | None,
    ) -> None:
        """sections: all rooms, the present room, things with the agent if any, the places where it
        stands.

        mine: the agent with its relations. body: things on it, worn or not. agents: the ids of all
        agents. from_afar: the present room, if its section has only what is seen from anywhere in
        it.
        """
        self._graph = None
        self._covered = None
        self.arm = self.said = self._notes = None
        self._sections, self._mine = sections, mine
        self._body, self._worn = body, worn
        self._agents, self._from_afar = agents, from_afar
        self._division: _Division | None = _UNKNOWN

    @property
    def sections(self) -> list[Section]:
        """All rooms; the present room; things with the agent, if any; the places it stands at."""
        return self._sections

    @property
    def relations_of_agent(self) -> Outgoing:
        """The agent's relations to the nodes of the sections."""
        (relations,) = self._mine.outgoing.values()
        return relations

    @property
    def is_burdened(self) -> bool:
        """Whether the agent wears something or carries it on its body."""
        return bool(self._body)

    @property
    def has_company(self) -> bool:
        """Whether there are other agents."""
        return len(self._agents) > 1

    @property
    def graph(self) -> SceneGraph:
        if self._graph is None:
            self._graph = self._join()
        return self._graph

    @property
    def covered(self) -> Mapping[int, bool]:
        if self._covered is None:
            covered: dict[int, bool] = {}
            for section in self._sections:
                covered.update(section.covered)
            self._covered = covered
        return self._covered

    @property
    def parts(self) -> tuple[Part, ...]:
        for section in self._sections:
            if section.crossing_placement:
                return super().parts
        return (*self._sections, self._mine)

    @property
    def _divided(self) -> _Division | None:
        """The section of held things and that of places, None for each that is absent.

        None in all where a section shows things of another, or the agent has something on its body.
        """
        if self._division is _UNKNOWN:
            self._division = self._divide()
        return self._division

    def _divide(self) -> _Division | None:
        _, here, *close = self._sections
        if self._body or here.crossing_placement:
            return None
        for section in close:
            if section.crossing_placement:
                return None
        hand = close[0] if self.held() else None
        places = close[-1] if len(close) > (hand is not None) else None
        if hand and places and not hand.nodes.keys().isdisjoint(places.nodes):
            return None
        return hand, places

    def room_alone(self) -> View | None:
        divided = self._divided
        if divided is None or divided[1] is not None:
            return None
        for relation, _ in self.relations_of_agent:
            if relation is _CLOSE:
                return None
        return self._sections[1].alone(self._sections[0])

    def places_alone(self) -> View | None:
        divided = self._divided
        places = None if divided is None else divided[1]
        return None if places is None else places.alone(self._sections[0])

    def hands_alone(self) -> View | None:
        divided = self._divided
        hand = None if divided is None else divided[0]
        return None if hand is None else hand.alone(self._sections[0])

    def around(self, thing: int) -> View:
        divided = self._divided
        if divided is not None:
            hand, places = divided
            if hand is None or thing not in hand.nodes:
                for section in (places, self._sections[1]):
                    if section is not None and thing in section.nodes:
                        return section.alone(self._sections[0])
        return self

    def get(self, node_id: int) -> Node | None:
        for section in self._sections:
            if node_id in section.nodes:
                return section.nodes[node_id]
        return self._mine.nodes.get(node_id)

    def agent(self) -> Node:
        (agent,) = self._mine.nodes.values()
        return agent

    def room(self) -> int | None:
        rooms = self._sections[0].nodes
        placed = [place for how, place in self.relations_of_agent if how in _PLACEMENTS]
        return placed[0] if len(placed) == 1 and placed[0] in rooms else super().room()

    def held(self) -> list[int]:
        (pairs,) = self._mine.outgoing.values()
        return [thing for relation, thing in pairs if relation is _HOLDS]

    def worn(self) -> list[int]:
        return self._worn

    def within_reach(self) -> list[int]:
        if self._body:
            return super().within_reach()
        handled: list[int] = []
        for section in self._sections[2:]:
            handled += section.handled
        return handled if len(self._sections) < 4 else list(dict.fromkeys(handled))

    def visible_from_afar(self, room: int) -> list[int]:
        _, base, *close = self._sections
        if self._from_afar != room:
            return super().visible_from_afar(room)
        # From close more may be seen: a fixture on an object, or an object whose other place is
        # out of sight, so that it seems to stand free.
        for section in close:
            if section.crossing_placement or not section.fixtures <= base.nodes.keys():
                return super().visible_from_afar(room)
        return base.handled.copy()

    def _join(self) -> SceneGraph:
        rooms, *more = self._sections
        nodes, outgoing = {**rooms.nodes}, {**rooms.outgoing}
        incoming = rooms.incoming.copy()
        for section in more:
            nodes.update(section.nodes)
            outgoing.update(section.outgoing)
            twice = incoming.keys() & section.incoming.keys()
            both = {target: incoming[target] | section.incoming[target] for target in twice}
            incoming.update(section.incoming)
            incoming.update(both)
        nodes.update(self._mine.nodes)
        # relations between sections, which no section contains
        crossing = {
            node: pairs for section in self._sections for node, pairs in section.crossing.items()
        }
        for node_id, pairs in (*crossing.items(), *self._mine.outgoing.items()):
            kept = tuple([pair for pair in pairs if pair[1] in nodes])
            outgoing[node_id] = kept
            for relation, target in kept:
                known = incoming.get(target)
                if known is None:
                    incoming[target] = {(relation, node_id): None}
                elif (relation, node_id) not in known:
                    incoming[target] = {**known, (relation, node_id): None}
        agents = tuple([agent for agent in self._agents if agent in nodes])
        return SceneGraph.from_tables(nodes, outgoing, incoming, tuple(rooms.nodes), agents)

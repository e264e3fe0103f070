"""The part of a house that matters for making some literals true."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import permutations

from ...scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related, satisfied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import OPPOSITE, Affordance, Kind, Relation, State
from ...skills.actions import Action, Verb
from ...skills.dynamics import TARGETS, Where, bases, stands_at
from ...skills.embodiment import Embodiment
from .access import shut_around
from .agent_actions import AgentActions, is_agent_action
from .goal_alternatives import Literal, things_of
from .literal_costs import VERB_FOR, landings

Placing = tuple[Relation, int]

_CLOSE = Relation.CLOSE
_WAYS = ((Affordance.SURFACE, Relation.ON), (Affordance.CONTAINER, Relation.INSIDE))


class RelevantProblem:
    """A planning problem cut down to what is relevant.

    Relevant are the things that the literals name, what keeps or encloses them, the places they
    are wanted at, and what fills the agent's hands or a place that takes no more. A thing may be
    put where it is wanted, or for a while at one resting place of each stand. Carriers that no
    literal names and that keep nothing wanted are not thought of.

    start: the relevant part of the graph. movable: what may be picked up. wanted: where each
    thing may be put for good. rests: where anything may be put for a while. rest_doors: what has
    to be opened to put something there. changes: the actions that change a state. go_tos: what one
    then stands at, and the action; one for each stand, and for each room that matters itself.
    events: the events that have to happen, each sequence by itself. deeds: the actions that make
    them happen or change the agent itself. open_spaces: what can never be closed.
    cut: whether deeds would do as well with things that were not chosen for them.
    """

    def __init__(
        self,
        graph: SceneGraph,
        literals: Iterable[Literal],
        body: Embodiment,
        actions: frozenset[Verb],
        agent: int,
        avoid: frozenset[Action],
    ) -> None:
        self.literals = tuple(literals)
        self.body = body
        self.me = agent
        self._whole = graph
        self._actions = actions
        self._avoid = avoid
        self._refused = {(a.relation, a.place) for a in avoid if a.verb is Verb.PUT}
        self.movable: dict[int, None] = {}  # ordered sets, so that plans are repeatable
        self.wanted: dict[int, dict[Placing, None]] = {}
        self._changes: dict[Action, None] = {}
        self._stands: dict[int, None] = {}  # what the agent may have to stand at
        self._rooms: dict[int, None] = {}  # rooms to go to for their own sake
        self._shunned: set[Placing] = set()  # where something must not be
        self.events: list[tuple[EventOccurred, ...]] = [
            each.parts if isinstance(each, InOrder) else (each,)
            for each in self.literals
            if isinstance(each, EventOccurred | InOrder)
        ]
        self.deeds: dict[Action, None] = {}
        named = [thing for literal in self.literals for thing in things_of(literal)]
        self._finder = AgentActions(graph, actions, agent, named)
        for literal in self.literals:
            self._read(literal)
        self.cut = self._finder.cut
        self._add_nesting()
        self._add_tools()
        for thing in graph.held(agent):
            self._move(thing)
        self._add_capacity()
        self._add_carriers()
        self._add_doors()
        self._take_off()
        self._relevant = {base for i in self._concerned() for base in bases(graph, i)}
        self._junctions = self._find_junctions()
        self.rests = self._find_rests()
        self.rest_doors = {door for rest in self.rests for door in self._doors_of(rest)}
        self._open_rests()
        self.changes = tuple(self._changes)
        self.start = self._reduced()
        self.go_tos = self._find_go_tos() if Verb.GO_TO in actions else []
        self.open_spaces = {
            node.id
            for node in self.start.nodes()
            if Affordance.OPENABLE not in node.affordances and State.CLOSED not in node.states
        }

    def allows(self, action: Action) -> bool:
        """Whether there is such an action, and it is not to be avoided."""
        return action.verb in self._actions and action not in self._avoid

    # --- what is relevant --------------------------------------------------------------------

    def _read(self, literal: Literal) -> None:
        atom = literal.part if isinstance(literal, Not) else literal
        wanted = atom is literal
        if isinstance(atom, EventOccurred | InOrder) or is_agent_action(
            literal, self._whole, self.me
        ):
            for deed in self._finder.of(literal):
                for action in (*self._finder.before(deed), deed):
                    self._read_deed(action)
            return
        match atom:
            case HasState(int(thing), state):
                result = state if wanted else OPPOSITE.get(state)
                if result in VERB_FOR and thing in self._whole:
                    self._change(VERB_FOR[result][0], thing)
            case Related(int(source), relation, int(target)) if source == self.me:
                self._read_agent(relation, target, wanted=wanted)
            case Related(int(source), relation, int(target)):
                if source not in self._whole or target not in self._whole:
                    return
                holds = satisfied(literal, self._whole)
                if wanted:
                    # What is where it belongs only by what carries it may have to be taken out.
                    rides = relation is Relation.INSIDE and any(
                        map(self._graspable, self._whole.above(source))
                    )
                    self._want(source, relation, target, carried=rides or not holds)
                else:
                    self._shunned.add((relation, target))
                    if not holds:
                        self._move(source)

    def _read_agent(self, relation: Relation, target: int, *, wanted: bool) -> None:
        if relation is Relation.HOLDS:
            self._move(target)
        elif relation is Relation.CLOSE:
            self._stands[target] = None
        if not wanted and relation is not Relation.HOLDS:
            self._rooms.update({room.id: None for room in self._whole.nodes(Kind.ROOM)})
        elif relation is Relation.INSIDE:
            self._rooms[target] = None

    def _read_deed(self, action: Action) -> None:
        self.deeds[action] = None
        for thing in action.things:
            if self._whole[thing].kind is Kind.ROOM:
                self._rooms[thing] = None
            else:
                self._stands[thing] = None
        if action.target is None:
            return
        where = TARGETS[action.verb][0] if action.verb in TARGETS else None
        if where is Where.HAND or action.verb is Verb.PICK_UP:
            self._move(action.target)
        for state, (verb, _) in VERB_FOR.items():
            if action.verb is verb:
                self._change(verb, action.target)
                opposite = VERB_FOR.get(OPPOSITE.get(state, state))
                if opposite is not None:  # it may have to be done twice
                    self._change(opposite[0], action.target)

    def _want(self, thing: int, relation: Relation, place: int, *, carried: bool) -> None:
        carriers = [thing]
        if relation is Relation.INSIDE and carried:
            carriers += [above for above in self._whole.above(thing) if self._graspable(above)]
        ways = list(landings(self._whole, relation, place))
        if self._whole[place].kind is Kind.ROOM:
            ways = self._some_ways(ways)
        for carrier in carriers:
            if carrier != place:
                self.wanted.setdefault(carrier, {}).update(dict.fromkeys(ways))
            if carried:
                self._move(carrier)

    def _some_ways(self, ways: list[Placing]) -> list[Placing]:
        """One way to leave a thing in a room: all cost the same. One that nothing closes is best.

        Where other literals lead to this room, the resting places there are found as well.
        """
        open_ways = [way for way in ways if not shut_around(self._whole, way[1])]
        return (open_ways or ways)[:1]

    def _add_nesting(self) -> None:
        """A thing wanted on a tray and inside an oven takes the tray into the oven."""
        related = [each for each in self.literals if isinstance(each, Related)]
        for inner, outer in permutations(related, 2):
            if inner.source == outer.source and outer.relation is Relation.INSIDE:
                match inner.target, outer.target:
                    case int(tray), int(oven) if tray in self._whole and oven in self._whole:
                        if self._graspable(tray) and not self._whole.is_inside(tray, oven):
                            self._want(tray, Relation.INSIDE, oven, carried=True)

    def _add_tools(self) -> None:
        slicing = any(a.verb is Verb.SLICE for a in self._changes)
        if slicing and self.body.needs_tool:
            for node in self._whole.nodes():
                if Affordance.CUTS in node.affordances:
                    self._move(node.id)

    def _add_capacity(self) -> None:
        """What fills a wanted place may have to make room."""
        for puts in list(self.wanted.values()):
            for _, place in puts:
                if self._whole[place].category in self.body.capacity:
                    for thing in self._whole.contents(place):
                        self._move(thing)

    def _add_carriers(self) -> None:
        """What carries a thing to be moved, or is a place to put it, may be carried as well."""
        for node_id in (*self.movable, *self._places()):
            for above in (node_id, *self._whole.above(node_id)):
                self._move(above)

    def _add_doors(self) -> None:
        """What has to be opened, and switched off before, or plugged in."""
        for node_id in (
            *self.movable,
            *self._places(),
            *self._stands,
            *[action.target for action in self._changes if action.target is not None],
        ):
            for container in shut_around(self._whole, node_id):
                self._change(Verb.OPEN, container)
        for puts in self.wanted.values():
            for relation, place in puts:
                if relation is Relation.INSIDE and State.CLOSED in self._whole[place].states:
                    self._change(Verb.OPEN, place)
        for action in list(self._changes):
            states = self._whole[action.things[0]].states
            if action.verb in (Verb.OPEN, Verb.PLUG_OUT) and State.ON in states:
                self._change(Verb.TURN_OFF, action.things[0])
            if action.verb is Verb.TURN_ON and State.PLUGGED_OUT in states:
                self._change(Verb.PLUG_IN, action.things[0])

    def _take_off(self) -> None:
        """What is to be moved and worn has to be taken off."""
        for thing in self.movable:
            if self._whole.has_edge(thing, Relation.ON, self.me):
                self.deeds[Action(Verb.TAKE_OFF, thing)] = None

    def _open_rests(self) -> None:
        for door in self.rest_doors:
            self._change(Verb.OPEN, door)
            if State.ON in self._whole[door].states:
                self._change(Verb.TURN_OFF, door)

    def _find_junctions(self) -> list[int]:
        """Things by which one stands at two relevant stands at once: kept at both, or beside."""
        return [
            node.id
            for node in self._whole.nodes()
            if (len(self._whole.places(node.id)) > 1 or self._whole.targets(node.id, _CLOSE))
            and node.kind is not Kind.AGENT
            and len(self._relevant.intersection(stands_at(self._whole, node.id))) > 1
        ]

    def _find_rests(self) -> list[Placing]:
        """One place to put anything down at each stand the agent comes to, and one more anywhere.

        What stands beside a relevant stand is reached with it.
        """
        if not self.movable:
            return []
        stands = dict.fromkeys(self._whole.targets(self.me, _CLOSE))
        for node_id in (*self._concerned(), *self._junctions):
            if self._whole[node_id].kind is not Kind.ROOM:
                stands.update(dict.fromkeys(stands_at(self._whole, node_id)))
        found = [rest for stand in stands for rest in self._rests_at(stand)]
        elsewhere = self._rest_elsewhere(stands)
        if not found and not elsewhere:  # a house without furniture
            for node in self._whole.nodes():
                found += self._rests_at(node.id, fixed=False)
        return [*found, *elsewhere]

    def _rest_elsewhere(self, stands: Collection[int]) -> list[Placing]:
        """The places to rest at one more stand, if possible one that takes anything at once."""
        second: list[Placing] = []
        for node in self._whole.nodes():
            is_base = node.id not in stands and bases(self._whole, node.id) == [node.id]
            if is_base and self.allows(Action(Verb.GO_TO, node.id)):
                rests = self._rests_at(node.id)
                if rests and rests[0] not in self._shunned and not self._doors_of(rests[0]):
                    return rests
                second = second or rests
        return second

    def _rests_at(self, stand: int, *, fixed: bool = True) -> list[Placing]:
        """One place there that takes anything now.

        Where that is one at which some thing must not be, or has to be opened first, one of each
        sort.
        """
        found: dict[tuple[bool, bool], Placing] = {}
        for node_id in (stand, *self._whole.below(stand)):
            node = self._whole[node_id]
            if (fixed and self._graspable(node_id)) or node.category in self.body.capacity:
                continue
            for affordance, relation in _WAYS:
                way = relation, node_id
                if affordance in node.affordances and way not in self._refused:
                    found.setdefault((way in self._shunned, bool(self._doors_of(way))), way)
        best = found.get((False, False))
        return [best] if best is not None else list(found.values())

    def _doors_of(self, way: Placing) -> list[int]:
        """What has to be opened before a thing is put there."""
        relation, place = way
        doors = shut_around(self._whole, place)
        if relation is Relation.INSIDE and State.CLOSED in self._whole[place].states:
            doors.append(place)
        return doors

    def _reduced(self) -> SceneGraph:
        graph = self._whole
        chosen = dict.fromkeys((self.me, *self._rooms, *self._concerned()))
        named = (thing for literal in self.literals for thing in things_of(literal))
        chosen.update(dict.fromkeys(thing for thing in named if thing in graph))
        chosen.update(dict.fromkeys(graph.targets(self.me, Relation.CLOSE)))
        chosen.update(dict.fromkeys((*self._junctions, *(place for _, place in self.rests))))
        for node_id in list(chosen):
            if graph[node_id].category in self.body.capacity:
                chosen.update(dict.fromkeys(graph.contents(node_id)))
        for node_id in list(chosen):
            chosen.update(dict.fromkeys(graph.above(node_id)))
        for node_id in list(chosen):
            if graph[node_id].kind is not Kind.AGENT:
                chosen.update(dict.fromkeys(graph.targets(node_id, _CLOSE)))  # stood at as well
        for node_id in list(chosen):
            chosen.update(dict.fromkeys(graph.above(node_id)))
        return graph.part(chosen)

    def _find_go_tos(self) -> list[tuple[frozenset[int], Action]]:
        ways: dict[frozenset[int], list[int]] = {}
        targets = (*self._concerned(), *self._junctions, *(place for _, place in self.rests))
        in_hand = set(self.start.held(self.me))
        for node_id in dict.fromkeys(targets):
            stand = frozenset(stands_at(self.start, node_id))
            if not stand:
                continue  # a part of the body is always there
            if self.start[node_id].kind not in (Kind.ROOM, Kind.AGENT) and not stand & in_hand:
                ways.setdefault(stand, []).append(node_id)
        found: list[tuple[frozenset[int], Action]] = []
        for stand, things in ways.items():
            alone = [base for base in stand if frozenset(stands_at(self.start, base)) == stand]
            for node_id in (*alone, *sorted(things, key=self._graspable)):
                action = Action(Verb.GO_TO, node_id)
                if action not in self._avoid:
                    found.append((stand, action))
                    break
        if not self.events and not any(map(self._about_agent, self.literals)):
            found = self._without_lesser(found)
        return [*((frozenset[int](), Action(Verb.GO_TO, room)) for room in self._rooms), *found]

    def _without_lesser(
        self, ways: list[tuple[frozenset[int], Action]]
    ) -> list[tuple[frozenset[int], Action]]:
        """The ways but those that lead to fewer of the stands that matter than another does.

        Standing closer to more is never worse. What leads to something movable may change.
        """
        resting = {base for _, place in self.rests for base in bases(self.start, place)}
        matter = self._relevant | resting
        movable = [way for way in ways if self._graspable(way[1].things[0])]
        best: list[tuple[frozenset[int], Action]] = []
        for stand, action in sorted(ways, key=lambda way: -len(way[0] & matter)):
            lesser = any(stand & matter <= other for other, _ in best)
            if not lesser and (stand, action) not in movable:
                best.append((stand, action))
        return [*best, *movable]

    def _about_agent(self, literal: Literal) -> bool:
        atom = literal.part if isinstance(literal, Not) else literal
        return self.me in things_of(literal) and not (
            isinstance(atom, Related) and atom.relation is Relation.HOLDS
        )

    # --- small helpers -------------------------------------------------------------------------

    def _concerned(self) -> Iterator[int]:
        """Every relevant thing but what encloses it."""
        yield from self.movable
        yield from self._places()
        yield from (thing for thing in self._stands if thing in self._whole)
        yield from (action.things[0] for action in self._changes)

    def _places(self) -> list[int]:
        return list(dict.fromkeys(place for puts in self.wanted.values() for _, place in puts))

    def _move(self, thing: int) -> None:
        if thing in self._whole and self._graspable(thing):
            self.movable[thing] = None

    def _change(self, verb: Verb, thing: int) -> None:
        self._changes[Action(verb, thing)] = None

    def _graspable(self, node_id: int) -> bool:
        return Affordance.GRASPABLE in self._whole[node_id].affordances

"""The things, places and actions that may help to make some literals true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import OPPOSITE, Affordance, Kind, Relation, State
from ....skills.actions import Action, Verb
from ....skills.embodiment import Embodiment
from ....skills.preconditions import TARGETS, Where
from .access_cost import closed_containers
from .agent_actions import AgentActions, is_agent_action
from .goal_alternatives import Literal, things_of
from .literal_costs import VERB_FOR, put_targets

#: Where a thing is put: how, and the place.
Placement = tuple[Relation, int]


class RelevantThings:
    """What some literals concern, collected from a graph.

    Relevant are the things that literals name, all that keeps or encloses them, and their places.
    So is what fills the agent's hands or a full place. Left out are carriers that no literal names
    and that keep nothing to be moved.

    movable: the things that may be picked up. goal_puts: for each thing, where it may be put for
    good. state_actions: the actions that change a state. agent_actions: the actions that make
    events happen or change the agent itself. rooms: the rooms to go to for their own sake. All
    these are ordered sets, so that plans are repeatable.

    excluded: the placements that a literal rules out for some thing. truncated: whether equally
    good things for an agent action were left out, or carrying such a thing along.
    """

    def __init__(
        self,
        graph: SceneGraph,
        literals: tuple[Literal, ...],
        body: Embodiment,
        actions: frozenset[Verb],
        agent: int,
    ) -> None:
        self._graph = graph
        self._literals = literals
        self._body = body
        self._me = agent
        self.movable: dict[int, None] = {}
        self.goal_puts: dict[int, dict[Placement, None]] = {}
        self.state_actions: dict[Action, None] = {}
        self.agent_actions: dict[Action, None] = {}
        self.rooms: dict[int, None] = {}
        self.excluded: set[Placement] = set()
        self._to_reach: dict[int, None] = {}  # places where the agent may have to stand
        named = [thing for literal in literals for thing in things_of(literal)]
        self._finder = AgentActions(graph, actions, agent, named)
        for literal in literals:
            self._add_literal(literal)
        self._add_nested_puts()
        self._add_tools()
        for thing in graph.held(agent):
            self._add_movable(thing)
        self._add_contents_of_full_places()
        self._add_carriers()
        self._add_opening()
        self._add_taking_off()
        self.truncated = self._finder.truncated or self._leaves_carrying_out()

    def all(self) -> Iterator[int]:
        """Yield every relevant thing and place, without the containers around them."""
        yield from self.movable
        yield from self._places()
        yield from (thing for thing in self._to_reach if thing in self._graph)
        yield from (action.things[0] for action in self.state_actions)

    def add_containers_to_open(self, containers: Iterable[int]) -> None:
        """Add the actions that open containers, and turn off running ones before."""
        for container in containers:
            self._add_state_action(Verb.OPEN, container)
            if State.ON in self._graph[container].states:
                self._add_state_action(Verb.TURN_OFF, container)

    # --- literals ------------------------------------------------------------------------------

    def _add_literal(self, literal: Literal) -> None:
        atom = literal.part if isinstance(literal, Not) else literal
        positive = atom is literal
        if isinstance(atom, EventOccurred | InOrder) or is_agent_action(
            literal, self._graph, self._me
        ):
            for action in self._finder.fulfilling(literal):
                for each in (*self._finder.preparing(action), action):
                    self._add_agent_action(each)
            return
        match atom:
            case HasState(int(thing), state):
                result = state if positive else OPPOSITE.get(state)
                if result in VERB_FOR and thing in self._graph:
                    self._add_state_action(VERB_FOR[result], thing)
            case Related(int(source), relation, int(target)) if source == self._me:
                self._add_agent_relation(relation, target, positive=positive)
            case Related(int(source), relation, int(target), direct):
                if source not in self._graph or target not in self._graph:
                    return
                holds = satisfied(literal, self._graph)
                if positive:
                    # A thing inside only because of its carrier may have to be taken out of that.
                    carried = (
                        relation is Relation.INSIDE
                        and not direct
                        and any(map(self._is_graspable, self._graph.above(source)))
                    )
                    self._add_goal_puts(source, relation, target, move=carried or not holds)
                else:
                    self.excluded.add((relation, target))
                    if not holds:
                        self._add_movable(source)

    def _add_agent_relation(self, relation: Relation, target: int, *, positive: bool) -> None:
        if relation is Relation.HOLDS:
            self._add_movable(target)
        elif relation is Relation.CLOSE:
            self._to_reach[target] = None
        if not positive and relation is not Relation.HOLDS:
            self.rooms.update({room.id: None for room in self._graph.nodes(Kind.ROOM)})
        elif relation is Relation.INSIDE:
            self.rooms[target] = None

    def _add_agent_action(self, action: Action) -> None:
        self.agent_actions[action] = None
        for thing in action.things:
            if self._graph[thing].kind is Kind.ROOM:
                self.rooms[thing] = None
            else:
                self._to_reach[thing] = None
        if action.target is None:
            return
        where = TARGETS[action.verb][0] if action.verb in TARGETS else None
        if where is Where.HAND or action.verb is Verb.PICK_UP:
            self._add_movable(action.target)
        for state, verb in VERB_FOR.items():
            if action.verb is verb:
                self._add_state_action(verb, action.target)
                opposite = VERB_FOR.get(OPPOSITE.get(state, state))
                if opposite is not None:  # the event may have to happen twice
                    self._add_state_action(opposite, action.target)

    def _add_goal_puts(self, thing: int, relation: Relation, place: int, *, move: bool) -> None:
        carriers = [thing]
        if relation is Relation.INSIDE and move:
            carriers += [above for above in self._graph.above(thing) if self._is_graspable(above)]
        placements = list(put_targets(self._graph, relation, place))
        if self._graph[place].kind is Kind.ROOM:
            # All cost the same; temporary puts in the room come on top.
            accessible = [p for p in placements if not closed_containers(self._graph, p[1])]
            placements = (accessible or placements)[:1]
        for carrier in carriers:
            if carrier != place:
                self.goal_puts.setdefault(carrier, {}).update(dict.fromkeys(placements))
            if move:
                self._add_movable(carrier)

    # --- what they bring with them -------------------------------------------------------------

    def _add_nested_puts(self) -> None:
        """Add the put of a tray into an oven where a thing is to be on the tray and in the oven."""
        related = [each for each in self._literals if isinstance(each, Related)]
        for inner, outer in permutations(related, 2):
            if inner.source == outer.source and outer.relation is Relation.INSIDE:
                match inner.target, outer.target:
                    case int(tray), int(oven) if tray in self._graph and oven in self._graph:
                        if self._is_graspable(tray) and not self._graph.is_inside(tray, oven):
                            self._add_goal_puts(tray, Relation.INSIDE, oven, move=True)

    def _add_tools(self) -> None:
        """Add every knife where something is to be sliced with one."""
        slicing = any(action.verb is Verb.SLICE for action in self.state_actions)
        if slicing and self._body.needs_tool:
            for node in self._graph.nodes():
                if Affordance.CUTS in node.affordances:
                    self._add_movable(node.id)

    def _add_contents_of_full_places(self) -> None:
        """Add the contents of goal places of limited capacity, which may have to make room."""
        for placements in list(self.goal_puts.values()):
            for _, place in placements:
                if self._graph[place].category in self._body.capacity:
                    for thing in self._graph.contents(place):
                        self._add_movable(thing)

    def _add_carriers(self) -> None:
        """Add the carriers of movable things, and those that are a destination themselves."""
        for node_id in (*self.movable, *self._places()):
            for above in (node_id, *self._graph.above(node_id)):
                self._add_movable(above)

    def _add_opening(self) -> None:
        """Add the opening of containers, with turning off before it, and plugging in."""
        for node_id in (
            *self.movable,
            *self._places(),
            *self._to_reach,
            *[action.target for action in self.state_actions if action.target is not None],
        ):
            for container in closed_containers(self._graph, node_id):
                self._add_state_action(Verb.OPEN, container)
        for placements in self.goal_puts.values():
            for relation, place in placements:
                if relation is Relation.INSIDE and State.CLOSED in self._graph[place].states:
                    self._add_state_action(Verb.OPEN, place)
        for action in list(self.state_actions):
            states = self._graph[action.things[0]].states
            if action.verb in (Verb.OPEN, Verb.PLUG_OUT) and State.ON in states:
                self._add_state_action(Verb.TURN_OFF, action.things[0])
            if action.verb is Verb.TURN_ON and State.PLUGGED_OUT in states:
                self._add_state_action(Verb.PLUG_IN, action.things[0])

    def _add_taking_off(self) -> None:
        """Add taking off worn things that have to be moved."""
        for thing in self.movable:
            if self._graph.has_edge(thing, Relation.ON, self._me):
                self.agent_actions[Action(Verb.TAKE_OFF, thing)] = None

    def _leaves_carrying_out(self) -> bool:
        """Whether a thing to act on could be carried to another place where the agent has to be."""
        for action in self.agent_actions:
            for thing in action.things:
                others = {*self._to_reach, *self.movable, *self._places()} - {thing}
                if others and self._is_graspable(thing) and thing not in self.movable:
                    return True
        return False

    # --- small helpers -------------------------------------------------------------------------

    def _places(self) -> list[int]:
        return list(dict.fromkeys(place for puts in self.goal_puts.values() for _, place in puts))

    def _add_movable(self, thing: int) -> None:
        if thing in self._graph and self._is_graspable(thing):
            self.movable[thing] = None

    def _add_state_action(self, verb: Verb, thing: int) -> None:
        self.state_actions[Action(verb, thing)] = None

    def _is_graspable(self, node_id: int) -> bool:
        return Affordance.GRASPABLE in self._graph[node_id].affordances

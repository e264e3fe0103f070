"""What a single literal would cost, and why some can never be made true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...scene_graph.events import Event
from ...scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related, describe, satisfied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import OPPOSITE, Affordance, Kind, Relation, State
from ...skills.actions import PUT_RELATIONS, Verb
from .access import access, named
from .agent_actions import AgentActions, is_agent_action
from .appliance_effects import devices, is_appliance_effect
from .goal_alternatives import Literal, Unplannable, things_of

#: The verb that brings about a state, and what it needs of the thing (None: nothing).
VERB_FOR: dict[State, tuple[Verb, Affordance | None]] = {
    State.OPEN: (Verb.OPEN, Affordance.OPENABLE),
    State.CLOSED: (Verb.CLOSE, Affordance.OPENABLE),
    State.ON: (Verb.TURN_ON, Affordance.SWITCHABLE),
    State.OFF: (Verb.TURN_OFF, Affordance.SWITCHABLE),
    State.PLUGGED_IN: (Verb.PLUG_IN, Affordance.PLUGGABLE),
    State.PLUGGED_OUT: (Verb.PLUG_OUT, Affordance.PLUGGABLE),
    State.SLICED: (Verb.SLICE, Affordance.SLICEABLE),
    State.CLEAN: (Verb.WASH, None),
}


class LiteralCosts:
    """Costs of literals, each by itself, from one state of the world."""

    def __init__(
        self, graph: SceneGraph, actions: frozenset[Verb], agent: int, events: Sequence[Event]
    ) -> None:
        self._graph = graph
        self._actions = actions
        self._me = agent
        self._events = events
        self._deeds = AgentActions(graph, actions, agent)

    def cost(self, literal: Literal) -> float:
        """Roughly how many actions a literal takes, 0 where it holds. Raises Unplannable."""
        atom = literal.part if isinstance(literal, Not) else literal
        if isinstance(atom, EventOccurred | InOrder):
            return self._happening(atom, wanted=atom is literal)
        if satisfied(literal, self._graph):
            return 0.0
        for thing in things_of(literal):
            self._require(thing)
        if is_agent_action(literal, self._graph, self._me):
            return self._deed(literal)
        match literal:
            case HasState(int(thing), state):
                return self._change(thing, state)
            case Not(HasState(int(thing), state)):
                if state not in OPPOSITE:
                    raise Unplannable(f"{self._name(thing)} cannot stop being {state}")
                return self._change(thing, OPPOSITE[state])
            case Related(int(source), relation, int(target)):
                if source == self._me:
                    return self._agent(relation, target)
                return self._pick(source, relation) + self._put(source, relation, target)
            case Not(Related(int(source), relation, int(target))):
                if source == self._me:
                    return 1.0
                return self._pick(source, relation, out_of=target)
        raise Unplannable("the goal names a thing that no quantifier binds")

    def _change(self, thing: int, state: State) -> float:
        self._require(thing)
        node = self._graph[thing]
        if state not in VERB_FOR:
            raise Unplannable(f"no action makes {self._name(thing)} {state}")
        verb, affordance = VERB_FOR[state]
        if verb not in self._actions:
            raise Unplannable(f"there is no action {verb} here")
        if affordance is not None and affordance not in node.affordances:
            raise Unplannable(f"{self._name(thing)} is not {affordance}")
        return 1.0 + self._access(thing)

    def _agent(self, relation: Relation, target: int) -> float:
        kind = self._graph[target].kind
        if relation is Relation.HOLDS:
            return self._pick(target, relation)
        if relation is Relation.CLOSE and kind not in (Kind.ROOM, Kind.AGENT):
            return 1.0 + self._access(target)
        if relation is Relation.INSIDE and kind is Kind.ROOM:
            return 1.0
        raise Unplannable(f"the agent itself cannot be {relation} {self._name(target)}")

    def _pick(self, thing: int, relation: Relation, out_of: int | None = None) -> float:
        """The cost of getting a thing, or where `inside` allows what carries it, in hand."""
        if thing in self._graph.held(self._me):
            return 0.0
        carriers = [thing]
        if relation is Relation.INSIDE:
            for place in self._graph.above(thing):
                if place == out_of:
                    break
                carriers.append(place)
        if Verb.PICK_UP not in self._actions or not any(map(self._graspable, carriers)):
            raise Unplannable(f"{self._name(thing)} cannot be picked up")
        return 1.0 + self._access(thing)

    def _put(self, thing: int, relation: Relation, place: int) -> float:
        if thing == place:
            raise Unplannable(f"{self._name(thing)} cannot be put into itself")
        if Verb.PUT not in self._actions or relation not in PUT_RELATIONS:
            raise Unplannable(f"nothing here can be put {relation} a place")
        if not any(True for _ in landings(self._graph, relation, place)):
            raise Unplannable(f"nothing can be put {relation} {self._name(place)}")
        shut = State.CLOSED in self._graph[place].states and relation is Relation.INSIDE
        return 1.0 + self._access(place) + shut

    def _deed(self, literal: Literal) -> float:
        """The cost of the easiest deed that fulfils a literal."""
        costs = []
        refused = f"nothing there fits '{describe(literal)}'"
        for deed in self._deeds.of(literal):
            try:
                costs.append(self._deeds.cost(deed))
            except Unplannable as refusal:
                refused = str(refusal)
        if not costs:
            raise Unplannable(refused)
        return min(costs)

    def _happening(self, literal: EventOccurred | InOrder, *, wanted: bool) -> float:
        if not wanted:
            raise Unplannable("that something never happens cannot be planned for")
        if satisfied(literal, self._graph, self._events):
            return 0.0
        if isinstance(literal, EventOccurred) and is_appliance_effect(literal):
            return self._treatment(literal)
        parts = literal.parts if isinstance(literal, InOrder) else (literal,)
        for pattern in parts:
            if pattern.at_least is not None:
                raise Unplannable(f"how much '{' or '.join(pattern.names)}' gives is not known")
            if not any(name in self._actions for name in pattern.names):
                raise Unplannable(f"there is no action {' or '.join(pattern.names)} here")
            for thing in things_of(pattern):
                self._require(thing)
        return sum(map(self._deed, parts))

    def _treatment(self, literal: EventOccurred) -> float:
        """Bringing a thing to the nearest appliance for it, using that, and taking it out again."""
        thing = literal.things[0]
        assert isinstance(thing, int)
        self._require(thing)
        found = devices(self._graph, literal)
        if not found:
            raise Unplannable(f"nothing here makes {self._name(thing)} {literal.names[0]}")
        costs = [self._pick(thing, Relation.HOLDS) + self._access(device) for device in found]
        return min(costs) + 3.0

    def _access(self, thing: int) -> float:
        return float(access(self._graph, self._actions, self._me, thing))

    def _require(self, thing: int) -> None:
        if thing not in self._graph:
            raise Unplannable(f"thing {thing} is nowhere to be found")

    def _graspable(self, node_id: int) -> bool:
        return Affordance.GRASPABLE in self._graph[node_id].affordances

    def _name(self, node_id: int) -> str:
        return named(self._graph, node_id)


def landings(graph: SceneGraph, relation: Relation, place: int) -> Iterator[tuple[Relation, int]]:
    """(relation, place) of every way to put a thing so that it comes to be in this relation.

    A container takes things itself; inside a room or a closet of shelves, what it keeps does:
    what is fixed there, or else what is movable.
    """
    node = graph[place]
    if relation is not Relation.INSIDE:
        if Affordance.SURFACE in node.affordances:
            yield relation, place
    elif Affordance.CONTAINER in node.affordances:
        yield relation, place
    else:
        fixed: list[tuple[Relation, int]] = []
        movable: list[tuple[Relation, int]] = []
        for part in graph.below(place):
            affordances = graph[part].affordances
            if not graph.is_inside(part, place):
                continue
            way = Relation.ON if Affordance.SURFACE in affordances else Relation.INSIDE
            if way is Relation.ON or Affordance.CONTAINER in affordances:
                (movable if Affordance.GRASPABLE in affordances else fixed).append((way, part))
        yield from fixed or movable

"""Cost estimates of single literals, and reasons why some can never hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....scene_graph.events import Event
from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goal_text import describe
from ....scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import OPPOSITE, Affordance, Kind, Relation, State
from ....skills.actions import PUT_RELATIONS, Verb
from ....skills.effects import RESULTS
from ....skills.preconditions import TARGETS
from .access_cost import access_cost, node_label
from .agent_actions import AgentActions, is_agent_action
from .appliance_effects import appliances_for, is_appliance_effect
from .goal_alternatives import Literal, Unplannable, things_of

#: The verb that leads to a state, the first of several.
VERB_FOR: dict[State, Verb] = {state: verb for verb, state in reversed(RESULTS.items())}


class LiteralCosts:
    """Cost estimates of literals, each by itself, from one state of the world.

    events: past events. The estimates rank alternatives; they are no lower bounds.
    """

    def __init__(
        self, graph: SceneGraph, actions: frozenset[Verb], agent: int, events: Sequence[Event]
    ) -> None:
        self._graph = graph
        self._actions = actions
        self._me = agent
        self._events = events
        self._agent_actions = AgentActions(graph, actions, agent)

    def cost(self, literal: Literal) -> float:
        """Estimate the number of actions of a literal, 0 where it holds. Raises Unplannable."""
        atom = literal.part if isinstance(literal, Not) else literal
        if isinstance(atom, EventOccurred | InOrder):
            return self._event_cost(atom, positive=atom is literal)
        if satisfied(literal, self._graph):
            return 0.0
        for thing in things_of(literal):
            self._check_exists(thing)
        if is_agent_action(literal, self._graph, self._me):
            return self._agent_action_cost(literal)
        match literal:
            case HasState(int(thing), state):
                return self._state_cost(thing, state)
            case Not(HasState(int(thing), state)):
                if state not in OPPOSITE:
                    raise Unplannable(f"{self._name(thing)} cannot stop being {state}")
                return self._state_cost(thing, OPPOSITE[state])
            case Related(int(source), relation, int(target), direct):
                if source == self._me:
                    return self._agent_relation_cost(relation, target)
                return self._pick_up_cost(source, relation, direct=direct) + self._put_cost(
                    source, relation, target
                )
            case Not(Related(int(source), relation, int(target))):
                if source == self._me:
                    return 1.0
                return self._pick_up_cost(source, relation, out_of=target)
        raise Unplannable("the goal names a thing that no quantifier binds")

    def _state_cost(self, thing: int, state: State) -> float:
        self._check_exists(thing)
        node = self._graph[thing]
        if state not in VERB_FOR:
            raise Unplannable(f"no action makes {self._name(thing)} {state}")
        verb = VERB_FOR[state]
        affordance = TARGETS[verb][1]
        if verb not in self._actions:
            raise Unplannable(f"there is no action {verb} here")
        if affordance is not None and affordance not in node.affordances:
            raise Unplannable(f"{self._name(thing)} is not {affordance}")
        return 1.0 + self._access_cost(thing)

    def _agent_relation_cost(self, relation: Relation, target: int) -> float:
        kind = self._graph[target].kind
        if relation is Relation.HOLDS:
            return self._pick_up_cost(target, relation)
        if relation is Relation.CLOSE and kind not in (Kind.ROOM, Kind.AGENT):
            return 1.0 + self._access_cost(target)
        if relation is Relation.INSIDE and kind is Kind.ROOM:
            return 1.0
        raise Unplannable(f"the agent itself cannot be {relation} {self._name(target)}")

    def _pick_up_cost(
        self,
        thing: int,
        relation: Relation,
        out_of: int | None = None,
        *,
        direct: bool = False,
    ) -> float:
        """The cost of picking up a thing, or for `inside` something that carries it."""
        if thing in self._graph.held(self._me):
            return 0.0
        carriers = [thing]
        if relation is Relation.INSIDE and not direct:
            for place in self._graph.above(thing):
                if place == out_of:
                    break
                carriers.append(place)
        if Verb.PICK_UP not in self._actions or not any(map(self._graspable, carriers)):
            raise Unplannable(f"{self._name(thing)} cannot be picked up")
        return 1.0 + self._access_cost(thing)

    def _put_cost(self, thing: int, relation: Relation, place: int) -> float:
        if thing == place:
            raise Unplannable(f"{self._name(thing)} cannot be put into itself")
        if Verb.PUT not in self._actions or relation not in PUT_RELATIONS:
            raise Unplannable(f"nothing here can be put {relation} a place")
        if not any(True for _ in put_targets(self._graph, relation, place)):
            raise Unplannable(f"nothing can be put {relation} {self._name(place)}")
        closed = State.CLOSED in self._graph[place].states and relation is Relation.INSIDE
        return 1.0 + self._access_cost(place) + closed

    def _agent_action_cost(self, literal: Literal) -> float:
        """The cost of the cheapest agent action that fulfils a literal."""
        costs = []
        reason = f"nothing there fits '{describe(literal)}'"
        for action in self._agent_actions.fulfilling(literal):
            try:
                costs.append(self._agent_actions.cost(action))
            except Unplannable as refusal:
                reason = str(refusal)
        if not costs:
            raise Unplannable(reason)
        return min(costs)

    def _event_cost(self, literal: EventOccurred | InOrder, *, positive: bool) -> float:
        if not positive:
            raise Unplannable("that something never happens cannot be planned for")
        if satisfied(literal, self._graph, self._events):
            return 0.0
        if isinstance(literal, EventOccurred) and is_appliance_effect(literal):
            return self._appliance_effect_cost(literal)
        parts = literal.parts if isinstance(literal, InOrder) else (literal,)
        for pattern in parts:
            if pattern.at_least is not None:
                raise Unplannable(f"how much '{' or '.join(pattern.names)}' gives is not known")
            if not any(name in self._actions for name in pattern.names):
                raise Unplannable(f"there is no action {' or '.join(pattern.names)} here")
            for thing in things_of(pattern):
                self._check_exists(thing)
        return sum(map(self._agent_action_cost, parts))

    def _appliance_effect_cost(self, literal: EventOccurred) -> float:
        """The cost of taking a thing to the nearest appliance, using it, and taking it out."""
        thing = literal.things[0]
        assert isinstance(thing, int)
        self._check_exists(thing)
        appliances = appliances_for(self._graph, literal)
        if not appliances:
            raise Unplannable(f"nothing here makes {self._name(thing)} {literal.names[0]}")
        costs = [
            self._pick_up_cost(thing, Relation.HOLDS) + self._access_cost(device)
            for device in appliances
        ]
        return min(costs) + 3.0

    def _access_cost(self, thing: int) -> float:
        return float(access_cost(self._graph, self._actions, self._me, thing))

    def _check_exists(self, thing: int) -> None:
        if thing not in self._graph:
            raise Unplannable(f"thing {thing} is nowhere to be found")

    def _graspable(self, node_id: int) -> bool:
        return Affordance.GRASPABLE in self._graph[node_id].affordances

    def _name(self, node_id: int) -> str:
        return node_label(self._graph, node_id)


def put_targets(
    graph: SceneGraph, relation: Relation, place: int
) -> Iterator[tuple[Relation, int]]:
    """Yield every (relation, place) whose put leaves a thing in `relation` to `place`.

    A container takes things itself. A room or a closet of shelves takes them through its immovable
    surfaces and containers, or where there are none through its movable ones.
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
            how = Relation.ON if Affordance.SURFACE in affordances else Relation.INSIDE
            if how is Relation.ON or Affordance.CONTAINER in affordances:
                (movable if Affordance.GRASPABLE in affordances else fixed).append((how, part))
        yield from fixed or movable

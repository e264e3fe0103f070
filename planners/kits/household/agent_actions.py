"""Agent actions: actions that make an event happen, or change the agent itself.

Actions that change the agent seat, turn or dress it; pouring counts as one, too. A goal may leave
open which thing to act on. Then a thing is taken that the goal names anyway: for "touch something
and be close to the cat" the cat. Otherwise a few of the cheapest to reach are tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ....scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import OPPOSITE, POSTURES, Affordance, Kind, Relation, State
from ....skills.actions import WITH_PLACE, WITHOUT_TARGET, Action, Verb
from ....skills.dynamics import PUTS_BY_AFFORDANCE
from ....skills.effects import RESULTS
from ....skills.preconditions import TARGETS, Where
from ....skills.reach import in_sight
from .access_cost import access_cost, closed_containers, node_label
from .goal_alternatives import Literal, Unplannable

#: The most candidates where a goal leaves open which thing to act on.
MAX_CANDIDATES = 3

_POSTURE_OF = {Verb.SIT: State.SITTING, Verb.LIE_DOWN: State.LYING}
#: The state that a thing has to be in before the verb, which another verb can bring about.
_STATE_BEFORE = {
    verb: OPPOSITE[state]
    for verb, state in RESULTS.items()
    if state in OPPOSITE and state is not State.CLEAN
}


def is_agent_action(literal: Literal, graph: SceneGraph, agent: int) -> bool:
    """Whether a literal that is no event needs agent actions, not a change of things."""
    match literal.part if isinstance(literal, Not) else literal:
        case HasState(thing, state):
            return thing == agent and state in POSTURES
        case Related(source, relation, target) if source == agent:
            return relation is Relation.FACING or (relation is Relation.ON and target in graph)
        case Related(_, Relation.ON, target):
            return target == agent
        case Related(int(source), Relation.INSIDE, int(target)):
            return (
                source in graph
                and target in graph
                and Affordance.LIQUID in graph[source].affordances
                and Affordance.RECIPIENT in graph[target].affordances
            )
    return False


class AgentActions:
    """Agent actions for literals, in one state of the world.

    goal_things: the ids that the goal names. truncated: whether equally good things were left out.
    """

    def __init__(
        self,
        graph: SceneGraph,
        actions: frozenset[Verb],
        agent: int,
        goal_things: Collection[int] = (),
    ) -> None:
        self._graph = graph
        self._actions = actions
        self._me = agent
        self._goal_things = frozenset(goal_things)
        self.truncated = False

    def fulfilling(self, literal: Literal) -> list[Action]:
        """List the actions that fulfil a literal; for events in order, the actions of its parts."""
        return [action for action in self._fulfilling(literal) if action.verb in self._actions]

    def preparing(self, action: Action) -> list[Action]:
        """List the agent actions and picks that an agent action may need before it."""
        match action.verb, action.target:
            case Verb.WATCH | Verb.POINT_AT, int(thing):
                return [Action(Verb.TURN_TO, thing)]
            case Verb.SLEEP | Verb.WAKE_UP | Verb.STAND_UP, _:
                return [
                    Action(verb, seat) for verb in _POSTURE_OF for seat in self._candidates(verb)
                ]
            case Verb.PUT_ON, int(thing):
                return [Action(Verb.TAKE_OFF, thing)]
            case Verb.TAKE_OFF, int(thing):
                return [Action(Verb.PUT_ON, thing)]
            case Verb.WIPE, _:
                return [Action(Verb.PICK_UP, thing) for thing in self._candidates(Verb.PICK_UP)]
        return []

    def cost(self, action: Action) -> float:
        """Estimate the number of actions of an agent action with its preconditions.

        Raises Unplannable.
        """
        if action.target is None:
            resting = not POSTURES.isdisjoint(self._graph[self._me].states)
            return 1.0 if resting or action.verb in (Verb.WAIT, Verb.LOOK) else 3.0
        affordance = TARGETS[action.verb][1] if action.verb in TARGETS else None
        on_a_plate = action.verb is Verb.EAT
        if affordance is not None and not on_a_plate and not self._has(action.target, affordance):
            raise Unplannable(f"{node_label(self._graph, action.target)} is not {affordance}")
        cost = 1.0 + self._preparation_cost(action.verb, action.target)
        if action.place is not None:
            cost += self._access_cost(action.place)
        return cost

    def _fulfilling(self, literal: Literal) -> Iterator[Action]:
        match literal:
            case EventOccurred():
                yield from self._causing(literal)
            case InOrder(parts):
                for part in parts:
                    yield from self._causing(part)
            case HasState(_, state):
                verb = next(verb for verb, posture in _POSTURE_OF.items() if posture is state)
                yield from (Action(verb, seat) for seat in self._candidates(verb))
            case Related(source, Relation.ON, int(seat)) if source == self._me:
                yield from (Action(verb, seat) for verb in _POSTURE_OF if self._applies(verb, seat))
            case Related(_, Relation.FACING, int(thing)):
                yield Action(Verb.TURN_TO, thing)
                yield Action(Verb.LOOK, thing)
            case Related(int(thing), Relation.ON, _):
                yield Action(Verb.PUT_ON, thing)
            case Related(int(thing), _, int(place)):
                yield Action(Verb.POUR, thing, None, place)
            case Not(HasState()):
                yield Action(Verb.STAND_UP)
            case Not(Related(source, Relation.ON, _)) if source == self._me:
                yield Action(Verb.STAND_UP)
            case Not(Related(int(thing), Relation.ON, _)):
                yield Action(Verb.TAKE_OFF, thing)
            case Not(Related(int(thing), Relation.INSIDE, _)):
                yield Action(Verb.PICK_UP, thing)

    def _causing(self, pattern: EventOccurred) -> Iterator[Action]:
        """Yield the actions that make an event happen."""
        for name in pattern.names:
            if name not in self._actions:
                continue
            verb = Verb(name)
            if verb in WITH_PLACE:
                yield from self._with_place(verb, pattern.things)
            elif verb in WITHOUT_TARGET or (verb is Verb.LOOK and not pattern.things):
                if not pattern.things:
                    yield Action(verb)
            elif len(pattern.things) < 2:
                given = pattern.things[0] if pattern.things else None
                targets = [given] if isinstance(given, int) else self._candidates(verb)
                yield from (Action(verb, target) for target in targets)

    def _with_place(self, verb: Verb, things: tuple[object, ...]) -> Iterator[Action]:
        first, second = (*things, None, None)[:2]
        placements: list[tuple[Affordance, Relation | None]] = [*PUTS_BY_AFFORDANCE]
        if verb is Verb.POUR:
            placements = [(Affordance.RECIPIENT, None)]
        for target in [first] if isinstance(first, int) else self._candidates(verb):
            for affordance, relation in placements:
                receptacles = (n.id for n in self._graph.nodes() if affordance in n.affordances)
                for place in [second] if isinstance(second, int) else self._cheapest(receptacles):
                    if place != target:
                        yield Action(verb, target, relation, place)

    # --- choosing what to act on -----------------------------------------------------------------

    def _candidates(self, verb: Verb) -> list[int]:
        """The things that a verb may act on."""
        self.truncated |= verb is Verb.GO_TO  # of all places, only rooms
        things = [node.id for node in self._graph.nodes() if self._applies(verb, node.id)]
        known = [thing for thing in things if self._state_known(verb, thing)]
        self.truncated |= len(known) < len(things)
        return self._cheapest(known, verb)

    def _applies(self, verb: Verb, thing: int) -> bool:
        node = self._graph[thing]
        if verb is Verb.GO_TO:
            return node.kind is Kind.ROOM
        if node.kind not in (Kind.FIXTURE, Kind.OBJECT, Kind.AGENT) or thing == self._me:
            return False
        where, affordance = TARGETS[verb]
        if where is Where.BODY:
            return self._graph.has_edge(thing, Relation.ON, self._me)
        if where is Where.HAND and affordance is None:
            affordance = Affordance.GRASPABLE
        return affordance is None or self._has(thing, affordance)

    def _has(self, thing: int, affordance: Affordance) -> bool:
        return affordance in self._graph[thing].affordances

    def _state_known(self, verb: Verb, thing: int) -> bool:
        """Whether a thing's state is known, if the verb changes it."""
        state, states = _STATE_BEFORE.get(verb), self._graph[thing].states
        return state is None or state in states or OPPOSITE[state] in states

    def _cheapest(self, things: Iterable[int], verb: Verb | None = None) -> list[int]:
        """The things that the goal names among these; otherwise the few cheapest to reach."""
        costs = {}
        for thing in things:
            try:
                costs[thing] = (
                    self._access_cost(thing)
                    if verb is None
                    else self._preparation_cost(verb, thing)
                )
            except Unplannable:
                continue
        ordered = sorted(costs, key=lambda thing: (costs[thing], thing))
        chosen = [thing for thing in ordered if thing in self._goal_things] or ordered[
            :MAX_CANDIDATES
        ]
        self.truncated |= len(chosen) < len(ordered)
        return chosen

    def _preparation_cost(self, verb: Verb, thing: int) -> float:
        """The number of actions that prepare a thing for a verb: its place and its state."""
        where = TARGETS[verb][0] if verb in TARGETS else Where.REACH
        if where is Where.HAND and self._graph.holder(thing) != self._me:
            if not self._has(thing, Affordance.GRASPABLE):
                raise Unplannable(f"{node_label(self._graph, thing)} cannot be picked up")
            return 1.0 + self._access_cost(thing)
        if where is Where.SIGHT and in_sight(self._graph, self._me, thing):
            return float(len(closed_containers(self._graph, thing)))
        state = _STATE_BEFORE.get(verb)
        unprepared = state is not None and state not in self._graph[thing].states
        return self._access_cost(thing) + unprepared

    def _access_cost(self, thing: int) -> float:
        return float(access_cost(self._graph, self._actions, self._me, thing))

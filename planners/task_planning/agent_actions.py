"""Actions that are done for their own sake, or change the agent rather than the things around it.

They make an event happen, and they seat, turn and dress the agent and pour. Where a goal leaves
open what to do them with, it is done with what the goal names anyway (of "touch something and be
close to the cat" the cat), else with one of a few things nearest at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ...scene_graph.goals import EventOccurred, HasState, InOrder, Not, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import OPPOSITE, POSTURES, Affordance, Kind, Relation, State
from ...skills.actions import WITH_PLACE, WITHOUT_TARGET, Action, Verb
from ...skills.dynamics import PUTS, TARGETS, Where, in_sight
from .access import access, named, shut_around
from .goal_alternatives import Literal, Unplannable

#: So many things nearest at hand are thought of.
CHOICES = 3

_POSTURE_OF = {Verb.SIT: State.SITTING, Verb.LIE_DOWN: State.LYING}
#: What a thing has to be before the verb, which another verb can bring about.
_BEFORE = {
    Verb.OPEN: State.CLOSED,
    Verb.CLOSE: State.OPEN,
    Verb.TURN_ON: State.OFF,
    Verb.TURN_OFF: State.ON,
    Verb.PLUG_IN: State.PLUGGED_OUT,
    Verb.PLUG_OUT: State.PLUGGED_IN,
}


def is_agent_action(literal: Literal, graph: SceneGraph, agent: int) -> bool:
    """Whether a literal that is no event is fulfilled by deeds, not by moving and changing."""
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
    """Finds deeds in one state of the world, the easiest first.

    named: what the goal names. cut: whether some things that would do as well were left out.
    """

    def __init__(
        self, graph: SceneGraph, actions: frozenset[Verb], agent: int, named: Collection[int] = ()
    ) -> None:
        self._graph = graph
        self._actions = actions
        self._me = agent
        self._named = frozenset(named)
        self.cut = False

    def of(self, literal: Literal) -> list[Action]:
        """The deeds that fulfil a literal, of an order of events those of its parts."""
        return [action for action in self._of(literal) if action.verb in self._actions]

    def before(self, action: Action) -> list[Action]:
        """Deeds, and things to pick up, without which another deed may not be possible."""
        match action.verb, action.target:
            case Verb.WATCH | Verb.POINT_AT, int(thing):
                return [Action(Verb.TURN_TO, thing)]
            case Verb.SLEEP | Verb.WAKE_UP | Verb.STAND_UP, _:
                return [Action(verb, seat) for verb in _POSTURE_OF for seat in self._choice(verb)]
            case Verb.PUT_ON, int(thing):
                return [Action(Verb.TAKE_OFF, thing)]
            case Verb.TAKE_OFF, int(thing):
                return [Action(Verb.PUT_ON, thing)]
            case Verb.WIPE, _:
                return [Action(Verb.PICK_UP, thing) for thing in self._choice(Verb.PICK_UP)]
        return []

    def cost(self, action: Action) -> float:
        """Roughly how many actions a deed takes with what it needs. Raises Unplannable."""
        if action.target is None:
            resting = not POSTURES.isdisjoint(self._graph[self._me].states)
            return 1.0 if resting or action.verb in (Verb.WAIT, Verb.LOOK) else 3.0
        affordance = TARGETS[action.verb][1] if action.verb in TARGETS else None
        on_a_plate = action.verb is Verb.EAT
        if (
            affordance is not None
            and not on_a_plate
            and not self._can_be(action.target, affordance)
        ):
            raise Unplannable(f"{named(self._graph, action.target)} is not {affordance}")
        cost = 1.0 + self._readiness(action.verb, action.target)
        if action.place is not None:
            cost += self._access(action.place)
        return cost

    def _of(self, literal: Literal) -> Iterator[Action]:
        match literal:
            case EventOccurred():
                yield from self._doing(literal)
            case InOrder(parts):
                for part in parts:
                    yield from self._doing(part)
            case HasState(_, state):
                verb = next(verb for verb, posture in _POSTURE_OF.items() if posture is state)
                yield from (Action(verb, seat) for seat in self._choice(verb))
            case Related(source, Relation.ON, int(seat)) if source == self._me:
                yield from (Action(verb, seat) for verb in _POSTURE_OF if self._suits(verb, seat))
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

    def _doing(self, pattern: EventOccurred) -> Iterator[Action]:
        """The actions that make an event happen."""
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
                wanted = pattern.things[0] if pattern.things else None
                targets = [wanted] if isinstance(wanted, int) else self._choice(verb)
                yield from (Action(verb, target) for target in targets)

    def _with_place(self, verb: Verb, things: tuple[object, ...]) -> Iterator[Action]:
        first, second = (*things, None, None)[:2]
        ways: list[tuple[Affordance, Relation | None]] = [*PUTS]
        if verb is Verb.POUR:
            ways = [(Affordance.RECIPIENT, None)]
        for target in [first] if isinstance(first, int) else self._choice(verb):
            for affordance, relation in ways:
                taking = (n.id for n in self._graph.nodes() if affordance in n.affordances)
                for place in [second] if isinstance(second, int) else self._easiest(taking):
                    if place != target:
                        yield Action(verb, target, relation, place)

    # --- choosing what to do it with -----------------------------------------------------------

    def _choice(self, verb: Verb) -> list[int]:
        """Things that a verb may be done with."""
        self.cut |= verb is Verb.GO_TO  # of all places, only rooms
        things = [node.id for node in self._graph.nodes() if self._suits(verb, node.id)]
        known = [thing for thing in things if self._known(verb, thing)]
        self.cut |= len(known) < len(things)
        return self._easiest(known, verb)

    def _suits(self, verb: Verb, thing: int) -> bool:
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
        return affordance is None or self._can_be(thing, affordance)

    def _can_be(self, thing: int, affordance: Affordance) -> bool:
        return affordance in self._graph[thing].affordances

    def _known(self, verb: Verb, thing: int) -> bool:
        """Whether the state that the verb changes is known of a thing, where it changes one."""
        state, states = _BEFORE.get(verb), self._graph[thing].states
        return state is None or state in states or OPPOSITE[state] in states

    def _easiest(self, things: Iterable[int], verb: Verb | None = None) -> list[int]:
        """Those that the goal names, else a few."""
        costs = {}
        for thing in things:
            try:
                costs[thing] = self._access(thing) if verb is None else self._readiness(verb, thing)
            except Unplannable:
                continue
        ordered = sorted(costs, key=lambda thing: (costs[thing], thing))
        chosen = [thing for thing in ordered if thing in self._named] or ordered[:CHOICES]
        self.cut |= len(chosen) < len(ordered)
        return chosen

    def _readiness(self, verb: Verb, thing: int) -> float:
        """What it takes to have a thing where the verb needs it, and as it needs it."""
        where = TARGETS[verb][0] if verb in TARGETS else Where.REACH
        if where is Where.HAND and self._graph.holder(thing) != self._me:
            if not self._can_be(thing, Affordance.GRASPABLE):
                raise Unplannable(f"{named(self._graph, thing)} cannot be picked up")
            return 1.0 + self._access(thing)
        if where is Where.SIGHT and in_sight(self._graph, self._me, thing):
            return float(len(shut_around(self._graph, thing)))
        state = _BEFORE.get(verb)
        unprepared = state is not None and state not in self._graph[thing].states
        return self._access(thing) + unprepared

    def _access(self, thing: int) -> float:
        return float(access(self._graph, self._actions, self._me, thing))

"""What the actions of a world can do to each object by itself.

All errors are on one side: what is called impossible is so in every state that the agent can cause;
what is called possible may not be. So a proof of impossibility is sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..adapters.contract import STAND_IN, Adapter
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import POSTURES, Affordance, Kind, Node, Relation, State
from ..skills.actions import PUT_RELATIONS, Action, Verb
from ..skills.dynamics import apply, check
from ..skills.effects import RESULTS
from ..skills.embodiment import Embodiment
from ..skills.outcomes import Reason
from ..skills.preconditions import TARGETS

States = frozenset[State]

_POSTURE_VERBS = {
    State.SITTING: (Verb.SIT, Affordance.SITTABLE),
    State.LYING: (Verb.LIE_DOWN, Affordance.LIEABLE),
}


@dataclass(frozen=True)
class Laws:
    """How far a world follows the model of household actions (`skills/dynamics`).

    verbs, body: of the agent. strict: whether nothing else changes the world. In other worlds
    objects may fall, be cut into new ones or be heated by the engine; there everything counts as
    possible for which the objects exist. ignored: failures of the model that the world does not
    have.
    """

    verbs: frozenset[Verb]
    body: Embodiment
    strict: bool = True
    ignored: frozenset[Reason] = frozenset()


#: Adapters whose worlds follow the model, with the failures that each lacks. In the evolving graph
#: objects also fall out of what is picked up, which is considered below.
_STRICT: dict[str, frozenset[Reason]] = {
    "symbolic": frozenset(),
    "virtualhome": frozenset(),
    "virtualhome_room": frozenset(),
    "omnigibson": frozenset({Reason.STILL_ON, Reason.STILL_OPEN, Reason.UNPLUGGED}),
}
#: Of these only the built-in backend follows it.
_BY_STAND_IN = frozenset({"omnigibson"})


def laws_of(adapter: Adapter) -> Laws:
    """The laws of an adapter's world, after its reset."""
    spec = adapter.spec
    strict = spec.name in _STRICT and (
        spec.name not in _BY_STAND_IN or bool(adapter.facts().get(STAND_IN))
    )
    ignored = _STRICT.get(spec.name, frozenset())
    return Laws(spec.actions, spec.embodiment, strict, ignored)


class Attainable:
    """What each object of a graph can become, under strict laws."""

    def __init__(self, graph: SceneGraph, laws: Laws) -> None:
        self.graph = graph
        self.laws = laws
        self.me = graph.agent().id
        self._tool = any(
            Affordance.CUTS in node.affordances and self.is_handled(node.id)
            for node in graph.nodes()
        )
        self.states = cache(self._states)

    # --- states ----------------------------------------------------------------------------------

    def _states(self, thing: int) -> frozenset[States]:
        """All combinations of states of an object, found by trying every action on it."""
        node = self.graph[thing]
        found = {node.states}
        if self.is_locked_in(thing):
            return frozenset(found)
        queue = [node.states]
        while queue:
            for states in self._next_states(node, queue.pop()):
                if states not in found:
                    found.add(states)
                    queue.append(states)
        return frozenset(found)

    def _next_states(self, node: Node, states: States) -> Iterator[States]:
        for holding in (False, True):
            for verb in RESULTS:
                if verb in self.laws.verbs:
                    graph = _by_itself(node, states, holding=holding, tool=self._tool)
                    action = Action(verb, _THING)
                    failure = check(graph, action, self.laws.body, _AGENT)
                    if failure is None or failure.reason in self.laws.ignored:
                        apply(graph, action, _AGENT)
                        yield graph[_THING].states

    def takes_posture(self, state: State) -> bool:
        """Whether the agent can sit or lie."""
        if state not in _POSTURE_VERBS:
            return False
        verb, affordance = _POSTURE_VERBS[state]
        seats = (affordance in node.affordances for node in self.graph.nodes())
        return verb in self.laws.verbs and any(seats)

    # --- places ----------------------------------------------------------------------------------

    def is_handled(self, thing: int) -> bool:
        """Whether an object can come into the agent's hand, or is in it."""
        if thing in self.graph.held(self.me):
            return True
        can = Affordance.GRASPABLE in self.graph[thing].affordances
        return can and Verb.PICK_UP in self.laws.verbs and not self.is_locked_in(thing)

    def is_loose(self, thing: int) -> bool:
        """Whether an object can move: in hand, with its carrier, or taken off."""
        if self.is_locked_in(thing):
            return False
        around = (thing, *self.graph.above(thing))
        held = {thing for agent in self.graph.agent_ids for thing in self.graph.held(agent)}
        return any(
            each == self.me or each in held or Affordance.GRASPABLE in self.graph[each].affordances
            for each in around
        )

    def is_locked_in(self, thing: int) -> bool:
        """Whether an object is in something closed that nothing opens, moves or empties.

        An object that also stands elsewhere, as in recorded graphs, is not locked in.
        """
        return any(
            State.CLOSED in self.graph[place].states
            and self.graph.is_inside(thing, place)
            and self._never_opens(place)
            and not self._also_stands_outside(thing, place)
            and not self.is_loose(place)
            for place in self.graph.above(thing)
        )

    def _also_stands_outside(self, thing: int, place: int) -> bool:
        """Whether an object also stands on or in something outside of a place."""
        graph = self.graph
        return any(
            other != place and not graph.is_inside(other, place)
            for each in (thing, *graph.above(thing))
            if graph.is_inside(each, place)
            for _, other in graph.places(each)
            if graph[other].kind is not Kind.ROOM
        )

    def can_be_held(self, thing: int) -> bool:
        return thing != self.me and self.is_handled(thing)

    def can_be_put(self, thing: int, relation: Relation, place: int) -> bool:
        """Whether an object can be put at a place where it is not."""
        graph, verbs, body = self.graph, self.laws.verbs, self.laws.body
        node, target = graph[thing], graph[place]
        if place == self.me:
            wears = Verb.PUT_ON in verbs and Affordance.WEARABLE in node.affordances
            return relation is Relation.ON and wears and self.is_handled(thing)
        if relation is Relation.INSIDE and target.kind is Kind.ROOM:
            return self.is_loose(thing)  # at the agent's feet
        if thing == place or not self.is_handled(thing) or self.is_locked_in(place):
            return False
        if relation is Relation.INSIDE and self._can_be_poured(node, target):
            return True
        if Verb.PUT not in verbs or relation not in PUT_RELATIONS:
            return False
        if not body.may_put(node.category, target.category):
            return False
        if relation is not Relation.INSIDE:
            return Affordance.SURFACE in target.affordances
        return Affordance.CONTAINER in target.affordances and not self._never_opens(place)

    def can_be_on(self, seat: int) -> bool:
        """Whether the agent can sit or lie on something."""
        can = self.graph[seat].affordances
        return any(
            verb in self.laws.verbs and affordance in can
            for verb, affordance in _POSTURE_VERBS.values()
        )

    def can_be_kept_within(self, thing: int, place: int) -> bool:
        """Whether an object can be in or on something else that is inside a place."""
        graph = self.graph
        worn = self.me in graph.above(thing) or self.can_be_put(thing, Relation.ON, self.me)
        if worn or graph.is_inside(thing, place):  # its wearer may sit down there
            return True
        return any(
            node.id not in (thing, place, self.me)
            and not node.affordances.isdisjoint(_KEEPS)
            and (
                graph.is_inside(node.id, place) or self.can_be_put(node.id, Relation.INSIDE, place)
            )
            for node in graph.nodes()
        )

    def _can_be_poured(self, node: Node, target: Node) -> bool:
        poured = {Affordance.LIQUID, Affordance.POURABLE} <= node.affordances
        return (
            poured and Verb.POUR in self.laws.verbs and Affordance.RECIPIENT in target.affordances
        )

    def _never_opens(self, place: int) -> bool:
        """Whether a place stays closed, judged by its own states only."""
        node = self.graph[place]
        if State.CLOSED not in node.states:
            return False
        return Verb.OPEN not in self.laws.verbs or Affordance.OPENABLE not in node.affordances

    # --- events ----------------------------------------------------------------------------------

    def can_be_done(self, verb: Verb, thing: int | None) -> bool:
        """Whether an action is possible on an object, or on any object."""
        if verb not in self.laws.verbs:
            return False
        affordance = TARGETS[verb][1] if verb in TARGETS and verb is not Verb.EAT else None
        if affordance is None:
            return thing is None or thing in self.graph
        nodes = self.graph.nodes() if thing is None else [self.graph[thing]]
        return any(affordance in node.affordances for node in nodes)


_KEEPS = frozenset({Affordance.SURFACE, Affordance.CONTAINER, Affordance.RECIPIENT})
_ROOM, _AGENT, _THING, _IN_HAND = 1, 2, 3, 4


def _by_itself(node: Node, states: States, *, holding: bool, tool: bool) -> SceneGraph:
    """A world of an agent close to one object. holding: another object, which cuts if `tool`."""
    can = frozenset({Affordance.CUTS}) if tool else frozenset[Affordance]()
    graph = SceneGraph(
        [
            Node(_ROOM, "room", Kind.ROOM, _ROOM),
            Node(_AGENT, "agent", Kind.AGENT, _AGENT),
            Node(_THING, node.category, Kind.FIXTURE, _THING, states - POSTURES, node.affordances),
        ]
    )
    graph.add_edge(_AGENT, Relation.INSIDE, _ROOM)
    graph.add_edge(_THING, Relation.INSIDE, _ROOM)
    graph.add_edge(_AGENT, Relation.CLOSE, _THING)
    if holding:
        graph.add_node(Node(_IN_HAND, "thing", Kind.OBJECT, _IN_HAND, affordances=can))
        graph.add_edge(_AGENT, Relation.HOLDS, _IN_HAND)
    return graph

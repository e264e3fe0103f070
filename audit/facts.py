"""Single facts: which of them actions can cause or end, and why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..scene_graph.goal_text import describe
from ..scene_graph.goals import (
    EventOccurred,
    HasState,
    InOrder,
    MeasureInRange,
    Related,
    Term,
    named_ids,
)
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Affordance, Kind, Relation, State
from ..skills.actions import Verb
from ..skills.events import APPLIANCE_EVENTS
from .laws import Attainable

#: A fact: a state or relation with node ids, or an event.
Atom = HasState | Related | EventOccurred | InOrder | MeasureInRange
_VERBS = frozenset(Verb)


class Facts:
    """Judges facts by what each object can become."""

    def __init__(self, can: Attainable, name: Callable[[int], str]) -> None:
        self._can = can
        self._graph = can.graph
        self._me = can.me
        self._laws = can.laws
        self._name = name

    def can_become(self, atom: Atom) -> bool:
        """Whether a fact that does not hold can come to hold."""
        match atom:
            case HasState(int(thing), state):
                if thing not in self._graph:
                    return False
                if self._graph[thing].kind is Kind.AGENT:
                    return thing == self._me and self._can.takes_posture(state)
                return any(state in states for states in self._can.states(thing))
            case Related(int(source), _, int(target)):
                there = source in self._graph and target in self._graph
                return there and self._can_relate(atom, source, target)
            case EventOccurred():
                return any(self._can_happen(name, atom) for name in atom.names)
            case InOrder(parts):
                return all(map(self.can_become, parts))
        return True

    def _can_relate(self, atom: Related, source: int, target: int) -> bool:
        can, relation = self._can, atom.relation
        if relation in (Relation.CLOSE, Relation.FACING):
            return self._me in (source, target)
        if source == self._me:
            match relation:
                case Relation.HOLDS:
                    return can.can_be_held(target)
                case Relation.ON:
                    return can.can_be_on(target)
            return relation is Relation.INSIDE
        if relation not in PLACEMENTS:
            return False
        if relation is Relation.INSIDE and not atom.direct:
            if is_area(self._graph, target):
                return can.is_loose(source)
            return can.can_be_put(source, relation, target) or (
                can.is_loose(source) and can.can_be_kept_within(source, target)
            )
        return can.can_be_put(source, relation, target)

    def can_end(self, atom: Atom) -> bool:
        """Whether a fact that holds can end."""
        match atom:
            case HasState(int(thing), state) if self._graph[thing].kind is not Kind.AGENT:
                return any(state not in states for states in self._can.states(thing))
            case Related(int(source), relation) if relation in PLACEMENTS:
                return source == self._me or self._can.is_loose(source)
        return True

    def _can_happen(self, name: str, event: EventOccurred) -> bool:
        things = [thing for thing in event.things if isinstance(thing, int)]
        if any(thing not in self._graph for thing in things):
            return False
        if name in APPLIANCE_EVENTS:
            affordance, verb = APPLIANCE_EVENTS[name]
            devices = (affordance in node.affordances for node in self._graph.nodes())
            return verb in self._laws.verbs and any(devices)
        if name not in _VERBS:
            return True
        first = event.things[0] if event.things else None
        return self._can.can_be_done(Verb(name), first if isinstance(first, int) else None)

    def reason(self, atom: Atom) -> str:
        """Why a fact cannot come to hold."""
        text = self.text(atom)
        missing = [thing for thing in sorted(named_ids(atom)) if thing not in self._graph]
        if missing:
            return f"thing {missing[0]} is not in the scene"
        match atom:
            case HasState(int(thing), state):
                return f"no action makes {self._name(thing)} {_word(state)}"
            case Related(source, Relation.HOLDS, int(target)) if source == self._me:
                return f"{self._name(target)} cannot be picked up"
            case Related(int(source), relation, int(target)) if source != self._me:
                return self._place_reason(source, relation, target, text)
            case EventOccurred():
                return f"nothing in the scene allows it: {text}"
        return f"no action brings about: {text}"

    def _place_reason(self, source: int, relation: Relation, target: int, text: str) -> str:
        can, thing, place = self._can, self._name(source), self._name(target)
        if not can.is_handled(source):
            return f"{thing} cannot be picked up"
        if source == target:
            return f"{thing} cannot be put {relation} itself"
        if not self._laws.body.may_put(self._graph[source].category, self._graph[target].category):
            return f"{place} does not take {thing}"
        if relation in PLACEMENTS:
            return f"nothing can be put {relation} {place}"
        return f"no action brings about: {text}"

    def text(self, atom: Atom) -> str:
        """A fact in words."""
        return describe(atom, self._name)


def is_area(graph: SceneGraph, place: int) -> bool:
    """Whether a place keeps objects that stand in it, as a room does."""
    node = graph.get(place)
    takes = {Affordance.CONTAINER, Affordance.RECIPIENT}
    return node is not None and node.affordances.isdisjoint(takes)


def id_of(term: Term) -> int:
    assert isinstance(term, int), "facts are ground"
    return term


def ground(goal: Atom, bound: Mapping[str, int]) -> Atom:
    """A fact with node ids in place of its variables."""

    def term(found: Term) -> Term:
        return found if isinstance(found, int) else bound[found]

    def event(found: EventOccurred) -> EventOccurred:
        return replace(found, things=tuple(None if t is None else term(t) for t in found.things))

    match goal:
        case HasState(thing, _):
            return replace(goal, thing=term(thing))
        case Related(source, relation, target, direct):
            # `direct` has no meaning for other relations; one fact has one name.
            within = direct and relation is Relation.INSIDE
            return Related(term(source), relation, term(target), within)
        case MeasureInRange(_, things, _, _):
            return replace(goal, things=tuple(map(term, things)))
        case InOrder(parts):
            return InOrder(tuple(map(event, parts)))
    return event(goal)


def _word(state: State) -> str:
    return state.replace("_", " ")

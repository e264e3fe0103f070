"""What every household action needs and does, on a scene graph under an embodiment.

This one model is the built-in world, the checker of planner actions, the transition model of the
search planners and the engine behind protocol stand-ins. What actions need stands in
`preconditions`, what they do in `effects`, what an agent reaches in `reach`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import POSTURES, Affordance, Kind, Node, Relation
from .actions import WITH_PLACE, Action, Verb
from .effects import ACHIEVED, EFFECTS
from .embodiment import Embodiment
from .outcomes import Failure, Reason
from .preconditions import CHECKS, TARGETS, Where
from .reach import around, bases, in_sight, reach, reaches, stands_at

__all__ = [
    "PUTS",
    "SIGHT",
    "TARGETS",
    "VERBS_OF",
    "Where",
    "achieved",
    "apply",
    "around",
    "bases",
    "candidates",
    "check",
    "in_sight",
    "legal_actions",
    "reach",
    "reaches",
    "stands_at",
    "step",
]

#: What each affordance lets one do with a thing in reach …
VERBS_OF = (
    (Affordance.GRASPABLE, (Verb.PICK_UP,)),
    (Affordance.OPENABLE, (Verb.OPEN, Verb.CLOSE)),
    (Affordance.SWITCHABLE, (Verb.TURN_ON, Verb.TURN_OFF)),
    (Affordance.PLUGGABLE, (Verb.PLUG_IN, Verb.PLUG_OUT)),
    (Affordance.SLICEABLE, (Verb.SLICE,)),
)
#: … and where one can put things by it.
PUTS = ((Affordance.SURFACE, Relation.ON), (Affordance.CONTAINER, Relation.INSIDE))
#: Verbs that need their target in sight, not in reach.
SIGHT = frozenset(verb for verb, (where, _) in TARGETS.items() if where is Where.SIGHT)


def _verbs_at(where: Where) -> list[tuple[Affordance | None, Verb]]:
    return [(can, verb) for verb, (at, can) in TARGETS.items() if at is where]


_IN_REACH = _verbs_at(Where.REACH)
_IN_HAND = [(can, verb) for can, verb in _verbs_at(Where.HAND) if verb not in WITH_PLACE]


def check(
    graph: SceneGraph, action: Action, body: Embodiment, agent: int | None = None
) -> Failure | None:
    """Why an action cannot be done now, or None. The graph is left as it is."""
    me = graph.agent().id if agent is None else agent
    for thing in action.things:
        if thing not in graph:
            return Failure(Reason.UNKNOWN, thing)
    return CHECKS[action.verb](graph, action, body, me)


def apply(graph: SceneGraph, action: Action, agent: int | None = None) -> None:
    """Change the graph as a successful action does. Call only where `check` gave None."""
    me = graph.agent().id if agent is None else agent
    effect = EFFECTS.get(action.verb)
    if effect is not None:
        effect(graph, action, me)


def step(
    graph: SceneGraph, action: Action, body: Embodiment, agent: int | None = None
) -> Failure | None:
    """Check, then apply. The failure, with the graph unchanged, or None."""
    failure = check(graph, action, body, agent)
    if failure is None:
        apply(graph, action, agent)
    return failure


def achieved(graph: SceneGraph, action: Action, agent: int | None = None) -> bool:
    """Whether an action's postcondition holds in a graph."""
    me = graph.agent().id if agent is None else agent
    if any(thing not in graph for thing in action.things):
        return False
    condition = ACHIEVED.get(action.verb)
    return condition is None or condition(graph, action, me)


def candidates(graph: SceneGraph, agent: int | None = None) -> Iterator[Action]:
    """Every action worth checking on a graph: going anywhere, and what may be done from here.

    Looking around and waiting, which can always be done, are not among them.
    """
    me = graph.agent().id if agent is None else agent
    held = graph.held(me)
    reached = reach(graph, me)
    room = graph.room_of(me)
    if not POSTURES.isdisjoint(graph[me].states):
        yield from (Action(verb) for verb in (Verb.STAND_UP, Verb.SLEEP, Verb.WAKE_UP))
    for node in graph.nodes():
        if node.id == me or node.kind is Kind.SCENE:
            continue
        if node.kind is not Kind.AGENT:
            yield Action(Verb.GO_TO, node.id)
        if node.id in reached:
            yield from _handling(graph, node, held)
        if room is not None and graph.room_of(node.id) == room:
            yield from _looking(graph, node, me)
    for thing in held:
        for affordance, verb in _IN_HAND:
            if affordance is None or affordance in graph[thing].affordances:
                yield Action(verb, thing)
    for thing in graph.sources(me, Relation.ON):
        yield Action(Verb.TAKE_OFF, thing)


def legal_actions(graph: SceneGraph, body: Embodiment, agent: int | None = None) -> list[Action]:
    """The actions that can be done now, in the order of the graph's nodes."""
    return [a for a in candidates(graph, agent) if check(graph, a, body, agent) is None]


def _handling(graph: SceneGraph, node: Node, held: Sequence[int]) -> Iterator[Action]:
    """What may be done with a thing in reach."""
    can = node.affordances
    for affordance, verb in _IN_REACH:
        if (affordance is None or affordance in can) and (held or verb is not Verb.WIPE):
            yield Action(verb, node.id)
    if Affordance.EATABLE not in can and any(
        Affordance.EATABLE in graph[thing].affordances
        for thing in graph.sources(node.id, Relation.ON)
    ):
        yield Action(Verb.EAT, node.id)
    others = [thing for thing in held if thing != node.id]
    for affordance, relation in PUTS:
        if affordance in can:
            yield from (Action(Verb.PUT, thing, relation, node.id) for thing in others)
    if Affordance.RECIPIENT in can:
        for thing in others:
            if Affordance.POURABLE in graph[thing].affordances:
                yield Action(Verb.POUR, thing, None, node.id)


def _looking(graph: SceneGraph, node: Node, me: int) -> Iterator[Action]:
    """What may be done with a thing in sight."""
    yield Action(Verb.LOOK, node.id)
    yield Action(Verb.TURN_TO, node.id)
    if Affordance.PERSON in node.affordances:
        yield Action(Verb.GREET, node.id)
    if graph.has_edge(me, Relation.FACING, node.id):
        yield Action(Verb.POINT_AT, node.id)
        if Affordance.WATCHABLE in node.affordances:
            yield Action(Verb.WATCH, node.id)

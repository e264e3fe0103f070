"""What every household action needs and does, on a scene graph under an embodiment.

This one model is the built-in world, the checker of planner actions, the transition model of the
search planners and the engine behind protocol stand-ins.

Reach: the agent is CLOSE to the base it stands at (a fixture or a thing standing free in a room);
it reaches that base, everything the base keeps at any depth, and what it holds. Preconditions are
checked in a fixed order: free hand, reach, enclosure, affordance, state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Kind, Relation, State
from .actions import Action, Verb
from .embodiment import Embodiment
from .outcomes import Failure, Reason

#: What each affordance lets one do with a thing …
VERBS_OF = (
    (Affordance.GRASPABLE, (Verb.PICK_UP,)),
    (Affordance.OPENABLE, (Verb.OPEN, Verb.CLOSE)),
    (Affordance.SWITCHABLE, (Verb.TURN_ON, Verb.TURN_OFF)),
    (Affordance.PLUGGABLE, (Verb.PLUG_IN, Verb.PLUG_OUT)),
    (Affordance.SLICEABLE, (Verb.SLICE,)),
)
#: … and where one can put things by it.
PUTS = ((Affordance.SURFACE, Relation.ON), (Affordance.CONTAINER, Relation.INSIDE))


def check(
    graph: SceneGraph, action: Action, body: Embodiment, agent: int | None = None
) -> Failure | None:
    """Why an action cannot be done now, or None. The graph is left as it is."""
    me = graph.agent().id if agent is None else agent
    for thing in action.things:
        if thing not in graph:
            return Failure(Reason.UNKNOWN, thing)
    return _CHECKS[action.verb](graph, action, body, me)


def apply(graph: SceneGraph, action: Action, agent: int | None = None) -> None:
    """Change the graph as a successful action does. Call only where `check` gave None."""
    me = graph.agent().id if agent is None else agent
    effect = _EFFECTS.get(action.verb)
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
    target, place = action.target, action.place
    match action.verb, target, place:
        case Verb.GO_TO, int(), _:
            if graph[target].kind is Kind.ROOM:
                return graph.room_of(me) == target
            return reaches(graph, me, target)
        case Verb.PICK_UP, int(), _:
            return graph.has_edge(me, Relation.HOLDS, target)
        case Verb.PUT, int(), int():
            return action.relation is not None and graph.has_edge(target, action.relation, place)
        case verb, int(), _ if verb in _RESULTS:
            return _RESULTS[verb] in graph[target].states
    return True


def reaches(graph: SceneGraph, agent: int, thing: int) -> bool:
    """Whether the agent reaches a thing from where it stands. Enclosure is a matter of its own."""
    if _reached(graph, agent, thing):
        return True
    return any(_reached(graph, agent, place) for place in graph.above(thing))


def reach(graph: SceneGraph, agent: int) -> set[int]:
    """Everything the agent reaches, as `reaches` tells it of each thing."""
    found: set[int] = set()
    for relation, base in graph.outgoing(agent):
        if relation in (Relation.CLOSE, Relation.HOLDS):
            found.add(base)
            found.update(graph.below(base))
    return found


def bases(graph: SceneGraph, thing: int) -> list[int]:
    """Where one stands to reach a thing: what keeps it and is itself kept only by a room."""
    chain = [
        node_id
        for node_id in (thing, *graph.above(thing))
        if graph[node_id].kind not in (Kind.ROOM, Kind.SCENE)
    ]
    return [
        node_id
        for node_id in chain
        if all(graph[p].kind in (Kind.ROOM, Kind.SCENE) for _, p in graph.places(node_id))
    ]


def candidates(graph: SceneGraph, agent: int | None = None) -> Iterator[Action]:
    """Every action worth checking on a graph: going anywhere, and handling what is in reach."""
    me = graph.agent().id if agent is None else agent
    held = graph.held(me)
    reached = reach(graph, me)
    for node in graph.nodes():
        if node.kind in (Kind.AGENT, Kind.SCENE):
            continue
        yield Action(Verb.GO_TO, node.id)
        if node.id not in reached:
            continue
        for affordance, verbs in VERBS_OF:
            if affordance in node.affordances:
                for verb in verbs:
                    yield Action(verb, node.id)
        for affordance, relation in PUTS:
            if affordance in node.affordances:
                for thing in held:
                    if thing != node.id:
                        yield Action(Verb.PUT, thing, relation, node.id)


def legal_actions(graph: SceneGraph, body: Embodiment, agent: int | None = None) -> list[Action]:
    """The actions that can be done now, in the order of the graph's nodes."""
    return [a for a in candidates(graph, agent) if check(graph, a, body, agent) is None]


# --- preconditions -----------------------------------------------------------------------------

_Check = Callable[[SceneGraph, Action, Embodiment, int], Failure | None]


def _target(action: Action) -> int:
    assert action.target is not None  # every verb here takes one; `actions` builds them so
    return action.target


def _reached(graph: SceneGraph, agent: int, node_id: int) -> bool:
    return graph.has_edge(agent, Relation.CLOSE, node_id) or graph.has_edge(
        agent, Relation.HOLDS, node_id
    )


def _hand_and_reach(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = _target(action)
    if action.verb in body.needs_free_hand and len(graph.held(me)) >= body.hands:
        return Failure(Reason.HANDS_FULL)
    if not reaches(graph, me, target):
        return Failure(Reason.NOT_CLOSE, target)
    around = graph.closed_around(target)
    return None if around is None else Failure(Reason.ENCLOSED, around)


def _check_go_to(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = _target(action)
    if target == me:
        return Failure(Reason.NOT_SUPPORTED, target)
    around = graph.closed_around(target)
    if around is not None:
        return Failure(Reason.ENCLOSED, around)
    if any(graph.has_edge(me, Relation.HOLDS, t) for t in (target, *graph.above(target))):
        return Failure(Reason.HELD, target)
    return None if graph.room_of(target) is not None else Failure(Reason.UNREACHABLE, target)


def _check_pick_up(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = _target(action)
    if graph.has_edge(me, Relation.HOLDS, target):
        return Failure(Reason.HELD, target)
    if len(graph.held(me)) >= body.hands:
        return Failure(Reason.HANDS_FULL)
    failure = _hand_and_reach(graph, action, body, me)
    if failure is None and Affordance.GRASPABLE not in graph[target].affordances:
        return Failure(Reason.NOT_GRASPABLE, target)
    return failure


def _check_put(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target, place = _target(action), action.place
    assert place is not None
    if not graph.has_edge(me, Relation.HOLDS, target):
        return Failure(Reason.NOT_HELD, target)
    if place == target or target in graph.above(place):
        return Failure(Reason.INTO_ITSELF, target)
    if not reaches(graph, me, place):
        return Failure(Reason.NOT_CLOSE, place)
    around = graph.closed_around(place)
    if around is not None:
        return Failure(Reason.ENCLOSED, around)
    node = graph[place]
    if action.relation is Relation.INSIDE:
        if Affordance.CONTAINER not in node.affordances:
            return Failure(Reason.NOT_A_CONTAINER, place)
        if State.CLOSED in node.states:
            return Failure(Reason.CONTAINER_CLOSED, place)
    elif Affordance.SURFACE not in node.affordances:
        return Failure(Reason.NOT_A_SURFACE, place)
    capacity = body.capacity.get(node.category)
    if capacity is not None and len(graph.contents(place)) >= capacity:
        return Failure(Reason.FULL, place)
    return None


def _needs(affordance: Affordance, lacking: Reason, done: State, already: Reason) -> _Check:
    """The check of a verb that brings a thing with an affordance into a state."""

    def checked(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
        failure = _hand_and_reach(graph, action, body, me)
        if failure is not None:
            return failure
        node = graph[_target(action)]
        if affordance not in node.affordances:
            return Failure(lacking, node.id)
        if done in node.states:
            return Failure(already, node.id)
        if done is State.OPEN and State.ON in node.states:
            return Failure(Reason.STILL_ON, node.id)
        if done is State.ON and State.PLUGGED_OUT in node.states:
            return Failure(Reason.UNPLUGGED, node.id)
        if done is State.PLUGGED_OUT and State.ON in node.states:
            return Failure(Reason.STILL_ON, node.id)
        return None

    return checked


def _check_slice(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    failure = _hand_and_reach(graph, action, body, me)
    if failure is not None:
        return failure
    node = graph[_target(action)]
    if Affordance.SLICEABLE not in node.affordances:
        return Failure(Reason.NOT_SLICEABLE, node.id)
    if State.SLICED in node.states:
        return Failure(Reason.ALREADY_SLICED, node.id)
    if body.needs_tool and not any(
        Affordance.CUTS in graph[thing].affordances for thing in graph.held(me)
    ):
        return Failure(Reason.NO_TOOL)
    return None


def _check_nothing(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    return None


_CHECKS: dict[Verb, _Check] = {
    Verb.GO_TO: _check_go_to,
    Verb.PICK_UP: _check_pick_up,
    Verb.PUT: _check_put,
    Verb.OPEN: _needs(Affordance.OPENABLE, Reason.NOT_OPENABLE, State.OPEN, Reason.ALREADY_OPEN),
    Verb.CLOSE: _needs(
        Affordance.OPENABLE, Reason.NOT_OPENABLE, State.CLOSED, Reason.ALREADY_CLOSED
    ),
    Verb.TURN_ON: _needs(Affordance.SWITCHABLE, Reason.NOT_SWITCHABLE, State.ON, Reason.ALREADY_ON),
    Verb.TURN_OFF: _needs(
        Affordance.SWITCHABLE, Reason.NOT_SWITCHABLE, State.OFF, Reason.ALREADY_OFF
    ),
    Verb.PLUG_IN: _needs(
        Affordance.PLUGGABLE, Reason.NOT_PLUGGABLE, State.PLUGGED_IN, Reason.ALREADY_PLUGGED_IN
    ),
    Verb.PLUG_OUT: _needs(
        Affordance.PLUGGABLE, Reason.NOT_PLUGGABLE, State.PLUGGED_OUT, Reason.ALREADY_PLUGGED_OUT
    ),
    Verb.SLICE: _check_slice,
    Verb.LOOK: _check_nothing,
    Verb.WAIT: _check_nothing,
}

# --- effects -----------------------------------------------------------------------------------


def _go_to(graph: SceneGraph, action: Action, me: int) -> None:
    target = _target(action)
    room = graph.room_of(target)
    assert room is not None
    for relation, place in graph.outgoing(me):
        if relation is not Relation.HOLDS:
            graph.remove_edge(me, relation, place)
    graph.add_edge(me, Relation.INSIDE, room)
    for base in bases(graph, target):
        graph.add_edge(me, Relation.CLOSE, base)


def _pick_up(graph: SceneGraph, action: Action, me: int) -> None:
    target = _target(action)
    graph.detach(target)
    carried = {target, *graph.below(target)}
    for thing in carried:  # what it carries leaves the places around it too
        for relation, place in graph.places(thing):
            if place not in carried:
                graph.remove_edge(thing, relation, place)
    graph.remove_edge(me, Relation.CLOSE, target)
    graph.add_edge(me, Relation.HOLDS, target)


def _put(graph: SceneGraph, action: Action, me: int) -> None:
    assert action.relation is not None
    assert action.place is not None
    graph.detach(_target(action))
    graph.add_edge(_target(action), action.relation, action.place)


def _set(state: State) -> Callable[[SceneGraph, Action, int], None]:
    def effect(graph: SceneGraph, action: Action, me: int) -> None:
        graph.set_state(_target(action), state)

    return effect


#: The state that each of these verbs brings its target into.
_RESULTS = {
    Verb.OPEN: State.OPEN,
    Verb.CLOSE: State.CLOSED,
    Verb.TURN_ON: State.ON,
    Verb.TURN_OFF: State.OFF,
    Verb.PLUG_IN: State.PLUGGED_IN,
    Verb.PLUG_OUT: State.PLUGGED_OUT,
    Verb.SLICE: State.SLICED,
}

_EFFECTS: dict[Verb, Callable[[SceneGraph, Action, int], None]] = {
    Verb.GO_TO: _go_to,
    Verb.PICK_UP: _pick_up,
    Verb.PUT: _put,
    **{verb: _set(state) for verb, state in _RESULTS.items()},
}

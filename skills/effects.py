"""Effects and postconditions of actions on a graph: tables from verbs to functions.

Verbs that are not in the tables have no effect or no postcondition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import POSTURES, Affordance, Kind, Relation, State
from .actions import Action, Verb
from .preconditions import CHANGES, target_of
from .reach import reaches, stands_at

Effect = Callable[[SceneGraph, Action, int], None]
Achieved = Callable[[SceneGraph, Action, int], bool]

#: The state of the target after each of these verbs.
RESULTS = {
    **{verb: state for verb, (state, *_) in CHANGES.items()},
    **dict.fromkeys((Verb.WASH, Verb.RINSE, Verb.SCRUB, Verb.WIPE), State.CLEAN),
}
#: Relations that end when a thing is moved.
_POSITIONS = frozenset({Relation.CLOSE, Relation.FACING})
# Module constants: a look-up in the enumeration takes longer than some effects.
_HOLDS, _INSIDE = Relation.HOLDS, Relation.INSIDE
_CLOSE, _FACING = Relation.CLOSE, Relation.FACING
_POSTURE_OF = {Verb.SIT: State.SITTING, Verb.LIE_DOWN: State.LYING}

# --- effects -------------------------------------------------------------------------------------


def _go_to(graph: SceneGraph, action: Action, me: int) -> None:
    target = target_of(action)
    room = graph.room_of(target)
    assert room is not None
    held = [pair for pair in graph.outgoing(me) if pair[0] is _HOLDS]
    close = [(_CLOSE, base) for base in stands_at(graph, target)]
    graph.set_outgoing(me, [*held, (_INSIDE, room), *close])


def _pick_up(graph: SceneGraph, action: Action, me: int) -> None:
    target = target_of(action)
    graph.detach(target)
    carried = {target, *graph.below(target)}
    for thing in carried:  # its contents leave the places around it too
        for relation, place in graph.places(thing):
            if place not in carried:
                graph.remove_edge(thing, relation, place)
    for relation, other in graph.outgoing(target):
        if relation in _POSITIONS:
            graph.remove_edge(target, relation, other)
    for relation, other in list(graph.incoming(target)):
        if relation in _POSITIONS and (relation is not _FACING or other != me):
            graph.remove_edge(other, relation, target)
    graph.add_edge(me, _HOLDS, target)


def _put(graph: SceneGraph, action: Action, me: int) -> None:
    assert action.relation is not None
    assert action.place is not None
    graph.detach(target_of(action))
    graph.add_edge(target_of(action), action.relation, action.place)


def _drop(graph: SceneGraph, action: Action, me: int) -> None:
    """The thing lies in the room, where the agent stands."""
    target = target_of(action)
    graph.detach(target)
    room = graph.room_of(me)
    if room is not None:
        graph.add_edge(target, _INSIDE, room)
    graph.add_edge(me, _CLOSE, target)


def _pour(graph: SceneGraph, action: Action, me: int) -> None:
    target = target_of(action)
    assert action.place is not None
    if Affordance.LIQUID in graph[target].affordances:
        graph.detach(target)
        graph.add_edge(target, _INSIDE, action.place)


def _take_posture(graph: SceneGraph, action: Action, me: int) -> None:
    seat = target_of(action)
    for other in graph.targets(me, Relation.ON):
        graph.remove_edge(me, Relation.ON, other)
    graph.add_edge(me, Relation.ON, seat)
    graph.set_state(me, _POSTURE_OF[action.verb])
    if action.verb is Verb.SIT:
        for thing in graph.targets(seat, _FACING):
            graph.add_edge(me, _FACING, thing)


def _stand_up(graph: SceneGraph, action: Action, me: int) -> None:
    for seat in graph.targets(me, Relation.ON):
        graph.remove_edge(me, Relation.ON, seat)
    node = graph[me]
    graph.replace_node(replace(node, states=node.states - POSTURES))


def _put_on(graph: SceneGraph, action: Action, me: int) -> None:
    graph.detach(target_of(action))
    graph.add_edge(target_of(action), Relation.ON, me)


def _face(graph: SceneGraph, action: Action, me: int) -> None:
    if action.target is None:
        return
    for other in graph.targets(me, _FACING):
        graph.remove_edge(me, _FACING, other)
    graph.add_edge(me, _FACING, action.target)


def _set(graph: SceneGraph, action: Action, me: int) -> None:
    graph.set_state(target_of(action), RESULTS[action.verb])


EFFECTS: dict[Verb, Effect] = {
    Verb.GO_TO: _go_to,
    Verb.PICK_UP: _pick_up,
    Verb.PUT: _put,
    **dict.fromkeys(RESULTS, _set),
    Verb.DROP: _drop,
    Verb.POUR: _pour,
    Verb.SIT: _take_posture,
    Verb.LIE_DOWN: _take_posture,
    Verb.STAND_UP: _stand_up,
    Verb.PUT_ON: _put_on,
    Verb.TAKE_OFF: _drop,
    Verb.TURN_TO: _face,
    Verb.LOOK: _face,
}

# --- postconditions ------------------------------------------------------------------------------


def _has_arrived(graph: SceneGraph, action: Action, me: int) -> bool:
    target = target_of(action)
    if graph[target].kind is Kind.ROOM:
        return graph.room_of(me) == target
    return reaches(graph, me, target)


def _holds(graph: SceneGraph, action: Action, me: int) -> bool:
    return graph.has_edge(me, Relation.HOLDS, target_of(action))


def _was_put(graph: SceneGraph, action: Action, me: int) -> bool:
    place, how = action.place, action.relation
    return place is not None and how is not None and graph.has_edge(target_of(action), how, place)


def _was_poured(graph: SceneGraph, action: Action, me: int) -> bool:
    target, place = target_of(action), action.place
    liquid = Affordance.LIQUID in graph[target].affordances
    return not liquid or (place is not None and graph.has_edge(target, Relation.INSIDE, place))


def _rests_on_target(graph: SceneGraph, action: Action, me: int) -> bool:
    on_it = graph.has_edge(me, Relation.ON, target_of(action))
    return on_it and _POSTURE_OF[action.verb] in graph[me].states


def _has_state(graph: SceneGraph, action: Action, me: int) -> bool:
    return RESULTS[action.verb] in graph[target_of(action)].states


#: The postconditions by verb, each with the words for one that does not hold.
ACHIEVED: dict[Verb, tuple[Achieved, str]] = {
    Verb.GO_TO: (_has_arrived, "the agent is not at {target}"),
    Verb.PICK_UP: (_holds, "the agent does not hold {target}"),
    Verb.PUT: (_was_put, "{target} is not {relation} {place}"),
    **{verb: (_has_state, f"{{target}} is not {state}") for verb, state in RESULTS.items()},
    Verb.DROP: (
        lambda graph, action, me: not _holds(graph, action, me),
        "the agent still holds {target}",
    ),
    Verb.POUR: (_was_poured, "{target} is not inside {place}"),
    Verb.SIT: (_rests_on_target, "the agent does not sit on {target}"),
    Verb.LIE_DOWN: (_rests_on_target, "the agent does not lie on {target}"),
    Verb.STAND_UP: (
        lambda graph, action, me: POSTURES.isdisjoint(graph[me].states),
        "the agent does not stand",
    ),
    Verb.PUT_ON: (
        lambda graph, action, me: graph.has_edge(target_of(action), Relation.ON, me),
        "the agent does not wear {target}",
    ),
    Verb.TAKE_OFF: (
        lambda graph, action, me: not graph.has_edge(target_of(action), Relation.ON, me),
        "the agent still wears {target}",
    ),
    Verb.TURN_TO: (
        lambda graph, action, me: graph.has_edge(me, Relation.FACING, target_of(action)),
        "the agent does not face {target}",
    ),
}

"""Preconditions of actions: a table from verbs to checks.

A check returns the first failure in a fixed order: posture, hands, reach or sight, enclosure,
affordance, state. `body.needs_free_hand` lists the verbs that need a free hand; nothing is needed
to open what is open.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import POSTURES, Affordance, Kind, Relation, State
from .actions import ARM_ONLY_VERBS, GAME_ONLY_VERBS, HOUSEHOLD_VERBS, Action, Verb
from .embodiment import Embodiment
from .outcomes import Failure, Reason
from .reach import in_sight, reachable

#: Why an agent cannot do an action now, or None. The things of the action exist in the graph.
Check = Callable[[SceneGraph, Action, Embodiment, int], Failure | None]

# Module constants: a look-up in the enumeration takes longer than the condition.
_HOLDS, _INSIDE, _ON = Relation.HOLDS, Relation.INSIDE, Relation.ON
_GRASPABLE, _CONTAINER = Affordance.GRASPABLE, Affordance.CONTAINER
_SURFACE = Affordance.SURFACE
_OPEN, _CLOSED = State.OPEN, State.CLOSED
_RUNNING = State.ON


class Where(Enum):
    """Where the target of an action has to be."""

    REACH = auto()
    HAND = auto()
    BODY = auto()  # worn
    SIGHT = auto()


#: Where each verb's target has to be, and the affordance that it needs (None: no single one).
#: Some verbs have further conditions in their checks.
TARGETS: dict[Verb, tuple[Where, Affordance | None]] = {
    Verb.PICK_UP: (Where.REACH, Affordance.GRASPABLE),
    Verb.PUT: (Where.HAND, None),
    Verb.OPEN: (Where.REACH, Affordance.OPENABLE),
    Verb.CLOSE: (Where.REACH, Affordance.OPENABLE),
    Verb.TURN_ON: (Where.REACH, Affordance.SWITCHABLE),
    Verb.TURN_OFF: (Where.REACH, Affordance.SWITCHABLE),
    Verb.PLUG_IN: (Where.REACH, Affordance.PLUGGABLE),
    Verb.PLUG_OUT: (Where.REACH, Affordance.PLUGGABLE),
    Verb.SLICE: (Where.REACH, Affordance.SLICEABLE),
    Verb.DROP: (Where.HAND, None),
    Verb.POUR: (Where.HAND, Affordance.POURABLE),
    Verb.SIT: (Where.REACH, Affordance.SITTABLE),
    Verb.LIE_DOWN: (Where.REACH, Affordance.LIEABLE),
    Verb.PUT_ON: (Where.HAND, Affordance.WEARABLE),
    Verb.TAKE_OFF: (Where.BODY, None),
    Verb.EAT: (Where.REACH, Affordance.EATABLE),
    Verb.DRINK: (Where.HAND, Affordance.DRINKABLE),
    Verb.READ: (Where.HAND, Affordance.READABLE),
    Verb.WASH: (Where.REACH, None),
    Verb.RINSE: (Where.REACH, None),
    Verb.SCRUB: (Where.REACH, None),
    Verb.WIPE: (Where.REACH, None),
    Verb.TOUCH: (Where.REACH, None),
    Verb.TYPE: (Where.REACH, Affordance.TYPEABLE),
    Verb.SQUEEZE: (Where.REACH, Affordance.SQUEEZABLE),
    Verb.PUSH: (Where.REACH, None),
    Verb.PULL: (Where.REACH, Affordance.MOVABLE),
    Verb.MOVE: (Where.REACH, Affordance.MOVABLE),
    Verb.TURN_TO: (Where.SIGHT, None),
    Verb.POINT_AT: (Where.SIGHT, None),
    Verb.WATCH: (Where.SIGHT, Affordance.WATCHABLE),
    Verb.GREET: (Where.SIGHT, Affordance.PERSON),
    Verb.LOOK: (Where.SIGHT, None),
}


def target_of(action: Action) -> int:
    """The target of an action whose verb takes one."""
    assert action.target is not None  # guaranteed by `actions`
    return action.target


# --- conditions that many verbs share ------------------------------------------------------------


def _all(*conditions: Check) -> Check:
    """The first failure of several conditions."""

    def checked(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
        for condition in conditions:
            failure = condition(graph, action, body, me)
            if failure is not None:
                return failure
        return None

    return checked


def _reached(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    if action.verb in body.needs_free_hand and len(graph.held(me)) >= body.hands:
        return Failure(Reason.HANDS_FULL)
    return _accessible(graph, target, body, me)


def _accessible(graph: SceneGraph, thing: int, body: Embodiment, me: int) -> Failure | None:
    if not reachable(graph, me, thing, approaches=body.approaches):
        return Failure(Reason.NOT_CLOSE, thing)
    around = graph.closed_around(thing)
    return None if around is None else Failure(Reason.ENCLOSED, around)


def _held(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    held = graph.has_edge(me, _HOLDS, target)
    return None if held else Failure(Reason.NOT_HELD, target)


def _worn(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    worn = graph.has_edge(target, _ON, me)
    return None if worn else Failure(Reason.NOT_WORN, target)


def _something_held(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    return None if graph.held(me) else Failure(Reason.EMPTY_HANDED)


def _resting(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    standing = POSTURES.isdisjoint(graph[me].states)
    return Failure(Reason.NOT_SEATED) if standing else None


def _seen(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    if target == me:
        return Failure(Reason.NOT_SUPPORTED, target)
    if not in_sight(graph, me, target):
        return Failure(Reason.NOT_IN_SIGHT, target)
    around = graph.closed_around(target)
    return None if around is None else Failure(Reason.ENCLOSED, around)


def _faced(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    faced = graph.has_edge(me, Relation.FACING, target)
    return None if faced else Failure(Reason.NOT_FACING, target)


def _has_affordance(affordance: Affordance) -> Check:
    """The check that the target has an affordance."""

    def checked(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
        target = target_of(action)
        suits = affordance in graph[target].affordances
        return None if suits else Failure(Reason.UNSUITABLE, target)

    return checked


# --- walking and carrying ------------------------------------------------------------------------


def _check_go_to(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    if target == me:
        return Failure(Reason.NOT_SUPPORTED, target)
    if not POSTURES.isdisjoint(graph[me].states):
        return Failure(Reason.SEATED)
    around = graph.closed_around(target)
    if around is not None:
        return Failure(Reason.ENCLOSED, around)
    held = graph.held(me)
    for node_id in (target, *graph.above(target)):
        if node_id == me:
            return Failure(Reason.ON_BODY, target)
        if node_id in held:
            return Failure(Reason.HELD, target)
    return None if graph.room_of(target) is not None else Failure(Reason.UNREACHABLE, target)


def _check_pick_up(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    target = target_of(action)
    if graph.has_edge(me, _HOLDS, target):
        return Failure(Reason.HELD, target)
    if len(graph.held(me)) >= body.hands:
        return Failure(Reason.HANDS_FULL)
    failure = _reached(graph, action, body, me)
    if failure is not None:
        return failure
    if _GRASPABLE not in graph[target].affordances:
        return Failure(Reason.NOT_GRASPABLE, target)
    if graph.has_edge(target, _ON, me):
        return Failure(Reason.ON_BODY, target)
    if not POSTURES.isdisjoint(graph[me].states) and target in graph.above(me):
        return Failure(Reason.IN_USE, target)
    return None


def _held_near(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    """Check that the target is held, and that the place, not itself, is accessible."""
    target, place = target_of(action), action.place
    assert place is not None
    if not graph.has_edge(me, _HOLDS, target):
        return Failure(Reason.NOT_HELD, target)
    if place == target or target in graph.above(place):
        return Failure(Reason.INTO_ITSELF, target)
    return _accessible(graph, place, body, me)


def _check_put(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    failure = _held_near(graph, action, body, me)
    if failure is not None:
        return failure
    target, place = target_of(action), action.place
    assert place is not None
    node = graph[place]
    if action.relation is _INSIDE:
        if _CONTAINER not in node.affordances:
            return Failure(Reason.NOT_A_CONTAINER, place)
        if _CLOSED in node.states:
            return Failure(Reason.CONTAINER_CLOSED, place)
    elif _SURFACE not in node.affordances:
        return Failure(Reason.NOT_A_SURFACE, place)
    if not body.may_put(graph[target].category, node.category):
        return Failure(Reason.UNSUITABLE, place)
    capacity = body.capacity.get(node.category)
    if capacity is not None and len(graph.contents(place)) >= capacity:
        return Failure(Reason.FULL, place)
    return None


def _recipient(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    """Check the place of a `pour`. It may be closed: a coffee maker has a tank."""
    assert action.place is not None
    takes = Affordance.RECIPIENT in graph[action.place].affordances
    return None if takes else Failure(Reason.NOT_A_RECIPIENT, action.place)


# --- changing the state of things ----------------------------------------------------------------


#: For each verb that changes a state: the state afterwards, and why it fails without the affordance
#: and in that state already.
CHANGES: dict[Verb, tuple[State, Reason, Reason]] = {
    Verb.OPEN: (State.OPEN, Reason.NOT_OPENABLE, Reason.ALREADY_OPEN),
    Verb.CLOSE: (State.CLOSED, Reason.NOT_OPENABLE, Reason.ALREADY_CLOSED),
    Verb.TURN_ON: (State.ON, Reason.NOT_SWITCHABLE, Reason.ALREADY_ON),
    Verb.TURN_OFF: (State.OFF, Reason.NOT_SWITCHABLE, Reason.ALREADY_OFF),
    Verb.PLUG_IN: (State.PLUGGED_IN, Reason.NOT_PLUGGABLE, Reason.ALREADY_PLUGGED_IN),
    Verb.PLUG_OUT: (State.PLUGGED_OUT, Reason.NOT_PLUGGABLE, Reason.ALREADY_PLUGGED_OUT),
    Verb.SLICE: (State.SLICED, Reason.NOT_SLICEABLE, Reason.ALREADY_SLICED),
}
#: The states that keep a thing from a change to another, with the reason.
_OBSTACLES = {
    State.OPEN: (State.ON, Reason.STILL_ON),
    State.ON: (State.PLUGGED_OUT, Reason.UNPLUGGED),
    State.PLUGGED_OUT: (State.ON, Reason.STILL_ON),
}


def _changes_state(verb: Verb) -> Check:
    """The check of a verb of `CHANGES`."""
    affordance = TARGETS[verb][1]
    done, lacking, already = CHANGES[verb]
    obstacle, why = _OBSTACLES.get(done, (None, already))

    def checked(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
        node = graph[target_of(action)]
        if done in node.states:  # with nothing to do, full hands do not matter
            failure = _accessible(graph, node.id, body, me)
        else:
            failure = _reached(graph, action, body, me)
        if failure is not None:
            return failure
        if affordance not in node.affordances:
            return Failure(lacking, node.id)
        if done in node.states:
            return Failure(already, node.id)
        if obstacle is not None and obstacle in node.states:
            return Failure(why, node.id)
        if done is _RUNNING and _OPEN in node.states and node.category in body.closed_to_run:
            return Failure(Reason.STILL_OPEN, node.id)
        return None

    return checked


def _tool_held(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    if body.needs_tool and not any(
        Affordance.CUTS in graph[thing].affordances for thing in graph.held(me)
    ):
        return Failure(Reason.NO_TOOL)
    return None


# --- the agent's own body ------------------------------------------------------------------------


def _takes_posture(affordance: Affordance, posture: State, already: Reason) -> Check:
    """The check of a verb by which the agent sits or lies down."""

    def checked(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
        target = target_of(action)
        if posture in graph[me].states:
            return Failure(already)
        failure = _reached(graph, action, body, me)
        if failure is not None:
            return failure
        for node_id in (target, *graph.above(target)):
            if graph[node_id].kind is Kind.AGENT:
                return Failure(Reason.ON_BODY, target)
            if graph.holder(node_id) is not None:
                return Failure(Reason.HELD, target)
        node = graph[target]
        if affordance not in node.affordances:
            return Failure(Reason.UNSUITABLE, target)
        seats = body.seats.get(action.verb)
        if seats is not None:
            others = sum(thing != me for thing in graph.sources(target, Relation.ON))
            if others >= seats.get(node.category, 1):
                return Failure(Reason.OCCUPIED, target)
        return None

    return checked


def _eatable(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    """Check that the target is food or has food on it."""
    target = target_of(action)
    for thing in (target, *graph.sources(target, Relation.ON)):
        if Affordance.EATABLE in graph[thing].affordances:
            return None
    return Failure(Reason.UNSUITABLE, target)


def _look(graph: SceneGraph, action: Action, body: Embodiment, me: int) -> Failure | None:
    return None if action.target is None else _seen(graph, action, body, me)


_AT: dict[Where, Check] = {
    Where.REACH: _reached,
    Where.HAND: _held,
    Where.BODY: _worn,
    Where.SIGHT: _seen,
}


def _from_table(verb: Verb, *more: Check) -> Check:
    """The check of a verb from TARGETS, with further conditions."""
    where, affordance = TARGETS[verb]
    suits = () if affordance is None else (_has_affordance(affordance),)
    conditions = (_AT[where], *suits, *more)
    return conditions[0] if len(conditions) == 1 else _all(*conditions)


_SPECIAL: dict[Verb, Check] = {
    Verb.GO_TO: _check_go_to,
    Verb.PICK_UP: _check_pick_up,
    Verb.PUT: _check_put,
    Verb.POUR: _all(_held_near, _has_affordance(Affordance.POURABLE), _recipient),
    **{verb: _changes_state(verb) for verb in CHANGES},
    Verb.SLICE: _all(_changes_state(Verb.SLICE), _tool_held),
    Verb.SIT: _takes_posture(Affordance.SITTABLE, State.SITTING, Reason.ALREADY_SITTING),
    Verb.LIE_DOWN: _takes_posture(Affordance.LIEABLE, State.LYING, Reason.ALREADY_LYING),
    Verb.STAND_UP: _resting,
    Verb.SLEEP: _resting,
    Verb.WAKE_UP: _resting,
    Verb.EAT: _all(_reached, _eatable),
    Verb.WIPE: _from_table(Verb.WIPE, _something_held),
    Verb.POINT_AT: _from_table(Verb.POINT_AT, _faced),
    Verb.WATCH: _from_table(Verb.WATCH, _faced),
    Verb.LOOK: _look,
    Verb.WAIT: lambda *_: None,
}
CHECKS: dict[Verb, Check] = {
    **{verb: _SPECIAL.get(verb) or _from_table(verb) for verb in Verb if verb in HOUSEHOLD_VERBS},
    **dict.fromkeys(ARM_ONLY_VERBS | GAME_ONLY_VERBS, lambda *_: Failure(Reason.NOT_SUPPORTED)),
}

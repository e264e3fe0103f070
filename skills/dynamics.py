"""The model of household actions: preconditions and effects on a scene graph, by embodiment.

The built-in world, the checker of planner actions, the search planners and the protocol stand-ins
all use it. `preconditions`, `effects` and `reach` hold its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import POSTURES, Affordance, Kind, Node, Relation
from .actions import WITH_PLACE, Action, Verb
from .effects import ACHIEVED, EFFECTS
from .embodiment import Embodiment
from .outcomes import Failure, Reason
from .preconditions import CHECKS, TARGETS, Where
from .reach import all_in_sight, reach, reaches

#: The relations in which things can be put at a place in reach, by its affordances.
PUTS_BY_AFFORDANCE = ((Affordance.SURFACE, Relation.ON), (Affordance.CONTAINER, Relation.INSIDE))
#: Verbs that need their target in sight, not in reach.
SIGHT_VERBS = frozenset(verb for verb, (where, _) in TARGETS.items() if where is Where.SIGHT)


def _verbs_at(where: Where) -> list[tuple[Affordance | None, Verb]]:
    return [(can, verb) for verb, (at, can) in TARGETS.items() if at is where]


_IN_REACH = _verbs_at(Where.REACH)
_IN_HAND = [(can, verb) for can, verb in _verbs_at(Where.HAND) if verb not in WITH_PLACE]


def check(
    graph: SceneGraph, action: Action, body: Embodiment, agent: int | None = None
) -> Failure | None:
    """The failed precondition of an action, or None. The graph is not modified."""
    me = graph.agent().id if agent is None else agent
    nodes = graph.by_id
    for thing in action.things:
        if thing not in nodes:
            return Failure(Reason.UNKNOWN, thing)
    return CHECKS[action.verb](graph, action, body, me)


def apply(
    graph: SceneGraph, action: Action, agent: int | None = None, *, approaches: bool = False
) -> None:
    """Apply the effects of a successful action to the graph. Call only if `check` gives None.

    approaches: as in `Embodiment`.
    """
    me = graph.agent().id if agent is None else agent
    if approaches:
        _approach(graph, action, me)
    effect = EFFECTS.get(action.verb)
    if effect is not None:
        effect(graph, action, me)


def step(
    graph: SceneGraph, action: Action, body: Embodiment, agent: int | None = None
) -> Failure | None:
    """Check an action and apply it. Returns the failure, with the graph unchanged, or None."""
    me = graph.agent().id if agent is None else agent
    failure = check(graph, action, body, me)
    if failure is None:
        apply(graph, action, me, approaches=body.approaches)
    return failure


def _approach(graph: SceneGraph, action: Action, me: int) -> None:
    """Move the agent to where the thing or destination of an action is within reach."""
    needs_reach = TARGETS.get(action.verb, (None,))[0] is Where.REACH
    goal = action.target if needs_reach else action.place
    if goal is not None and not reaches(graph, me, goal):
        EFFECTS[Verb.GO_TO](graph, Action(Verb.GO_TO, goal), me)


def achieved(graph: SceneGraph, action: Action, agent: int | None = None) -> bool:
    """Whether an action's postcondition holds in a graph."""
    return not unachieved(graph, action, agent)


def unachieved(graph: SceneGraph, action: Action, agent: int | None = None) -> str:
    """An action's postcondition that does not hold in a graph, in words; "" if it holds."""
    me = graph.agent().id if agent is None else agent
    for thing in action.things:
        if thing not in graph:
            return f"the thing {thing} is gone"
    condition, words = ACHIEVED.get(action.verb, (None, ""))
    if condition is None or condition(graph, action, me):
        return ""
    target, place = (i and f"{graph[i].category} ({i})" for i in (action.target, action.place))
    return words.format(target=target, place=place, relation=action.relation)


def candidates(
    graph: SceneGraph,
    agent: int | None = None,
    *,
    approaches: bool = False,
    of: Collection[int] | None = None,
) -> Iterator[Action]:
    """Yield every action worth checking: going anywhere, and actions on things from here.

    Looking around and waiting, which are always possible, are left out. approaches: as in
    `Embodiment`. of: the only things of which actions are needed; None for all. Held and worn
    things come in any case.
    """
    me = graph.agent().id if agent is None else agent
    yield from (Action(verb) for verb in verbs_of_body(graph, me))
    held = graph.held(me)
    reached = reach(graph, me, approaches=approaches)
    for node, verbs in verbs_from_here(graph, me, approaches=approaches, of=of):
        if node.kind is not Kind.AGENT:
            yield Action(Verb.GO_TO, node.id)
        yield from (Action(verb, node.id) for verb in verbs)
        if node.id in reached:
            yield from _put_actions(graph, node, held)
    for thing in held:
        yield from (Action(verb, thing) for verb in verbs_in_hand(graph[thing].affordances))
    for thing in graph.sources(me, Relation.ON):
        yield Action(Verb.TAKE_OFF, thing)


def verbs_of_body(graph: SceneGraph, agent: int) -> tuple[Verb, ...]:
    """The verbs that an agent may do without a thing."""
    resting = not POSTURES.isdisjoint(graph[agent].states)
    return (Verb.STAND_UP, Verb.SLEEP, Verb.WAKE_UP) if resting else ()


def verbs_from_here(
    graph: SceneGraph,
    agent: int,
    *,
    approaches: bool = False,
    of: Collection[int] | None = None,
) -> Iterator[tuple[Node, tuple[Verb, ...]]]:
    """Yield every thing in reach or in sight with its possible verbs.

    Going there is left out, and so are verbs for held or worn things. approaches: as in
    `Embodiment`. of: as in `candidates`.
    """
    holding = bool(graph.held(agent))
    reached = reach(graph, agent, approaches=approaches)
    sight = all_in_sight(graph, agent)
    faced = graph.targets(agent, Relation.FACING)
    scene = Kind.SCENE
    for node in graph.nodes() if of is None else map(graph.by_id.__getitem__, of):
        node_id = node.id
        if node_id == agent or node.kind is scene:
            continue
        verbs: tuple[Verb, ...] = ()
        if node_id in reached:
            verbs = _verbs_in_reach(node.affordances, holding, _has_food_on(graph, node_id))
        if node_id in sight:
            verbs += _verbs_in_sight(node.affordances, node_id in faced)
        yield node, verbs


@lru_cache
def verbs_in_hand(can: frozenset[Affordance]) -> tuple[Verb, ...]:
    """The verbs for a held thing, except putting and pouring."""
    return tuple(verb for affordance, verb in _IN_HAND if affordance is None or affordance in can)


def legal_actions(graph: SceneGraph, body: Embodiment) -> list[Action]:
    """List the actions whose preconditions hold, in the order of the graph's nodes."""
    possible = candidates(graph, approaches=body.approaches)
    return [action for action in possible if check(graph, action, body) is None]


@lru_cache
def _verbs_in_reach(
    can: frozenset[Affordance], holding: bool, food_on_it: bool
) -> tuple[Verb, ...]:
    """The verbs for a thing in reach. food_on_it: whether food lies on it."""
    verbs = [
        verb
        for affordance, verb in _IN_REACH
        if (affordance is None or affordance in can) and (holding or verb is not Verb.WIPE)
    ]
    return (*verbs, Verb.EAT) if food_on_it and Affordance.EATABLE not in can else tuple(verbs)


@lru_cache
def _verbs_in_sight(can: frozenset[Affordance], faced: bool) -> tuple[Verb, ...]:
    """The verbs for a thing in sight. faced: whether the agent faces it."""
    verbs = [Verb.LOOK, Verb.TURN_TO]
    if Affordance.PERSON in can:
        verbs.append(Verb.GREET)
    if faced:
        verbs.append(Verb.POINT_AT)
        if Affordance.WATCHABLE in can:
            verbs.append(Verb.WATCH)
    return tuple(verbs)


def _has_food_on(graph: SceneGraph, thing: int) -> bool:
    """Whether food lies on a thing."""
    kept = graph.incoming_of.get(thing)
    return bool(kept) and any(
        Affordance.EATABLE in graph[other].affordances
        for other in graph.sources(thing, Relation.ON)
    )


def _put_actions(graph: SceneGraph, place: Node, held: Sequence[int]) -> Iterator[Action]:
    """Yield the actions that put or pour held things at a place in reach."""
    others = [thing for thing in held if thing != place.id]
    for affordance, relation in PUTS_BY_AFFORDANCE:
        if affordance in place.affordances:
            yield from (Action(Verb.PUT, thing, relation, place.id) for thing in others)
    if Affordance.RECIPIENT in place.affordances:
        for thing in others:
            if Affordance.POURABLE in graph[thing].affordances:
                yield Action(Verb.POUR, thing, None, place.id)

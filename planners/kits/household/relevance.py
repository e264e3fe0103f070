"""Planning problems reduced to the part of a house that matters for some literals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ....scene_graph.goals import EventOccurred, InOrder, Not, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation, State
from ....skills.actions import Action, Verb
from ....skills.dynamics import PUTS_BY_AFFORDANCE
from ....skills.embodiment import Embodiment
from ....skills.reach import bases, stands_at
from .access_cost import closed_containers
from .goal_alternatives import Literal, things_of
from .relevant_things import Placement, RelevantThings

#: The bases that a go_to leads to, and the action.
GoTo = tuple[frozenset[int], Action]

_CLOSE = Relation.CLOSE


@dataclass(frozen=True)
class RelevantProblem:
    """A planning problem on the relevant part of a graph (see `RelevantThings`).

    A thing may be put where a literal has it, or temporarily at one placement of each base.
    """

    literals: tuple[Literal, ...]
    """The literals that have to hold."""
    body: Embodiment
    """The embodiment of the agent."""
    actions: frozenset[Verb]
    """The verbs on offer."""
    agent: int
    """The agent's node id."""
    avoid: frozenset[Action]
    """Actions not to be used."""
    start: SceneGraph
    """The relevant part of the graph."""
    movable: Mapping[int, None]
    """The things that may be picked up; an ordered set."""
    goal_puts: Mapping[int, Mapping[Placement, None]]
    """For each thing, where it may be put for good."""
    temporary_puts: Sequence[Placement]
    """Where anything may be put for a while."""
    temporary_containers: frozenset[int]
    """The containers to open for temporary puts."""
    state_actions: tuple[Action, ...]
    """The actions that change a state."""
    go_tos: Sequence[GoTo]
    """One for each set of bases, and for each room that matters itself."""
    event_sequences: tuple[tuple[EventOccurred, ...], ...]
    """The events that have to happen, each sequence in its own order."""
    agent_actions: tuple[Action, ...]
    """The actions that make events happen or change the agent itself."""
    never_closed: frozenset[int]
    """The ids of things that cannot be closed."""
    truncated: bool
    """Whether equally good things for agent actions, or carrying such a thing, were left out."""

    def allows(self, action: Action) -> bool:
        """Whether an action is on offer and not to be avoided."""
        return action.verb in self.actions and action not in self.avoid


def relevant_problem(
    graph: SceneGraph,
    literals: Iterable[Literal],
    body: Embodiment,
    actions: frozenset[Verb],
    agent: int,
    avoid: frozenset[Action],
) -> RelevantProblem:
    """Reduce the problem of making literals true in a graph to its relevant part.

    actions: the verbs on offer. avoid: actions not to be used.
    """
    literals = tuple(literals)
    things = RelevantThings(graph, literals, body, actions, agent)
    goal_bases = {base for thing in things.all() for base in bases(graph, thing)}
    junctions = _junctions(graph, goal_bases)
    temporary = TemporaryPuts(graph, body, agent, things.excluded, actions, avoid)
    puts = temporary.near((*things.all(), *junctions)) if things.movable else []
    containers = {container for placement in puts for container in temporary.to_open(placement)}
    things.add_containers_to_open(containers)
    stops = (*junctions, *(place for _, place in puts))
    start = _reduced_graph(graph, literals, body, agent, (*things.rooms, *things.all()), stops)
    go_tos: list[GoTo] = []
    if Verb.GO_TO in actions:
        go_tos = _go_tos(start, agent, dict.fromkeys((*things.all(), *stops)), avoid)
        if not any(_is_about_agent(literal, agent) for literal in literals):
            put_bases = {base for _, place in puts for base in bases(start, place)}
            go_tos = _without_dominated(start, go_tos, goal_bases | put_bases)
        to_rooms = ((frozenset[int](), Action(Verb.GO_TO, room)) for room in things.rooms)
        go_tos = [*to_rooms, *go_tos]
    return RelevantProblem(
        literals=literals,
        body=body,
        actions=actions,
        agent=agent,
        avoid=avoid,
        start=start,
        movable=things.movable,
        goal_puts=things.goal_puts,
        temporary_puts=puts,
        temporary_containers=frozenset(containers),
        state_actions=tuple(things.state_actions),
        go_tos=go_tos,
        event_sequences=tuple(
            each.parts if isinstance(each, InOrder) else (each,)
            for each in literals
            if isinstance(each, EventOccurred | InOrder)
        ),
        agent_actions=tuple(things.agent_actions),
        never_closed=frozenset(
            node.id
            for node in start.nodes()
            if Affordance.OPENABLE not in node.affordances and State.CLOSED not in node.states
        ),
        truncated=things.truncated,
    )


def _junctions(graph: SceneGraph, goal_bases: set[int]) -> list[int]:
    """The things beside which the agent stands at two relevant bases at once."""
    return [
        node.id
        for node in graph.nodes()
        if (len(graph.places(node.id)) > 1 or graph.targets(node.id, _CLOSE))
        and node.kind is not Kind.AGENT
        and len(goal_bases.intersection(stands_at(graph, node.id))) > 1
    ]


def _reduced_graph(
    graph: SceneGraph,
    literals: Iterable[Literal],
    body: Embodiment,
    agent: int,
    things: Iterable[int],
    stops: Iterable[int],
) -> SceneGraph:
    """The part of a graph with these nodes, the nodes of literals, and all that keeps them."""
    chosen = dict.fromkeys((agent, *things))
    named = (thing for literal in literals for thing in things_of(literal))
    chosen.update(dict.fromkeys(thing for thing in named if thing in graph))
    chosen.update(dict.fromkeys(graph.targets(agent, _CLOSE)))
    chosen.update(dict.fromkeys(stops))
    for node_id in list(chosen):
        if graph[node_id].category in body.capacity:
            chosen.update(dict.fromkeys(graph.contents(node_id)))
    for node_id in list(chosen):
        chosen.update(dict.fromkeys(graph.above(node_id)))
    for node_id in list(chosen):
        if graph[node_id].kind is not Kind.AGENT:
            chosen.update(dict.fromkeys(graph.targets(node_id, _CLOSE)))  # reached with it
    for node_id in list(chosen):
        chosen.update(dict.fromkeys(graph.above(node_id)))
    return graph.part(chosen)


def _go_tos(
    graph: SceneGraph, agent: int, targets: Iterable[int], avoid: frozenset[Action]
) -> list[GoTo]:
    """One go_to for each set of bases that reaches a target, to a base if possible."""
    by_bases: dict[frozenset[int], list[int]] = {}
    in_hand = set(graph.held(agent))
    for node_id in targets:
        reached = frozenset(stands_at(graph, node_id))
        if not reached:
            continue  # a part of the body is always within reach
        if graph[node_id].kind not in (Kind.ROOM, Kind.AGENT) and not reached & in_hand:
            by_bases.setdefault(reached, []).append(node_id)
    go_tos: list[GoTo] = []
    for reached, things in by_bases.items():
        own = [base for base in reached if frozenset(stands_at(graph, base)) == reached]
        for node_id in (*own, *sorted(things, key=lambda thing: _is_graspable(graph, thing))):
            action = Action(Verb.GO_TO, node_id)
            if action not in avoid:
                go_tos.append((reached, action))
                break
    return go_tos


def _without_dominated(graph: SceneGraph, go_tos: list[GoTo], relevant: set[int]) -> list[GoTo]:
    """Leave out go_tos that lead to fewer of the relevant bases than another does.

    Standing close to more is never worse. A base of something movable may change.
    """
    movable = [go_to for go_to in go_tos if _is_graspable(graph, go_to[1].things[0])]
    best: list[GoTo] = []
    for reached, action in sorted(go_tos, key=lambda go_to: -len(go_to[0] & relevant)):
        dominated = any(reached & relevant <= other for other, _ in best)
        if not dominated and (reached, action) not in movable:
            best.append((reached, action))
    return [*best, *movable]


def _is_about_agent(literal: Literal, agent: int) -> bool:
    """Whether a literal depends on where the agent stands; every event does."""
    atom = literal.part if isinstance(literal, Not) else literal
    if isinstance(atom, EventOccurred | InOrder):
        return True
    return agent in things_of(literal) and not (
        isinstance(atom, Related) and atom.relation is Relation.HOLDS
    )


def _is_graspable(graph: SceneGraph, node_id: int) -> bool:
    return Affordance.GRASPABLE in graph[node_id].affordances


class TemporaryPuts:
    """The temporary placements in one graph.

    excluded: placements that some literal rules out; used only where nothing else is possible.
    actions: the verbs on offer. avoid: actions not to be used.
    """

    def __init__(
        self,
        graph: SceneGraph,
        body: Embodiment,
        agent: int,
        excluded: Collection[Placement],
        actions: frozenset[Verb],
        avoid: frozenset[Action],
    ) -> None:
        self._graph = graph
        self._body = body
        self._me = agent
        self._excluded = excluded
        self._actions = actions
        self._avoid = avoid
        self._avoided_puts = {(a.relation, a.place) for a in avoid if a.verb is Verb.PUT}

    def near(self, things: Iterable[int]) -> list[Placement]:
        """List one placement at each base of these things, and one anywhere else.

        A thing beside a base is reached with it.
        """
        reached = dict.fromkeys(self._graph.targets(self._me, Relation.CLOSE))
        for node_id in things:
            if self._graph[node_id].kind is not Kind.ROOM:
                reached.update(dict.fromkeys(stands_at(self._graph, node_id)))
        placements = [placement for base in reached for placement in self._at(base)]
        elsewhere = self._elsewhere(reached)
        if not placements and not elsewhere:  # a house without furniture
            for node in self._graph.nodes():
                placements += self._at(node.id, fixed=False)
        return [*placements, *elsewhere]

    def to_open(self, placement: Placement) -> list[int]:
        """List the containers to open before a put."""
        relation, place = placement
        containers = closed_containers(self._graph, place)
        if relation is Relation.INSIDE and State.CLOSED in self._graph[place].states:
            containers.append(place)
        return containers

    def _elsewhere(self, reached: Collection[int]) -> list[Placement]:
        """The placements at one more base, if possible one that needs no opening."""
        second_best: list[Placement] = []
        for node in self._graph.nodes():
            is_base = node.id not in reached and bases(self._graph, node.id) == [node.id]
            if is_base and self._may_go_to(node.id):
                placements = self._at(node.id)
                if (
                    placements
                    and placements[0] not in self._excluded
                    and not self.to_open(placements[0])
                ):
                    return placements
                second_best = second_best or placements
        return second_best

    def _may_go_to(self, node_id: int) -> bool:
        return Verb.GO_TO in self._actions and Action(Verb.GO_TO, node_id) not in self._avoid

    def _at(self, base: int, *, fixed: bool = True) -> list[Placement]:
        """One placement at a base that takes anything now.

        If there is none: one of each sort that is excluded for some thing or has to be opened
        first. fixed: leave out what can be picked up.
        """
        by_sort: dict[tuple[bool, bool], Placement] = {}
        for node_id in (base, *self._graph.below(base)):
            node = self._graph[node_id]
            graspable = Affordance.GRASPABLE in node.affordances
            if (fixed and graspable) or node.category in self._body.capacity:
                continue
            for affordance, relation in PUTS_BY_AFFORDANCE:
                placement = relation, node_id
                if affordance in node.affordances and placement not in self._avoided_puts:
                    sort = placement in self._excluded, bool(self.to_open(placement))
                    by_sort.setdefault(sort, placement)
        best = by_sort.get((False, False))
        return [best] if best is not None else list(by_sort.values())

"""Places where anything may be put down for a while, to free a hand or to make room."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation, State
from ....skills.actions import Action, Verb
from ....skills.dynamics import PUTS_BY_AFFORDANCE, bases, stands_at
from ....skills.embodiment import Embodiment
from .access_cost import closed_containers
from .relevant_things import Placement


class TemporaryPuts:
    """Finds temporary placements in one graph.

    excluded: placements that some literal rules out; they serve only where nothing else does.
    actions: the verbs there are. avoid: actions not to be used.
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
        """List one placement at each base of these things, and one more anywhere else.

        What stands beside a base is reached with it.
        """
        reached = dict.fromkeys(self._graph.targets(self._me, Relation.CLOSE))
        for node_id in things:
            if self._graph[node_id].kind is not Kind.ROOM:
                reached.update(dict.fromkeys(stands_at(self._graph, node_id)))
        found = [placement for base in reached for placement in self._at(base)]
        elsewhere = self._elsewhere(reached)
        if not found and not elsewhere:  # a house without furniture
            for node in self._graph.nodes():
                found += self._at(node.id, fixed=False)
        return [*found, *elsewhere]

    def to_open(self, placement: Placement) -> list[int]:
        """List the containers that have to be opened before something is put there."""
        relation, place = placement
        containers = closed_containers(self._graph, place)
        if relation is Relation.INSIDE and State.CLOSED in self._graph[place].states:
            containers.append(place)
        return containers

    def _elsewhere(self, reached: Collection[int]) -> list[Placement]:
        """The placements at one more base, if possible one that takes anything at once."""
        second_best: list[Placement] = []
        for node in self._graph.nodes():
            is_base = node.id not in reached and bases(self._graph, node.id) == [node.id]
            if is_base and self._may_go_to(node.id):
                found = self._at(node.id)
                if found and found[0] not in self._excluded and not self.to_open(found[0]):
                    return found
                second_best = second_best or found
        return second_best

    def _may_go_to(self, node_id: int) -> bool:
        return Verb.GO_TO in self._actions and Action(Verb.GO_TO, node_id) not in self._avoid

    def _at(self, base: int, *, fixed: bool = True) -> list[Placement]:
        """One placement at a base that takes anything now.

        Where there is none: one of each sort that is excluded for some thing, or has to be opened
        first. fixed: leave out what can be picked up.
        """
        found: dict[tuple[bool, bool], Placement] = {}
        for node_id in (base, *self._graph.below(base)):
            node = self._graph[node_id]
            graspable = Affordance.GRASPABLE in node.affordances
            if (fixed and graspable) or node.category in self._body.capacity:
                continue
            for affordance, relation in PUTS_BY_AFFORDANCE:
                placement = relation, node_id
                if affordance in node.affordances and placement not in self._avoided_puts:
                    sort = placement in self._excluded, bool(self.to_open(placement))
                    found.setdefault(sort, placement)
        best = found.get((False, False))
        return [best] if best is not None else list(found.values())

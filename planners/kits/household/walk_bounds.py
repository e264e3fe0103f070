"""Lower bounds on the number of walks to stand at several bases."""

from __future__ import annotations

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation
from ....skills.reach import stands_at

#: Bases (`skills.reach`): fixtures and free-standing things that an agent stands at.
Bases = frozenset[int]


class WalkBounds:
    """The bases that single walks lead to, in one house.

    cluster_of: for each base its cluster, named by its least member. A cluster joins the bases that
    one walk reaches together, directly or through others. No walk reaches two clusters.
    """

    def __init__(self, graph: SceneGraph, agent: int) -> None:
        self._reached_together = _largest_sets(graph)
        self._reached_at_start = frozenset(graph.targets(agent, Relation.CLOSE))
        self._min_walks: dict[frozenset[Bases], int] = {}
        self.cluster_of = _clusters(self._reached_together)

    def reached_at_once(self, one: Bases, other: Bases) -> bool:
        """Whether the agent can stand at a base of each set at once."""
        return any(
            reached & one and reached & other
            for reached in (*self._reached_together, self._reached_at_start)
        )

    def min_walks(self, unreached: frozenset[Bases]) -> int:
        """The least number of walks that stand once at a base of each set."""
        if len(unreached) < 2:
            return len(unreached)
        known = self._min_walks.get(unreached)
        if known is None:
            first = min(unreached, key=sorted)
            remainders = (
                frozenset(bases for bases in unreached if not bases & reached)
                for reached in self._reached_together
                if reached & first
            )
            known = self._min_walks[unreached] = 1 + min(map(self.min_walks, remainders))
        return known


def _largest_sets(graph: SceneGraph) -> list[Bases]:
    """The sets of bases that walks lead to, without subsets of others."""
    reached = {
        frozenset(stands_at(graph, node.id))
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT)
    }
    return sorted((s for s in reached if s and not any(s < o for o in reached)), key=sorted)


def _clusters(sets: list[Bases]) -> dict[int, int]:
    """The cluster of each base: sets that share a base are one cluster."""
    cluster: dict[int, int] = {}
    for reached in sets:
        joined = {cluster.setdefault(base, base) for base in reached}
        for base, name in cluster.items():
            if name in joined:
                cluster[base] = min(joined)
    return cluster

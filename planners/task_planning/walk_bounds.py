"""The stands one can come to by one walk, and how many walks it takes to stand at several."""

from __future__ import annotations

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Relation
from ...skills.dynamics import stands_at

Stands = frozenset[int]


class WalkBounds:
    """What one walk leads to, in one house.

    cluster_of: of each base the cluster of those that walks reach together, directly or by way of
    others, named by its least member. No walk reaches two clusters.
    """

    def __init__(self, graph: SceneGraph, agent: int) -> None:
        self._sets = _largest(graph)
        self._begun = frozenset(graph.targets(agent, Relation.CLOSE))
        self._fewest: dict[frozenset[Stands], int] = {}
        self.cluster_of = _clusters(self._sets)

    def join(self, one: Stands, other: Stands) -> bool:
        """Whether one may stand at a base of each set at once, after a walk or from the start."""
        return any(s & one and s & other for s in (*self._sets, self._begun))

    def fewest(self, missed: frozenset[Stands]) -> int:
        """How many walks it takes to stand once at one of the bases of each set."""
        if len(missed) < 2:
            return len(missed)
        known = self._fewest.get(missed)
        if known is None:
            first = min(missed, key=sorted)
            rests = (
                frozenset(stands for stands in missed if not stands & reached)
                for reached in self._sets
                if reached & first
            )
            known = self._fewest[missed] = 1 + min(map(self.fewest, rests))
        return known


def _largest(graph: SceneGraph) -> list[Stands]:
    """The sets of bases that walks lead to, without those that another contains."""
    found = {
        frozenset(stands_at(graph, node.id))
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT)
    }
    return sorted((s for s in found if s and not any(s < other for other in found)), key=sorted)


def _clusters(sets: list[Stands]) -> dict[int, int]:
    cluster: dict[int, int] = {}
    for reached in sets:
        joined = {cluster.setdefault(base, base) for base in reached}
        for base, name in cluster.items():
            if name in joined:
                cluster[base] = min(joined)
    return cluster

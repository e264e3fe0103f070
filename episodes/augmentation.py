"""Scores of what a detector found at a place, against what the view had there.

After Onishchenko et al., LookPlanGraph (2025), section VII-B and Table III: F1 over nodes, F1 over
edges, and the share of looks without any error. Objects of one category are interchangeable. A node
is right once for each object of its category that was there. An edge is right once for each object
of its category that the same place kept in the same way; an object of the same category counts as
the same place. Counts are summed over all looks before F1 is taken, so a full shelf weighs more
than an empty one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..observation_text.view import View
from ..planners.contract import Decision, Note
from ..planners.kits.detectors.detection import placement, things_at
from ..scene_graph.node import Kind


@dataclass(frozen=True)
class Matches:
    """Counts of nodes or edges: found and there, found but not there, there but not found."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: Matches) -> Matches:
        return Matches(
            self.right + other.right, self.wrong + other.wrong, self.missed + other.missed
        )

    @property
    def f1(self) -> float:
        """F1; 1 where there was nothing and nothing was found."""
        return 2 * self.right / self.compared if self.compared else 1.0

    @property
    def compared(self) -> int:
        """The denominator of F1."""
        return 2 * self.right + self.wrong + self.missed


@dataclass(frozen=True)
class AugmentationScore:
    """The score of one look, or the sum of several."""

    looks: int = 0
    """Number of looks."""
    empty: int = 0
    """Looks at a place with nothing there where nothing was found. They are right, and say little.
    """
    nodes: Matches = field(default_factory=Matches)
    """Matches over nodes."""
    edges: Matches = field(default_factory=Matches)
    """Matches over edges."""
    exact: int = 0
    """Looks that were not empty and had every node and edge right."""
    failed: int = 0
    """Looks without an image or an answer; they found nothing."""
    unusable: Mapping[str, int] = field(default_factory=dict)
    """Rows or fields of model answers that could not be used, by reason."""

    def __add__(self, other: AugmentationScore) -> AugmentationScore:
        return AugmentationScore(
            self.looks + other.looks,
            self.empty + other.empty,
            self.nodes + other.nodes,
            self.edges + other.edges,
            self.exact + other.exact,
            self.failed + other.failed,
            dict(Counter(self.unusable) + Counter(other.unusable)),
        )


def total(scores: Iterable[AugmentationScore | None]) -> AugmentationScore | None:
    """The sum of the scores; None without any."""
    found = [score for score in scores if score is not None]
    return sum(found, AugmentationScore()) if found else None


def score(decision: Decision, view: View) -> AugmentationScore | None:
    """The score of a note on what was found, against the present view; None for other decisions.

    view: with the node ids that the note uses.
    """
    data = decision.data.get("augmented") if isinstance(decision, Note) else None
    if not isinstance(data, Mapping):
        return None
    try:
        place = int(data["place"])
        nodes, edges = _found(data)
        unusable = {str(why): int(count) for why, count in data.get("dropped", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # a note of somebody's own that only looks like one
    true_nodes, true_edges = _true(view, place)
    matched = _matched(nodes, true_nodes), _matched(edges, true_edges)
    failed = bool(data.get("problem"))
    empty = not any(each.compared for each in matched)
    exact = not (failed or empty) and all(each.wrong == each.missed == 0 for each in matched)
    return AugmentationScore(1, int(empty), *matched, int(exact), int(failed), unusable)


def _found(data: Mapping[str, Any]) -> tuple[Counter[Any], Counter[Any]]:
    """The nodes and edges of a note, as they are compared."""
    category = {int(node["id"]): str(node["category"]) for node in data["nodes"]}
    edges = (
        (
            category[int(edge["source"])],
            str(edge["relation"]),
            category.get(int(edge["target"]), int(edge["target"])),
        )
        for edge in data["edges"]
    )
    return Counter(category.values()), Counter(edges)


def _true(view: View, place: int) -> tuple[Counter[Any], Counter[Any]]:
    """The nodes and edges that the view has at a place."""
    graph = view.graph
    things = things_at(view, place)
    edges: Counter[Any] = Counter()
    for thing in things:
        relation, kept_by = placement(view, thing, place)
        if relation is not None and kept_by is not None:
            node = graph[kept_by]
            by = node.category if node.kind is Kind.OBJECT and kept_by != place else kept_by
            edges[graph[thing].category, str(relation), by] += 1
    return Counter(graph[thing].category for thing in things), edges


def _matched(found: Counter[Any], true: Counter[Any]) -> Matches:
    right = (found & true).total()
    return Matches(right, found.total() - right, true.total() - right)

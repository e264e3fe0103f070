"""How well graphs were augmented: what was found at a place against what the view had there.

After Onishchenko et al., LookPlanGraph (2025), section VII-B and Table III: F1 over nodes, F1 over
edges, and the share of looks that were right in all. Things of one category are alike: a node is
right once for every thing of its category that was there, an edge once for every thing of its
category that was kept in the same way by the same place, or by a thing of the same category. Counts
of all looks are added before F1 is taken, so that a full shelf counts more than an empty one.
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
    """Counts of what was found and was there, was found and was not, was there and not found."""

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
    """What came of one look, or of several.

    looks: how many. empty: those where nothing was, and nothing was found; they are right and say
    little. exact: of the others those in which every node and edge was right. failed: those without
    an image or an answer, which found nothing. unusable: rows or fields of models' answers that
    could not be used, by reason.
    """

    looks: int = 0
    empty: int = 0
    nodes: Matches = field(default_factory=Matches)
    edges: Matches = field(default_factory=Matches)
    exact: int = 0
    failed: int = 0
    unusable: Mapping[str, int] = field(default_factory=dict)

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
    """The sum of some scores; None where there is none."""
    found = [score for score in scores if score is not None]
    return sum(found, AugmentationScore()) if found else None


def score(decision: Decision, view: View) -> AugmentationScore | None:
    """The score of a note on what was found, against the view of now; None for anything else.

    view: with the ids that the note has.
    """
    told = decision.data.get("augmented") if isinstance(decision, Note) else None
    if not isinstance(told, Mapping):
        return None
    try:
        place = int(told["place"])
        nodes, edges = _found(told)
        unusable = {str(why): int(count) for why, count in told.get("dropped", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return None  # a note of somebody's own that only looks like one
    true_nodes, true_edges = _true(view, place)
    matched = _matched(nodes, true_nodes), _matched(edges, true_edges)
    failed = bool(told.get("problem"))
    empty = not any(each.compared for each in matched)
    exact = not (failed or empty) and all(each.wrong == each.missed == 0 for each in matched)
    return AugmentationScore(1, int(empty), *matched, int(exact), int(failed), unusable)


def _found(told: Mapping[str, Any]) -> tuple[Counter[Any], Counter[Any]]:
    """The nodes and edges of a note, as they are compared."""
    category = {int(node["id"]): str(node["category"]) for node in told["nodes"]}
    edges = (
        (
            category[int(edge["source"])],
            str(edge["relation"]),
            category.get(int(edge["target"]), int(edge["target"])),
        )
        for edge in told["edges"]
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

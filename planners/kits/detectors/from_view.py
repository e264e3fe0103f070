"""Detection in the true view: what the paper's rows marked GT have in place of a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...contract import Percept
from .detection import Detection, Found, covered_at, placement, things_at

NOT_IN_SIGHT = "Nothing of it can be seen from here."


class ViewDetector:
    """Finds all that the view shows at a place, and nothing that it hides."""

    def detect(
        self,
        place: int,
        percept: Percept,
        names: Mapping[int, str],
        priors: Collection[int] = (),
        known: Collection[int] | None = None,
    ) -> Detection:
        """See `Detector.detect`; priors and what is known change nothing."""
        view = percept.view
        name = names.get(place) or percept.names.get(place, f"place {place}")
        if place not in view.graph:
            return Detection(place, name, problem=f"{name}: {NOT_IN_SIGHT}")
        found = []
        for thing in things_at(view, place):
            node = view.graph[thing]
            relation, related_to = placement(view, thing, place)
            called = names.get(thing) or percept.names[thing]
            found.append(
                Found(
                    thing,
                    called,
                    node.category,
                    relation,
                    related_to,
                    node.states,
                    node.affordances,
                )
            )
        return Detection(place, name, tuple(found), covered_at(view, place))


def from_view() -> ViewDetector:
    """A detector of the true view."""
    return ViewDetector()

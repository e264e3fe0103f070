"""Differences between what two sides perceived, as far as both did the same.

The views of two episodes are compared at their start and after each action. The comparison ends at
the first action that differs, or differs in success; after that the worlds differ. Actions are the
same with equal verb, objects and relation, and poses within 3 cm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...episodes.events import RecordedEvent, Started, Stepped, TrialStarted
from ...episodes.world import Moment
from ...observation_text.view import View, innermost_place
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node
from ...skills.actions import Action

#: Largest distance between poses of the same action, and of an unmoved object, in m.
SAME_POSE, MOVED = 0.03, 0.02


@dataclass(frozen=True)
class ObservationGap:
    """Differences between the views of compared moments; all counts are over these moments."""

    moments: int
    """Compared moments."""
    alike: int
    """Those of them without a difference."""
    steps: int
    """Actions after which views were compared."""
    outcomes_differed: int
    """Pairs of episodes that ended with another outcome of the same action."""
    other_actions: int
    """Pairs of episodes that ended with different actions."""
    to_the_end: int
    """Pairs of episodes that were compared to their end."""
    things: int
    """Objects and furniture in the simulation's views."""
    missing: int
    """Those of them that the real view lacks."""
    extra: int
    """Objects in the real view alone."""
    moved: int
    """Those kept elsewhere, or more than 2 cm away."""
    restated: int
    """Those in another state."""
    categories: Mapping[str, int]
    """Of what was missing, extra or moved, the most frequent first."""
    offset_m: float | None
    """Median distance between the poses of an object; None without poses."""
    by_id: bool
    """Whether objects were matched by id; else only counts and places of categories are."""


_Timeline = Sequence[tuple[RecordedEvent, Moment | None]]


class ObservationTally:
    """Adds up the differences between the views of pairs of episodes."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._categories: Counter[str] = Counter()
        self._offsets: list[float] = []
        self._by_id = True

    def add(self, sim: _Timeline, real: _Timeline) -> None:
        """Compare two episodes."""
        by_id = None
        for end, one, other in _aligned(sim, real):
            if end:
                self._counts[end] += 1
                continue
            assert one is not None
            assert other is not None
            if by_id is None:
                by_id = share_ids(one.graph, other.graph)
                self._by_id = self._by_id and by_id
                self._counts["steps"] -= 1  # the start is no action
            self._counts["steps"] += 1
            self._compare(one, other, by_id)

    def _compare(self, sim: View, real: View, by_id: bool) -> None:
        found = _by_id(sim, real) if by_id else _by_category(sim, real)
        self._counts["moments"] += 1
        self._counts["alike"] += not found
        self._counts["things"] += sum(1 for _ in _things(sim))
        for kind, category in found:
            self._counts[kind] += 1
            self._categories[category] += 1
        if by_id:
            self._offsets += _offsets(sim, real)

    def gap(self) -> ObservationGap:
        """The sum so far."""
        names = ("moments", "alike", "steps", "outcomes_differed", "other_actions", "to_the_end")
        kinds = ("things", "missing", "extra", "moved", "restated")
        offsets = sorted(self._offsets)
        return ObservationGap(
            **{name: self._counts[name] for name in (*names, *kinds)},
            categories=dict(self._categories.most_common(8)),
            offset_m=offsets[len(offsets) // 2] if offsets else None,
            by_id=self._by_id,
        )


def _aligned(sim: _Timeline, real: _Timeline) -> Iterator[tuple[str, View | None, View | None]]:
    """Pairs of views that can be compared; at the end, why there are no more."""
    ours, theirs = list(_moments(sim)), list(_moments(real))
    for (one, seen), (other, also_seen) in zip(ours, theirs, strict=False):
        if isinstance(one, Stepped) and isinstance(other, Stepped):
            if not same_action(one.action, other.action):
                yield "other_actions", None, None
                return
            if one.outcome.success != other.outcome.success:
                yield "outcomes_differed", None, None
                return
        elif type(one) is not type(other):
            yield "other_actions", None, None
            return
        yield "", seen.view, also_seen.view
    yield "to_the_end" if len(ours) == len(theirs) else "other_actions", None, None


def _moments(timeline: _Timeline) -> Iterator[tuple[RecordedEvent, Moment]]:
    for event, moment in timeline:
        if moment is not None and isinstance(event, Started | TrialStarted | Stepped):
            yield event, moment


def same_action(one: Action | None, other: Action | None) -> bool:
    """Whether two actions are equal up to noise in their poses."""
    if one is None or other is None:
        return one is other
    if (one.verb, one.things, one.relation) != (other.verb, other.things, other.relation):
        return False
    if one.pose is None or other.pose is None:
        return one.pose is other.pose
    return math.dist(one.pose[:3], other.pose[:3]) <= SAME_POSE


def share_ids(sim: SceneGraph, real: SceneGraph) -> bool:
    """Whether ids have the same meaning on both sides: equal ids have equal categories."""
    shared = [(sim[i], real[i]) for i in sim.by_id if i in real.by_id]
    return bool(shared) and all(one.category == other.category for one, other in shared)


def _things(view: View) -> Iterator[Node]:
    return (node for node in view.graph.nodes() if node.kind in (Kind.FIXTURE, Kind.OBJECT))


def _by_id(sim: View, real: View) -> list[tuple[str, str]]:
    """Differences, each as its kind and the object's category."""
    ours = {node.id: node for node in _things(sim)}
    theirs = {node.id: node for node in _things(real)}
    found = [("missing", node.category) for i, node in ours.items() if i not in theirs]
    found += [("extra", node.category) for i, node in theirs.items() if i not in ours]
    for i, node in ours.items():
        other = theirs.get(i)
        if other is None:
            continue
        distance = _distance(node, other)
        if _place(sim, i) != _place(real, i) or (distance is not None and distance > MOVED):
            found.append(("moved", node.category))
        if node.states != other.states:
            found.append(("restated", node.category))
    return found


def _by_category(sim: View, real: View) -> list[tuple[str, str]]:
    """Differences by the number of objects of a category at places of a category."""
    ours, theirs = _numbers(sim), _numbers(real)
    found = []
    for category in {category for category, _ in (*ours, *theirs)}:
        here = Counter({at: n for (of, at), n in ours.items() if of == category})
        there = Counter({at: n for (of, at), n in theirs.items() if of == category})
        lost, new = (here - there).total(), (there - here).total()
        found += [("moved", category)] * min(lost, new)
        found += [("missing", category)] * max(0, lost - new)
        found += [("extra", category)] * max(0, new - lost)
    return found


def _numbers(view: View) -> Counter[tuple[str, str]]:
    """The number of objects of a category that are kept at a place of a category."""
    counts: Counter[tuple[str, str]] = Counter()
    for node in _things(view):
        relation, place = _place(view, node.id) or ("", None)
        at = "" if place is None else view.graph[place].category
        counts[node.category, f"{relation} {at}".strip()] += 1
    return counts


def _place(view: View, thing: int) -> tuple[str, int] | None:
    """The hand or the place that keeps an object."""
    if thing in view.held():
        return "in the hand of", view.agent().id
    place = innermost_place(view.graph, thing)
    return None if place is None else (place[0].value, place[1])


def _distance(one: Node, other: Node) -> float | None:
    if one.pose is None or other.pose is None:
        return None
    return math.dist(one.pose.position, other.pose.position)


def _offsets(sim: View, real: View) -> list[float]:
    theirs = {node.id: node for node in _things(real) if node.kind is Kind.OBJECT}
    found = [_distance(n, theirs[n.id]) for n in _things(sim) if n.id in theirs]
    return [distance for distance in found if distance is not None]

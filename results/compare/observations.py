"""Where two sides perceived different things, as far as the same was done on both.

The views of two episodes are compared at their start and after each action, for as long as both
episodes did the same action and it came out alike. After that they are about different worlds.
Actions are the same with the same verb, things and relation, and a pose within 3 cm.
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

#: How far apart the poses of one action may be, and of one thing before it counts as moved, in m.
SAME_POSE, MOVED = 0.03, 0.02


@dataclass(frozen=True)
class ObservationGap:
    """What the views of aligned moments had differently; all counts are over these moments.

    moments: compared. alike: of them, those without a difference. steps: actions after which views
    were compared. outcomes_differed: pairs of episodes in which the same action came out
    differently; other_actions: in which another action was done; to_the_end: of which all was
    compared. things: what the simulation's views showed. missing: of them, not in the real view.
    extra: in the real view alone. moved: kept elsewhere, or more than 2 cm away. restated: in
    another state. categories: of what was missing, extra or moved, the most frequent first.
    offset_m: the median distance between the poses of a thing, None without poses. by_id: whether
    things were told by their ids; else by their categories, so that of each only numbers and places
    are compared.
    """

    moments: int
    alike: int
    steps: int
    outcomes_differed: int
    other_actions: int
    to_the_end: int
    things: int
    missing: int
    extra: int
    moved: int
    restated: int
    categories: Mapping[str, int]
    offset_m: float | None
    by_id: bool


_Timeline = Sequence[tuple[RecordedEvent, Moment | None]]


class ObservationTally:
    """Adds up what pairs of episodes saw differently."""

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
                by_id = _share_ids(one.graph, other.graph)
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

    def told(self) -> ObservationGap:
        """What was added so far."""
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
    """The views of moments that can be compared, and at the end why there are no more."""
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
    """Whether two actions are the same but for some noise of their poses."""
    if one is None or other is None:
        return one is other
    if (one.verb, one.things, one.relation) != (other.verb, other.things, other.relation):
        return False
    if one.pose is None or other.pose is None:
        return one.pose is other.pose
    return math.dist(one.pose[:3], other.pose[:3]) <= SAME_POSE


def _share_ids(sim: SceneGraph, real: SceneGraph) -> bool:
    """Whether ids mean the same on both sides: what both show under one id is of one category."""
    shared = [(sim[i], real[i]) for i in sim.by_id if i in real.by_id]
    return bool(shared) and all(one.category == other.category for one, other in shared)


def _things(view: View) -> Iterator[Node]:
    return (node for node in view.graph.nodes() if node.kind in (Kind.FIXTURE, Kind.OBJECT))


def _by_id(sim: View, real: View) -> list[tuple[str, str]]:
    """Differences, each as its kind and the category of the thing."""
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
    """The same by numbers of things of a category at places of a category."""
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
    """How many things of a category are kept at a place of a category."""
    counts: Counter[tuple[str, str]] = Counter()
    for node in _things(view):
        relation, place = _place(view, node.id) or ("", None)
        at = "" if place is None else view.graph[place].category
        counts[node.category, f"{relation} {at}".strip()] += 1
    return counts


def _place(view: View, thing: int) -> tuple[str, int] | None:
    """The hand, or what keeps a thing."""
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

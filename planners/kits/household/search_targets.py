"""Search targets: places that may hold missing objects, ranked by expected finds per step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from ....scene_graph.node import Affordance, Node, State
from ....skills.actions import Verb
from ....skills.embodiment import Embodiment
from ....skills.reach import reachable
from .missing_objects import MissingObject
from .observed_graph import ObservedGraph
from .prior import Prior

#: A room not yet entered counts as so many places, and takes so many steps to search.
PLACES_OF_A_ROOM = 10
STEPS_IN_A_ROOM = 2.5
#: The weight of a thing that is no surface or container; receptacles have 1.
NON_RECEPTACLE_WEIGHT = 0.05

_RECEPTACLE = {Affordance.SURFACE, Affordance.CONTAINER, Affordance.OPENABLE}


@dataclass(frozen=True)
class SearchTarget:
    """A place to look at: a room to enter, a container to open, or a base to go to.

    room: the room of the place, where it is known. probabilities: for each missing object, that it
    is there. steps: the number of actions of looking.
    """

    place: Node
    room: Node | None
    probabilities: Mapping[MissingObject, float]
    steps: float

    @property
    def finds_per_step(self) -> float:
        """The expected number of missing objects found per step."""
        return sum(self.probabilities.values()) / self.steps

    @property
    def likeliest(self) -> MissingObject:
        """The missing object that is most likely here."""
        return max(self.probabilities, key=lambda missing: self.probabilities[missing])


class SearchTargets:
    """Search targets, ranked by a prior and by what was inspected already."""

    def __init__(
        self,
        prior: Prior,
        observed: ObservedGraph,
        body: Embodiment,
        agent: int,
    ) -> None:
        self._prior = prior
        self._observed = observed
        self._body = body
        self._me = agent

    def ranked(
        self, missing: Sequence[MissingObject], exclude: Collection[int]
    ) -> list[SearchTarget]:
        """List the places left to look at, best first, without those in `exclude`."""
        observed = self._observed
        rooms = [room for room in observed.uninspected_rooms() if room.id not in exclude]
        places = [place for place in observed.uninspected_places() if place.id not in exclude]
        probabilities = {each: self._probabilities(each, rooms, places) for each in missing}
        targets = [self._target(room, [room], STEPS_IN_A_ROOM, probabilities) for room in rooms]
        groups: dict[int, list[Node]] = {}  # by the container to open, else the base to go to
        for place in places:
            key = self._closed_container(place)
            if key is None:
                key = observed.base(place.id)
            if key is not None and key not in exclude:
                groups.setdefault(key, []).append(place)
        for key, shown in groups.items():
            node = observed.graph[key]
            steps = 1.0
            if State.CLOSED in node.states:
                base = observed.base(key)
                shown = [*shown, *groups.get(base, [])] if base not in (None, key) else shown
                steps = self._steps_to_open(node)
            targets.append(self._target(node, shown, steps, probabilities))
        return sorted(targets, key=lambda each: (-each.finds_per_step, each.place.id))

    def _target(
        self,
        place: Node,
        shown: Sequence[Node],
        steps: float,
        probabilities: Mapping[MissingObject, Mapping[int, float]],
    ) -> SearchTarget:
        of_place = {
            each: sum(by_place.get(node.id, 0.0) for node in shown)
            for each, by_place in probabilities.items()
        }
        return SearchTarget(place, self._room(place), of_place, steps)

    def _probabilities(
        self, missing: MissingObject, rooms: Sequence[Node], places: Sequence[Node]
    ) -> dict[int, float]:
        """The probability of each place for one missing object; the sum is 1."""
        weights = {}
        for room in rooms:
            weights[room.id] = PLACES_OF_A_ROOM * self._likelihood(missing, None, room)
        for place in places:
            factor = 1.0 if place.affordances & _RECEPTACLE else NON_RECEPTACLE_WEIGHT
            weights[place.id] = factor * self._likelihood(missing, place, self._room(place))
        total = sum(weights.values())
        return {place: weight / total for place, weight in weights.items()}

    def _likelihood(self, missing: MissingObject, place: Node | None, room: Node | None) -> float:
        """How many times more likely here than anywhere; the maximum over several categories."""
        at = place.category if place is not None else None
        within = room.category if room is not None else None
        scores = [self._prior.score(each, at, within) for each in sorted(missing.categories)]
        return exp(max(scores, default=0.0))

    def _closed_container(self, place: Node) -> int | None:
        """The nearest closed container around a place's contents, the place included."""
        around = self._observed.graph.closed_around(place.id)
        if around is None and State.CLOSED in place.states:
            return place.id
        return around

    def _steps_to_open(self, place: Node) -> float:
        graph = self._observed.graph
        near = reachable(graph, self._me, place.id, approaches=self._body.approaches)
        steps = 1.0 if near else 2.0
        full = len(graph.held(self._me)) >= self._body.hands
        if full and Verb.OPEN in self._body.needs_free_hand:
            steps += 1.0
        return steps + (State.ON in place.states)

    def _room(self, place: Node) -> Node | None:
        room = self._observed.graph.room_of(place.id)
        return None if room is None else self._observed.graph[room]
